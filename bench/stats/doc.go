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
// Which contenders may be the best? [Cell.RatiosTo] compares each contender with the best one, one-sided (Hsu 1984,
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
// curse). [Cell.Optimism] estimates by how much from halves of the rounds: each half judges the choice of the other half.
// With one instance, the error of that instance stays.
//
// # Simulated errors
//
// The table shows errors in percent for simulated questions about 2, 8 or 30 equal contenders: the best is missing from
// the candidates; the printed interval of at least one ratio to the best does not hold 1. 3x4 means three instances of
// four rounds each. The logarithm of a ratio varies by 4 % between instances. The noise of the rounds of each contender:
//
//   - calm, 15 %, 30 %: normal, with this standard deviation; in one case the best is twice as noisy as the others;
//   - own AR(1): 15 %, with this correlation from round to round; common: shared by all contenders, and half as
//     much of their own;
//   - heavy tails: 5 %, and one round in ten takes 1.5 times as long;
//   - bursts: 5 %, and one round in 25 starts a burst of 1 to 6 rounds that slows each contender by up to half;
//   - unequal variances: 10 %, times a factor from 1/3 to 3 for each contender.
//
// A test writes the table:
//
//	                            the best missing   some interval wrong
//	noise                          2    8   30        2    8   30
//	calm, 3 %              1x3  0.0  0.0  0.0      3.5 31.8 93.0
//	calm, 3 %             1x12  3.2  3.3  2.0      4.0 44.0 97.2
//	calm, 3 %              2x6  1.9  1.6  0.5      2.5 29.0 89.8
//	calm, 3 %              3x4  1.7  1.0  0.0      1.9 21.4 77.5
//	calm, 3 %             3x16  2.4  2.6  1.2      3.4 37.9 92.8
//	15 %                   1x3  0.0  0.0  0.0      9.5 22.8 80.0
//	15 %                  1x12  4.2  3.1  3.0      5.2 38.2 94.0
//	15 %                   2x6  3.4  3.0  1.8      4.0 35.4 94.2
//	15 %                   3x4  4.2  3.4  2.8      5.0 35.7 92.8
//	15 %                  3x16  3.7  3.7  2.5      4.7 44.2 95.2
//	30 %                   1x3  0.3  0.9  2.0      9.4 20.5 78.2
//	30 %                  1x12  4.3  4.0  2.2      5.6 35.2 95.2
//	30 %                   2x6  3.9  2.6  1.2      4.8 35.9 93.5
//	30 %                   3x4  4.2  3.1  2.5      5.3 36.4 92.5
//	30 %                  3x16  3.9  3.8  2.2      4.8 44.3 93.2
//	15 %, the best 30 %    1x3  0.0  0.1  0.2      8.4 23.6 79.0
//	15 %, the best 30 %   1x12  5.0  3.0  3.2      5.2 36.5 92.2
//	15 %, the best 30 %    2x6  3.9  3.6  1.8      5.0 36.0 92.2
//	15 %, the best 30 %    3x4  4.3  3.7  4.8      6.0 36.3 89.8
//	15 %, the best 30 %   3x16  4.2  3.1  1.5      4.2 42.3 93.0
//	own AR(1) 0.5          1x3  0.0  0.1  0.0     16.4 49.7 95.5
//	own AR(1) 0.5         1x12  5.0  2.2  0.2     10.3 50.1 97.2
//	own AR(1) 0.5          2x6  4.9  2.0  0.0     10.8 48.5 97.2
//	own AR(1) 0.5          3x4  5.5  2.2  0.5     10.8 48.1 95.0
//	own AR(1) 0.5         3x16  4.0  0.6  0.0      7.7 48.8 97.2
//	own AR(1) 0.8          1x3  0.1  0.7  0.2     25.8 64.7 96.8
//	own AR(1) 0.8         1x12  3.7  0.1  0.0     17.8 63.2 100.0
//	own AR(1) 0.8          2x6  3.9  0.1  0.0     17.2 63.3 97.5
//	own AR(1) 0.8          3x4  4.0  0.1  0.0     18.2 63.2 96.8
//	own AR(1) 0.8         3x16  0.3  0.0  0.0     10.7 56.8 97.8
//	common AR(1) 0.8       1x3  0.0  0.0  0.0      7.3 26.5 86.5
//	common AR(1) 0.8      1x12  3.2  3.2  2.8      3.5 42.3 95.5
//	common AR(1) 0.8       2x6  3.5  2.6  3.2      4.2 35.1 91.2
//	common AR(1) 0.8       3x4  3.0  2.5  1.5      3.9 33.3 88.8
//	common AR(1) 0.8      3x16  3.4  3.4  2.0      2.5 36.3 94.8
//	heavy tails            1x3  0.0  0.0  0.0      4.4 21.0 69.2
//	heavy tails           1x12  3.5  2.0  2.0      3.3 37.7 96.0
//	heavy tails            2x6  2.8  1.5  1.2      2.2 28.3 89.5
//	heavy tails            3x4  2.4  1.6  0.8      2.8 22.9 81.5
//	heavy tails           3x16  3.5  3.9  0.8      2.6 38.9 93.0
//	bursts                 1x3  0.0  0.0  0.0      5.8 32.1 85.2
//	bursts                1x12  3.1  3.4  1.8      4.2 41.4 93.0
//	bursts                 2x6  2.8  1.6  1.8      3.6 32.9 86.2
//	bursts                 3x4  3.2  1.2  0.8      3.9 28.6 81.8
//	bursts                3x16  3.1  3.3  2.8      4.6 40.6 94.0
//	unequal variances      1x3  0.0  0.1  0.0      8.0 28.8 78.5
//	unequal variances     1x12  3.6  3.9  3.0      3.9 39.3 86.2
//	unequal variances      2x6  3.3  2.7  6.2      3.5 35.5 83.2
//	unequal variances      3x4  3.4  3.3  3.2      4.0 32.4 81.5
//	unequal variances     3x16  3.6  3.0  2.8      4.0 37.9 82.2
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
