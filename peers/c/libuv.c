// uv_timer of libuv: a binary heap of handles. A tick is a millisecond.
#include "clock.h"
#include "slots.h"
#include <uv.h>

static uv_loop_t loop;
static uv_timer_t *timers;
static uint32_t slots;
static uint64_t pending;

static void fires(uv_timer_t *t) {
	pending--;
	tb_fired((uint32_t)(t - timers));
}

static void tb_about(struct tb_about *a) {
	static char version[48];
	snprintf(version, sizeof version, "libuv %s, uv_timer", uv_version_string());
	a->flags = TB_VIRTUAL | TB_INTRUSIVE | TB_POP_ONE;
	a->language = "C";
	a->version = version;
#ifdef REAL_POLL
	a->note = "its clock is virtual; every wake-up polls, which is a system call";
#else
	a->note = "its clock is virtual, and it polls without a system call";
#endif
}

static void tb_new(uint32_t n) {
	(void)n;
	if (timers != NULL) {
		for (uint32_t i = 0; i < slots; i++) uv_close((uv_handle_t *)&timers[i], NULL);
		uv_run(&loop, UV_RUN_DEFAULT);
		uv_loop_close(&loop);
	}
	set_clock(0);
	memset(&loop, 0, sizeof loop);
	if (uv_loop_init(&loop)) tb_die("uv_loop_init");
	timers = new_slots(timers, sizeof *timers);
	slots = 0;
	pending = 0;
}

static void tb_reserve(uint32_t n) {
	for (; slots < n; slots++) uv_timer_init(&loop, &timers[slots]);
}

static void tb_schedule(uint32_t slot, int64_t at) {
	pending++;
	uv_timer_start(&timers[slot], fires, (uint64_t)(at - tb.now), 0);
}

static void tb_cancel(uint32_t slot) {
	pending--;
	uv_timer_stop(&timers[slot]);
}

static void tb_reschedule(uint32_t slot, int64_t at) {
	uv_timer_start(&timers[slot], fires, (uint64_t)(at - tb.now), 0);
}

static void tb_pop(int64_t now) {
	set_clock(now * 1000000);
	uv_run(&loop, UV_RUN_NOWAIT);
}

static uint64_t tb_len(void) { return pending; }
