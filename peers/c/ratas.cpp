// The hierarchical wheel of ratas, by Juho Snellman: eight levels of 256 slots with cascades.
#include "slots.h"
#include <algorithm>
#include <new>
#include <timer-wheel.h>

static uint64_t pending;

struct timer {
	void fires();
	MemberTimerEvent<timer, &timer::fires> event;
	timer() : event(this) {}
};

static TimerWheel *wheel;
static timer *timers;
static uint32_t slots;

inline void timer::fires() {
	pending--;
	tb_fired((uint32_t)(this - timers));
}

static void tb_about(struct tb_about *a) {
	a->flags = TB_INLINED | TB_VIRTUAL | TB_INTRUSIVE;
	a->language = "C++";
	a->version = "ratas";
	a->note = "advances tick by tick";
}

static void tb_new(uint32_t) {
	delete wheel;
	wheel = new TimerWheel;
	timers = (timer *)new_slots(timers, sizeof *timers);
	slots = 0;
	pending = 0;
}

static void tb_reserve(uint32_t n) {
	for (; slots < n; slots++) new (&timers[slots]) timer;
}

static void tb_reschedule(uint32_t slot, int64_t at) {
	wheel->schedule(&timers[slot].event, (Tick)at - wheel->now());
}

static void tb_schedule(uint32_t slot, int64_t at) {
	pending++;
	tb_reschedule(slot, at);
}

static void tb_cancel(uint32_t slot) {
	pending--;
	timers[slot].event.cancel();
}

static void tb_pop(int64_t now) {
	if (Tick delta = (Tick)now - wheel->now()) wheel->advance(delta);
}

static uint64_t tb_len(void) { return pending; }
