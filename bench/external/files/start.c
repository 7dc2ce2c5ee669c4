// A start for timers in C. Put your structure in the place of the table below, then:
//
//	timerbench external init timerbench.h >timerbench.h
//	cc -O2 -o mine start.c
//	timerbench verify --external mine=./mine     # is it correct?
//	timerbench run --external mine=./mine        # is it fast?
#include "timerbench.h"

static int64_t *deadlines; // by slot; 0: not pending
static uint32_t slots;
static uint64_t pending;

// What the results say about the structure.
static void tb_about(struct tb_about *a) {
	a->flags = TB_INLINED; // TB_VIRTUAL: it calls back through a pointer; TB_COARSE: it fires late
	a->limit = 10000;      // skip cells with more timers; 0: no limit
	a->language = "C";
	a->version = "table";
}

// Make a fresh structure with its clock at 0, and free the previous one.
static void tb_new(uint32_t n) {
	(void)n;
	free(deadlines);
	deadlines = NULL;
	slots = 0;
	pending = 0;
}

// Grow to n slots. This is not timed.
static void tb_reserve(uint32_t n) {
	if (n <= slots) return;
	deadlines = realloc(deadlines, n * sizeof *deadlines);
	if (deadlines == NULL) tb_die("realloc");
	for (; slots < n; slots++) deadlines[slots] = 0;
}

// A slot names a timer. It is reused after its timer fired or was cancelled. at is after the clock.
static void tb_schedule(uint32_t slot, int64_t at) {
	deadlines[slot] = at;
	pending++;
}

static void tb_cancel(uint32_t slot) { // the timer is pending
	deadlines[slot] = 0;
	pending--;
}

static void tb_reschedule(uint32_t slot, int64_t at) { deadlines[slot] = at; } // earlier or later

static void tb_pop(int64_t now) { // move the clock and fire every timer that is due
	for (uint32_t slot = 0; slot < slots; slot++) {
		if (deadlines[slot] == 0 || deadlines[slot] > now) continue;
		tb_cancel(slot);
		tb_fired(slot);
	}
}

static uint64_t tb_len(void) { return pending; }
