// slots.h gives an adapter an array of records by slot. The records never move, because the structures of
// libraries point to them. Pages take no memory until they are touched, and start as zeroes.
#ifndef SLOTS_H
#define SLOTS_H

#include "timerbench.h"

#define MOST_SLOTS ((size_t)1 << 27)

// new_slots returns room for MOST_SLOTS records. It frees before, an array that it returned earlier.
static inline void *new_slots(void *before, size_t record) {
	if (before != NULL) munmap(before, MOST_SLOTS * record);
	void *p = mmap(NULL, MOST_SLOTS * record, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) tb_die("mmap");
	return p;
}

// touch_slots touches the pages of a range of records, so that the timed loop has no page faults.
static inline void touch_slots(void *slots, size_t record, size_t from, size_t to) {
	for (size_t at = from * record; at < to * record; at += 4096) ((volatile char *)slots)[at] = 0;
}

#endif
