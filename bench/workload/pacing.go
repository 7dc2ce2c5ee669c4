package workload

import "time"

// newPacing releases packets. When a packet of a flow is released, the next one is
// scheduled. Nothing is cancelled. It is the hold model with delays that vary little and
// a tick of its own.
//
// Parameters of Eiffel (Saeed et al., NSDI '19): 20,000 flows, each with a packet
// about every 10 ms, in buckets of 100 us. A tick is such a bucket: Carousel's slots
// (Saeed et al., SIGCOMM '17) are 2 us. That packets come within 10 % of their time
// is chosen. Both keep a horizon of seconds, which no release here comes near.
func newPacing() Workload {
	return Workload{
		Name:     "pacing",
		Category: Program,
		Summary:  "a packet of each of 20,000 flows is released about every 10 ms, and the next is scheduled",
		Source:   "Eiffel, NSDI '19; +-10 % chosen",
		Tick:     100 * time.Microsecond,
		Resident: 20_000,
		Model:    &Hold{Delay: Delay{Kind: "biased", Mean: Duration(10 * millisecond)}},
	}
}
