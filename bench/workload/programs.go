package workload

import (
	"fmt"
	"strings"
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

const (
	millisecond = time.Millisecond
	ms          = Duration(time.Millisecond)
	sec         = Duration(time.Second)
)

// program returns a workload at a tick of 1 ms that is modelled on a program.
func program(name string, resident int, summary, source string, m Model) Workload {
	return Workload{
		Name: name, Category: Program, Summary: summary, Source: source, Tick: millisecond,
		Resident: resident, Model: m,
	}
}

// programs returns the workloads modelled on programs.
func programs() []Workload {
	list := []Workload{kafkaPurgatory()}
	list = append(list, connections()...)
	list = append(list, workUnit(), tcpServer(), pacing())
	for _, c := range cacheClusters {
		list = append(list, cacheTTL(c))
	}
	return append(list, cronJobs(false), cronJobs(true), sipProxy(), resetEarlier())
}

// kafkaPurgatory models the delayed requests of a Kafka broker. Each has a fixed
// timeout. Most are completed before it, which cancels the timer.
//
// Parameters of Kafka's own TestPurgatoryPerformance (apache/kafka, PR 1738):
// 10,000 requests a second, a timeout of 100 ms, a time to completion that is
// log-normal with a median of 20 ms and an upper quartile of 50 ms. It follows
// that 88.2 % are cancelled and that about 335 are pending. Kafka's tick is 1 ms;
// the broker's reaper wakes when a bucket expires, here the loop polls each tick.
func kafkaPurgatory() Workload {
	return program("kafka-purgatory", 335,
		"requests with a timeout of 100 ms, most completed before it (10,000 a second)",
		"apache/kafka TestPurgatoryPerformance, PR 1738",
		&Flow{Poll: true, WarmUp: sec, Classes: []Class{{ // a warm-up of ten timeouts
			Rate:       10_000,
			Delay:      Delay{Kind: "constant", Mean: 100 * ms},
			Completion: &Delay{Kind: "lognormal", Median: 20 * ms, UpperQuartile: 50 * ms},
		}}})
}

// connections returns forms of the deadlines of connections.
//
// The first has a million connections with two timers each, as in golang/go#15133, under
// the timeouts of nginx: keepalive_timeout 75 s, send_timeout 60 s, keepalive_requests
// 1000. A message every 5 s is chosen: it lets e^-12, about one message in 160,000, come
// too late for its deadline, so that hardly any fire. Of the deadlines that are set, 999 in
// 1000 are moved.
//
// The last is as the recordings of HTTP servers are (docs/recordings.md), which clear most
// deadlines when a request has come, and set others: of Caddy with 10,000 connections, 24.5 %
// of the deadlines that are set are moved, their delays are 60 s and 300 s, and a pending
// timer is set or cleared 0.32 times a second, which a message every 5 s leads to. In those of
// nginx and net/http 25 and 47 % are moved.
func connections() []Workload {
	nginx := ConnDeadline{Read: 75 * sec, Write: 60 * sec, Every: 5 * sec, Messages: 1000}
	lazily, server := nginx, nginx
	lazily.Lazy = 0.25
	server.Read, server.Cleared = 300*sec, 0.75
	list := []Workload{
		program("conn-deadline", 2_000_000,
			"read and write deadlines of keep-alive connections, pushed on at each message",
			"golang/go#15133: 1M connections; nginx's default timeouts; a message every 5 s chosen", &nginx),
		program("conn-deadline-lazy", 2_000_000,
			"the same, but a deadline is moved only after a quarter of it has passed",
			"valyala/fasthttp#293; otherwise as conn-deadline", &lazily),
		program("http-server", 10_000,
			"read and write deadlines of an HTTP server, three of four cleared by a message and set again",
			"recordings of Caddy, nginx and net/http: docs/recordings.md", &server),
	}
	list[1].Extra, list[2].Unit = true, script.PerLifecycle
	return list
}

// workUnit has the parameters of the benchmark's source (jsnell/ratas,
// test_benchmark.cc) at its tick of 20 us, run there to 300 s with any number of
// pairs. It differs in two points. There, a server that has sent all it had is
// left without quota, so that from the second response on it begins with an empty
// delivery, which counts as a message and lets responses complete ever earlier;
// here each is whole. And there nothing follows a pair that has ended. 10,000
// timers are chosen.
func workUnit() Workload {
	const tick = 20 * time.Microsecond
	w := program("workunit", 10_000, "paired connections with five kinds of timers of known fate",
		"jsnell/ratas, test_benchmark.cc; 10,000 timers chosen",
		&WorkUnit{
			Idle: 60 * sec, Close: 180 * sec, Linger: 10 * sec, Pace: Duration(10 * tick),
			Request: sec, Jitter: Duration(100 * tick),
			Deadline: Duration(102_400 * time.Microsecond), Earlier: Duration(51_200 * time.Microsecond),
			Messages: 128, Begin: sec,
		})
	w.Tick = tick
	return w
}

// tcpServer has the constants of Linux (include/net/tcp.h). What the connections do
// is chosen, such that 99 % of the timers are cancelled, as they are in the kernel's
// networking (Gleixner, lkml 2016-06-17): with 100 exchanges a connection has about
// 203 timers, of which fire its TIME_WAIT, 0.7 delayed acknowledgements (a reply
// takes longer than 40 ms in e^-5 of the cases) and 0.3 retransmissions.
func tcpServer() Workload {
	return program("tcp", 100_000,
		"retransmission, delayed acknowledgement, TIME_WAIT and keepalive of connections",
		"Linux include/net/tcp.h; Gleixner, lkml 2016-06-17; round trips, traffic and 100,000 timers chosen",
		&TCP{
			FirstRTO: sec, LeastRTO: 200 * ms, LargestRTO: 120 * sec,
			DelayedAck: 40 * ms, // the least; Linux goes up to 200 ms
			TimeWait:   60 * sec, Keepalive: 7200 * sec, Probe: 75 * sec, Probes: 9,
			RoundTrip: Delay{Kind: "lognormal", Median: 40 * ms, UpperQuartile: 80 * ms},
			Reply:     Delay{Kind: "exponential", Mean: 8 * ms},
			Think:     Delay{Kind: "exponential", Mean: sec},
			Exchanges: 100, Loss: 0.003, Vanish: 0.002,
		})
}

// pacing releases packets. When a packet of a flow is released, the next one is
// scheduled. Nothing is cancelled. It is the hold model with delays that vary little and
// a tick of its own.
//
// Parameters of Eiffel (Saeed et al., NSDI '19): 20,000 flows, each with a packet
// about every 10 ms, in buckets of 100 us. A tick is such a bucket: Carousel's slots
// (Saeed et al., SIGCOMM '17) are 2 us. That packets come within 10 % of their time
// is chosen. Both keep a horizon of seconds, which no release here comes near.
func pacing() Workload {
	w := program("pacing", 20_000,
		"a packet of each of 20,000 flows is released about every 10 ms, and the next is scheduled",
		"Eiffel, NSDI '19; +-10 % chosen", &Hold{Delay: Delay{Kind: "biased", Mean: 10 * ms}})
	w.Tick = 100 * time.Microsecond
	return w
}

// cacheCluster is one cluster of Twitter's caches: its rate of writes and its TTLs.
type cacheCluster struct {
	number   int
	writes   float64 // a second: the published rate of requests times the share that sets
	ttls     []cacheTTLShare
	resident int // follows, as rate x mean TTL
}

// cacheTTLShare is a time to live and the percentage of the entries that have it.
type cacheTTLShare struct {
	percent Weight
	ttl     Duration
}

// cacheClusters are taken from Twitter's cache traces (twitter/cache-trace,
// statistics of March 2020, CC-BY). Percentages are as published, rounded there, and
// need not add up to 100.
var cacheClusters = []cacheCluster{
	{15, 9_020 * 1.00, []cacheTTLShare{{100, 30 * sec}}, 271_000},
	{32, 7_350 * 0.98, []cacheTTLShare{{100, 60 * sec}}, 432_000},
	{12, 4_360 * 0.80, []cacheTTLShare{{98, 300 * sec}, {2, 299 * sec}}, 1_050_000},
	{23, 8_690 * 0.31, []cacheTTLShare{{93, 120 * sec}, {5, 2700 * sec}, {3, 5 * sec}}, 658_000},
	{37, 4_150 * 0.37, []cacheTTLShare{{91, 20 * sec}, {6, 300 * sec}, {2, 7200 * sec}, {1, 600 * sec}}, 286_000},
}

// cacheTTL models the expiry of cache entries: each write sets a TTL, and
// nothing is cancelled. Cluster 23 has the widest mixture that many entries share;
// the others are extra.
func cacheTTL(c cacheCluster) Workload {
	var names []string
	var parts []Part
	for _, t := range c.ttls {
		names = append(names, t.ttl.String())
		parts = append(parts, Part{t.percent, Delay{Kind: "constant", Mean: t.ttl}})
	}
	ttl := parts[0].Delay
	if len(parts) > 1 {
		ttl = Delay{Kind: mixture, Parts: parts}
	}
	w := program(fmt.Sprintf("cache-ttl-%d", c.number), c.resident,
		fmt.Sprintf("cache entries that live for %s (%.0f writes a second)", strings.Join(names, ", "), c.writes),
		fmt.Sprintf("twitter/cache-trace 2020Mar, cluster %d", c.number),
		&Flow{Poll: true, Classes: []Class{{Rate: Rate(c.writes), Delay: ttl}}})
	w.Extra = c.number != 23
	return w
}

// azurePeriods are the timer triggers of Azure Functions in 2019: how many
// functions run at each period (Shahrad et al., ATC '20, read off figure 5a, to
// about 0.004). The figure shows other periods too; only relative weight counts.
var azurePeriods = []Period{
	{86_400 * sec, 0.073}, {43_200 * sec, 0.006}, {28_800 * sec, 0.007}, {21_600 * sec, 0.005}, {3600 * sec, 0.022},
	{1800 * sec, 0.011}, {900 * sec, 0.015}, {600 * sec, 0.011}, {300 * sec, 0.036}, {60 * sec, 0.023},
}

// cronJobs begins at midnight. The tick of a second and the 10,000 jobs are chosen. A
// second is the finest time that such a job can specify.
func cronJobs(hashed bool) Workload {
	w := program("cron-aligned", 10_000,
		"periodic jobs from a minute to a day, all on round times: many fire at once",
		"Azure Functions 2019, Shahrad et al. ATC '20; 10,000 jobs chosen",
		&Cron{Periods: azurePeriods, Hashed: hashed})
	w.Tick = time.Second
	if hashed {
		w.Name, w.Extra, w.Summary = "cron-hashed", true, "the same jobs, each with a phase of its own"
	}
	return w
}

// sipProxy has the values of RFC 3261, table 4; C and D, which it only bounds by 3 min
// and 32 s, are a second more. Everything else is chosen.
func sipProxy() Workload {
	return program("sip", 10_000, "the timers A to K of telephony transactions, with retransmissions",
		"RFC 3261, table 4; times of answers and 10,000 timers chosen",
		&SIP{
			T1: 500 * ms, T2: 4 * sec, T4: 5 * sec, C: 181 * sec, D: 33 * sec,
			Answer:  Delay{Kind: "exponential", Mean: 300 * ms},
			Ring:    Delay{Kind: "exponential", Mean: 15 * sec},
			Refused: 0.3, Lost: 0.01,
		})
}

// resetEarlier has the parameters of the program in golang/go#41699, cut down
// there from a node with about 160,000 IMAP connections. Structures that cancel
// and move lazily pile up entries on it.
func resetEarlier() Workload {
	return program("reset-earlier", 50_000,
		"each of 50,000 goroutines moves its deadline to 5 s and then to 10 s, every 20 ms",
		"golang/go#41699", &ResetEarlier{Every: 20 * ms, Early: 5 * sec, Late: 10 * sec})
}
