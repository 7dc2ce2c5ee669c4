// misbehave keeps timers in a table and searches it. FAULT says what it does wrong: most faults hit
// the timers of one slot in eight, after the first 20 operations on them, or AFTER.
#define _GNU_SOURCE 1
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static const char *fault = "";

static bool is(const char *name) { return strcmp(fault, name) == 0; }

// lie changes what is written to the runner: costs of the hello, times of an answer.
static ssize_t lie(int fd, const void *from, size_t bytes) {
	char changed[256];
	if (fd != 1 || bytes > sizeof changed) return write(fd, from, bytes);
	memcpy(changed, from, bytes);
	double *costs = (double *)(changed + 16);
	uint64_t *words = (uint64_t *)changed;
	if (bytes == 256) {
		if (is("clock-nan")) costs[0] = NAN;
		if (is("clock-negative")) costs[0] = -1;
		if (is("wake-inf")) costs[1] = INFINITY;
	} else if (bytes == 64 && words[0] >> 32 == 3) {
		if (is("time-max")) words[1] = UINT64_MAX;
		if (is("time-long")) words[1] *= 1000;
		if (is("time-zero")) words[1] = 0;
		if (is("time-short")) words[1] = 1;
		if (is("collector-max")) words[6] = UINT64_MAX;
	}
	return write(fd, changed, bytes);
}

#define write lie
#include "timerbench.h"

static int64_t *deadlines; // by slot; 0: not pending
static uint32_t slots;
static uint64_t pending, calls, after = 20;
static int64_t next; // the earliest deadline at the last pop, for a program that trusts it

// leave_child starts a process that outlives this one and holds its pipes. With away it leaves the
// process group.
static void leave_child(bool away) {
	if (fork() != 0) return;
	if (away) setsid();
	sleep(20);
	_exit(0);
}

static bool now_and_then(uint32_t slot) { return slot % 8 == 3 && ++calls > after; }

__attribute__((constructor)) static void choose(void) {
	uint32_t wrong[64] = {0x48424d54u, 9};
	if (getenv("FAULT")) fault = getenv("FAULT");
	if (getenv("AFTER")) after = strtoul(getenv("AFTER"), NULL, 10);
	if (is("version")) tb_write(wrong, sizeof wrong);
	if (is("chatter")) tb_write("Hello, world! This library prints a banner.\n", 44);
	if (is("refuses")) {
		fprintf(stderr, "no such device\n");
		exit(2);
	}
}

static void tb_about(struct tb_about *a) {
	a->flags = TB_INLINED | (strncmp(fault, "coarse", 6) == 0 ? TB_COARSE : 0);
	a->late_ticks = 7;
	a->limit = is("limit") ? 10 : 0;
	a->language = "C";
	a->version = "a table that is searched";
}

static void tb_new(uint32_t n) {
	if (is("slow")) usleep(200000);
	free(deadlines);
	deadlines = NULL;
	slots = 0;
	pending = calls = 0;
	next = 0;
	(void)n;
}

static void tb_reserve(uint32_t n) {
	if (n <= slots) return;
	deadlines = (int64_t *)realloc(deadlines, n * sizeof *deadlines);
	memset(deadlines + slots, 0, (n - slots) * sizeof *deadlines);
	slots = n;
}

static void tb_schedule(uint32_t slot, int64_t at) {
	pending++;
	deadlines[slot] = at;
	if (!now_and_then(slot)) return;
	if (is("early")) deadlines[slot] = at > tb.now + 1 ? at - 1 : at;
	if (is("late")) deadlines[slot] = at + 1;
	if (is("lost")) deadlines[slot] = INT64_MAX;
	if (is("hang"))
		for (;;) pause();
	if (is("crash")) abort();
	if (is("garbage")) tb_write("[info] scheduled\n", 17);
	if (is("exit")) exit(0);
	if (is("child") || is("child-away")) {
		leave_child(is("child-away"));
		exit(0);
	}
	if (is("flood"))
		for (;;) fprintf(stderr, "warning:%9999s\n", "this is a debug build");
	if (is("noise"))
		for (int i = 0; i < 3000; i++) fprintf(stderr, "warning: this is a debug build\n");
}

static void tb_cancel(uint32_t slot) {
	pending--;
	if (!is("keeps-cancels")) deadlines[slot] = 0;
}

static void tb_reschedule(uint32_t slot, int64_t at) {
	if (!is("keeps-moves")) deadlines[slot] = at;
}

static void tb_pop(int64_t now) {
	if (is("hides-next") && now < next) return;
	next = INT64_MAX;
	for (uint32_t slot = 0; slot < slots; slot++) {
		int64_t at = deadlines[slot];
		if (at > now && at < next) next = at;
		if (at == 0 || at > now) continue;
		if (is("coarse") && now % 4 != 0 && now < at + 4) continue;
		if (is("coarse-late") && now < at + 20) continue;
		tb_fired(slot);
		if (is("double") && now_and_then(slot)) tb_fired(slot);
		deadlines[slot] = 0;
		pending--;
	}
}

static uint64_t tb_len(void) { return pending + (is("count") && calls > 20); }
