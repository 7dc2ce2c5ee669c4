import java.util.Arrays;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/** java.util.concurrent.DelayQueue: a binary heap behind a lock. Removing a timer searches it. */
final class DelayQueueTimers extends Timerbench {
    private long clock;
    private final DelayQueue<Timer> timers = new DelayQueue<>();
    private Timer[] bySlot = new Timer[0];

    private final class Timer implements Delayed {
        final long at;
        final int slot;

        Timer(long at, int slot) {
            this.at = at;
            this.slot = slot;
        }

        @Override public long getDelay(TimeUnit unit) { return unit.convert(at - clock, TimeUnit.MILLISECONDS); }

        @Override public int compareTo(Delayed other) { return Long.compare(at, ((Timer) other).at); }
    }

    public static void main(String[] args) throws Exception {
        serve("java.util.concurrent.DelayQueue", 10_000, VIRTUAL, DelayQueueTimers::new);
    }

    @Override void reserve(int n) {
        if (n > bySlot.length) bySlot = Arrays.copyOf(bySlot, n);
    }

    @Override void schedule(int slot, long at) { timers.add(bySlot[slot] = new Timer(at, slot)); }

    @Override void cancel(int slot) { timers.remove(bySlot[slot]); }

    @Override void reschedule(int slot, long at) {
        cancel(slot);
        schedule(slot, at);
    }

    @Override void pop(long now) {
        clock = now;
        for (Timer t; (t = timers.poll()) != null; ) fired(t.slot);
    }

    @Override int size() { return timers.size(); }
}
