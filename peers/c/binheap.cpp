// A plain binary heap with positions, written alike in C++, Go, Java and Rust, so that the rows
// compare the languages.
#include "timerbench.h"
#include <vector>

struct entry {
	int64_t at;
	uint32_t slot;
};

static std::vector<entry> heap;
static std::vector<uint32_t> position; // in heap, by slot

static inline void put(uint32_t i, entry e) {
	heap[i] = e;
	position[e.slot] = i;
}

static inline void up(uint32_t i, entry e) {
	while (i > 0) {
		uint32_t parent = (i - 1) / 2;
		if (heap[parent].at <= e.at) break;
		put(i, heap[parent]);
		i = parent;
	}
	put(i, e);
}

static inline void down(uint32_t i, entry e) {
	uint32_t n = (uint32_t)heap.size();
	for (;;) {
		uint32_t child = 2 * i + 1;
		if (child >= n) break;
		if (child + 1 < n && heap[child + 1].at < heap[child].at) child++;
		if (e.at <= heap[child].at) break;
		put(i, heap[child]);
		i = child;
	}
	put(i, e);
}

static inline void fix(uint32_t i, entry e) {
	if (i > 0 && e.at < heap[(i - 1) / 2].at)
		up(i, e);
	else
		down(i, e);
}

static inline void remove_at(uint32_t i) {
	entry last = heap.back();
	heap.pop_back();
	if (i < heap.size()) fix(i, last);
}

static void tb_about(struct tb_about *a) {
	a->flags = TB_INLINED | TB_INTRUSIVE | TB_POP_ONE;
	a->language = "C++";
	a->version = "binary heap with positions";
}

static void tb_new(uint32_t slots) {
	std::vector<entry>().swap(heap);
	std::vector<uint32_t>().swap(position);
	heap.reserve(slots);
}

static void tb_reserve(uint32_t slots) {
	if (slots > position.size()) position.resize(slots);
}

static void tb_schedule(uint32_t slot, int64_t at) {
	heap.push_back(entry());
	up((uint32_t)heap.size() - 1, entry{at, slot});
}

static void tb_cancel(uint32_t slot) { remove_at(position[slot]); }

static void tb_reschedule(uint32_t slot, int64_t at) { fix(position[slot], entry{at, slot}); }

static void tb_pop(int64_t now) {
	while (!heap.empty() && heap[0].at <= now) {
		uint32_t slot = heap[0].slot;
		remove_at(0);
		tb_fired(slot);
	}
}

static uint64_t tb_len(void) { return heap.size(); }
