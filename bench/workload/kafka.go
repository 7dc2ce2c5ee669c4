package workload

import "time"

// newKafkaPurgatory models the delayed requests of a Kafka broker. Each has a fixed
// timeout. Most are completed before it, which cancels the timer.
//
// Parameters of Kafka's own TestPurgatoryPerformance (apache/kafka, PR 1738):
// 10,000 requests a second, a timeout of 100 ms, a time to completion that is
// log-normal with a median of 20 ms and an upper quartile of 50 ms. It follows
// that 88.2 % are cancelled and that about 335 are pending. Kafka's tick is 1 ms;
// the broker's reaper wakes when a bucket expires, here the loop polls each tick.
func newKafkaPurgatory() Workload {
	return Workload{
		Name:     "kafka-purgatory",
		Category: Program,
		Summary:  "requests with a timeout of 100 ms, most completed before it (10,000 a second)",
		Source:   "apache/kafka TestPurgatoryPerformance, PR 1738",
		Tick:     millisecond,
		Resident: 335,
		Model: &Flow{
			Poll:   true,
			WarmUp: Duration(time.Second), // ten timeouts
			Classes: []Class{{
				Rate:  10_000,
				Delay: Delay{Kind: "constant", Mean: Duration(100 * millisecond)},
				Completion: &Delay{
					Kind:          "lognormal",
					Median:        Duration(20 * millisecond),
					UpperQuartile: Duration(50 * millisecond),
				},
			}},
		},
	}
}
