import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Lets a program in Java take part in timerbench run --external. It implements version 1 of the protocol in
 * docs/external.md. An adapter extends this class and calls serve.
 */
abstract class Timerbench {
    // An adapter defines these methods. A slot names a timer and is reused after its timer fired or was
    // cancelled. The clock starts at 0, and only pop moves it.
    abstract void reserve(int slots);
    abstract void schedule(int slot, long at);
    abstract void cancel(int slot);
    abstract void reschedule(int slot, long at);
    abstract void pop(long now); // calls fired for each due timer
    abstract int size();

    static final int VIRTUAL = 2; // calls go through a pointer
    static final int INTRUSIVE = 16; // the timers are fields of the caller's objects
    static final int FLOOR = 8;   // there is no structure: due returns the timers to fire

    private long fired, checksum, now;
    private int room;
    private ByteBuffer log;
    private Block block = new Block(new int[0], new int[0], new long[0], new int[0], 0); // the current block
    private int nextDue; // for a floor: the next timer of the block to fire

    /** Reports that the timer of a slot fires. */
    final void fired(int slot) {
        long h = now * 0x9e3779b97f4a7c15L + slot * 0xd1b54a32d192ed03L;
        h ^= h >>> 32;
        checksum += h * 0xff51afd7ed558ccdL;
        if (fired++ < room) log.putLong(now).putLong(slot);
    }

    /** Returns the slot of the next due timer to a floor, or -1 if none is due. */
    final int due() {
        if (nextDue == block.at.length || block.at[nextDue] > now) return -1;
        return block.slots[nextDue++];
    }

    /** A block: batches by kind and length, operations, and after them the timers that fire, for a floor. */
    private record Block(int[] kinds, int[] lengths, long[] at, int[] slots, int ops) {
        static Block read(ByteBuffer b) {
            b.order(ByteOrder.LITTLE_ENDIAN);
            if (b.getInt(0) != 0x42424d54 || b.getInt(4) != 1) throw new IllegalStateException("no block of version 1");
            int batches = (int) b.getLong(8), ops = (int) b.getLong(16);
            int first = 32 + (batches + 1) / 2 * 16, all = (b.limit() - first) / 16;
            Block out = new Block(new int[batches], new int[batches], new long[all], new int[all], ops);
            for (int i = 0; i < batches; i++) {
                out.kinds[i] = b.getInt(32 + 8 * i);
                out.lengths[i] = b.getInt(36 + 8 * i);
            }
            for (int i = 0; i < all; i++) {
                out.at[i] = b.getLong(first + 16 * i);
                out.slots[i] = b.getInt(first + 16 * i + 8);
            }
            return out;
        }
    }

    /** Executes the operations of a block. This is the timed code. */
    private void replay(Block b) {
        int from = 0;
        block = b;
        nextDue = b.ops;
        for (int i = 0; i < b.kinds.length; i++) {
            int to = from + b.lengths[i];
            switch (b.kinds[i]) {
                case 0 -> { for (int k = from; k < to; k++) schedule(b.slots[k], b.at[k]); }
                case 1 -> { for (int k = from; k < to; k++) cancel(b.slots[k]); }
                case 2 -> { for (int k = from; k < to; k++) reschedule(b.slots[k], b.at[k]); }
                default -> {
                    for (int k = from; k < to; k++) {
                        now = b.at[k];
                        pop(now);
                    }
                }
            }
            from = to;
        }
    }

    /** Returns operations that warm up the compiler: batches of up to 64 of a kind, as in real blocks. */
    private static Block warm(int timers, int ops) {
        SplittableRandom random = new SplittableRandom(1);
        Block b = new Block(new int[ops], new int[ops], new long[2 * ops], new int[2 * ops], ops);
        Arrays.fill(b.at, ops, 2 * ops, Long.MAX_VALUE);
        long[] due = new long[timers];
        long clock = 0;
        int fires = ops; // a floor fires a timer at every second pop
        for (int op = 0, batch = 0; op < ops; batch++) {
            int kind = random.nextInt(4), first = op;
            for (int left = 1 + random.nextInt(64); left > 0 && op < ops; left--) {
                int slot = random.nextInt(timers);
                // A schedule needs a free slot, the other kinds a pending timer.
                if (kind < 3 && (kind == 0) == due[slot] > clock) continue;
                b.slots[op] = slot;
                b.at[op] = kind == 3 ? ++clock : clock + 1 + random.nextInt(3 * timers);
                if (kind < 3) due[slot] = kind == 1 ? 0 : b.at[op];
                else if (clock % 2 == 0) b.at[fires++] = clock;
                op++;
            }
            b.kinds[batch] = kind;
            b.lengths[batch] = op - first;
        }
        return b;
    }

