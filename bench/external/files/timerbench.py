"""Lets a program in Python take part in timerbench run --external.

It implements version 1 of the protocol in docs/external.md. An adapter passes a class like that of heapq_timers.py to
serve.
"""

import array
import gc
import os
import platform
import struct
import sys
import time

MASK = (1 << 64) - 1


FLOOR = 8  # a flag: the program has no structure; Fired.next_due returns the timers to fire


class Fired:
    """Collects the timers that fire in a block.

    due is for a floor: the (tick, slot) of the timers that are still to fire in the block, the last one first.
    """

    def __init__(self, room, due):
        self.count, self.checksum, self.room, self.log, self.due = 0, 0, room, [], due

    def add(self, now, slot):
        """Reports that the timer of a slot fires in the pop at tick now."""
        h = (now * 0x9E3779B97F4A7C15 + slot * 0xD1B54A32D192ED03) & MASK
        h ^= h >> 32
        self.checksum += h * 0xFF51AFD7ED558CCD
        if self.count < self.room:
            self.log.append((now, slot))
        self.count += 1

    def next_due(self, now):
        """Returns the slot of the next due timer to a floor, or None if none is due."""
        return self.due.pop()[1] if self.due and self.due[-1][0] <= now else None


def read(data):
    """Returns the batches of a block (kind, slots and ticks) and, for a floor, the timers that fire."""
    magic, version, batches, ops, _ = struct.unpack_from("<IIQQQ", data)
    assert (magic, version) == (0x42424D54, 1), "no block of version 1"
    first = 32 + (batches + 1) // 2 * 16
    words = array.array("q", data[first:])
    if sys.byteorder == "big":
        words.byteswap()
    ticks, slots = words[0::2].tolist(), words[1::2].tolist()
    due = list(zip(ticks[ops:], slots[ops:]))[::-1]
    out, at = [], 0
    for i in range(batches):
        kind, length = struct.unpack_from("<II", data, 32 + 8 * i)
        out.append((kind, slots[at : at + length], ticks[at : at + length]))
        at += length
    return out, due


def replay(timers, block, fired):
    """Executes the operations. This is the timed code."""
    for kind, slots, ticks in block:
        if kind == 0:
            for slot, at in zip(slots, ticks):
                timers.schedule(slot, at)
        elif kind == 1:
            for slot in slots:
                timers.cancel(slot)
        elif kind == 2:
            for slot, at in zip(slots, ticks):
                timers.reschedule(slot, at)
        else:
            for at in ticks:
                timers.pop(at, fired)


def costs(make):
    """Measures the cost of reading the clock and of a wake-up on which nothing is due."""
    timers, fired, clock, wake, now = make(), Fired(0, []), 1e9, 1e9, 0
    timers.reserve(1)
    timers.schedule(0, 10**9)
    for _ in range(20):
        start = time.perf_counter_ns()
        for _ in range(100):
            time.perf_counter_ns()
        clock = min(clock, (time.perf_counter_ns() - start) / 101)
        start = time.perf_counter_ns()
        for _ in range(1000):
            now += 1
            timers.pop(now, fired)
        wake = min(wake, (time.perf_counter_ns() - start) / 1000)
    return clock, wake


def serve(make, version, limit, note, flags=0):
    """Answers requests until standard input ends."""
    requests, answers = os.fdopen(0, "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keeps other output off the pipe
    collections = [0, 0, 0]  # number, nanoseconds, start of the one that runs

    def collected(phase, _):
        if phase == "start":
            collections[2] = time.perf_counter_ns()
        else:
            collections[0] += 1
            collections[1] += time.perf_counter_ns() - collections[2]

    gc.callbacks.append(collected)
    clock, wake = costs(make)
    language = "Python " + platform.python_version()
    hello = struct.pack("<IIIIdd16x", 0x48424D54, 1, flags, limit, clock, wake)
    hello += struct.pack("<31sx47sx127sx", language.encode(), version.encode(), note.encode())
    answers.write(hello)
    answers.flush()
    timers, blocks = None, {}
    while len(request := requests.read(32)) == 32:
        kind, block, a, b, c = struct.unpack("<IIQQQ", request)
        ns, fired, before = 0, Fired(0, []), collections[:]
        if kind == 1:
            timers = make()
            gc.collect()
            timers.reserve(a)
        elif kind == 2:
            blocks[block] = read(os.pread(3, a, c))
            timers.reserve(b)
        else:
            batches, due = blocks.pop(block)
            fired = Fired(a, due)
            before = collections[:]
            start = time.perf_counter_ns()
            replay(timers, batches, fired)
            ns = time.perf_counter_ns() - start
        after = collections[:] if kind == 3 else before
        if kind == 3 and a > 0:
            os.pwrite(4, b"".join(struct.pack("<qQ", *f) for f in fired.log), 0)
        answers.write(struct.pack("<IIQQQQQQQ", 0x41424D54, kind, ns, fired.count, fired.checksum & MASK,
                                  len(timers), after[0] - before[0], after[1] - before[1], 0))
        answers.flush()
