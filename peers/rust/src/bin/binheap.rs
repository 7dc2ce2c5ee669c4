//! A plain binary heap with positions, written alike in C++, Go, Java and Rust, so that the rows
//! compare the languages.

use timerbench_peers::{serve, About, Fired, Timers, INLINED, INTRUSIVE};

#[derive(Clone, Copy)]
struct Entry {
    at: i64,
    slot: u32,
}

struct Heap {
    heap: Vec<Entry>,
    position: Vec<u32>, // in heap, by slot
}

impl Heap {
    #[inline]
    fn put(&mut self, i: usize, e: Entry) {
        self.heap[i] = e;
        self.position[e.slot as usize] = i as u32;
    }

    #[inline]
    fn up(&mut self, mut i: usize, e: Entry) {
        while i > 0 {
            let parent = (i - 1) / 2;
            if self.heap[parent].at <= e.at {
                break;
            }
            self.put(i, self.heap[parent]);
            i = parent;
        }
        self.put(i, e);
    }

    #[inline]
    fn down(&mut self, mut i: usize, e: Entry) {
        let n = self.heap.len();
        loop {
            let mut child = 2 * i + 1;
            if child >= n {
                break;
            }
            if child + 1 < n && self.heap[child + 1].at < self.heap[child].at {
                child += 1;
            }
            if e.at <= self.heap[child].at {
                break;
            }
            self.put(i, self.heap[child]);
            i = child;
        }
        self.put(i, e);
    }

    #[inline]
    fn fix(&mut self, i: usize, e: Entry) {
        if i > 0 && e.at < self.heap[(i - 1) / 2].at {
            self.up(i, e);
        } else {
            self.down(i, e);
        }
    }

    #[inline]
    fn remove(&mut self, i: usize) {
        let last = self.heap.pop().unwrap();
        if i < self.heap.len() {
            self.fix(i, last);
        }
    }
}

impl Timers for Heap {
    fn begin(slots: usize) -> Heap {
        Heap { heap: Vec::with_capacity(slots), position: Vec::new() }
    }

    fn reserve(&mut self, slots: usize) {
        if slots > self.position.len() {
            self.position.resize(slots, 0);
        }
    }

    fn schedule(&mut self, slot: u32, at: i64) {
        let e = Entry { at, slot };
        self.heap.push(e);
        self.up(self.heap.len() - 1, e);
    }

    fn cancel(&mut self, slot: u32) {
        self.remove(self.position[slot as usize] as usize);
    }

    fn reschedule(&mut self, slot: u32, at: i64) {
        self.fix(self.position[slot as usize] as usize, Entry { at, slot });
    }

    fn pop(&mut self, now: i64, fired: &mut Fired) {
        while let Some(&Entry { at, slot }) = self.heap.first() {
            if at > now {
                break;
            }
            self.remove(0);
            fired.add(now, slot);
        }
    }

    fn len(&self) -> usize {
        self.heap.len()
    }
}

fn main() -> std::io::Result<()> {
    serve::<Heap>(About { flags: INLINED | INTRUSIVE, limit: 0, version: "binary heap with positions", note: "" })
}
