// ev_timer of libev: a 4-ary heap. A tick is 2^-9 seconds, which floating-point seconds represent without
// rounding. libev fires timers that are due before its clock, so its clock runs half a tick ahead.
#include "clock.h"
#include "slots.h"
#include <ev.h>

static const int64_t tick = 1953125; // nanoseconds
static const double seconds = 1.0 / 512;
static struct ev_loop *loop;
static ev_timer *timers;
static uint32_t slots;
static uint64_t pending;

static void fires(struct ev_loop *l, ev_timer *t, int events) {
	(void)l, (void)events;
	pending--;
	tb_fired((uint32_t)(t - timers));
}

static void tb_about(struct tb_about *a) {
	static char version[48];
	snprintf(version, sizeof version, "libev %d.%d, ev_timer", ev_version_major(), ev_version_minor());
	a->flags = TB_VIRTUAL | TB_INTRUSIVE | TB_POP_ONE;
	a->language = "C";
	a->version = version;
	a->note = "its clock is virtual, and it polls without a system call";
}

static void tb_new(uint32_t n) {
	(void)n;
	if (loop) ev_loop_destroy(loop);
	set_clock(tick / 2);
	loop = ev_loop_new(EVBACKEND_EPOLL | EVFLAG_NOENV);
	if (!loop) tb_die("ev_loop_new");
	timers = new_slots(timers, sizeof *timers);
	slots = 0;
	pending = 0;
}

static void tb_reserve(uint32_t n) {
	for (; slots < n; slots++) ev_timer_init(&timers[slots], fires, 0, 0);
}

static inline double delay(int64_t at) { return ((double)(at - tb.now) - 0.5) * seconds; }

static void tb_schedule(uint32_t slot, int64_t at) {
	pending++;
	ev_timer_set(&timers[slot], delay(at), 0);
	ev_timer_start(loop, &timers[slot]);
}

static void tb_cancel(uint32_t slot) {
	pending--;
	ev_timer_stop(loop, &timers[slot]);
}

static void tb_reschedule(uint32_t slot, int64_t at) {
	timers[slot].repeat = delay(at);
	ev_timer_again(loop, &timers[slot]);
	timers[slot].repeat = 0;
}

static void tb_pop(int64_t now) {
	set_clock(now * tick + tick / 2);
	ev_run(loop, EVRUN_NOWAIT);
}

static uint64_t tb_len(void) { return pending; }
