import java.util.Arrays;

/**
 * A plain binary heap with positions, written alike in C++, Go, Java and Rust, so that the rows
 * compare the languages. Java has no arrays of structs, so deadlines and slots have an array each.
 */
final class Binheap extends Timerbench {
    private long[] at = new long[16];
    private int[] slots = new int[16];
    private int size;
    private int[] position = new int[0]; // in the heap, by slot

    public static void main(String[] args) throws Exception {
        serve("binary heap with positions", 0, VIRTUAL | INTRUSIVE, Binheap::new);
    }

    private void put(int i, long deadline, int slot) {
        at[i] = deadline;
        slots[i] = slot;
        position[slot] = i;
    }

    private void up(int i, long deadline, int slot) {
        while (i > 0) {
            int parent = (i - 1) / 2;
            if (at[parent] <= deadline) break;
            put(i, at[parent], slots[parent]);
            i = parent;
        }
        put(i, deadline, slot);
    }

    private void down(int i, long deadline, int slot) {
        for (;;) {
            int child = 2 * i + 1;
            if (child >= size) break;
            if (child + 1 < size && at[child + 1] < at[child]) child++;
            if (deadline <= at[child]) break;
            put(i, at[child], slots[child]);
            i = child;
        }
        put(i, deadline, slot);
    }

    private void fix(int i, long deadline, int slot) {
        if (i > 0 && deadline < at[(i - 1) / 2]) up(i, deadline, slot);
        else down(i, deadline, slot);
    }

    private void remove(int i) {
        size--;
        if (i < size) fix(i, at[size], slots[size]);
    }

    @Override void reserve(int n) {
        if (n > position.length) position = Arrays.copyOf(position, n);
    }

    @Override void schedule(int slot, long deadline) {
        if (size == at.length) {
            at = Arrays.copyOf(at, 2 * size);
            slots = Arrays.copyOf(slots, 2 * size);
        }
        up(size++, deadline, slot);
    }

    @Override void cancel(int slot) { remove(position[slot]); }

    @Override void reschedule(int slot, long deadline) { fix(position[slot], deadline, slot); }

    @Override void pop(long now) {
        while (size > 0 && at[0] <= now) {
            int slot = slots[0];
            remove(0);
            fired(slot);
        }
    }

    @Override int size() { return size; }
}
