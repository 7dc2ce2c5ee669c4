// Package stats estimates costs and ratios from rounds. Its functions are pure: the same samples give the same estimates.
//
// # Four rules
//
//   - The cost of a structure in a cell is the median of its rounds ([Median]). The ratio of two structures is the median of the ratios
//     of their common rounds ([Ratio]), in which both replayed the same operations. The 95 % interval of a median comes from order
//     statistics and assumes no distribution. Fewer than six rounds have no such interval: their range stands instead, marked Few.
//   - The fastest structure of a cell is the exact one with the least cost. Another one ties with it if the interval of its ratio
//     to the fastest reaches below [TieBelow].
//   - [Default] is named unless the interval of its ratio to another exact structure lies above [NamedUpTo]: see [Named].
//   - Each ratio exists with the loop and without it ([Costs.Ratio], [Costs.Net]). The ratio without the loop subtracts the cost of the
//     empty loop of the same round from both costs. The second and the third rule use the ratio without the loop, if the loop was
//     measured.
//
// Nothing is corrected, weighted or limited, so no cost lies outside its rounds, and no ratio outside the ratios. The fastest
// is chosen by the rounds that judge it, which flatters it a little; docs/limits.md says by how much.
//
// # Two runs
//
// Two runs of one build differ by more than their rounds say. The interval of an estimate is therefore the wider one of two: that of
// the rounds, and that by which pairs of runs have differed among cells of that size, in 90 of 100 rows ([Spread]). The interval of an
// estimate holds what the next run shows in about 90 of 100 rows.
//
// # Groups
//
// Structures that fire late are a group of their own and are never ranked with exact ones. If the rounds of one structure fall into two
// groups, the median says little: see [Estimate].
package stats
