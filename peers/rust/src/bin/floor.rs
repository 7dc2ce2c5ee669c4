//! The floor: an adapter without a structure, which only runs the loop and reports the timers that fire.
//! Every adapter in Rust contains this cost.

use std::arch::asm;
use timerbench_peers::{serve, About, Fired, Timers, FLOOR, INLINED};

struct Floor {
    pending: usize,
}

/// Makes the compiler load an unused operand. Debian's compiler is older than std::hint::black_box.
#[inline]
fn load(operand: u64) {
    unsafe { asm!("/* {} */", in(reg) operand, options(nomem, nostack, preserves_flags)) };
}

impl Timers for Floor {
    fn begin(_: usize) -> Floor {
        Floor { pending: 0 }
    }

    fn reserve(&mut self, _: usize) {}

    fn schedule(&mut self, slot: u32, at: i64) {
        load(slot as u64);
        load(at as u64);
        self.pending += 1;
    }

    fn cancel(&mut self, slot: u32) {
        load(slot as u64);
        self.pending -= 1;
    }

    fn reschedule(&mut self, slot: u32, at: i64) {
        load(slot as u64);
        load(at as u64);
    }

    fn pop(&mut self, now: i64, fired: &mut Fired) {
        while let Some(slot) = fired.due(now) {
            self.pending -= 1;
            fired.add(now, slot);
        }
    }

    fn len(&self) -> usize {
        self.pending
    }
}

fn main() -> std::io::Result<()> {
    serve::<Floor>(About { flags: INLINED | FLOOR, limit: 0, version: "no structure: the floor", note: "" })
}
