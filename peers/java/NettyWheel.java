import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * Netty's HashedWheelTimer with a virtual clock: pop does the work of the worker thread for each tick, without
 * waiting. A tick is a millisecond. A timeout for tick t has its deadline a nanosecond earlier, so that it
 * fires at t and not at t+1.
 */
final class NettyWheel extends Timerbench {
    private static final long TICK = 1_000_000;
    private static final MethodHandle TIMEOUT, TRANSFER, CANCELLED, EXPIRE;
    private static final VarHandle NOW, WORKER, WHEEL, TIMEOUTS;

    static {
        try {
            Class<?> timer = HashedWheelTimer.class;
            Class<?> worker = inner("Worker"), bucket = inner("HashedWheelBucket"), timeout = inner("HashedWheelTimeout");
            MethodHandles.Lookup of = MethodHandles.lookup();
            MethodHandles.Lookup in = MethodHandles.privateLookupIn(timer, of);
            MethodHandles.Lookup inWorker = MethodHandles.privateLookupIn(worker, of);
            TIMEOUT = MethodHandles.privateLookupIn(timeout, of)
                .findConstructor(timeout, MethodType.methodType(void.class, timer, TimerTask.class, long.class))
                .asType(MethodType.methodType(Timeout.class, timer, TimerTask.class, long.class));
            MethodType nothing = MethodType.methodType(void.class), ofWorker = MethodType.methodType(void.class, Object.class);
            TRANSFER = inWorker.findVirtual(worker, "transferTimeoutsToBuckets", nothing).asType(ofWorker);
            CANCELLED = inWorker.findVirtual(worker, "processCancelledTasks", nothing).asType(ofWorker);
            EXPIRE = MethodHandles.privateLookupIn(bucket, of)
                .findVirtual(bucket, "expireTimeouts", MethodType.methodType(void.class, long.class))
                .asType(MethodType.methodType(void.class, Object.class, long.class));
            NOW = inWorker.findVarHandle(worker, "tick", long.class).withInvokeBehavior();
            WORKER = in.findVarHandle(timer, "worker", worker).withInvokeBehavior();
            WHEEL = in.findVarHandle(timer, "wheel", bucket.arrayType()).withInvokeBehavior();
            TIMEOUTS = in.findVarHandle(timer, "timeouts", Queue.class).withInvokeBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static Class<?> inner(String name) throws ClassNotFoundException {
        return Class.forName(HashedWheelTimer.class.getName() + "$" + name);
    }

    private final HashedWheelTimer timer = new HashedWheelTimer(worker -> {
        Thread t = new Thread(worker); // never started
        t.setDaemon(true);
        return t;
    }, 1, TimeUnit.MILLISECONDS, 512, false);
    private final Object worker = WORKER.get(timer);
    private final Object[] wheel = (Object[]) WHEEL.get(timer);
    @SuppressWarnings("unchecked")
    private final Queue<Timeout> timeouts = (Queue<Timeout>) TIMEOUTS.get(timer);
    private Timeout[] bySlot = new Timeout[0];
    private long tick; // the next tick of the worker
    private int pending;

    public static void main(String[] args) throws Exception {
        String version = HashedWheelTimer.class.getPackage().getImplementationVersion();
        int limit = args.length == 0 ? 100_000 : 0; // if more are set between two ticks, some fire late
        serve("Netty " + (version == null ? "4" : version) + ", HashedWheelTimer", limit, VIRTUAL, NettyWheel::new);
    }

    @Override void reserve(int n) {
        if (n > bySlot.length) bySlot = Arrays.copyOf(bySlot, n);
    }

    @Override void schedule(int slot, long at) {
        try {
            TimerTask task = t -> {
                pending--;
                fired(slot);
            };
            timeouts.add(bySlot[slot] = (Timeout) TIMEOUT.invokeExact(timer, task, at * TICK - 1));
            pending++;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Override void cancel(int slot) {
        bySlot[slot].cancel();
        pending--;
    }

    @Override void reschedule(int slot, long at) {
        cancel(slot);
        schedule(slot, at);
    }

    @Override void pop(long now) {
        try {
            for (; tick < now; tick++) {
                NOW.set(worker, tick);
                TRANSFER.invokeExact(worker);
                EXPIRE.invokeExact(wheel[(int) tick & wheel.length - 1], (tick + 1) * TICK);
                CANCELLED.invokeExact(worker); // the last step since November 2025, and the first before
            }
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Override int size() { return pending; }
}
