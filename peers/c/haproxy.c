// HAProxy's elastic binary tree, used as HAProxy's src/task.c uses it for tasks: a timer that moves to later stays
// where it is, and is queued again when it comes up. The tree has keys of 64 bits, because ticks have 64; HAProxy's
// own are milliseconds of 32 bits.
#include "slots.h"
#include <src/eb64tree.c>
#include <src/ebtree.c>

struct timer {
	struct eb64_node node; // the key is the tick at which the timer comes up
	uint64_t expires;      // no earlier than the key
};

static struct eb_root tree;
static struct timer *timers; // by slot
static uint64_t pending;

static void tb_about(struct tb_about *a) {
	a->flags = TB_INLINED | TB_INTRUSIVE;
	a->language = "C";
	a->version = "HAProxy's ebtree";
	a->note = "moves to later stay in the tree";
}

static void tb_new(uint32_t slots) {
	tree = EB_ROOT;
	timers = (struct timer *)new_slots(timers, sizeof *timers);
	touch_slots(timers, sizeof *timers, 0, slots);
	pending = 0;
}

static void tb_reserve(uint32_t slots) { (void)slots; }

static void queue(struct timer *t) {
	t->node.key = t->expires;
	eb64_insert(&tree, &t->node);
}

static void tb_schedule(uint32_t slot, int64_t at) {
	pending++;
	timers[slot].expires = (uint64_t)at;
	queue(&timers[slot]);
}

static void tb_cancel(uint32_t slot) {
	pending--;
	__eb64_delete(&timers[slot].node);
}

static void tb_reschedule(uint32_t slot, int64_t at) {
	struct timer *t = &timers[slot];
	t->expires = (uint64_t)at;
	if (t->expires >= t->node.key) return;
	__eb64_delete(&t->node);
	queue(t);
}

static void tb_pop(int64_t now) {
	struct eb64_node *first;
	while ((first = eb64_first(&tree)) != NULL && first->key <= (uint64_t)now) {
		struct timer *t = eb64_entry(first, struct timer, node);
		__eb64_delete(first);
		if (t->expires > (uint64_t)now) {
			queue(t);
			continue;
		}
		pending--;
		tb_fired((uint32_t)(t - timers));
	}
}

static uint64_t tb_len(void) { return pending; }
