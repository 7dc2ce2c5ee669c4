// Package bench runs timer structures through workloads and measures their cost.
//
// A run goes through these levels, with one file for each:
//
//   - [Config] and [Profile] say what to run. [NewPlan] turns them into steps: cells, and the
//     other measurements (idle wake-ups, memory, single calls).
//   - A cell (cell.go) is a workload at one size. A cellRun (cellrun.go) measures it in passes.
//   - A pass (pass.go) has a fresh instance of each contender, which replays rounds of blocks.
//   - A trial (trial.go) is one block on one instance, replayed by the timed loops of package replay.
//   - The results are a file of package results.
//
// Package workload writes the scripts, package script divides them into blocks, and package
// stats compares contenders that were measured in the same rounds.
//
// Only the structure is timed. Random numbers, deadlines and the timers to cancel are
// chosen before the clock starts. The harness is a contender too: a scheduler that does nothing.
//
// # The method
//
// A pass makes a fresh instance of each contender, in random order, fills it, and replays rounds on
// it. In a round all contenders replay the same block, in random order. Contenders are
// compared by the ratio of their times in the same round. So the ratio does not contain differences
// between blocks, or slowdowns of the machine that last longer than a round. There are two levels of
// variation: the round, and the instance, which each pass allocates elsewhere in memory. A session of
// package compare also varies the layout of the code.
//
// # Time passes
//
// In every cell the clock goes on. A structure may put work off: it may mark a timer that is cancelled or moved, and drop
// the dead entry of its old deadline when the clock gets there; it may move timers between slots, or sweep. If the clock
// stood still, that work would never be measured. So a cell is measured in a steady state, in which dead entries come due
// at the rate at which they are made.
//
// All passes of a cell replay the same script from its beginning. After the fill each pass replays a warm-up without
// timing, until the population was replaced and dead entries come due at 90 % of the rate at which they are made
// ([script.WarmUp]): with uniform delays after one to two median delays. The script decides, so the warm-up is the same for
// all contenders, for programs of other languages, and on any machine. Where that would take more than about twelve
// operations for each timer, the rate of the model is lower than that of the program. One workload takes longer, sip, because
// an RFC has its timeouts. A script that is never steady ends its warm-up at a limit.
//
// results.Cell.Passed has what passes in the timed regions: the share of the dead entries that come due, how many timers
// fire, and how far the clock goes. A cell below 90 % says so beside its figures: a recording may end sooner. Passes of
// cyclic workloads, where a block is a whole cycle, replay one untimed cycle.
//
// Debt is the time to drain an instance, less the time to drain a fresh copy with the same pending timers: work that was put
// off. A stock of it is no fault. Its growth in a region, divided by the time of the region, is results.Row.Debt. It comes
// from instances of its own, outside the costs: each is drained at the beginning of a region after the warm-up, or at its end. Of
// three instances the least times count, and of up to nine while the growth is above results.MostDebt, because
// drains are short and a disturbance lengthens them; then a region four times as long decides, because rare work makes debt
// rise and fall. results.Run.Check fails for a steady cell of 10,000 or 100,000
// timers in which it is above that limit. A profile says where it is measured. A budget measures it up to 10,000 timers before
// the first pass of a million, the others after all first passes, and leaves out contenders that take five times as long as the quickest.
//
// Rare work, such as rebuilding, comes once in a replacement of the population. So the rounds are spread over 2n
// operations for n timers. With a budget a pass has many rounds, which age its instances, and the passes of a cell
// begin at different ages. Without a budget a pass has few rounds, half of this period apart, and each
// pass begins a sixth of it later than the previous one. The operations in between are replayed without timing.
//
// # The proof
//
// No time counts without proof. The first pass checks every answer of its first block. After each
// timed block the counts and checksums of the fired timers are compared with the counts of the generator
// of the script, which shares no code with the structures. Each pass ends with a check of the
// bindings of IDs to values and of the allocations. A second instance of a coarse structure replays
// the blocks too, and each of its timers is compared with the bound. A structure that fails a check
// has no row. results.Row.Proof is the proof after the last pass, or with a budget the proof after the
// third round of the first pass, when all contenders still take part.
//
// # The budget
//
// Config.Budget is the time of a run, from its first second. Each cell gets one pass first: the
// middle sizes and the programs, then the analyses, then the other sizes from the middle outwards. A
// step whose estimate does not fit into the remaining time is not measured
// (results.Run.NotMeasured). The durations so far correct the estimates.
//
// Rounds are planned where they are cheap ([Step].Rounds): 48 in three instances with few timers, 24 in
// two instances with 50,000 or more, half of them in the first pass. After the first passes
// the cell with the least part of its planned rounds gets the next pass, so that passes of other cells
// separate two passes of a cell: disturbances last for some rounds. If time is left, cells get up to
// 96 rounds. A pass whose rounds take more than a twentieth of the budget ends after the third.
// results.Row.Stopped is the reason why a contender got fewer rounds than others.
//
// Plain multiples, not statistics, decide who gets more rounds: a contender drops out if it took at
// least twice as long as the best in each of three rounds or more, or if after twelve rounds it took
// longer in each of them and 1.3 times as long in the mean. In simulated cells of 30 equal structures,
// with noise of 28 % from round to round, one of them drops out in less than 1 % of cells.
//
// In cells with half a million timers or more, and in cells of the comparison grid with 100,000 or
// more, the normal profile leaves out slow structures (results.Cell.LeftOut). They took at least twice
// as long as the best on the same workload at a tenth of the size or more. Filling the slowest
// structures took most of the time. From a million timers on a cell has at most nine contenders with one instance: those that no
// cell leaves out, and the fastest of the others at a tenth of the size or more, up to 1.5 times the best. The full
// profile measures all. A workload with a size of its own leaves out structures that
// were slow in all cells of such a size. No cell leaves out minheap, quadheap, wheel, hwheel, rbtree,
// skiplist and auto.
//
// # Memory
//
// If the structures of a cell need more than Config.Memory together, the cell measures them one after
// the other, without a control (results.Cell.Apart). A run is refused if one structure alone needs
// more.
//
// # Single calls
//
// Workloads about the longest call have no cell (workload.Kind.SingleCalls). A profile times the single
// calls of other workloads too. Every answer is checked once. Then every call is timed, including the calls of the
// fill, until as many timers have fired as are pending. Three rounds repeat the same calls on fresh instances, with the
// collector off, and each call counts with its shortest time, because an interrupt disturbs one round only.
// results.Calls has the longest call of each operation, its tick, how late timers fire, and, of
// a workload with a cell, the memory after all calls.
//
// # Controls
//
// Every cell has a control: a second instance of one structure, another one in each cell. Both take part in the same rounds. The
// ratio of the two shows the noise of the cell.
//
// # Timers in the caller's structs
//
// Intrusive structures (catalog.Intrusive) are rows with a role of their own. They replay the same blocks in the same rounds,
// with loops of their own (package embedded): the harness's table by key holds the timers, and calls are direct. The loops
// prove what programs of other languages prove: which timer fires in which Pop. In the first block every answer is checked.
// Structures by ID also prove that a timer fires with its ID, which takes half a nanosecond a timer. These loops have a
// floor of their own. Intrusive structures take no part in the analyses of idle wake-ups and memory.
//
// # Programs of other languages
//
// Config.External lists programs of any language (package external). Each program is a row in the
// cells whose number of timers it accepts. It replays the same blocks in each round, in a process of
// its own, and is proved. It takes no part in the trials with the
// collector on or in the analyses. The times of kinds of operations and the memory of a program are
// not measured. A program without a structure is a floor, as the null scheduler is: it shows the cost of the
// loop in its language.
//
// # The garbage collector
//
// The collector is off while a block is timed, because the garbage of one structure would cost
// another one time. At the largest size, in one workload for each unit of the cost, one more
// pass repeats the rounds of the first pass with the collector on (results.Row.WithGC), without the
// contenders that dropped out. The heap then also holds the objects of a program: one object with
// pointers, of 256 bytes, for each timer. Collections follow each other without a pause. A real
// program collects for a share of its time that depends on its own garbage, and pays
// that share of the difference.
//
// # What threatens the validity
//
//   - One machine. Ratios differ between processors, and the file names the processor. Neighbors on a
//     shared machine slow down cache misses more than other code.
//   - One code layout. Layout alone moves results of a few
//     nanoseconds by several percent, which no interval of one layout contains.
//   - One process. The instances of a pass share a heap with the other contenders,
//     and a long run fragments it. Huge pages depend on earlier allocations.
//   - The caches belong to one structure during a block, after a block that warms them. In a
//     program the structure shares them, and a structure that touches more memory loses more.
//   - One goroutine. Package live measures contention.
//   - Values are 8 bytes without pointers. Structures that move values pay more for larger ones.
//   - The workloads are models. Their parameters are declared in the code, and each cell has one
//     seed. The authors of some of the structures chose sizes and alternatives.
//   - Rare work is sampled. A sweep once in a million operations falls into
//     few rounds or none. The distributions of single calls show it.
//
// # Limits of the figures
//
// A cost is the time of a block with warm caches, divided by its units. It is not the
// duration of a single call. A time by kind contains the shared part of its batches. A latency
// contains one reading of the clock. A ratio applies to the measured sizes, mixes and machines only.
package bench
