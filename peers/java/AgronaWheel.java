import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.agrona.DeadlineTimerWheel;

/**
 * Agrona's DeadlineTimerWheel with a resolution of one tick and as many spokes as Netty's wheel. It names a timer by
 * its spoke and the place in it, so arrays lead from there to the slot. A timer that moves gets another name.
 */
final class AgronaWheel extends Timerbench implements DeadlineTimerWheel.TimerHandler {
    private static final int SPOKES = 512;

    private final DeadlineTimerWheel wheel = new DeadlineTimerWheel(TimeUnit.MILLISECONDS, 0, 1, SPOKES);
    private final int[][] slots = new int[SPOKES][16]; // by spoke and place
    private long[] names = new long[0]; // by slot

    public static void main(String[] args) throws Exception {
        // A spoke is searched for a free place, and all spokes have room for as many timers as the fullest one.
        serve("Agrona DeadlineTimerWheel", 100_000, VIRTUAL, AgronaWheel::new);
    }

    @Override void reserve(int n) {
        if (n > names.length) names = Arrays.copyOf(names, n);
    }

    @Override void schedule(int slot, long at) {
        long name = names[slot] = wheel.scheduleTimer(at);
        int spoke = (int) (name >> 32), place = (int) name;
        if (place >= slots[spoke].length) slots[spoke] = Arrays.copyOf(slots[spoke], 2 * place);
        slots[spoke][place] = slot;
    }

    @Override void cancel(int slot) { wheel.cancelTimer(names[slot]); }

    @Override void reschedule(int slot, long at) {
        cancel(slot);
        schedule(slot, at);
    }

    /** Polls each spoke that the clock passes. A revolution finds all due timers, so a longer gap ends there. */
    @Override void pop(long now) {
        if (wheel.timerCount() > 0) {
            for (int i = 0; i < SPOKES && wheel.currentTickTime() <= now; i++) wheel.poll(now, this, Integer.MAX_VALUE);
        }
        wheel.currentTickTime(now);
        wheel.poll(now, this, Integer.MAX_VALUE);
    }

    @Override public boolean onTimerExpiry(TimeUnit unit, long now, long name) {
        fired(slots[(int) (name >> 32)][(int) name]);
        return true;
    }

    @Override int size() { return (int) wheel.timerCount(); }
}
