"""heapq with tombstones, as asyncio uses it.

Entries are lists of a deadline and a slot. One that is cancelled loses its slot. The heap is made anew when more than
half of it, and more than 100, are such.
"""

import heapq

from timerbench import serve


class Heap:
    def __init__(self):
        self.heap, self.entries, self.cancelled, self.number = [], [], 0, 0

    def reserve(self, slots):
        self.entries.extend([None] * (slots - len(self.entries)))

    def __len__(self):
        return len(self.heap) - self.cancelled

    def schedule(self, slot, at):
        self.number += 1  # so that no two slots are compared
        entry = self.entries[slot] = [at, self.number, slot]
        heapq.heappush(self.heap, entry)

    def cancel(self, slot):
        self.entries[slot][2] = None
        self.cancelled += 1
        if self.cancelled > 100 and 2 * self.cancelled > len(self.heap):
            self.heap = [e for e in self.heap if e[2] is not None]
            heapq.heapify(self.heap)
            self.cancelled = 0

    def reschedule(self, slot, at):
        self.cancel(slot)
        self.schedule(slot, at)

    def pop(self, now, fired):
        heap = self.heap
        while heap and heap[0][0] <= now:
            slot = heapq.heappop(heap)[2]
            if slot is None:
                self.cancelled -= 1
            else:
                fired.add(now, slot)


serve(Heap, "heapq with tombstones", 100_000, "what is cancelled goes when it is more than half, as in asyncio")
