import java.util.Arrays;
import java.util.TreeMap;

/** java.util.TreeMap, a red-black tree, with a key of (deadline, slot) for each timer. */
final class TreeMapTimers extends Timerbench {
    private record Key(long at, int slot) implements Comparable<Key> {
        @Override public int compareTo(Key other) {
            return at != other.at ? Long.compare(at, other.at) : Integer.compare(slot, other.slot);
        }
    }

    private final TreeMap<Key, Integer> timers = new TreeMap<>();
    private Key[] keys = new Key[0]; // by slot

    public static void main(String[] args) throws Exception {
        serve("java.util.TreeMap", 0, VIRTUAL, TreeMapTimers::new);
    }

    @Override void reserve(int n) {
        if (n > keys.length) keys = Arrays.copyOf(keys, n);
    }

    @Override void schedule(int slot, long at) {
        keys[slot] = new Key(at, slot);
        timers.put(keys[slot], slot);
    }

    @Override void cancel(int slot) { timers.remove(keys[slot]); }

    @Override void reschedule(int slot, long at) {
        cancel(slot);
        schedule(slot, at);
    }

    @Override void pop(long now) {
        while (!timers.isEmpty() && timers.firstKey().at <= now) fired(timers.pollFirstEntry().getValue());
    }

    @Override int size() { return timers.size(); }
}
