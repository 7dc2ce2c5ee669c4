//! BTreeMap of the standard library, as a set of (deadline, slot).

use std::collections::BTreeSet;
use timerbench_peers::{serve, About, Fired, Timers, INLINED};

struct Tree {
    timers: BTreeSet<(i64, u32)>,
    deadlines: Vec<i64>, // by slot
}

impl Timers for Tree {
    fn begin(_: usize) -> Tree {
        Tree { timers: BTreeSet::new(), deadlines: Vec::new() }
    }

    fn reserve(&mut self, slots: usize) {
        if slots > self.deadlines.len() {
            self.deadlines.resize(slots, 0);
        }
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
    let version = "BTreeSet (which is a BTreeMap) of std";
    serve::<Tree>(About { flags: INLINED, limit: 0, version, note: "" })
}
