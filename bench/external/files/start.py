"""A start for timers in Python. Put your structure in the place of the heap below, then:

timerbench external init timerbench.py >timerbench.py
timerbench verify --external "mine=python3 start.py"     # is it correct?
timerbench run --external "mine=python3 start.py"        # is it fast?
"""

import heapq

from timerbench import serve


class Mine:
    """A slot names a timer. It is reused after its timer fired or was cancelled.

    The entry of a cancelled timer stays in the heap until it is due. Its number then differs from that of its slot.
    """

    def __init__(self):
        """Makes a fresh structure with its clock at 0."""
        self.heap, self.numbers, self.pending, self.number = [], [], 0, 0

    def reserve(self, slots):
        """Grows to this number of slots. It is not timed."""
        self.numbers.extend([0] * (slots - len(self.numbers)))

    def schedule(self, slot, at):
        """at is after the clock."""
        self.number += 1
        self.numbers[slot] = self.number
        heapq.heappush(self.heap, (at, self.number, slot))
        self.pending += 1

    def cancel(self, slot):
        """The timer is pending."""
        self.numbers[slot] = 0
        self.pending -= 1

    def reschedule(self, slot, at):
        """Earlier or later."""
        self.cancel(slot)
        self.schedule(slot, at)

    def pop(self, now, fired):
        """Moves the clock and fires every timer that is due."""
        while self.heap and self.heap[0][0] <= now:
            _, number, slot = heapq.heappop(self.heap)
            if self.numbers[slot] == number:
                self.cancel(slot)
                fired.add(now, slot)

    def __len__(self):
        return self.pending


# The structure, most timers (0: no limit), and a note.
serve(Mine, "heapq", 100_000, "")
