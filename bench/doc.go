// Package bench runs timer structures through workloads and measures their cost.
//
// A run goes through these levels, with one file for each:
//
//   - [Config] and [Profile] say what to run. [NewPlan] turns them into steps: cells, and analyses of idle wake-ups, memory and
//     single calls (package replay). A plan is data, which `run --dry-run` prints.
//   - [Run] makes the steps (run.go). With a [Budget] the order is that of interest, and what does not fit is not measured.
//   - A cell (cell.go) is a workload at one size. Its schedule (schedule.go) is made by the plan and says everything about its
//     passes: how many, the rounds of each with the age of the instances and the blocks of a round, and when passes end.
//   - The cell leaves out contenders that were slow among fewer timers (leaveout.go). A cellRun (cellrun.go) makes the passes.
//   - A pass (pass.go) has a fresh instance of each contender in random order: the floor, structures by ID, structures whose timers
//     are fields of the caller's structs, programs of other languages, and a control, which is one structure again.
//     The pass fills the instances, checks every answer of a block, replays the warm-up of the script, and then rounds.
//   - In a round (trial.go) all contenders replay the same blocks, in random order: one that warms the caches, one that is timed
//     whole, and in some rounds one timed by kind of operation and one call by call.
//   - Under a budget contenders race (race.go): who is far behind the best stops. After all steps the cell with the least part of its
//     planned rounds gets the next pass, so that passes of other cells separate two passes of a cell.
//   - Further instances show the growth of debt, which is work put off (debt.go). One more pass has the garbage collector on (gcload.go).
//   - The results are data (package results). [Verify] and [VerifyRun] replay cells without timing.
//
// Package workload writes the scripts, package script divides them into blocks, and package
// stats compares contenders that were measured in the same rounds.
//
// # Rules
//
//   - Only the structure is timed. Random numbers, deadlines and the timers to cancel are chosen before the clock starts.
//   - Contenders are compared by the ratio of their times in the same round. The ratio contains no differences between blocks, and no
//     slowdowns of the machine that last longer than a round. There are two levels of variation: the round, and the instance, which
//     each pass allocates elsewhere in memory. A session of package compare also varies the layout of the code.
//   - Time passes in every cell. The warm-up ends when the population was replaced and dead entries come due at 90 % of the
//     rate at which they are made ([script.WarmUp]). The script decides, so it is the same for all contenders on any machine.
//   - No time counts without proof. After each timed block the counts and checksums of the fired timers are those of the generator
//     of the script, which shares no code with the structures. Each pass ends with a check of the bindings of IDs to values and of
//     the allocations. A coarse structure keeps its bound. Who fails a check has no row.
//   - Plain multiples, not statistics, decide who gets more rounds and who is left out.
//   - The collector is off while a block is timed, because the garbage of one structure would cost another one time.
//   - Structures that need more than Config.Memory together are measured one after the other. A run is refused if one alone needs more.
//
// docs/measuring.md lists what threatens the validity, and the limits of the figures.
package bench
