package trace

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
)

var testHeader = Header{Name: "test", Description: "a test", Tick: time.Millisecond, Started: time.Unix(1_700_000_000, 0).UTC()}

// record returns the trace that use writes.
func record(t testing.TB, h Header, use func(w *Writer)) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, h)
	fail.If(t, err)
	use(w)
	fail.If(t, w.Close())
	return out.Bytes()
}

// mustRead returns all operations of a trace that is whole.
func mustRead(t testing.TB, data []byte) (ops []Op, r *Reader) {
	t.Helper()
	ops, r, err := read(data)
	fail.If(t, err)
	return ops, r
}

// write returns a trace of n random operations in chunks of this size in bytes, and the operations.
func write(t testing.TB, n, chunk int) (data []byte, ops []Op) {
	t.Helper()
	data = record(t, testHeader, func(w *Writer) { ops = random(w, n, chunk) })
	return data, ops
}

func random(w *Writer, n, chunk int) (ops []Op) {
	w.size = chunk
	r := rand.New(rand.NewPCG(1, 2))
	var live []uint32
	take := func(i int) uint32 {
		key := live[i]
		live = slices.Delete(live, i, i+1)
		return key
	}
	deadline := func() structures.Tick { return w.totals.Last + 1 + structures.Tick(r.ExpFloat64()*100) }
	for range n {
		op := Op{Kind: Kind(r.IntN(int(kinds)))}
		if len(live) == 0 && (op.Kind == Reschedule || op.Kind == Cancel) || len(live) < 50 && op.Kind == Cancel {
			op.Kind = Schedule
		}
		switch op.Kind {
		case Schedule:
			op.At = deadline()
			op.Key = w.Schedule(op.At)
			live = append(live, op.Key)
		case Reschedule:
			op.Key, op.At = live[r.IntN(len(live))], deadline()
			w.Reschedule(op.Key, op.At)
		case Cancel:
			op.Key = take(r.IntN(len(live)))
			w.Cancel(op.Key)
		case Advance:
			op.At = w.totals.Last + structures.Tick(r.IntN(4))
			for i := len(live) - 1; i >= 0; i-- {
				if d := *w.deadline(live[i]); d <= op.At {
					if d < op.At {
						op.Late++
					}
					op.Fired = append(op.Fired, take(i))
				}
			}
			w.Advance(op.At, op.Fired...)
		case RefusedReschedule:
			w.Refused(Reschedule)
		case RefusedCancel:
			w.Refused(Cancel)
		}
		ops = append(ops, op)
	}
	return ops
}

// read returns all operations.
func read(data []byte) (ops []Op, r *Reader, err error) {
	r, err = NewReader(bytes.NewReader(data), "test.trace")
	for err == nil {
		var op Op
		if op, err = r.Next(); err == nil {
			op.Fired = slices.Clone(op.Fired)
			ops = append(ops, op)
		}
	}
	if errors.Is(err, io.EOF) {
		err = r.CutShort()
	}
	return ops, r, err
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for chunk, n := range map[int]int{1: 20_000, 100: 20_000, chunkSize: 20_000, 200: 0} {
		data, want := write(t, n, chunk)
		got, r := mustRead(t, data)
		fail.UnlessSame(t, "the header", r.Header(), testHeader)
		if len(got) != len(want) {
			t.Fatalf("%d operations, want %d", len(got), len(want))
		}
		for i := range got {
			slices.Sort(got[i].Fired)
			slices.Sort(want[i].Fired)
			if !reflect.DeepEqual(got[i], want[i]) && (len(got[i].Fired) > 0 || len(want[i].Fired) > 0 || got[i].At != want[i].At) {
				t.Fatalf("operation %d: %+v, want %+v", i+1, got[i], want[i])
			}
		}
	}
}

