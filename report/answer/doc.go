// Package answer draws conclusions from the results of a run. A [Run] has the costs of all contenders in each cell, the rank
// of a structure over all cells, and the counts that explain the times. Its [Adviser] names the structure that fits a
// program. All pages, tables and answers rest on this package, so they cannot contradict each other.
//
// # The question
//
// A [Question] states the number of pending timers, the shares of them that are cancelled or moved, the
// distribution of the delays, and the criteria. Cells of the results that are near the question answer it. The
// distance has these features, each with the difference that counts as 1:
//
//   - the logarithm of the number of pending timers: a factor of 3.2, half a decade;
//   - the logarithm of the share of the calls that fire: also a factor of 3.2 (1 % is added to the
//     share, so that a workload without fires has a place);
//   - the share of the calls that move a timer: 25 percentage points;
//   - the logarithm of the number of calls between two wake-ups, if the question states it: a factor of 10
//     (all numbers above 1,000 are the same);
//   - the shape of the delays, if the question names one: another shape is a distance of 0.5. The cells of programs and
//     recordings, whose delays are those of one program, are at that distance from a question about any delays.
//
// Cells with constant delays answer questions about constant delays, and no question about another shape. A cell in which no
// timer fires and that is not in a steady state answers no question about a program in which timers fire. Cells whose workload has changed since do not answer.
//
// The distance d is the root of the sum of the squares. A cell has the weight exp(-d²/2) / (d² + 0.1²): the kernel regression of
// Nadaraya and Watson 1964, and near a cell the interpolation of Shepard 1968. So a cell that was measured at the question
// decides alone, and no weight jumps. A share of 4 % is subtracted from each weight, and cells without a rest do not count. Within
// [Measured] an answer counts as measured. If the nearest cell is beyond [TooFar], the answer says so. The scales are chosen: with
// them, answers predict the cells of a normal run best that are left out (a test counts the hits).
//
// A structure with a linear operation is charged in proportion for the timers that a cell lacks. A structure that a cell
// lacks counts there like the slowest, and is out of the answer if half of the weight lacks it.
//
// # The score
//
// For each criterion, a structure has a multiple of the best structure's figure:
//
//   - throughput: the time per unit (paired by round, as in package stats), as the weighted mean of the logarithms
//     over the cells;
//   - tail: the 99th percentile of single calls of the slowest kind, less the floor's, averaged in the
//     same way. One reading of the clock is added to both sides, because a smaller difference cannot be seen;
//   - memory: bytes per timer, from the analysis of single calls of the nearest cell, or else from the memory analysis at
//     the number of timers of the question, after the timers were replaced, with the fixed cost of the empty structure;
//   - idle: the wake-ups of a tickless driver, from the idle analysis nearest in size and shape;
//   - pause: the longest call, from the analyses of single calls nearest in size.
//
// The score is the geometric mean of these multiples, weighted by [Weights]. It is 1 for a structure that
// is the best by each criterion. Exactness has no weight: a question either admits coarse structures or excludes them.
//
// # What is certain
//
// The ratio to the first structure of the ranking has the interval of a single comparison, which combines the intervals of
// the cells and criteria: the errors of weighted logarithms add up as squares. A structure ties with the first if this interval
// lies within 5 % of 1. By throughput it is worse if a one-sided comparison, with 95 % confidence for the whole answer, says so (see
// package stats); by other criteria, if its interval lies above 1. A structure that is neither is unclear. All that are not worse
// are candidates. A tail has the interval of its quantile, from the number of timed calls. Memory and idle wake-ups are counts, so
// they are certain. Longest calls have the scatter of two runs.
//
// An answer names the first structure of the ranking, or [Default] if that scores at most 10 % more. So two runs of one build name
// alike, and a small change of a question never changes the cost of the named structure by more than that.
//
// # What it is worth
//
// At the [Rate] of a program, a cost is a share of a core. A difference of less than a tenth of a core does not matter.
//
// # Limits
//
// An answer holds for the machine of the results. Between cells it is an interpolation, and nobody has measured
// it. The idle wake-ups are those of a workload without cancels, whose delays are 30,000 ticks on average. Those of a tickless driver
// were counted among the number of timers that was measured nearest to the question's.
package answer
