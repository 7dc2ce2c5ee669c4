// Package count counts what a structure executes in the steady state of a workload:
// instructions, reads and writes, misses of simulated caches, and mispredicted branches.
//
// Times wander by half in a virtual machine that shares its processor. Counts do not: two runs
// of the same build differ by some hundred-thousandths, on any machine of the same architecture.
// They are no times, though: an instruction may wait for memory, or run beside three others.
//
// valgrind's tool cachegrind counts. A program of its own replays the script of the workload on
// one structure: first a warm-up, and in a second run the warm-up and as many operations
// again. The difference of both is the steady state. It is taken function by function. What
// counts is the code of structures, of the containers they stand on, and what these call of
// Go's runtime: copying, clearing, allocating, maps, write barriers. The replay itself, the
// scheduler of goroutines and the garbage collector, which is off, do not count.
package count
