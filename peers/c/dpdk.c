// rte_timer of DPDK: a skip list. Its clock is the cycle counter of the processor, which librte_timer reads
// by instructions. This adapter replaces them in memory by loads of a virtual clock that have the same
// length. A tick is a cycle.
#include "slots.h"
#include <dlfcn.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_timer.h>
#include <rte_version.h>

static uint64_t *cycles; // the virtual clock, at a 32-bit address
static struct rte_timer *timers;
static uint64_t pending;

static void fires(struct rte_timer *t, void *arg) {
	(void)arg;
	pending--;
	tb_fired((uint32_t)(t - timers));
}

// patch replaces rdtsc; shl $32,%rdx; or %rdx,%rax by mov CLOCK,%rax; nop in the text of the library, and the same with
// mov %eax,%R; or %rdx,%R. It returns the number of replacements.
static int patch(unsigned char *from, unsigned char *to) {
	static const unsigned char read[6] = {0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20};
	int found = 0;
	for (unsigned char *p = from; p + 11 <= to; p++) {
		if (memcmp(p, read, sizeof read) != 0) continue;
		unsigned char *or = p + sizeof read;
		int target = 0;
		if (or[0] == 0x89 && (or[1] & 0xf8) == 0xc0) {
			target = or[1] & 7;
			or += 2;
		}
		if (or[0] != 0x48 || or[1] != 0x09 || or[2] != (0xd0 | target)) continue;
		uint32_t address = (uint32_t)(uintptr_t)cycles;
		unsigned char load[11] = {0x48, 0x8b, (unsigned char)(0x04 | target << 3), 0x25, 0, 0, 0, 0, 0x90, 0x90, 0x90};
		memcpy(load + 4, &address, 4);
		memcpy(p, load, (size_t)(or + 3 - p));
		found++;
	}
	return found;
}

static void start(void) {
	static char *args[] = {"dpdk", "--no-huge", "--no-pci", "--no-telemetry", "--no-shconf",
		"-m", "64", "-l", "0", "--log-level", "1"};
	static bool started;
	if (started) return;
	started = true;
	cycles = (uint64_t *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (cycles == MAP_FAILED) tb_die("mmap");
	if (rte_eal_init(sizeof args / sizeof *args, args) < 0 || rte_timer_subsystem_init() < 0) tb_die("rte_eal_init");
	unsigned char *from = dlsym(RTLD_DEFAULT, "rte_timer_alt_reset"), *to = dlsym(RTLD_DEFAULT, "rte_timer_stop_all");
	if (from == NULL || to <= from) tb_die("librte_timer is not laid out as expected");
	uintptr_t page = (uintptr_t)from & ~(uintptr_t)4095;
	if (mprotect((void *)page, (uintptr_t)to - page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) tb_die("mprotect");
	if (patch(from, to) < 3) tb_die("librte_timer reads its clock in a way that is not known");
}

static void tb_about(struct tb_about *a) {
	static char version[48];
	snprintf(version, sizeof version, "%s, rte_timer", rte_version());
	a->flags = TB_VIRTUAL | TB_INTRUSIVE;
	a->language = "C";
	a->version = version;
	a->note = "its clock is virtual: the instructions that read it are replaced";
}

static void tb_new(uint32_t slots) {
	(void)slots;
	start();
	if (timers != NULL) { // the lists of librte_timer belong to the process
		unsigned int lcore = 0;
		rte_timer_stop_all(0, &lcore, 1, NULL, NULL);
	}
	*cycles = 0;
	timers = (struct rte_timer *)new_slots(timers, sizeof *timers);
	pending = 0;
}

static void tb_reserve(uint32_t slots) { (void)slots; } // zeroes are stopped timers

static void tb_reschedule(uint32_t slot, int64_t at) {
	rte_timer_reset(&timers[slot], (uint64_t)(at - tb.now), SINGLE, 0, fires, NULL);
}

static void tb_schedule(uint32_t slot, int64_t at) {
	pending++;
	tb_reschedule(slot, at);
}

static void tb_cancel(uint32_t slot) {
	pending--;
	rte_timer_stop(&timers[slot]);
}

static void tb_pop(int64_t now) {
	*cycles = (uint64_t)now;
	rte_timer_manage();
}

static uint64_t tb_len(void) { return pending; }