// An advance on which all of many timers fire makes the longest possible chunk. The reader needs 8 bytes
// for each pending timer, and the memory of a chunk.
func TestVeryManyTimersFireAtOnce(t *testing.T) {
	t.Parallel()
	const n = 400_000
	_, r := mustRead(t, record(t, testHeader, func(w *Writer) {
		keys := make([]uint32, n)
		for i := range keys {
			keys[i] = w.Schedule(1000)
		}
		rand.Shuffle(n, func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for _, key := range keys[n/2:] {
			w.Cancel(key)
		}
		w.Advance(2000, keys[:n/2]...)
	}))
	if got := r.Totals(); got.Fired != n/2 || got.Keys != n || got.Pending() != 0 {
		t.Errorf("totals %+v", got)
	}
	if got := len(r.deadlines) * pageSize; got >= n+pageSize {
		t.Errorf("memory for %d timers, want %d", got, n)
	}
	if got, most := cap(r.raw)+cap(r.payload)+4*cap(r.fired), 3<<20; got > most {
		t.Errorf("%d bytes for a chunk, want at most %d", got, most)
	}
}

// borders returns the offsets of the sections of a trace, by the format.
func borders(data []byte) []int {
	at := len(magic) + 1
	all := []int{0, at}
	for at < len(data) {
		at += sectionHead + int(uint32(data[at+1])|uint32(data[at+2])<<8|uint32(data[at+3])<<16) + sectionTail
		all = append(all, at)
	}
	return all
}

func TestEveryTruncationIsReported(t *testing.T) {
	t.Parallel()
	data, _ := write(t, 500, 100)
	all := borders(data)
	if len(all) < 10 || all[len(all)-1] != len(data) {
		t.Fatalf("%d sections in %d bytes", len(all), len(data))
	}
	for length := range data {
		ops, r, err := read(data[:length])
		var damage *DamageError
		if !errors.As(err, &damage) || !errors.Is(err, ErrCutShort) {
			t.Fatalf("cut after %d of %d bytes: error %v", length, len(data), err)
		}
		chunks := uint64(0)
		for i := 3; i < len(all) && all[i] <= length; i++ {
			chunks++
		}
		if r != nil && r.chunk.number != chunks || (chunks > 0) != (len(ops) > 0) {
			t.Errorf("cut after byte %d: %d operations, want those of %d chunks", length, len(ops), chunks)
		}
		if i, exact := slices.BinarySearch(all, length); damage.Offset != int64(all[i]) && (exact || damage.Offset != int64(all[i-1])) {
			t.Errorf("cut after byte %d, reported at byte %d", length, damage.Offset)
		}
	}
	_, _, err := read(data[:all[4]])
	fail.UnlessError(t, err, "test.trace: byte", "chunk 3")
}

func TestEveryFlippedBitIsReported(t *testing.T) {
	t.Parallel()
	data, _ := write(t, 150, 50)
	all := borders(data)
	for i := range data {
		for bit := range 8 {
			bad := slices.Clone(data)
			bad[i] ^= 1 << bit
			_, _, err := read(bad)
			var damage *DamageError
			if !errors.As(err, &damage) {
				t.Fatalf("bit %d of byte %d flipped: error %v", bit, i, err)
			}
			section, exact := slices.BinarySearch(all, i)
			if !exact {
				section--
			}
			if damage.Offset != int64(all[section]) {
				t.Errorf("bit %d of byte %d flipped: reported at byte %d, want %d", bit, i, damage.Offset, all[section])
			}
		}
	}
}

func TestMissingDoubledAndForeignPartsAreReported(t *testing.T) {
	data, _ := write(t, 1_000, 300)
	b := borders(data)
	part := func(i int) []byte { return data[b[i]:b[i+1]] }
	last := len(b) - 2
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"a chunk missing":    {slices.Concat(data[:b[3]], data[b[4]:]), "this is chunk 3, want chunk 2"},
		"a chunk doubled":    {slices.Concat(data[:b[4]], part(3), data[b[4]:]), "this is chunk 2, want chunk 3"},
		"the last missing":   {slices.Concat(data[:b[last-1]], part(last)), "footer"},
		"two headers":        {slices.Concat(data[:b[2]], part(1), data[b[2]:]), "a second section"},
		"no header":          {slices.Concat(data[:b[1]], data[b[2]:]), "want the header"},
		"bytes at the end":   {append(slices.Clone(data), 0), "bytes follow the footer"},
		"two traces":         {slices.Concat(data, data), "bytes follow the footer"},
		"another program's":  {[]byte("goos: linux\n"), "no trace"},
		"another version's":  {slices.Concat([]byte(magic), []byte{3}, data[b[1]:]), "a trace of version 3, want version 8"},
		"a text transfer":    {bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), "no trace"},
		"an empty file":      {nil, "cut short"},
		"the header of more": {slices.Concat(data[:b[1]], endSection(append(appendHeader(beginSection(nil, 'H'), testHeader), 0), 0)), "1 bytes too many"},
		"a name with spaces": {slices.Concat(data[:b[1]], endSection(appendHeader(beginSection(nil, 'H'), Header{Name: "a b", Tick: 1}), 0)), `"a b"`},
		"a path for a name":  {slices.Concat(data[:b[1]], endSection(appendHeader(beginSection(nil, 'H'), Header{Name: "../a", Tick: 1}), 0)), `"../a"`},
		"no tick":            {slices.Concat(data[:b[1]], endSection(appendHeader(beginSection(nil, 'H'), Header{Name: "a"}), 0)), "a tick of 0 ns"},
	} {
		_, _, err := read(c.data)
		var damage *DamageError
		if !errors.As(err, &damage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// chunked returns a trace whose operations are these bytes, with correct checksums.
func chunked(t testing.TB, h Header, raw []byte, ops uint64) []byte {
	return record(t, h, func(w *Writer) {
		w.enc, w.chunk = newCompressor(), chunkHead{1, 0, ops, uint64(len(raw))}
		b := appendNumbers(beginSection(nil, sectionChunk), 1, 0, ops, uint64(len(raw)))
		w.writeBytes(endSection(w.enc.EncodeAll(raw, b), 0))
	})
}

// A file with correct checksums must make sense as well.
func TestOperationsThatMakeNoSenseAreReported(t *testing.T) {
	const end = "\xff\xff\xff\xff\xff\xff\xff\xff\x7f" // 2^63 - 1
	for name, c := range map[string]struct {
		raw  string
		ops  uint64
		want string
	}{
		"of no kind":                {"\x00\x05\x00\x06", 2, "operation 2: operation of kind 6: there is no such kind"},
		"cut off":                   {"\x00\x85", 1, "operation 1: schedule: a number is cut off"},
		"fewer than said":           {"\x00\x05\x00", 2, "operation 2: it is missing"},
		"more than said":            {"\x00\x05\x00\x05", 1, "1 bytes follow"},
		"none":                      {"\x00", 0, "0 operations in 1 bytes"},
		"a deadline that is now":    {"\x00\x00\x00", 1, "deadline 0 is not after tick 0"},
		"past the last tick":        {"\x03\x05\x00\x00" + end, 2, "are past the last tick"},
		"cancel of nothing":         {"\x02\x00", 1, "key 0, where 0 are known"},
		"a key below 0":             {"\x00\x05\x00\x02\x01", 2, "key -1"},
		"cancel twice":              {"\x00\x05\x00\x02\x00\x02\x00", 3, "operation 3: cancel: key 0 is not pending"},
		"fires early":               {"\x00\x05\x00\x03\x04\x01\x00", 2, "fires at tick 4, before its deadline 5"},
		"fires twice":               {"\x00\x05\x00\x00\x05\x00\x03\x05\x02\x00\x00", 3, "key 1 is not pending"},
		"passed over":               {"\x00\x05\x00\x03\x05\x00\x02\x00", 3, "was due at tick 5 and has not fired by tick 5"},
		"passed over to the end":    {"\x00\x05\x00\x03\x05\x00", 2, "footer"},
		"more fire than pend":       {"\x00\x05\x00\x03\x05\x7f\x00", 2, "127 timers fire, of 1 that are pending"},
		"passed over at the end":    {"\x00" + end + "\x00\x03" + end + "\x00", 2, "1 timers are due at the last tick"},
		"move of one that is fired": {"\x00\x05\x00\x03\x05\x01\x00\x01\x00\x05", 3, "operation 3: reschedule: key 0 is not pending"},
		"a site that is not known":  {"\x00\x05\x02", 1, "schedule: site: 2, want at most 1"},
		"a site that is cut off":    {"\x00\x05\x01\x09x", 1, "schedule: site: 9 bytes of which 1 are there"},
		"a long site":               {"\x00\x05\x01\x81\x08" + strings.Repeat("x", maxSite+1), 1, "a site of 1025 bytes, want at most 1024"},
		"a site of no form":         {"\x00\x05\x01\x01x\x07", 1, "schedule: form of a site: 7, want at most 6"},
		"no site":                   {"\x00\x05", 1, "schedule: site: a number is cut off or too long"},
	} {
		_, _, err := read(chunked(t, testHeader, []byte(c.raw), c.ops))
		var damage *DamageError
		if !errors.As(err, &damage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

func TestTheWriterRefusesWhatNobodyCouldReplay(t *testing.T) {
	for name, c := range map[string]struct {
		misuse func(w *Writer)
		want   string
	}{
		"a past deadline":     {func(w *Writer) { w.Advance(10); w.Schedule(10) }, "operation 2, schedule: deadline 10 is not after tick 10"},
		"going back":          {func(w *Writer) { w.Advance(10); w.Advance(9) }, "operation 2, advance: the clock goes back"},
		"an unknown timer":    {func(w *Writer) { w.Cancel(7) }, "operation 1, cancel: key 7 is not pending"},
		"moving into today":   {func(w *Writer) { k := w.Schedule(20); w.Advance(5); w.Reschedule(k, 5) }, "deadline 5 is not after tick 5"},
		"leaving one behind":  {func(w *Writer) { w.Schedule(20); w.Advance(25) }, "key 0 was due at tick 20"},
		"refusing a schedule": {func(w *Writer) { w.Refused(Schedule) }, "want reschedule or cancel"},
	} {
		var out bytes.Buffer
		w, err := NewWriter(&out, testHeader)
		fail.If(t, err)
		c.misuse(w)
		w.Schedule(1000) // nothing follows an error
		fail.UnlessError(t, w.Close(), c.want)
		if _, _, err := read(out.Bytes()); !errors.Is(err, ErrCutShort) {
			t.Errorf("%s: what was written reads with error %v", name, err)
		}
	}
	for _, h := range []Header{{Name: "a", Tick: 0}, {Name: "", Tick: 1}, {Name: "a/b", Tick: 1}, {Name: "a", Tick: 1, Description: "\x1b[31m"}, {Name: "a", Tick: 1, Description: "\xff"}, {Name: "a", Tick: 1, Started: time.Unix(1<<40, 0)}, {Name: "a", Tick: 1, Description: strings.Repeat("x", maxDescription+1)}} {
		if _, err := NewWriter(io.Discard, h); err == nil {
			t.Errorf("header %.40q is accepted", h.Name)
		}
	}
}

// A file of 50 kB could hold 10^8 timers. The check, which writer and reader share, names the limit.
func TestTooManyPendingTimersAreRefused(t *testing.T) {
	w, err := NewWriter(io.Discard, testHeader)
	fail.If(t, err)
	for range MaxPending {
		w.newKey()
	}
	w.Schedule(5)
	fail.UnlessError(t, w.Close(), "20000001 timers would be pending at the same time, want at most 20000000")
}

// full is a disk with room for this number of bytes.
type full struct{ room int }

var errFull = errors.New("disk full")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestAFullDiskIsReported(t *testing.T) {
	if _, err := NewWriter(&full{10}, testHeader); !errors.Is(err, errFull) {
		t.Errorf("no room for the header: %v", err)
	}
	for _, room := range []int{100, 2000} {
		w, err := NewWriter(&full{room}, testHeader)
		fail.If(t, err)
		w.size = 100
		for i := range 10_000 {
			w.Schedule(structures.Tick(1 + i*i%1000))
		}
		if err := w.Close(); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
	}
}

// sited returns a trace with sites, in chunks of a few operations.
func sited(t testing.TB) []byte {
	t.Helper()
	return record(t, testHeader, func(w *Writer) {
		w.size = 10
		w.Schedule(5)
		for i := range 20 {
			w.From([]Site{{"main.serve main.go:7", TickerForm, false, 100 * time.Microsecond}, {}, {"net/http.(*conn).serve server.go:2004", DeadlineForm, true, 0}, {strings.Repeat("x", maxSite+1), SleepForm, false, 0}}[i%4])
			w.Cancel(w.Schedule(10))
		}
		w.Advance(5, 0)
		w.totals.Lost, w.totals.LostBy, w.totals.Heaped, w.ran = 6, [eventKinds]uint64{1, 2, 3}, 1_000_000, []uint64{0, 7, 8}
	})
}

func TestATraceKeepsWhereTheProgramScheduled(t *testing.T) {
	data := sited(t)
	ops, r := mustRead(t, data)
	var sites []int
	for _, op := range ops {
		if op.Kind == Schedule {
			sites = append(sites, op.Site)
		}
	}
	fail.UnlessSame(t, "the sites", sites, append([]int{0}, slices.Repeat([]int{1, 0, 2, 3}, 5)...))
	fail.UnlessSame(t, "the sites", r.Sites(), []Site{{}, {"main.serve main.go:7", TickerForm, false, 100 * time.Microsecond}, {"net/http.(*conn).serve server.go:2004", DeadlineForm, true, 0}, {strings.Repeat("x", maxSite), SleepForm, false, 0}})
	if totals := r.Totals(); totals.Lost != 6 || totals.LostBy != [eventKinds]uint64{1, 2, 3} || totals.Heaped != 1_000_000 || totals.Ops[Schedule] != 21 {
		t.Errorf("header %+v, totals %+v", r.Header(), totals)
	}
}

func TestACopyIsTheSameTrace(t *testing.T) {
	plain, _ := write(t, 20_000, 1000)
	for _, data := range [][]byte{plain, sited(t)} {
		want, r := mustRead(t, data)
		from, err := NewReader(bytes.NewReader(data), "test.trace")
		fail.If(t, err)
		got, copied := mustRead(t, record(t, from.Header(), func(w *Writer) { err = Copy(w, from) }))
		if err != nil || !reflect.DeepEqual(got, want) || copied.Totals() != r.Totals() || copied.Header() != r.Header() || !slices.Equal(copied.Sites(), r.Sites()) || !slices.Equal(copied.Ran(), r.Ran()) {
			t.Errorf("error %v, %d operations, want %d; %+v, want %+v", err, len(got), len(want), copied.Totals(), r.Totals())
		}
	}
}

// The bytes of a trace change only with the version.
func TestTheBytesOfAVersion(t *testing.T) {
	data, _ := write(t, 20_000, 1000)
	if got := sha256.Sum256(data); Version != 8 || fmt.Sprintf("%x", got[:8]) != "7d5d57b2b0bc01b0" {
		t.Errorf("version %d, hash %x", Version, got[:8])
	}
}

func TestSitesAreBounded(t *testing.T) {
	ops, r := mustRead(t, record(t, testHeader, func(w *Writer) {
		for i := range maxSites + 2 {
			w.From(Site{Place: fmt.Sprint(i)})
			w.Schedule(5)
		}
	}))
	if n := len(ops); len(r.Sites()) != maxSites+1 || ops[n-1].Site != 0 || ops[n-3].Site != maxSites {
		t.Errorf("%d sites", len(r.Sites()))
	}
}

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
	f.Add([]byte("\x00\x05\x00\x03\x05\x01\x00\x04\x05\x00\x09\x00\x01\x00\x07\x02\x00"), uint64(6))
	f.Add([]byte("\x00\x85\x01"), uint64(1))
	f.Fuzz(func(t *testing.T, raw []byte, ops uint64) {
		sound(t, chunked(t, testHeader, raw, ops))
	})
}
