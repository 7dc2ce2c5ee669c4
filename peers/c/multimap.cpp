// std::multimap from deadlines to slots: a red-black tree that allocates a node for each timer.
#include "timerbench.h"
#include <map>
#include <vector>

typedef std::multimap<int64_t, uint32_t> tree;

static tree timers;
static std::vector<tree::iterator> nodes; // by slot

static void tb_about(struct tb_about *a) {
	a->flags = TB_INLINED | TB_POP_ONE;
	a->language = "C++";
	a->version = "std::multimap of libstdc++";
}

static void tb_new(uint32_t) {
	timers.clear();
	std::vector<tree::iterator>().swap(nodes);
}

static void tb_reserve(uint32_t slots) {
	if (slots > nodes.size()) nodes.resize(slots);
}

static void tb_schedule(uint32_t slot, int64_t at) { nodes[slot] = timers.emplace(at, slot); }

static void tb_cancel(uint32_t slot) { timers.erase(nodes[slot]); }

static void tb_reschedule(uint32_t slot, int64_t at) {
	tree::node_type node = timers.extract(nodes[slot]);
	node.key() = at;
	nodes[slot] = timers.insert(std::move(node));
}

static void tb_pop(int64_t now) {
	while (!timers.empty() && timers.begin()->first <= now) {
		uint32_t slot = timers.begin()->second;
		timers.erase(timers.begin());
		tb_fired(slot);
	}
}

static uint64_t tb_len(void) { return timers.size(); }
