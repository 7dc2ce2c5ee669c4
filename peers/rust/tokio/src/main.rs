//! DelayQueue of tokio-util: tokio's hierarchical wheel. Its clock is the paused clock of a runtime, which
//! each pop advances. A tick is a millisecond. Each pop runs one turn of the runtime.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use timerbench_peers::{serve, About, Fired, Timers, INLINED};
use tokio::runtime::{Builder, Runtime};
use tokio::task::unconstrained;
use tokio::time::{advance, Instant};
use tokio_util::time::delay_queue::{DelayQueue, Key};

/// Calls a function once, as a task. Debian's compiler is older than std::future::poll_fn.
struct Once<F>(F);

impl<F: FnMut(&mut Context) + Unpin> Future for Once<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<()> {
        (self.0)(context);
        Poll::Ready(())
    }
}

struct Queue {
    timers: DelayQueue<u32>,
    keys: Vec<Option<Key>>, // by slot
    start: Instant,
    now: i64,
    runtime: Runtime,
}

impl Queue {
    fn when(&self, at: i64) -> Instant {
        self.start + Duration::from_millis(at as u64)
    }
}

impl Timers for Queue {
    fn begin(slots: usize) -> Queue {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (start, timers) = runtime.block_on(async { (Instant::now(), DelayQueue::with_capacity(slots)) });
        Queue { timers, keys: Vec::new(), start, now: 0, runtime }
    }

    fn reserve(&mut self, slots: usize) {
        if slots > self.keys.len() {
            self.keys.resize_with(slots, || None);
        }
    }

    fn schedule(&mut self, slot: u32, at: i64) {
        let when = self.when(at);
        let _context = self.runtime.enter();
        self.keys[slot as usize] = Some(self.timers.insert_at(slot, when));
    }

    fn cancel(&mut self, slot: u32) {
        let _context = self.runtime.enter();
        self.timers.remove(self.keys[slot as usize].as_ref().unwrap());
    }

    fn reschedule(&mut self, slot: u32, at: i64) {
        let when = self.when(at);
        let _context = self.runtime.enter();
        self.timers.reset_at(self.keys[slot as usize].as_ref().unwrap(), when);
    }

    fn pop(&mut self, now: i64, fired: &mut Fired) {
        let by = Duration::from_millis((now - self.now) as u64);
        let timers = &mut self.timers;
        self.now = now;
        self.runtime.block_on(async {
            advance(by).await;
            // A task would yield after polling 128 timers and be scheduled again.
            unconstrained(Once(|context: &mut Context| {
                while let Poll::Ready(Some(expired)) = timers.poll_expired(context) {
                    fired.add(now, expired.into_inner());
                }
            }))
            .await
        });
    }

    fn len(&self) -> usize {
        self.timers.len()
    }
}

fn main() -> std::io::Result<()> {
    let note = "virtual clock of a paused runtime; each pop runs a turn";
    let version = option_env!("TOKIO_UTIL").unwrap_or("tokio-util 0.7"); // by build.sh
    serve::<Queue>(About { flags: INLINED, limit: 0, version, note })
}
