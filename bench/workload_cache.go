package bench

import "time"

// newCacheTTL models the expiry of cache entries: each write sets a TTL, and
// nothing is cancelled.
//
// Parameters of cluster 23 of Twitter's cache traces, the one with the widest
// mixture (twitter/cache-trace, statistics of March 2020, CC-BY): 2,700 writes a
// second with TTLs of 120 s (93 %), 2700 s (5 %) and 5 s (3 %). It follows that
// about 658,000 entries are pending.
func newCacheTTL() Workload {
	ttl := func(weight Weight, seconds int) Part {
		return Part{weight, Delay{Kind: "constant", Mean: Duration(seconds) * Duration(time.Second)}}
	}
	return Workload{
		Name:     "cache-ttl",
		Summary:  "cache entries that live for 5 s, 2 min or 45 min (2,700 writes a second)",
		Source:   "twitter/cache-trace 2020Mar, cluster 23",
		Tick:     millisecond,
		Resident: 658_000,
		Model: &Flow{
			Poll: true,
			Classes: []Class{{
				Rate:  2_700,
				Delay: Delay{Kind: mixture, Parts: []Part{ttl(93, 120), ttl(5, 2700), ttl(3, 5)}},
			}},
		},
	}
}
