// The red-black tree of BSD's tree(3): macros that define functions for a type of node.
#include "slots.h"
#define __unused __attribute__((unused)) // which its macros use
#include <bsd/sys/tree.h>

struct node {
	RB_ENTRY(node) links;
	int64_t at;
};

static struct node *nodes; // by slot
static uint64_t pending;

static int compare(struct node *a, struct node *b) {
	if (a->at != b->at) return a->at < b->at ? -1 : 1;
	return a < b ? -1 : a > b;
}

RB_HEAD(tree, node);
static struct tree timers;
RB_GENERATE_STATIC(tree, node, links, compare)

static void tb_about(struct tb_about *a) {
	a->flags = TB_INLINED | TB_INTRUSIVE | TB_POP_ONE;
	a->language = "C";
	a->version = "tree(3) of libbsd, red-black";
}

static void tb_new(uint32_t slots) {
	nodes = new_slots(nodes, sizeof *nodes);
	touch_slots(nodes, sizeof *nodes, 0, slots);
	RB_INIT(&timers);
	pending = 0;
}

static void tb_reserve(uint32_t slots) { (void)slots; }

static void tb_schedule(uint32_t slot, int64_t at) {
	pending++;
	nodes[slot].at = at;
	RB_INSERT(tree, &timers, &nodes[slot]);
}

static void tb_cancel(uint32_t slot) {
	pending--;
	RB_REMOVE(tree, &timers, &nodes[slot]);
}

static void tb_reschedule(uint32_t slot, int64_t at) {
	RB_REMOVE(tree, &timers, &nodes[slot]);
	nodes[slot].at = at;
	RB_INSERT(tree, &timers, &nodes[slot]);
}

static void tb_pop(int64_t now) {
	for (struct node *n; (n = RB_MIN(tree, &timers)) != NULL && n->at <= now;) {
		RB_REMOVE(tree, &timers, n);
		pending--;
		tb_fired((uint32_t)(n - nodes));
	}
}

static uint64_t tb_len(void) { return pending; }
