// Timers of libevent: a binary heap of events. A tick is a millisecond. With COMMON, timers of the
// first 256 delays use common timeouts, a list for each delay.
#include "clock.h"
#include "slots.h"
#include <event2/event.h>
#include <event2/event_struct.h>

static struct event_base *base;
static struct event *timers;
static uint32_t slots;
static uint64_t pending;

static void fires(evutil_socket_t fd, short what, void *slot) {
	(void)fd, (void)what;
	pending--;
	tb_fired((uint32_t)(uintptr_t)slot);
}

static void tb_about(struct tb_about *a) {
	static char version[48];
	snprintf(version, sizeof version, "libevent %s", event_get_version());
	a->flags = TB_VIRTUAL | TB_INTRUSIVE | TB_POP_ONE;
	a->language = "C";
	a->version = version;
#ifdef COMMON
	a->note = "common timeouts for the first 256 delays; virtual clock, no system call to poll";
#else
	a->note = "its clock is virtual, and it polls without a system call";
#endif
}

#ifdef COMMON
#define TABLE 1024
static struct {
	int64_t delay;
	const struct timeval *common;
} table[TABLE];
static int commons;

// common returns the common timeout of a delay. It makes one if there is room.
static const struct timeval *common(int64_t delay, const struct timeval *t) {
	uint32_t i = (uint32_t)delay * 2654435761u % TABLE;
	for (; table[i].delay != 0; i = (i + 1) % TABLE)
		if (table[i].delay == delay) return table[i].common;
	if (commons == 256) return t;
	commons++;
	table[i].delay = delay;
	return table[i].common = event_base_init_common_timeout(base, t);
}
#else
static const struct timeval *common(int64_t delay, const struct timeval *t) {
	(void)delay;
	return t;
}
#endif

static void tb_new(uint32_t n) {
	(void)n;
	if (base) event_base_free(base);
	set_clock(0);
	base = event_base_new();
	if (!base) tb_die("event_base_new");
	timers = new_slots(timers, sizeof *timers);
	slots = 0;
	pending = 0;
#ifdef COMMON
	memset(table, 0, sizeof table);
	commons = 0;
#endif
}

static void tb_reserve(uint32_t n) {
	for (; slots < n; slots++) evtimer_assign(&timers[slots], base, fires, (void *)(uintptr_t)slots);
}

static void tb_reschedule(uint32_t slot, int64_t at) {
	int64_t delay = at - tb.now;
	struct timeval t = {delay / 1000, delay % 1000 * 1000};
	evtimer_add(&timers[slot], common(delay, &t));
}

static void tb_schedule(uint32_t slot, int64_t at) {
	pending++;
	tb_reschedule(slot, at);
}

static void tb_cancel(uint32_t slot) {
	pending--;
	evtimer_del(&timers[slot]);
}

static void tb_pop(int64_t now) {
	set_clock(now * 1000000);
	event_base_loop(base, EVLOOP_NONBLOCK);
}

static uint64_t tb_len(void) { return pending; }