    private static long compiled() {
        return ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
    }

    /** Replays operations until five rounds in a row compile nothing, and describes how long that took. */
    private static String warmUp(Supplier<Timerbench> fresh) {
        final int ops = 200_000, most = 200;
        int rounds = 0;
        for (int quiet = 0; quiet < 5 && rounds < most; rounds++) {
            long before = compiled();
            Timerbench t = fresh.get();
            t.reserve(5_000);
            t.replay(warm(5_000, ops));
            quiet = compiled() == before ? quiet + 1 : 0;
        }
        String end = rounds == most ? "not settled after" : "JIT settled: none of 5 rounds compiled, after";
        return end + " " + rounds + " of " + ops + " operations";
    }

    private static double[] costs(Timerbench t) {
        double clock = 1e9, wake = 1e9;
        t.reserve(1);
        t.schedule(0, 1_000_000_000L);
        for (int round = 0; round < 50; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < 100; i++) System.nanoTime();
            clock = Math.min(clock, (System.nanoTime() - start) / 101.0);
            start = System.nanoTime();
            for (int i = 0; i < 1000; i++) t.pop(++t.now);
            wake = Math.min(wake, (System.nanoTime() - start) / 1000.0);
        }
        return new double[] {clock, wake};
    }

    private static void put(ByteBuffer b, int at, int room, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        b.position(at).put(bytes, 0, Math.min(bytes.length, room - 1));
    }

    /** Answers requests until standard input ends. limit is the most timers, or 0 for no limit. */
    static void serve(String version, int limit, int flags, Supplier<Timerbench> fresh) throws IOException {
        PrintStream out = System.out;
        System.setOut(System.err); // keeps other output off the pipe
        String note = warmUp(fresh);
        double[] costs = costs(fresh.get());
        ByteBuffer hello = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
        hello.putInt(0x48424d54).putInt(1).putInt(flags).putInt(limit).putDouble(costs[0]).putDouble(costs[1]);
        put(hello, 48, 32, "Java " + System.getProperty("java.version"));
        put(hello, 80, 48, version);
        put(hello, 128, 128, note);
        out.write(hello.array(), 0, 256);
        out.flush();
        Timerbench timers = null;
        Block[] blocks = new Block[4];
        byte[] raw = new byte[32];
        for (DataInputStream in = new DataInputStream(System.in); in.readNBytes(raw, 0, 32) == 32; ) {
            ByteBuffer request = ByteBuffer.wrap(raw).order(ByteOrder.LITTLE_ENDIAN);
            int kind = request.getInt(), block = request.getInt();
            long a = request.getLong(), b = request.getLong(), ns = 0;
            long[] before = usage();
            switch (kind) {
                case 1 -> {
                    timers = null;
                    System.gc(); // so that the previous instance costs this one nothing
                    timers = fresh.get();
                    timers.reserve((int) a);
                    before = usage();
                }
                case 2 -> {
                    try (FileChannel f = FileChannel.open(Path.of("/dev/fd/3"))) {
                        blocks[block] = Block.read(f.map(FileChannel.MapMode.READ_ONLY, request.getLong(), a));
                    }
                    timers.reserve((int) b);
                }
                default -> {
                    timers.fired = timers.checksum = 0;
                    timers.room = (int) a;
                    timers.log = ByteBuffer.allocate(16 * timers.room).order(ByteOrder.LITTLE_ENDIAN);
                    before = usage();
                    long start = System.nanoTime();
                    timers.replay(blocks[block]);
                    ns = System.nanoTime() - start;
                    blocks[block] = null;
                    if (a > 0) {
                        try (FileChannel f = FileChannel.open(Path.of("/dev/fd/4"), StandardOpenOption.WRITE)) {
                            f.write(timers.log.flip(), 0);
                        }
                    }
                }
            }
            long[] after = usage();
            ByteBuffer answer = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
            answer.putInt(0x41424d54).putInt(kind).putLong(ns);
            boolean ran = kind == 3;
            answer.putLong(ran ? timers.fired : 0).putLong(ran ? timers.checksum : 0).putLong(timers.size());
            for (int i = 0; i < 3; i++) answer.putLong(ran ? after[i] - before[i] : 0);
            out.write(answer.array(), 0, 64);
            out.flush();
        }
        System.exit(0);
    }

    /** Returns the collections so far, their nanoseconds, and the nanoseconds of the compiler. */
    private static long[] usage() {
        long[] out = {0, 0, compiled() * 1_000_000};
        for (GarbageCollectorMXBean c : ManagementFactory.getGarbageCollectorMXBeans()) {
            out[0] += c.getCollectionCount();
            out[1] += c.getCollectionTime() * 1_000_000;
        }
        return out;
    }
}
