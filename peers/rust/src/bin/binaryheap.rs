//! BinaryHeap of the standard library with tombstones: the entry of a cancelled or moved timer stays in the
//! heap until it is due. Its number then differs from that of its slot.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use timerbench_peers::{serve, About, Fired, Timers, INLINED};

struct Heap {
    timers: BinaryHeap<Reverse<(i64, u32, u32)>>, // deadline, slot, number
    numbers: Vec<u32>,                            // by slot
    pending: usize,
}

impl Timers for Heap {
    fn begin(_: usize) -> Heap {
        Heap { timers: BinaryHeap::new(), numbers: Vec::new(), pending: 0 }
    }

    fn reserve(&mut self, slots: usize) {
        if slots > self.numbers.len() {
            self.numbers.resize(slots, 0);
        }
    }

    fn schedule(&mut self, slot: u32, at: i64) {
        self.timers.push(Reverse((at, slot, self.numbers[slot as usize])));
        self.pending += 1;
    }

    fn cancel(&mut self, slot: u32) {
        self.numbers[slot as usize] += 1;
        self.pending -= 1;
    }

    fn reschedule(&mut self, slot: u32, at: i64) {
        self.numbers[slot as usize] += 1;
        self.timers.push(Reverse((at, slot, self.numbers[slot as usize])));
    }

    fn pop(&mut self, now: i64, fired: &mut Fired) {
        while let Some(&Reverse((at, slot, number))) = self.timers.peek() {
            if at > now {
                break;
            }
            self.timers.pop();
            if self.numbers[slot as usize] == number {
                self.numbers[slot as usize] += 1;
                self.pending -= 1;
                fired.add(now, slot);
            }
        }
    }

    fn len(&self) -> usize {
        self.pending
    }
}

fn main() -> std::io::Result<()> {
    let note = "cancelled timers stay until they are due";
    serve::<Heap>(About { flags: INLINED, limit: 0, version: "BinaryHeap of std, tombstones", note })
}
