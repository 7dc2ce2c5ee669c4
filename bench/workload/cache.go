package workload

import (
	"fmt"
	"strings"
	"time"
)

// cacheCluster is one cluster of Twitter's caches: its rate of writes and its TTLs.
type cacheCluster struct {
	number   int
	writes   float64 // a second: the published rate of requests times the share that sets
	ttls     []cacheTTL
	resident int // follows, as rate x mean TTL
}

// cacheTTL is a time to live and the percentage of the entries that have it.
type cacheTTL struct {
	percent Weight
	ttl     time.Duration
}

// cacheClusters are taken from Twitter's cache traces (twitter/cache-trace,
// statistics of March 2020, CC-BY). Percentages are as published, rounded there, and
// need not add up to 100.
var cacheClusters = []cacheCluster{
	{15, 9_020 * 1.00, []cacheTTL{{100, 30 * time.Second}}, 271_000},
	{32, 7_350 * 0.98, []cacheTTL{{100, time.Minute}}, 432_000},
	{12, 4_360 * 0.80, []cacheTTL{{98, 300 * time.Second}, {2, 299 * time.Second}}, 1_050_000},
	{23, 8_690 * 0.31, []cacheTTL{{93, 2 * time.Minute}, {5, 45 * time.Minute}, {3, 5 * time.Second}}, 658_000},
	{37, 4_150 * 0.37, []cacheTTL{{91, 20 * time.Second}, {6, 5 * time.Minute}, {2, 2 * time.Hour}, {1, 10 * time.Minute}}, 286_000},
}

// newCacheTTL models the expiry of cache entries: each write sets a TTL, and
// nothing is cancelled. Cluster 23 has the widest mixture that many entries share;
// the others are extra.
func newCacheTTL(c cacheCluster) Workload {
	ttl := Delay{Kind: "constant", Mean: Duration(c.ttls[0].ttl)}
	var names []string
	var parts []Part
	for _, t := range c.ttls {
		names = append(names, Duration(t.ttl).String())
		parts = append(parts, Part{t.percent, Delay{Kind: "constant", Mean: Duration(t.ttl)}})
	}
	if len(parts) > 1 {
		ttl = Delay{Kind: mixture, Parts: parts}
	}
	return Workload{
		Name:     fmt.Sprintf("cache-ttl-%d", c.number),
		Category: Program,
		Summary:  fmt.Sprintf("cache entries that live for %s (%.0f writes a second)", strings.Join(names, ", "), c.writes),
		Source:   fmt.Sprintf("twitter/cache-trace 2020Mar, cluster %d", c.number),
		Tick:     millisecond,
		Resident: c.resident,
		Extra:    c.number != 23,
		Model:    &Flow{Poll: true, Classes: []Class{{Rate: Rate(c.writes), Delay: ttl}}},
	}
}
