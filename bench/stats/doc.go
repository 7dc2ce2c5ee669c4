// Package stats compares contenders that were measured in the same rounds. Its functions
// are pure: the same samples give the same answer.
//
// # The data
//
// A [Sample] is the cost of one contender in one round. All contenders replay the same
// operations in a round, so two contenders are compared by their ratio in each round, which
// cancels the clock rate, the operations and other common influences. Statistics use logarithms
// of costs: 2 % more weighs as much as 2 % less.
//
// Rounds are nested in instances, and instances in layouts. An instance is a contender built
// anew at other addresses. A layout is a program linked in another order. More rounds of one
// instance do not reduce the variation between instances. So the units of an interval are those
// of the outermost level with at least two units ([Level]), and the rounds of a unit count as one
// mean (Kalibera and Jones 2013, "Rigorous benchmarking in reasonable time").
//
// # One ratio
//
// [Paired] estimates a ratio by Huber's M-estimator of the log ratios (Huber 1964): an outlier
// moves the estimate no further than a point at one robust standard deviation. No sample is
// dropped. The interval is a t interval with the variance between units of the estimator's
// pseudo-values. Three units say little about a variance. So the variances of all pairs of a cell
// are considered together, along with the A/A comparisons of cells of like size ([PoolPairs]):
// each is drawn towards their common value, more strongly the more alike they are (the moderated
// t of Smyth 2004, "Linear models and empirical Bayes methods").
//
// [Center] does the same for the cost of one contender. The variance of a cost is larger than that
// of a ratio. A change of the machine changes all contenders of a cell alike, so together they say
// no more about the variance than one of them; other cells say more ([PoolCenters]). Runs vary by
// more than their instances do, which one run cannot see: [BetweenRuns] adds a measured value.
//
// Disturbances of the machine last for several rounds, so consecutive instances share them. A run
// with a budget therefore alternates between cells. The remaining lag-1 autocorrelation of the
// instances is estimated over all comparisons by the ratio of von Neumann (1941). It reduces the
// number of instances to the number of independent instances of equal precision. Three instances
// hardly show an autocorrelation.
//
// # The set of the best
//
// [Best] finds the contenders that may be the best, by multiple comparison with the best
// (Hsu 1984, "Constrained simultaneous confidence intervals"): the intervals of the ratios to
// the best hold together. The printed interval, with two decimals, decides ([Standing]):
//
//   - a contender ties with the best if its interval lies within 5 % of 1;
//   - it is worse if its interval begins above 1;
//   - otherwise it is unclear: it may be the best, and it may be worse by more than 5 %.
//
// The method differs from Hsu's in two details:
//
//   - Hsu uses the critical value of Dunnett, which protects a single best contender. Of twelve
//     equal contenders it removes one in about two cells of five. This package uses the critical
//     value of the range (Tukey), so with the family-wise confidence no equally good contender is
//     removed.
//   - Contenders that are worse leave, and the critical value is that of the remaining number (as
//     in the model confidence set of Hansen, Lunde and Nason 2011). So contenders that are far
//     behind do not blur the comparison of the leaders ([Cell.RatiosTo]).
//
// A report compares the same contenders in several ways. [Cell.Settle] fixes the family size, so
// a pair has the same interval in every query. The critical values come from a simulation with a
// fixed seed, because they depend on the number of looks. For one look they agree with the
// published tables.
//
// # Simulated errors
//
// The table shows errors in percent for simulated cells of 2, 8 or 26 equal contenders: one of
// the best is called worse (the set of the best); the 95 % interval of a ratio or of a cost
// misses the true value. 3x2 means three instances of two rounds each. Eight cells of one size
// take turns. Each contender has its own noise:
//
//   - quiet: 3 % between instances, 2 % between rounds (standard deviations);
//   - wandering: 5 %, with a correlation of 0.8 from round to round, for each contender alone or
//     for all together;
//   - heavy tails: one round in ten takes 1.5 times as long, plus 2 % and 2 %;
//   - bursts: one round in 25 starts a burst of 1 to 6 rounds that slows each contender by up to
//     half;
//   - unequal variances: 0.5 % to 10 % between instances.
//
// A test writes the table:
//
//	                           set of the best     ratio           cost
//	noise                         2    8   26     2    8   26     2    8   26
//	quiet                  3x2  2.1  0.5  0.0   3.7  3.2  3.4   2.1  2.4  1.6
//	quiet                  2x3  2.9  0.0  0.0   4.1  2.9  2.7   2.2  1.7  1.1
//	quiet                 12x2  1.6  0.6  0.0   5.0  4.1  4.6   6.0  3.9  4.4
//	wandering alone        3x2  2.2  0.6  0.5   3.2  4.0  2.4   3.9  3.8  2.2
//	wandering alone        2x3  4.2  0.0  0.0   5.3  2.4  3.2   2.4  1.7  1.6
//	wandering alone       12x2  3.0  1.2  1.0   6.0  5.0  5.1   5.2  5.0  4.4
//	wandering together     3x2  0.3  0.2  0.0   5.3  4.7  3.9   3.8  4.4  2.9
//	wandering together     2x3  0.3  0.0  0.0   4.5  4.4  4.7   4.3  2.7  3.6
//	wandering together    12x2  0.0  0.0  0.0   5.2  5.0  4.2   5.0  4.3  4.9
//	heavy tails            3x2  4.0  5.4  3.8   5.8  3.9  3.1   5.2  4.2  3.5
//	heavy tails            2x3  3.1  1.5  2.0   4.2  5.2  5.3   3.2  2.7  3.2
//	heavy tails           12x2  1.6  0.5  0.0   4.1  3.8  3.3   4.9  4.6  4.2
//	bursts                 3x2  1.6  0.0  0.0   2.9  2.5  3.1   3.1  2.0  2.4
//	bursts                 2x3  2.6  0.1  0.0   4.2  2.7  2.1   2.0  2.4  1.9
//	bursts                12x2  0.8  0.4  0.0   4.8  4.0  3.8   4.7  3.8  2.5
//	unequal variances      3x2  4.0  3.2  0.5   6.3  6.7  6.2   6.2  5.9  5.9
//	unequal variances      2x3  4.7  0.8  0.8   6.9  5.6  5.8   5.3  5.0  4.8
//	unequal variances     12x2  1.9  2.1  1.8   5.8  5.5  5.4   6.3  4.5  5.5
//
// If the passes of a cell follow one another, as in a run without a budget, wandering noise with
// three instances calls one of 26 contenders worse in half of the cells, and with twelve
// instances in one of eight.
//
// The interval of a pair of three instances, without the controls of other cells, misses the ratio
// in 7 %. With heavy tails and six rounds (3x2), a contender that takes 1.3 times as long as the
// best is called worse in 95 of 100 cases, among 2, 8 or 26 contenders of which the others take
// twice as long.
//
// # The control
//
// The control of a cell is a second instance of a contender, so the true ratio of the two is 1.
// The controls of all cells check the intervals of a run: 95 of 100 must contain 1 ([ByChance]).
//
// # Limits
//
//   - An interval of [Level] Rounds does not cover other placements in memory, and an interval of
//     Instances does not cover other code layouts. No interval covers another machine, compiler or
//     workload.
//   - The ratios of [Paired] have the interval of a single comparison: among twenty, one misses its
//     true value on average. The intervals of [Best] hold together for the contenders that are not
//     worse. A worse contender has the interval that it would have among these.
//   - The contender with the lowest center was chosen from the same data, so its lead is
//     exaggerated where others are close.
//   - A contender outside the set of the best is worse than some other contender. Its ratio tells by
//     how much.
//   - A tie is not equality: differences within 5 % remain possible.
//   - [Drift] finds a steady trend, not a change back and forth.
package stats
