// Package bench runs timer structures through workloads and measures their cost.
//
// The way of a run leads down, with a file for each step:
//
//   - [Config] and [Profile] say what to run. The plan (plan.go) lists the steps: cells, and
//     the analyses of package analysis.
//   - A cell (cell.go) is a workload at one size. It is measured in passes.
//   - A pass (pass.go) has a fresh instance of each contender. They replay rounds of blocks.
//   - A trial (trial.go) is a block on one instance, by the timed loops of package replay.
//   - What comes out is a file of package results.
//
// Package workload writes the scripts, package script divides them into blocks, and package
// stats compares contenders that were measured in the same rounds.
//
// Only the structure is timed. Random numbers, deadlines and the timers to cancel are
// chosen before the clock starts. The cost of the harness itself is measured as a row
// of its own: a scheduler that does nothing.
//
// # The method
//
// A pass makes a fresh instance of each contender, in random order, fills it, and replays two
// rounds on it. In a round all contenders replay the same block, in random order. So their times
// are compared in pairs, by the ratio, and what differs between blocks, or slows the machine for
// longer than a round, is not in the comparison. Each contender gets at least three passes, of
// six rounds together. The levels of variation are the
// instance, of which each pass has a new one elsewhere in memory, and the round. Package ab varies
// the layout of the code too.
//
// # Ageing
//
// All passes of a cell replay the same script from its beginning. What a structure puts off
// (cascades, sweeps of stale entries) comes due while its population is replaced, and would
// never be measured right after the fill. So the rounds are spread over 2n operations for n
// timers, about one replacement: within a pass they are half of this period apart, and each pass
// begins a sixth of it later than the one before, so that every instance is measured young and
// old. The operations in between are replayed, but not timed. In cells with few timers a block
// alone replaces the population many times. Passes of cyclic workloads, where a block is a whole
// cycle, replay one cycle that is not timed.
//
// # The proof
//
// No time counts without proof. In the first pass every answer of a first block is checked.
// After each timed block the counts and checksums of what fired are compared with those of the
// generator of the script, which shares no code with the structures. After each pass the
// bindings of IDs to values and the allocations are checked. A coarse structure is replayed
// twice, and each of its timers is held against its bound. A structure that fails any of this
// has no row.
//
// # The budget
//
// Config.Budget is the time of a run, from its first second. Each cell gets one pass first:
// those of the middle sizes and of programs, the analyses, then the other sizes, from the middle
// outwards. What does not fit into the time that is left, by an estimate that is corrected by
// what the passes so far have taken, is not measured (results.Run.NotMeasured).
//
// The rest of the time goes where the question is open. A contender that is certainly more than
// 1.5 times as slow as the best drops out, and after any pass one that took three times as long
// in each round. A cell with a clear winner, or whose best are known to be equal, gets no more
// rounds. The open cells get a pass each in turns, those of the first table of the report four
// times as much time. Between two passes of a cell lie five of others, if there are so many:
// what else a machine does goes on for some rounds. results.Row.Stopped says why a contender got
// no more rounds.
//
// In cells of half a million timers and more, and in those of the comparison grid from 100,000
// on, the normal profile leaves out structures that certainly took more than two and a half
// times (in the grid: twice) as long as the best one on the same workload at a tenth of the size
// or more (results.Cell.LeftOut), and programs that did so beside the best of all: to fill the
// slowest took most of the time. For the same reason the rounds there are those of two
// instances, three each.
//
// All decisions are made from past rounds only, which does not bias the rounds of a contender.
// But who looks several times and stops when a difference shows finds one more often. Package
// stats pays for that with wider intervals, during the run and in the report alike.
//
// # Single calls
//
// Workloads that are about the longest call have no cell (workload.Kind.SingleCalls). Every
// answer of theirs is proved once, and then every call is timed, those that fill the structure
// included, until each timer has fired once. The same calls are made in three rounds, each on a
// fresh instance, with the collector off, and each call counts with its shortest time: what the
// machine interrupts is interrupted in one round. results.Calls has the longest call of each
// operation, and the tick of the clock at it.
//
// # Controls
//
// Every cell has a control: a second instance of the structure that was the fastest in the
// first pass. It takes part from the second pass on, so the rounds that chose it are
// not compared. Its ratio to the structure that it repeats shows the noise of the cell. With a
// single pass it is a second instance of [ReferenceName].
//
// # Programs of other languages
//
// Config.External are programs of any language (package external). Each is a row in the cells
// whose timers it is made for: it has its turns in each round, replays the same blocks in a
// process of its own, and is proved. It does not end a race, nor does it take part in the trials
// with the collector on and in the analyses. Its kinds of operations and its memory are not
// measured.
//
// # The garbage collector
//
// The collector is off while a block is timed, because garbage of one structure would cost
// another one time. At the largest size, in one workload for each unit of the cost, one more
// pass of the contenders that have not dropped out repeats the rounds of the first pass with the
// collector on: results.Row.WithGC. Beside the structures there is the heap of a program with as
// many things as timers, each of 256 bytes, with pointers. Collections follow one another all
// the time. A program collects for a share of its time that depends on its own garbage, and pays
// that share of the difference.
//
// # What threatens the validity
//
//   - One machine. Ratios differ between processors, and the file names the one. Neighbours on a
//     shared machine slow down what misses the cache more than what does not.
//   - One code layout. Layout alone moves results of a few
//     nanoseconds by several percent, which no interval of one layout contains.
//   - One process. The instances of a pass share a heap with those of the other contenders,
//     and a long run fragments it. Huge pages depend on what ran before.
//   - The caches belong to one structure during a block, after a block that warms them. In a
//     program it shares them with everything else, and what touches more memory loses more.
//   - One goroutine. Contention is measured by package live.
//   - Values are 8 bytes without pointers. Larger values cost structures that move them more.
//   - The workloads are models. Their parameters are declared where they are made, and the seed
//     is one. Sizes and alternatives were chosen by people who wrote some of the structures.
//   - Rare work is sampled. A sweep that takes place once in a million operations falls into
//     few rounds or none. The distributions of single calls show it.
//
// # What the figures do not say
//
// A cost is that of a block after the caches are warm, divided by its units; it is not the
// duration of a single call. A time by kind contains what its batches share. A latency contains
// one reading of the clock. A ratio says nothing of a size, a mix or a machine that was not
// measured.
package bench
