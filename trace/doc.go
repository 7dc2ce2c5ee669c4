// Package trace records what a program does with its timers, in a file from which
// any structure can be put through the same again.
//
// A program that holds its timers in a structures.Scheduler wraps it in a
// [Recorder], by [FromEnv] if only on demand. A program that uses time.AfterFunc
// calls that of [Timers] instead, which [TimersFromEnv] makes. Any other program
// can call a [Writer] itself. A [Reader] gives the operations of a trace one by one, package tracestat
// sums them up, and package bench replays them.
//
// # What a trace holds
//
// Operations in the order in which they happened: schedule, reschedule, cancel,
// advance (the clock moves and timers fire), and the reschedules and cancels that
// were refused as their timer was not pending. Times are ticks. Deadlines are
// those after the contract's rule for deadlines in the past, so that each lies
// after the clock. Only the last tick, 2^63-1, is the deadline of what is scheduled
// at that tick.
//
// An advance names every timer that fired on it, and these are all that were due.
// That holds also where the program did something else between two calls of Pop:
// what fired before is then an advance of its own. Timers with equal deadlines
// stay together, since structures differ in their order. The clock of the trace is
// thus never ahead of the program's. All exact structures agree on such a trace,
// and a replay can be proved against it, timer by timer.
//
// Values are not recorded, nor are calls to Next and Len. A timer goes by its key:
// the key freed last, or else the smallest one never used. Keys are as few as
// timers were ever pending at the same time, which bounds the memory of a replay.
//
// # The file
//
// A file is written front to back and read front to back, in memory that does not
// depend on its length. Numbers are in one of these forms:
//
//	u32      4 bytes, little-endian
//	uvarint  base 128, low bits first, the high bit set on all bytes but the last
//	varint   x as uvarint of 2x, or of -2x-1 if it is negative
//	text     uvarint length in bytes, then UTF-8
//
// The file:
//
//	8 bytes  89 54 42 54 0D 0A 1A 0A  (\x89 T B T \r \n \x1a \n)
//	1 byte   version: 1
//	         the header, the chunks, the footer: a section each
//
// Nothing follows the footer. A file without it was not completed. Each section:
//
//	1 byte   kind: H header, C chunk, F footer
//	u32      length of the payload in bytes
//	payload
//	u32      CRC-32C (Castagnoli) of kind, length and payload
//
// Payload of the header:
//
//	uvarint  length of a tick in nanoseconds, at least 1
//	varint   start of the recording in seconds since 1970 UTC; 0: not said
//	text     name: 1 to 100 letters, digits, dots, dashes, underscores
//	text     description, at most 32 KiB, without control characters
//
// Payload of a chunk:
//
//	uvarint  number of the chunk, from 1
//	uvarint  number of operations in the chunks before
//	uvarint  number of operations in this one, at least 1
//	uvarint  length of the operations in bytes, before compression
//	         the operations, compressed: one zstd frame (RFC 8878)
//
// A chunk ends with the first operation that brings it to 256 KiB, or at the end
// of the trace. Its operations, each begun by a byte for its kind:
//
//	0  schedule             uvarint delay
//	1  reschedule           varint key, uvarint delay
//	2  cancel               varint key
//	3  advance              uvarint ticks, uvarint number of timers, varint key of each
//	4  refused reschedule
//	5  refused cancel
//
// A delay is the deadline less the clock, which starts at 0 and to which each
// advance adds its ticks. A key is the difference to the key before it in the
// chunk, including those that schedules take; the first is the difference to 0.
//
// Payload of the footer, each as uvarint:
//
//	chunks
//	operations of each of the six kinds
//	timers fired
//	tick of the first advance
//	tick of the last advance
//	keys
//
// # What a reader refuses
//
// A [Reader] gives no operation of a section before its checksum was found right,
// nor one that contradicts those before it: a deadline that has passed, a key that
// is not pending, a timer that fires early or was passed over, a missing, doubled
// or displaced chunk, totals that differ. A [DamageError] names the file, the
// byte, the chunk and the operation. As the end of a file may be missing, whoever
// uses a trace reads it to the end first, as package tracestat does.
package trace
