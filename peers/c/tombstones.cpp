// std::priority_queue with tombstones: the entry of a cancelled or moved timer stays in the queue until it is
// due. Its number then differs from that of its slot. The number of dead entries is not bounded.
#include "timerbench.h"
#include <queue>
#include <vector>

struct entry {
	int64_t at;
	uint32_t slot, number;
	bool operator<(const entry &other) const { return at > other.at; } // the earliest on top
};

static std::priority_queue<entry> *timers;
static std::vector<uint32_t> numbers; // by slot
static uint64_t pending;

static void tb_about(struct tb_about *a) {
	a->flags = TB_INLINED;
	a->language = "C++";
	a->version = "std::priority_queue, tombstones";
	a->note = "cancelled timers stay until they are due";
}

static void tb_new(uint32_t) {
	delete timers;
	timers = new std::priority_queue<entry>;
	numbers.clear();
	pending = 0;
}

static void tb_reserve(uint32_t slots) {
	if (slots > numbers.size()) numbers.resize(slots);
}

static void tb_schedule(uint32_t slot, int64_t at) {
	timers->push(entry{at, slot, numbers[slot]});
	pending++;
}

static void tb_cancel(uint32_t slot) {
	numbers[slot]++;
	pending--;
}

static void tb_reschedule(uint32_t slot, int64_t at) {
	timers->push(entry{at, slot, ++numbers[slot]});
}

static void tb_pop(int64_t now) {
	while (!timers->empty() && timers->top().at <= now) {
		entry e = timers->top();
		timers->pop();
		if (numbers[e.slot] != e.number) continue;
		numbers[e.slot]++;
		pending--;
		tb_fired(e.slot);
	}
}

static uint64_t tb_len(void) { return pending; }
