// The timer queue of Boost.Asio: a binary heap and a list of waits for each timer. Its clock is a
// type parameter.
#include "slots.h"
#include <boost/asio/detail/timer_queue.hpp>
#include <boost/version.hpp>
#include <memory>
#include <new>

struct ticks {
	typedef int64_t time_type;
	typedef int64_t duration_type;
	static time_type now() { return tb.now; }
	static time_type add(time_type t, duration_type d) { return t + d; }
	static duration_type subtract(time_type a, time_type b) { return a - b; }
	static bool less_than(time_type a, time_type b) { return a < b; }
	struct duration { // the queue would wait for it, but never does here
		duration_type count;
		long ticks() const { return count; }
		long total_milliseconds() const { return count; }
		long total_microseconds() const { return 1000 * count; }
	};
	static duration to_posix_duration(duration_type d) { return duration{d}; }
};

#if BOOST_VERSION < 108900
typedef boost::asio::detail::timer_queue<ticks> queue;
#else
struct queue : boost::asio::detail::timer_queue<ticks, std::allocator<void>> {
	queue() : timer_queue(std::allocator<void>(), 0) {}
};
#endif
using boost::asio::detail::op_queue;
using boost::asio::detail::wait_op;

static uint64_t pending;

struct timer : wait_op {
	queue::per_timer_data data;
	timer() : wait_op(&timer::fires) {}
	static void fires(void *, boost::asio::detail::operation *,
		const boost::system::error_code &, size_t) {}
};

static queue *timers;
static timer *all;
static uint32_t slots;

static void tb_about(struct tb_about *a) {
	a->flags = TB_INLINED | TB_INTRUSIVE;
	a->language = "C++";
	a->version = "Boost.Asio " BOOST_LIB_VERSION ", its timer queue";
	a->note = "the queue alone: no reactor, no executor";
}

static void tb_new(uint32_t) {
	delete timers;
	timers = new queue;
	all = (timer *)new_slots(all, sizeof *all);
	slots = 0;
	pending = 0;
}

static void tb_reserve(uint32_t n) {
	for (; slots < n; slots++) new (&all[slots]) timer;
}

static void tb_schedule(uint32_t slot, int64_t at) {
	pending++;
	timers->enqueue_timer(at, all[slot].data, &all[slot]);
}

static void tb_cancel(uint32_t slot) {
	op_queue<boost::asio::detail::operation> done;
	timers->cancel_timer(all[slot].data, done);
	while (!done.empty()) done.pop();
	pending--;
}

static void tb_reschedule(uint32_t slot, int64_t at) {
	tb_cancel(slot);
	tb_schedule(slot, at);
}

static void tb_pop(int64_t) {
	op_queue<boost::asio::detail::operation> done;
	timers->get_ready_timers(done);
	while (boost::asio::detail::operation *o = done.front()) {
		done.pop();
		pending--;
		tb_fired((uint32_t)(static_cast<timer *>(o) - all));
	}
}

static uint64_t tb_len(void) { return pending; }
