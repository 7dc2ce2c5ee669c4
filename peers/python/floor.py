"""The floor: an adapter without a structure, which only runs the loop and reports the timers that fire.

Every adapter in Python contains this cost.
"""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../../bench/external/files"))
from timerbench import FLOOR, serve  # noqa: E402


class Floor:
    def __init__(self):
        self.pending = 0

    def reserve(self, slots):
        pass

    def __len__(self):
        return self.pending

    def schedule(self, slot, at):
        self.pending += 1

    def cancel(self, slot):
        self.pending -= 1

    def reschedule(self, slot, at):
        pass

    def pop(self, now, fired):
        while (slot := fired.next_due(now)) is not None:
            self.pending -= 1
            fired.add(now, slot)


serve(Floor, "no structure: the floor", 0, "", FLOOR)
