// Package trace records what a program does with its timers. The recording is a file, a
// trace, which any structure can replay.
//
// "timerbench trace build" (package trace/build) builds any Go program so that it records,
// without a change to its source. A program that keeps its timers in a structures.Scheduler
// wraps it in a [Recorder]; [FromEnv] does so on demand. Any other program can call a [Writer]. A [Reader] returns the operations of a trace one by one. Package
// tracestat summarizes a trace, and package bench replays it.
//
// # The operations
//
// A trace holds the operations in the order in which they happened: schedule, reschedule, cancel, advance (the
// clock moves and timers fire), and the reschedules and cancels that were refused because their timer was not
// pending. Times are in ticks. Deadlines are effective deadlines: the contract moves a deadline in the past to
// the tick after the clock. At the last tick, 2^63-1, a deadline is that tick.
//
// An advance names all timers that are due at its tick. The program may do something else between two calls of Pop.
// The timers that fired before are then in an advance of their own, except that timers with equal deadlines stay
// together, because structures fire them in different orders. The clock of the trace is never ahead of the program's.
// All exact structures agree on such a trace, so a replay can be checked timer by timer.
//
// A trace holds no values and no calls of Next and Len. A timer is named by its key: the key that was freed
// last, or the smallest unused key. The number of keys is the largest number of timers that were pending at the
// same time, at most [MaxPending]. It bounds the memory of a replay.
//
// # The file
//
// A file is written and read from front to back, in memory that does not depend on its length. Its numbers and texts:
//
//	u32      4 bytes, little-endian
//	uvarint  base 128, low bits first, the high bit set on all bytes but the last
//	varint   x as uvarint of 2x, or of -2x-1 if it is negative
//	text     uvarint length in bytes, then UTF-8
//
// The file:
//
//	8 bytes  89 54 42 54 0D 0A 1A 0A  (\x89 T B T \r \n \x1a \n)
//	1 byte   version: 8
//	         the header, the chunks, the footer: a section each
//
// The footer ends the file. A file without a footer is cut short. Each section:
//
//	1 byte   kind: H header, C chunk, F footer
//	u32      length of the payload in bytes
//	payload
//	u32      CRC-32C (Castagnoli) of kind, length and payload
//
// Payload of the header:
//
//	uvarint  length of a tick in nanoseconds, at least 1
//	varint   start of the recording in seconds since 1970 UTC; 0: not known
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
// A chunk ends with the operation that brings it to 256 KiB, at the end of the trace, or
// where the recorder writes it early. Each operation begins with a byte for its kind:
//
//	0  schedule             uvarint delay, uvarint site
//	1  reschedule           varint key, uvarint delay
//	2  cancel               varint key
//	3  advance              uvarint ticks, uvarint number of timers, varint key of each
//	4  refused reschedule
//	5  refused cancel
//
// A delay is the deadline minus the clock. The clock starts at 0, and each advance adds its ticks. A key is stored as
// the difference to the previous key in the chunk; the keys of schedules count as well, and the first difference is to
// 0. A site is the number of a place in the program, or 0 if it is not known. Sites are numbered from 1 in the order in
// which they occur in the file. At its first occurrence a site's text follows, of at most 1 KiB, and
// the form of its timers as uvarint (see [Form]), plus 16 if the place resets timers that were stopped or had fired,
// and plus 32 if the period of its tickers follows, as uvarint in ns. A file has at most 4,096 sites.
//
// Payload of the footer, each as uvarint:
//
//	chunks
//	operations of each of the six kinds
//	timers that fired
//	tick of the first advance
//	tick of the last advance
//	keys
//	operations lost, since the recorder could not keep up
//	timers put into the heap of Go's runtime
//	those of the operations lost that set a timer, stopped one, were a timer that fired
//	the number of sites, and for each how many of its timers the runtime fired: channels that nobody waits for do not fire
//
// # What a reader checks
//
// A [Reader] checks the checksum of a section before it returns an operation of it. It refuses an operation
// that contradicts earlier ones: a deadline that has passed, a key that is not pending, a timer that fires
// early or not at all. It refuses a chunk that is missing, repeated or out of order, and totals that differ. A
// [DamageError] names the file, the byte, the chunk and the operation. Damage may be anywhere, so a program
// reads a trace to its end before it uses it, as package tracestat does.
package trace
