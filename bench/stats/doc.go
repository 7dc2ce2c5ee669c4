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
// The units of an interval are rounds, or layouts if there are several. A layout is a program linked in another
// order. An instance is a contender built anew at other addresses. More rounds of one instance do not reduce the
// variation between instances. That was measured: it is small, and a cell has too few instances to show it. So an
// interval adds a fixed variance for each instance ([InstanceFloor]).
//
// # One ratio
//
// [Paired] estimates a ratio by Huber's M-estimator of the log ratios (Huber 1964): an outlier
// moves the estimate no further than a point at one robust standard deviation. No sample is
// dropped. The interval is a t interval with the variance between rounds of the estimator's
// pseudo-values, plus the variance of the instances (degrees of freedom by Satterthwaite 1946). Few rounds say
// little about a variance. So the variances of all pairs of a cell are considered together: each is drawn
// towards their common value, more strongly the more alike they are (the moderated
// t of Smyth 2004, "Linear models and empirical Bayes methods"). A variance above the common value stays. Other cells
// say nothing about the noise of a cell.
//
// [Center] does the same for the cost of one contender. A change of the
// machine changes all contenders of a cell alike, so together they say
// no more about the variance than one of them ([PoolCenters]). Runs vary by
// more than their rounds do, which one run cannot see: [BetweenRuns] adds a measured value.
//
// Disturbances of the machine last for several rounds. A run with a budget therefore alternates between cells. The
// remaining lag-1 autocorrelation of the rounds is estimated over all pairs of a cell by the ratio of
// von Neumann (1941). It reduces the number of rounds to the number of independent rounds of equal precision.
//
// # Two questions
//
// Which contenders may be the best? [Pairs.RatiosTo] compares each contender with the best one, one-sided (Hsu 1984,
// "Constrained simultaneous confidence intervals"), and [Judge] sets [Ratio.Worse]. Of 100 questions at least 94
// keep the true best among the candidates. The critical values (Dunnett) come from a simulation with a fixed
// seed. Contenders that are worse leave, and the critical value is that of the remaining number (as in the model
// confidence set of Hansen, Lunde and Nason 2011). If a contender has fewer than [LeastRounds] common rounds with the
// best, or if the autocorrelation is large, then only a contender that is far behind ([FarBehind]) the best, or behind
// another one with that many rounds, is worse.
//
// How much does one cost relative to another? The printed interval of a ratio is that of a single comparison, two-sided,
// and the same in every question. Among twenty ratios, one interval misses the true value on average. [Ratio.Standing]
// combines the two: a candidate whose interval lies within 5 % of 1 ties with the best, any other candidate is
// unclear.
//
// The best of a cell was chosen as the lowest of several estimates, so its cost is too low on average (the winner's
// curse). [Pairs.Optimism] estimates by how much from halves of the rounds: each half judges the choice of the other half.
// With one instance, the error of that instance stays.
//
// # The control
//
// The control of a cell is a second instance of a contender, so the true ratio of the two is 1.
// The controls of all cells check the intervals of a run: 95 of 100 must contain 1 ([ByChance]).
//
// # Limits
//
//   - An interval with rounds as units does not cover other code layouts. No interval covers another machine, compiler
//     or workload.
//   - A contender that is worse is worse than the best one. Its ratio tells by how much.
//   - A tie is not equality: differences within 5 % remain possible.
//   - [Drift] finds a steady trend, not a change back and forth.
package stats
