package stats

// Best returns the ratio of each contender to the best one of a cell, as [Pairs.RatiosTo] does.
func Best(contenders [][]Sample, o Options) []Ratio {
	c := NewPairs(contenders, o)
	all := make([]int, len(contenders))
	for i := range all {
		all[i] = i
	}
	return c.RatiosTo(c.Best(all), all)
}
