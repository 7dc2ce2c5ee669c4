// Package answer draws conclusions from the results of a run. A [Run] has the costs of all contenders in each cell and the rank of a
// structure over all cells. Its [Adviser] maps a [Question] to measured cells and names a structure. All pages, tables and answers rest
// on this package and on package stats, so they cannot contradict each other.
//
// # Answers are cells
//
// A question that names a program is answered by the cells of that program. Any other question is answered by cells of the grid, and of
// the workload that moves timers: those with the nearest share moved, the delays asked for, the nearest share cancelled and the nearest
// number of timers, in this order. A part that is not given matches any. An answer lists its cells, and says how they differ from
// the question. Nothing is interpolated between cells.
//
// Over several cells the ratio of two structures is the median of their ratios in the cells, and so are the ends of the interval. Only
// structures that were measured in all of the cells take part.
//
// # What matters
//
// By time, the costs of the cells compare structures. By tail it is the 99th percentile of single calls of the slowest kind, with
// the range of the instances. Memory, idle wake-ups and longest calls come from analyses of their own, at the number of timers that was
// measured nearest to the question. [stats.Named] names the structure in each case.
//
// # Whether it matters
//
// An answer begins with what package time, the driver and the structure take of a core at the [Rate] of the program. Below one per cent
// a program keeps package time.
package answer
