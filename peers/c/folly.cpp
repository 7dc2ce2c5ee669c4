// HHWheelTimer of folly: four levels of 256 slots with cascades, and a bitmap of the slots of the first level. A tick is a
// millisecond. A timeout manager takes the place of folly's event base, and calls the wheel at each tick that the wheel asks
// for. The wheel fires a timer a tick after its timeout, so a timer asks for a tick less; and another tick later if it is due
// when the wheel cascades it.
#include "clock.h"
#include "slots.h"
#include <folly/io/async/EventUtil.h>
#include <folly/io/async/HHWheelTimer.h>
#include <new>

static folly::AsyncTimeout *waiting; // the wheel, or NULL if it need not be called
static int64_t next;                 // when to call it
static int64_t clock_at;             // in ticks

static void move_clock(int64_t to) {
	clock_at = to;
	set_clock(to * 1000000);
}

struct manager : folly::TimeoutManager {
	static void registered(folly::AsyncTimeout *t, bool is) {
		short &flags = folly::event_ref_flags(t->getEvent()->getEvent());
		flags = is ? EVLIST_INIT | EVLIST_TIMEOUT : EVLIST_INIT;
		waiting = is ? t : NULL;
	}
	void attachTimeoutManager(folly::AsyncTimeout *, InternalEnum) override {}
	void detachTimeoutManager(folly::AsyncTimeout *) override {}
	bool scheduleTimeout(folly::AsyncTimeout *t, timeout_type delay) override {
		next = clock_at + delay.count();
		registered(t, true);
		return true;
	}
	void cancelTimeout(folly::AsyncTimeout *t) override { registered(t, false); }
	void bumpHandlingTime() override {}
	bool isInTimeoutManagerThread() override { return true; }
};

struct timer : folly::HHWheelTimer::Callback {
	void timeoutExpired() noexcept override;
	void callbackCanceled() noexcept override {} // by the end of the wheel
};

static manager managers;
static folly::HHWheelTimer::UniquePtr wheel;
static timer *timers;
static uint32_t slots;

void timer::timeoutExpired() noexcept { tb_fired((uint32_t)(this - timers)); }

static void tb_about(struct tb_about *a) {
	a->flags = TB_VIRTUAL | TB_INTRUSIVE | TB_COARSE;
	a->late_ticks = 1;
	a->language = "C++";
	a->version = "folly, HHWheelTimer";
	a->note = "its clock is virtual; the adapter stands for the event base";
}

static void tb_new(uint32_t) {
	wheel.reset();
	timers = (timer *)new_slots(timers, sizeof *timers);
	slots = 0;
	move_clock(0);
	wheel = folly::HHWheelTimer::newTimer(&managers, std::chrono::milliseconds(1));
}

static void tb_reserve(uint32_t n) {
	for (; slots < n; slots++) new (&timers[slots]) timer;
}

static void tb_schedule(uint32_t slot, int64_t at) {
	wheel->scheduleTimeout(&timers[slot], std::chrono::milliseconds(at - tb.now - 1));
}

static void tb_cancel(uint32_t slot) { timers[slot].cancelTimeout(); }

static void tb_reschedule(uint32_t slot, int64_t at) { tb_schedule(slot, at); }

static void tb_pop(int64_t now) {
	while (waiting != NULL && next <= now) {
		folly::AsyncTimeout *t = waiting;
		move_clock(next);
		manager::registered(t, false);
		t->timeoutExpired();
	}
	move_clock(now);
}

static uint64_t tb_len(void) { return wheel->count(); }
