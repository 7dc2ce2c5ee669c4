package bench

import "github.com/timerbench/timerbench/bench/internal/dist"

// newCacheTTL models the expiry of cache entries: each write sets a TTL, and
// nothing is cancelled.
//
// Parameters of cluster 23 of Twitter's cache traces, the one with the widest
// mixture (twitter/cache-trace, statistics of March 2020, CC-BY): 2,700 writes a
// second with TTLs of 120 s (93 %), 2700 s (5 %) and 5 s (3 %). It follows that
// about 658,000 entries are pending.
func newCacheTTL() Workload {
	const perTick = 2.7
	ttl := dist.Mixture{
		{Weight: 93, Dist: dist.Constant(120_000)},
		{Weight: 5, Dist: dist.Constant(2_700_000)},
		{Weight: 3, Dist: dist.Constant(5_000)},
	}
	return Workload{
		Name:     "cache-ttl",
		Summary:  "cache entries that live for 5 s, 2 min or 45 min (2,700 writes a second)",
		Source:   "twitter/cache-trace 2020Mar, cluster 23",
		Tick:     millisecond,
		Resident: 658_000,
		New: func(int) Process {
			return &flow{
				rate: perTick,
				poll: true,
				life: func(r *Rand) life { return uninterrupted(ttl.Draw(r)) },
				start: func(_ *flow, w *Writer, r *Rand) {
					fillFromDelays(w, r, int(perTick*ttl.Mean()), ttl)
				},
			}
		},
	}
}
