// The tickless hierarchical wheel of William Ahern's timeout: four levels of 64 slots with cascades.
#include "slots.h"
#include <timeout.c>

static struct timeouts *wheel;
static struct timeout *timers; // by slot
static uint64_t pending;

static void tb_about(struct tb_about *a) {
	static char version[48];
	snprintf(version, sizeof version, "timeout %#x", timeout_v_rel());
	a->flags = TB_INLINED | TB_INTRUSIVE;
	a->language = "C";
	a->version = version;
}

static void tb_new(uint32_t slots) {
	int error;
	if (wheel) timeouts_close(wheel);
	wheel = timeouts_open(0, &error);
	if (!wheel) tb_die("timeouts_open");
	timers = (struct timeout *)new_slots(timers, sizeof *timers);
	touch_slots(timers, sizeof *timers, 0, slots);
	pending = 0;
}

static void tb_reserve(uint32_t slots) { (void)slots; }

static void tb_reschedule(uint32_t slot, int64_t at) {
	timeouts_add(wheel, &timers[slot], (timeout_t)at);
}

static void tb_schedule(uint32_t slot, int64_t at) {
	pending++;
	timeout_init(&timers[slot], TIMEOUT_ABS);
	tb_reschedule(slot, at);
}

static void tb_cancel(uint32_t slot) {
	pending--;
	timeouts_del(wheel, &timers[slot]);
}

static void tb_pop(int64_t now) {
	timeouts_update(wheel, (timeout_t)now);
	for (struct timeout *t; (t = timeouts_get(wheel)) != NULL;) {
		pending--;
		tb_fired((uint32_t)(t - timers));
	}
}

static uint64_t tb_len(void) { return pending; }
