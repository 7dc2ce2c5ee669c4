/**
 * No structure: the loop, the report of what fires, and nothing else. Its cost is in the cost of every
 * adapter in Java.
 */
final class Floor extends Timerbench {
    private int pending;
    private long loaded; // so that the compiler cannot leave out operands

    public static void main(String[] args) throws Exception {
        serve("no structure: the floor", 0, FLOOR, Floor::new);
    }

    @Override void reserve(int n) {}

    @Override void schedule(int slot, long at) {
        loaded += slot ^ at;
        pending++;
    }

    @Override void cancel(int slot) {
        loaded += slot;
        pending--;
    }

    @Override void reschedule(int slot, long at) { loaded += slot ^ at; }

    @Override void pop(long now) {
        for (int slot; (slot = due()) >= 0; pending--) fired(slot);
    }

    @Override int size() { return pending; }
}
