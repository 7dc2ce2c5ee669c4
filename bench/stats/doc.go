// Package stats compares contenders that were measured in the same rounds. Its functions
// are pure: the same samples give the same answer.
//
// # The data
//
// A [Sample] is the cost of one contender in one round. All contenders replay the same
// operations in the same round, so two of them are compared by the ratio in each round: what
// all have in common, such as the clock rate or the operations, does not count. Costs are
// compared by their logarithms: 2 % more is as much as 2 % less.
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
// [Paired] estimates a ratio by Huber's M-estimator of the log ratios (Huber 1964): a round that
// is far from most others moves it by no more than one at one robust standard deviation does.
// Nothing is dropped. Its interval is a t interval with the variance between the units, of the
// pseudo-values of the estimator. Three units say little of a variance. So the variances of all
// pairs of contenders of a cell are considered together, and the A/A comparisons of cells of
// like size with them ([PoolPairs]): each is drawn towards their common value, the more so the
// more alike they are (the moderated t of Smyth 2004, "Linear models and empirical Bayes
// methods").
//
// [Center] does the same for the cost of one contender. Its variance is that of the cost itself,
// so it is wider than that of a ratio. Where the machine changes, all contenders of a cell
// change alike: of the variance they say no more than one of them does, but other cells say more
// ([PoolCenters]). Runs differ by more than their instances do, and one run cannot see by how
// much: [BetweenRuns] adds what was measured.
//
// What else a machine does goes on for some rounds, and instances that are measured one after
// the other have it in common. So the passes of the cells of a run with a budget take turns. The
// lag-1 autocorrelation of the instances that is left is estimated over all comparisons by the
// ratio of von Neumann (1941), and the number of instances is replaced by that of independent
// ones which are worth as much. Three instances hardly show it.
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
//   - Its critical value, Dunnett's, protects a single best contender: of twelve equally good
//     ones it removes one in about two cells of five. Here it is that of the range (Tukey), so
//     that with the family-wise confidence none of the equally best is removed.
//   - Contenders that are worse leave, and the critical value is that of the number of those
//     left (as in the model confidence set of Hansen, Lunde and Nason 2011). So those that
//     are far behind do not make the comparison of the leaders less sharp ([Cell.RatiosTo]).
//
// A report compares the same contenders in several ways. [Cell.Settle] gives each pair one
// interval for all of them. The critical values come from a simulation with a fixed seed,
// because they depend on the number of looks too. For one look they agree with the tables.
//
// # The errors, simulated
//
// The table has the errors in percent of simulated cells of 2, 8 or 26 equal contenders: one of
// the best is called worse (the set of the best); the 95 % interval of a ratio, or of a cost,
// misses the true value. 3x2 are three instances of two rounds each. Eight cells of one size
// take turns. Each contender has noise of its own:
//
//   - quiet: 3 % between instances, 2 % between rounds (standard deviations);
//   - wandering: 5 %, with a correlation of 0.8 from round to round, of each alone or of all
//     together;
//   - heavy tails: one round in ten takes 1.5 times as long, beside 2 % and 2 %;
//   - bursts: one round in 25 begins one that lasts 1 to 6 rounds and slows each by up to half;
//   - unequal variances: 0.5 % to 10 % between instances.
//
// A test writes it:
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
// Where the passes of a cell follow one another, as in a run without a budget, three instances with
// wandering noise of their own call one of 26 contenders worse in half of the cells, and twelve in one
// of eight.
//
// A pair of three instances alone, without the controls of other cells, misses its ratio in 7 %.
// With heavy tails and six rounds (3x2), what takes 1.3 times as long as the best is called
// worse in 95 of 100 cases, among 2, 8 or 26 contenders of which the others take twice as long.
//
// # The control
//
// The control of a cell is a second instance of a contender, so that their true ratio is 1.
// Those of all cells are a check that is reported: the intervals of 95 in 100 must hold 1
// ([ByChance]).
//
// # Racing
//
// [Race] decides after each pass who gets more rounds. It uses past rounds only. A rule that
// stops when it likes what it sees finds differences that are not there: with each look the
// chance grows. So the critical values are those of the largest of several looks (Pocock
// 1977), in the race and in the analysis after it: Options.Looks must be [RaceLooks] there.
// A race stops only when the intervals are narrow, and its looks are correlated, so
// the price of three looks is enough. To drop those that are 1.5 times as slow with the family-wise
// confidence costs nothing that matters: equal ones do not drop out.
//
// Simulated races of up to 8 passes with two rounds each, with standard deviations of 2 to 5 %
// between instances and of 2 to 3 % between rounds, and spikes in 2 % of the rounds: a
// difference is called in 1 % of the cells of 4, 6 or 20 equal contenders, and in 5 % of those
// of 2. Among 12 contenders a race of 12 passes finds 19 in 20 differences of 10 %; among 4, a
// race of 24 passes finds 3 in 4 differences of 5 %. The tests repeat these simulations.
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
