//! A start for timers in Rust. Put your structure in the place of the BTreeSet below, then:
//!
//!     timerbench external init timerbench.rs >timerbench.rs
//!     rustc -O --edition 2021 -o mine start.rs
//!     timerbench verify --external mine=./mine     # is it correct?
//!     timerbench run --external mine=./mine        # is it fast?

#[allow(dead_code)]
mod timerbench;

use std::collections::BTreeSet;
use timerbench::{serve, About, Fired, Timers, INLINED};

struct Mine {
    timers: BTreeSet<(i64, u32)>, // deadline and slot
    deadlines: Vec<i64>,          // by slot
}

/// A slot names a timer. It is reused after its timer fired or was cancelled.
impl Timers for Mine {
    fn begin(_slots: usize) -> Mine {
        Mine { timers: BTreeSet::new(), deadlines: Vec::new() } // its clock is at 0
    }

    /// Grows to this number of slots. It is not timed.
    fn reserve(&mut self, slots: usize) {
        self.deadlines.resize(slots.max(self.deadlines.len()), 0);
    }

    fn schedule(&mut self, slot: u32, at: i64) {
        self.deadlines[slot as usize] = at;
        self.timers.insert((at, slot));
    }

    fn cancel(&mut self, slot: u32) {
        self.timers.remove(&(self.deadlines[slot as usize], slot));
    }

    fn reschedule(&mut self, slot: u32, at: i64) {
        self.cancel(slot);
        self.schedule(slot, at);
    }

    /// Moves the clock and fires every timer that is due.
    fn pop(&mut self, now: i64, fired: &mut Fired) {
        while let Some(&(at, slot)) = self.timers.iter().next() {
            if at > now {
                break;
            }
            self.timers.remove(&(at, slot));
            fired.add(now, slot);
        }
    }

    fn len(&self) -> usize {
        self.timers.len()
    }
}

fn main() -> std::io::Result<()> {
    // limit: skip cells with more timers; 0: no limit
    serve::<Mine>(About { flags: INLINED, limit: 0, version: "BTreeSet of std", note: "" })
}
