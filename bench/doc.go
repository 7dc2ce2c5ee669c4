// Package bench runs timer structures through workloads and measures their cost.
//
// A run goes through these levels, with one file for each:
//
//   - [Config] and [Profile] say what to run. [NewPlan] (plan.go) turns them into a list of steps, in the order in which they are
//     made. A step has rounds of a cell, which is a workload at one size (cell.go), or is an analysis of idle ticks, memory or
//     single calls (package replay). `run --dry-run` prints the list.
//   - A [Round] names its contenders in order, and the operations of its blocks with the way in which each is timed: as a whole, by
//     kind of operation or call by call. The first round of fresh instances checks every answer of a block. The warm-up of the
//     script follows, and rounds at several ages.
//   - [Run] makes the steps (run.go, measure.go). A contender is the floor, a structure by ID, a structure whose timers
//     are fields of the caller's structs, a program of another language, or a control, which is one structure again.
//   - A [Budget] orders the list by interest, and takes off it what does not fit (budget.go), contenders that were slow among fewer
//     timers, and contenders that are far behind the best (leaveout.go).
//   - The results are data (package results). [Verify] and [VerifyRun] make rounds of cells without timing.
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
//     of the script, which shares no code with the structures. Each pass ends with a check of the bindings of IDs to values.
//     A coarse structure keeps its bound. Who fails a check has no row.
//   - Medians of ratios, not intervals, decide who gets more rounds and who is left out.
//   - The collector is off while a block is timed, because the garbage of one structure would cost another one time.
//   - Structures that need more than Config.Memory together are measured one after the other. A run is refused if one alone needs more.
//
// docs/measuring.md lists what threatens the validity, and the limits of the figures.
package bench
