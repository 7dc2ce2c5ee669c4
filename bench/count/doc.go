// Package count counts the instructions, memory accesses, simulated cache misses and
// mispredicted branches of a structure in the steady state of a workload.
//
// Times vary by half in a virtual machine that shares its processor. Counts of the same build
// vary by a few hundred-thousandths, on any machine of the same architecture. Counts are not
// times: an instruction may wait for memory, or execute in parallel with three others.
//
// The counts come from cachegrind, a tool of valgrind. A separate process replays the script of the workload on one
// structure: first a warm-up, and in a second run the warm-up and the same number of operations again. The
// difference, taken function by function, is the steady state. The counts include the code of the structure, of
// third-party containers below it, and of the runtime functions that it calls: copying, clearing, allocation, maps
// and write barriers. They exclude the replay, the goroutine scheduler and the garbage collector, which is off.
package count
