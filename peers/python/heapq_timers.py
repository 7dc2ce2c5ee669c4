"""heapq with tombstones, as in asyncio.

Entries are lists of deadline, number and slot. Cancelling a timer clears the slot of its entry. The heap is rebuilt when
more than half of its entries, and more than 100, are cancelled.
"""

import heapq
import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../../bench/external/files"))
from timerbench import serve  # noqa: E402


class Heap:
    def __init__(self):
        self.heap, self.entries, self.cancelled, self.number = [], [], 0, 0

    def reserve(self, slots):
        self.entries.extend([None] * (slots - len(self.entries)))

    def __len__(self):
        return len(self.heap) - self.cancelled

    def schedule(self, slot, at):
        self.number += 1  # breaks ties, so that slots are never compared
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


serve(Heap, "heapq with tombstones", 100_000, "cancelled entries go when they are more than half, as in asyncio")
