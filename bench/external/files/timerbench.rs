//! Lets a program in Rust take part in timerbench run --external. It implements version 1 of the protocol in
//! docs/external.md. An adapter implements [`Timers`] and calls [`serve`].

use std::fs::File;
use std::io::{Read, Write};
use std::mem::ManuallyDrop;
use std::os::unix::io::FromRawFd;
use std::os::unix::fs::FileExt;
use std::time::Instant;

/// A structure. A slot names a timer and is reused after its timer fired or was cancelled.
pub trait Timers {
    /// Makes a fresh structure with its clock at 0.
    fn begin(slots: usize) -> Self;
    /// Grows to this number of slots. It is not timed.
    fn reserve(&mut self, slots: usize);
    fn schedule(&mut self, slot: u32, at: i64);
    fn cancel(&mut self, slot: u32);
    fn reschedule(&mut self, slot: u32, at: i64);
    /// Moves the clock and reports each due timer.
    fn pop(&mut self, now: i64, fired: &mut Fired);
    /// Returns the number of pending timers.
    fn len(&self) -> usize;
}

/// Collects the timers that fire in a block.
#[derive(Default)]
pub struct Fired {
    count: u64,
    checksum: u64,
    room: usize,
    log: Vec<(i64, u32)>,
    due: &'static [Op], // for a floor: the timers that are still to fire in the block
}

impl Fired {
    /// Reports that the timer of a slot fires in the pop at tick now.
    #[inline]
    pub fn add(&mut self, now: i64, slot: u32) {
        let mut h = (now as u64)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add((slot as u64).wrapping_mul(0xd1b5_4a32_d192_ed03));
        h ^= h >> 32;
        self.checksum = self.checksum.wrapping_add(h.wrapping_mul(0xff51_afd7_ed55_8ccd));
        self.count += 1;
        if self.log.len() < self.room {
            self.log.push((now, slot));
        }
    }

    /// Returns the slot of the next due timer to a floor.
    #[inline]
    pub fn due(&mut self, now: i64) -> Option<u32> {
        let (first, rest) = self.due.split_first()?;
        if first.at > now {
            return None;
        }
        self.due = rest;
        Some(first.slot)
    }
}

/// A flag: the structure is compiled into the timed loop.
pub const INLINED: u32 = 1;
/// A flag: the program has no structure; [`Fired::due`] returns the timers to fire.
pub const FLOOR: u32 = 8;
/// A flag: the timers are fields of the caller's structs, here one per slot.
pub const INTRUSIVE: u32 = 16;

/// The description of a program.
pub struct About {
    pub flags: u32,
    pub limit: u32,
    pub version: &'static str,
    pub note: &'static str,
}

#[repr(C)]
struct Head {
    magic: u32,
    version: u32,
    batches: u64,
    ops: u64,
    slots: u64,
}

#[repr(C)]
struct Op {
    at: i64,
    slot: u32,
    zero: u32,
}

extern "C" {
    fn mmap(at: *mut u8, bytes: usize, protection: i32, flags: i32, fd: i32, from: i64) -> *mut u8;
    fn munmap(at: *mut u8, bytes: usize) -> i32;
}

/// A block in the format of the file, mapped on a little-endian machine.
struct Block {
    memory: *mut u8,
    bytes: usize,
}

impl Block {
    fn map(from: u64, bytes: usize) -> Block {
        let memory = unsafe { mmap(std::ptr::null_mut(), bytes, 1, 1, 3, from as i64) }; // PROT_READ, MAP_SHARED
        assert_ne!(memory as isize, -1, "mmap: {}", std::io::Error::last_os_error());
        let b = Block { memory, bytes };
        assert_eq!((b.head().magic, b.head().version), (0x4242_4d54, 1), "no block of version 1");
        for i in (0..bytes).step_by(4096) {
            unsafe { memory.add(i).read_volatile() }; // touch all pages before the timed loop
        }
        b
    }

    fn head(&self) -> &Head {
        unsafe { &*(self.memory as *const Head) }
    }

    /// Returns the operations and, in a run with a floor, the timers that fire.
    fn ops(&self) -> (&'static [Op], &'static [Op]) {
        let head = self.head();
        let first = 32 + (head.batches as usize + 1) / 2 * 16;
        let ops = unsafe { self.memory.add(first) } as *const Op;
        unsafe { std::slice::from_raw_parts(ops, (self.bytes - first) / 16) }.split_at(head.ops as usize)
    }

