// Package stats compares contenders that were measured in the same rounds. Its functions
// are pure: the same samples give the same answer.
//
// # The data
//
// A [Sample] is the cost of one contender in one round. All contenders replay the same
// operations in the same round, so two of them are compared by the ratio in each round.
// What all have in common in a round, such as the clock rate or the operations, does not
// count. Costs are compared by their logarithms: 2 % more is as much as 2 % less.
//
// Rounds are nested in instances, and instances in layouts. An instance is a contender
// built anew, somewhere else in memory. A layout is a program linked in another order.
// What differs from instance to instance does not become smaller with more rounds of one
// instance. So the units of an interval are the outermost ones of which there are two or
// more ([Level]), and the rounds of a unit count as one mean (Kalibera and Jones 2013,
// "Rigorous benchmarking in reasonable time").
//
// # One ratio
//
// [Paired] estimates a ratio by the Hodges-Lehmann estimator of the log ratios, the median
// of the means of all pairs of rounds (Hodges and Lehmann 1963). One round in four may
// be disturbed without moving it far. Its interval is a t interval with the variance
// between the units. Each comparison has few units, often three, and three say little
// of a variance. So the variances of all pairs of contenders of a cell are considered together:
// each is drawn towards their common value, the more so the more alike they are (the moderated
// t of Smyth 2004, "Linear models and empirical Bayes methods"). [Cell.Prior] and
// [PoolCenters] learn the common value of each level, a [Prior]. For the variance, a round counts for no
// more than 4 robust standard deviations, of the pair or of the cell. Nothing is dropped from the estimate.
//
// [Center] does the same for the cost of one contender. Its variance is that of the
// cost itself, so it is wider than that of a ratio. Runs differ by more than their
// instances do. One run cannot see by how much, so [BetweenRuns] adds what was measured: more among many timers.
//
// # The set of the best
//
// [Best] finds the contenders that may be the best, by multiple comparison with the best
// (Hsu 1984, "Constrained simultaneous confidence intervals"): the intervals of the ratios to
// the best hold together. What is decided is what is shown, with two decimals ([Standing]):
//
//   - a contender ties with the best if its interval lies within 5 % of 1;
//   - it is worse if its interval begins above 1;
//   - otherwise it is unclear: its interval reaches the best, and it may be worse by more than 5 %.
//
// Two details differ from Hsu's method:
//
//   - Its critical value, Dunnett's, protects a single best contender. If twelve are equally
//     good, it removes one of them in about two cells of five. Here the critical value is that of
//     the range (Tukey), so that with the family-wise confidence no one of the equally best is removed.
//   - Contenders that are worse leave, and the critical value is that of the number of those
//     left (as in the model confidence set of Hansen, Lunde and Nason 2011). So contenders that
//     are far behind do not make the comparison of the leaders less sharp ([Cell.Beside]).
//
// The critical values come from a simulation with a fixed seed, because they depend on the
// number of looks too. For one look they agree with the tables.
//
// # The noise of a run
//
// The control of a cell is a second instance of a contender, so that their true ratio is 1. One
// such A/A comparison says little: by chance it differs by much or by nothing. All of a run
// say whether its intervals are as wide as they have to be, because each is measured by its own
// interval, whatever the size of the cell: 95 in 100 must hold 1. If fewer do, [Noise] is the
// factor that makes it 95, and all standard errors of the run are multiplied by it. It never
// makes an interval narrower.
//
// # Racing
//
// [Race] decides after each pass who gets more rounds. It uses past rounds only. A rule that
// stops when it likes what it sees finds differences that are not there: with each look the
// chance grows. So the critical values are those of the largest of several looks (Pocock
// 1977), in the race and in the analysis after it: Options.Looks must be [RaceLooks] there.
// A race stops only when the intervals are narrow, and its looks are correlated, so
// the price of three looks is enough. Dropping those beaten costs nothing that
// matters: a contender must be 1.5 times as slow with the family-wise confidence, so equal ones do not
// drop out.
//
// Simulated cells of equal contenders, with a standard deviation of 3 to 5 % between instances and
// of 3 % between rounds (Student's t with 4 degrees of freedom), spikes in 2 % of the
// rounds, and races of up to 8 passes with two rounds each: a difference is called in at most
// 1 % of the cells, and in up to 4 % where there is no race. If each of twelve contenders has two instances only and
// one is ten times as noisy as the others, it is 8 %. Power: among 12
// contenders a race of 12 passes finds 9 in 10 differences of 10 %; among 4, a race of 24
// passes finds 7 in 10 differences of 5 %. The tests repeat these simulations.
//
// # What the figures do not say
//
//   - An interval of [Level] Rounds says nothing of another placement in memory, and one of
//     Instances nothing of another layout of the code. No interval here says anything of
//     another machine, another compiler or another workload.
//   - The ratios of [Paired] have the interval of one comparison. Among twenty of them, one
//     misses its true value on average. Those of [Best] hold together for the contenders that
//     are not worse; those that are worse have intervals as if they were among these.
//   - The contender with the lowest center was chosen from the same data. Its lead is
//     exaggerated where the others are close.
//   - A contender that is missing from the set of the best is worse than some other one. How much
//     worse is another question, which its ratio answers.
//   - A tie is not equality: differences within 5 % remain possible.
//   - [Drift] finds a steady trend. It does not find a change back and forth.
package stats
