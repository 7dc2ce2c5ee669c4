// timerbench.h lets a program in C or C++ take part in timerbench run --external. It is the reference
// implementation of version 1 of the protocol, see docs/external.md. An adapter includes it and defines
// the functions below, but no main.
#pragma once
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Flags of tb_about.
#define TB_INLINED 1 // the structure is compiled into the timed loop
#define TB_VIRTUAL 2 // it calls back through a pointer
#define TB_COARSE 4  // it fires late, by at most late_ticks + delay * late_num / late_den
#define TB_FLOOR 8   // it has no structure: tb_due returns the timers to fire
#define TB_INTRUSIVE 16 // its timers are fields of the caller's structs, here one per slot
#define TB_POP_ONE 32 // tb_cancel may be called while tb_fired runs

struct tb_about {
	uint32_t flags;
	uint32_t limit; // most timers that the structure supports; 0: no limit
	int64_t late_ticks;
	uint32_t late_num, late_den;
	const char *language, *version, *note;
};

// An adapter defines these functions. A slot, from 0 to slots-1, names a timer. It is reused after its timer
// fired or was cancelled. The clock starts at 0, and only tb_pop moves it.
static void tb_about(struct tb_about *about);
static void tb_new(uint32_t slots);     // makes a fresh structure and frees the previous one
static void tb_reserve(uint32_t slots); // grows to this number of slots; not timed
static void tb_schedule(uint32_t slot, int64_t at);
static void tb_cancel(uint32_t slot);
static void tb_reschedule(uint32_t slot, int64_t at);
static void tb_pop(int64_t now); // calls tb_fired for each timer that is due
static uint64_t tb_len(void);    // pending timers

// An operation of a block, or a timer in the file of timers that fired.
struct tb_op {
	int64_t at;
	uint32_t slot, zero;
};

static struct {
	int64_t now; // tick of the current pop
	uint64_t fired, checksum;
	struct tb_op *fires; // NULL if the runner wants none
	uint64_t room;
	bool one; // the next timer that fires cancels the other one of a pair
	const struct tb_op *due, *due_end; // for a floor: the timers that are still to fire in the block
} tb;

// tb_fired reports that the timer of a slot fires.
static inline void tb_fired(uint32_t slot) {
	uint64_t h = (uint64_t)tb.now * 0x9e3779b97f4a7c15u + (uint64_t)slot * 0xd1b54a32d192ed03u;
	h ^= h >> 32;
	tb.checksum += h * 0xff51afd7ed558ccdu;
	if (tb.fires != NULL && tb.fired < tb.room) {
		tb.fires[tb.fired].at = tb.now;
		tb.fires[tb.fired].slot = slot;
		if (tb.one) {
			tb.one = false;
			tb_cancel(slot ^ 1);
		}
	}
	tb.fired++;
}

// tb_due returns the slot of the next due timer to a floor, or false if none is due.
static inline bool tb_due(uint32_t *slot) {
	if (tb.due == tb.due_end || tb.due->at > tb.now) return false;
	*slot = tb.due++->slot;
	return true;
}

static void tb_die(const char *what) {
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(3);
}

