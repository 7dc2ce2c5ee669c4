/**
 * The floor: an adapter without a structure, which only runs the loop and reports the timers that fire.
 * Every adapter in Java contains this cost.
 */
final class Floor extends Timerbench {
    private int pending;
    private long loaded; // uses the operands, so that the compiler keeps their loads

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
