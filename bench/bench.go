// Package bench runs timer structures through workloads and measures what they
// cost.
//
// It is built in layers, each of which knows only those above it here:
//
//   - A [Workload] is a use of timers. Its [Process] writes a script through a
//     [Writer], which keeps its own model of what is pending and so knows what
//     must fire when. Neither knows the structures.
//   - A [Block] is a piece of a script: operations, and what must come of them.
//     Blocks come from scripts and from a [Trace], which package trace reads.
//   - A replayer puts a structure through a block, timed in one of three ways,
//     and holds what it did against the [Proof] in the block.
//   - A cell is a workload at one size: contenders, and trials in random order.
//     The idle analysis counts wake-ups instead of time.
//   - [Run] goes through the cells of a [Profile] and gathers [Results], which
//     [WriteFile], [ReadFile] and [WriteBenchfmt] keep.
//
// What is timed is the structure: random numbers, deadlines and victims are made
// before the clock starts, and what is left of the harness is measured as a row
// of its own, a scheduler that does nothing.
package bench