// tb_clock reads the clock in nanoseconds. It makes a system call, because an adapter may replace
// clock_gettime for its library.
static uint64_t tb_clock(void) {
	struct timespec t;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct tb_batch { uint32_t kind, len; };
struct tb_head { uint32_t magic, version; uint64_t batches, ops, slots; };

// tb_ops returns the operations of a block.
static const struct tb_op *tb_ops(const struct tb_head *head) {
	return (const struct tb_op *)((const struct tb_batch *)(head + 1) + (head->batches + 1) / 2 * 2);
}

// tb_replay executes the operations of a block. This is the timed code.
static void tb_replay(const struct tb_head *head) {
	const struct tb_batch *batch = (const struct tb_batch *)(head + 1);
	const struct tb_op *op = tb_ops(head), *end;
	for (uint64_t i = 0; i < head->batches; i++, batch++) {
		end = op + batch->len;
		switch (batch->kind) {
		case 0: for (; op < end; op++) tb_schedule(op->slot, op->at); break;
		case 1: for (; op < end; op++) tb_cancel(op->slot); break;
		case 2: for (; op < end; op++) tb_reschedule(op->slot, op->at); break;
		case 4: tb.one = true; // fall through
		default: for (; op < end; op++) tb_pop(tb.now = op->at);
		}
	}
}

// tb_map maps a range of a file.
static void *tb_map(int fd, uint64_t from, size_t bytes, int protection) {
	void *p = mmap(NULL, bytes, protection, MAP_SHARED, fd, (off_t)from);
	if (p == MAP_FAILED) tb_die("mmap");
	return p;
}

static bool tb_read(void *into, size_t bytes) {
	for (char *p = (char *)into; bytes > 0;) {
		ssize_t n = read(0, p, bytes);
		if (n <= 0) return false;
		p += n;
		bytes -= (size_t)n;
	}
	return true;
}

static void tb_write(const void *from, size_t bytes) {
	if (write(1, from, bytes) != (ssize_t)bytes) exit(3);
}

// tb_hello measures the clock and a wake-up on which nothing is due, and writes the hello.
static void tb_hello(void) {
	struct tb_about about;
	unsigned char out[256] = {0};
	uint32_t head[4] = {0x48424d54u, 1, 0, 0}; // TMBH, version 1
	double costs[2] = {1e9, 1e9}, cost;
	uint64_t start;
	for (int i = 0; i < 50; i++) { // the minimum, because the machine may be busy
		start = tb_clock();
		for (int j = 0; j < 100; j++) tb_clock();
		if ((cost = (double)(tb_clock() - start) / 101) < costs[0]) costs[0] = cost;
	}
	tb_new(1);
	tb_reserve(1);
	tb_schedule(0, 1000000000);
	for (int i = 0; i < 50; i++) {
		start = tb_clock();
		for (int64_t end = tb.now + 1000; tb.now < end; tb.now++) tb_pop(tb.now);
		if ((cost = (double)(tb_clock() - start) / 1000) < costs[1]) costs[1] = cost;
	}
	memset(&about, 0, sizeof about);
	tb_about(&about);
	head[2] = about.flags;
	head[3] = about.limit;
	memcpy(out, head, 16);
	memcpy(out + 16, costs, 16);
	memcpy(out + 32, &about.late_ticks, 16); // and late_num, late_den
	snprintf((char *)out + 48, 32, "%s", about.language ? about.language : "");
	snprintf((char *)out + 80, 48, "%s", about.version ? about.version : "");
	snprintf((char *)out + 128, 128, "%s", about.note ? about.note : "");
	tb_write(out, sizeof out);
}

int main(void) {
	struct { uint32_t kind, block; uint64_t a, b, c; } request;
	struct tb_head *blocks[4];
	size_t bytes[4] = {0}, room;
	tb_hello();
	while (tb_read(&request, sizeof request)) {
		uint64_t answer[8] = {0x41424d54u | (uint64_t)request.kind << 32}, start;
		tb.fired = tb.checksum = 0;
		switch (request.kind) {
		case 1: // begin: a slots
			tb.now = 0;
			tb_new((uint32_t)request.a);
			tb_reserve((uint32_t)request.a);
			break;
		case 2: // load: a bytes at offset c, b slots
			if (bytes[request.block]) munmap(blocks[request.block], bytes[request.block]);
			bytes[request.block] = request.a;
			blocks[request.block] = (struct tb_head *)tb_map(3, request.c, request.a, PROT_READ);
			for (size_t i = 0; i < request.a; i += 4096) // touch all pages before the timed loop
				(void)((volatile char *)blocks[request.block])[i];
			tb_reserve((uint32_t)request.b);
			break;
		case 3: // run: write a timers that fire
			tb.room = request.a;
			room = tb.room * sizeof *tb.fires;
			if (room) tb.fires = (struct tb_op *)tb_map(4, 0, room, PROT_READ | PROT_WRITE);
			tb.due = tb_ops(blocks[request.block]) + blocks[request.block]->ops;
			tb.due_end = (const struct tb_op *)((const char *)blocks[request.block] + bytes[request.block]);
			start = tb_clock();
			tb_replay(blocks[request.block]);
			answer[1] = tb_clock() - start;
			if (room) munmap(tb.fires, room);
			tb.fires = NULL;
		}
		answer[2] = tb.fired;
		answer[3] = tb.checksum;
		answer[4] = tb_len();
		tb_write(answer, sizeof answer);
	}
	return 0;
}
