// Package advice answers which structure fits, from the results of a run.
//
// # The question
//
// A [Question] says how many timers are pending, what share of them is cancelled or moved, how the
// delays are distributed, and what matters. A cell of the results answers it if it is near. These
// are the features, and the difference in each that counts as a distance of 1:
//
//   - the logarithm of the number of pending timers: a factor of 3.2, half a decade;
//   - the logarithm of the share of the calls that fire: also a factor of 3.2 (1 % is added to the
//     share, so that a workload in which nothing fires has a place);
//   - the share of the calls that move a timer: 25 percentage points;
//   - the logarithm of the number of calls between two wake-ups: a factor of 10, where the question
//     says it (above 1,000 all is the same);
//   - the shape of the delays: another one is a distance of 0.5, where the question names one.
//
// A cell in which no timer fires answers no question about a program in which some do. A question about constant delays is
// answered by cells with constant delays only, and a question about another shape by none of these.
//
// The distance is the root of the sum of the squares. If there are cells within [Measured], the
// answer rests on these alone, with equal weights. Otherwise each cell has the weight exp(-d²/2) (the
// kernel regression of Nadaraya and Watson 1964), and cells of less than 2 % do not count. If the
// nearest cell is beyond [TooFar], the answer says so. The scales are chosen, such that the cells
// that are left out are predicted best in a normal run; see [Adviser.Judge].
//
// # The score
//
// For each thing that matters, a structure has a multiple of the best structure's:
//
//   - throughput: the time per unit (paired by round, as in package stats), averaged over the cells
//     by their weights, as the mean of the logarithms;
//   - tail: the 99th percentile of single calls of the slowest kind, less the floor's, averaged in the
//     same way. One reading of the clock is added to both sides, since less is not seen;
//   - memory: bytes a timer at that number of timers, from the analysis of memory after the timers were replaced,
//     with the fixed cost of the empty structure;
//   - idle: the wake-ups of a tickless driver, from the idle analysis nearest in size and shape.
//
// The score is the geometric mean of these multiples, weighted by [Weights]. It is 1 for a structure that
// is the best in all. Exactness is no weight: a coarse structure takes part or does not.
//
// # What is certain
//
// The ratio to the first of the ranking has an interval: the paired intervals of the cells, of which each pair of
// structures has one that is shown everywhere, are averaged as the centers are. A structure ties with the first if the
// interval lies within 5 % of 1; it is worse if it lies above 1; otherwise it is unclear. The sentence names those that tie or are
// unclear with the first, and then the first that is worse.
//
// The rule is the same whatever matters. A tail has the interval of its quantile, by the number of calls that were timed,
// such that the intervals of all pairs hold together. Memory and idle wake-ups are counted, so they are certain. The
// interval of a score is the weighted sum of those of its criteria; their errors add up as squares do.
//
// # What it is worth
//
// At the [Rate] of a program, a cost is a share of a core. A difference of less than a tenth of a core does not matter.
//
// # What it does not say
//
// An answer holds for the machine of the results. Between cells it is an interpolation: no one has measured
// it. The idle wake-ups are those of a workload without cancels.
package advice
