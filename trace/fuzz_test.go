package trace

import (
	"errors"
	"testing"
)

// sound reads data, which must be a whole trace or end in an error with a place.
func sound(t *testing.T, data []byte) {
	_, r, err := read(data)
	var damage *DamageError
	if err != nil && !errors.As(err, &damage) {
		t.Errorf("error %v, want a DamageError", err)
	}
	if r != nil && r.totals.Keys > 1<<22 {
		t.Errorf("%d keys from %d bytes", r.totals.Keys, len(data))
	}
}

// FuzzFile fuzzes the frame: sections, lengths, checksums.
func FuzzFile(f *testing.F) {
	for _, n := range []int{0, 10, 500} {
		data, _ := write(f, n, 300)
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Add(sited(f))
	f.Fuzz(sound)
}

// FuzzOperations fuzzes the operations of a chunk, with correct checksums.
func FuzzOperations(f *testing.F) {
	f.Add([]byte("\x00\x05\x03\x05\x01\x00\x04\x05\x00\x09\x01\x00\x07\x02\x00"), uint64(6))
	f.Add([]byte("\x00\x85\x01"), uint64(1))
	f.Fuzz(func(t *testing.T, raw []byte, ops uint64) {
		sound(t, chunked(t, testHeader, raw, ops))
	})
}
