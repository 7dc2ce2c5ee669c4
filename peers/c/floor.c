// The floor: an adapter without a structure, which only runs the loop and reports the timers that fire. Every
// adapter of its language contains this cost. floor.cpp compiles the same code as C++.
#include "timerbench.h"

static uint64_t pending;

static void tb_about(struct tb_about *a) {
	a->flags = TB_INLINED | TB_FLOOR;
#ifdef __cplusplus
	a->language = "C++";
#else
	a->language = "C";
#endif
	a->version = "no structure: the floor";
}

// use makes the compiler load an unused operand.
static inline void use(uint64_t operand) { __asm__ volatile("" : : "r"(operand)); }

static void tb_new(uint32_t slots) {
	(void)slots;
	pending = 0;
}

static void tb_reserve(uint32_t slots) { (void)slots; }

static void tb_schedule(uint32_t slot, int64_t at) {
	use(slot);
	use((uint64_t)at);
	pending++;
}

static void tb_cancel(uint32_t slot) {
	use(slot);
	pending--;
}

static void tb_reschedule(uint32_t slot, int64_t at) {
	use(slot);
	use((uint64_t)at);
}

static void tb_pop(int64_t now) {
	(void)now;
	for (uint32_t slot; tb_due(&slot); pending--) tb_fired(slot);
}

static uint64_t tb_len(void) { return pending; }