    /// Executes the operations. This is the timed code.
    fn replay<T: Timers>(&self, timers: &mut T, fired: &mut Fired) {
        let (head, batches) = (self.head(), unsafe { self.memory.add(32) } as *const [u32; 2]);
        let batches = unsafe { std::slice::from_raw_parts(batches, head.batches as usize) };
        let (mut rest, _) = self.ops();
        for &[kind, len] in batches {
            let (ops, after) = rest.split_at(len as usize);
            rest = after;
            match kind {
                0 => ops.iter().for_each(|o| timers.schedule(o.slot, o.at)),
                1 => ops.iter().for_each(|o| timers.cancel(o.slot)),
                2 => ops.iter().for_each(|o| timers.reschedule(o.slot, o.at)),
                _ => ops.iter().for_each(|o| timers.pop(o.at, fired)),
            }
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        unsafe { munmap(self.memory, self.bytes) };
    }
}

/// Measures the cost of reading the clock and of a wake-up on which nothing is due.
fn costs<T: Timers>() -> (f64, f64) {
    let (mut clock, mut wake) = (f64::MAX, f64::MAX);
    let mut timers = T::begin(1);
    let mut fired = Fired::default();
    timers.reserve(1);
    timers.schedule(0, 1_000_000_000);
    for round in 0..50 {
        let start = Instant::now();
        for _ in 0..100 {
            let _ = Instant::now();
        }
        clock = clock.min(start.elapsed().as_nanos() as f64 / 101.0);
        let start = Instant::now();
        for i in 0..1000 {
            timers.pop(1 + round * 1000 + i, &mut fired);
        }
        wake = wake.min(start.elapsed().as_nanos() as f64 / 1000.0);
    }
    (clock, wake)
}

fn hello<T: Timers>(about: &About) -> Vec<u8> {
    let (clock, wake) = costs::<T>();
    let mut out = Vec::with_capacity(256);
    for v in [0x4842_4d54, 1, about.flags, about.limit] {
        out.extend_from_slice(&v.to_le_bytes());
    }
    out.extend_from_slice(&clock.to_le_bytes());
    out.extend_from_slice(&wake.to_le_bytes());
    out.resize(48, 0);
    for (text, end) in [("Rust", 80), (about.version, 128), (about.note, 256)] {
        let room = end - out.len() - 1;
        out.extend_from_slice(&text.as_bytes()[..text.len().min(room)]);
        out.resize(end, 0);
    }
    out
}

/// Answers requests until standard input ends.
pub fn serve<T: Timers>(about: About) -> std::io::Result<()> {
    let (mut requests, mut answers) = (std::io::stdin(), std::io::stdout());
    answers.write_all(&hello::<T>(&about))?;
    answers.flush()?;
    let mut timers = T::begin(0);
    let mut blocks = [None, None, None, None];
    let mut request = [0u8; 32];
    while requests.read_exact(&mut request).is_ok() {
        let word = |i: usize| u64::from_le_bytes(request[8 * i..8 * i + 8].try_into().unwrap());
        let (kind, block) = (word(0) as u32, (word(0) >> 32) as usize);
        let (a, b) = (word(1) as usize, word(2) as usize);
        let mut fired = Fired::default();
        let mut ns = 0;
        match kind {
            1 => {
                timers = T::begin(a);
                timers.reserve(a);
            }
            2 => {
                blocks[block] = Some(Block::map(word(3), a));
                timers.reserve(b);
            }
            _ => {
                fired.room = a;
                fired.log.reserve(a);
                let block = blocks[block].take().expect("it was loaded");
                fired.due = block.ops().1;
                let start = Instant::now();
                block.replay(&mut timers, &mut fired);
                ns = start.elapsed().as_nanos() as u64;
            }
        }
        if fired.room > 0 {
            let mut log = Vec::with_capacity(16 * fired.log.len());
            for (at, slot) in &fired.log {
                log.extend_from_slice(&at.to_le_bytes());
                log.extend_from_slice(&(*slot as u64).to_le_bytes());
            }
            let file = ManuallyDrop::new(unsafe { File::from_raw_fd(4) });
            file.write_all_at(&log, 0)?;
        }
        let mut answer = Vec::with_capacity(64);
        answer.extend_from_slice(&0x4142_4d54u32.to_le_bytes());
        answer.extend_from_slice(&kind.to_le_bytes());
        for v in [ns, fired.count, fired.checksum, timers.len() as u64, 0, 0, 0] {
            answer.extend_from_slice(&v.to_le_bytes());
        }
        answers.write_all(&answer)?;
        answers.flush()?;
    }
    Ok(())
}
