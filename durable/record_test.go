package durable

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// records are some of each kind of field.
var records = []record{
	{op: opSet, key: "a", deadline: 1, payload: []byte("x")},
	{op: opAdd, key: "a.b *>%\x00ä", deadline: firstDeadline},
	{op: opEvery, key: "every", deadline: lastDeadline, extra: extra{cron: "CRON_TZ=Europe/Berlin 0 3 * * *", missed: driver.Skip, limits: Limits{1, maxInt}}},
	{op: opKeep, state: isDead, key: strings.Repeat("k", MaxKey), rev: 1 << 62, id: 7, holder: math.MaxUint64, attempts: 3,
		extra: extra{last: true, moved: true, err: "in\ntwo \"lines\"", stored: -1, limits: Limits{time.Hour, 0}}},
	{op: opRun, key: "k", rev: 1, fires: true, deadline: 5},
	{op: opDone, id: 1},
}

// Records survive encoding and parsing. A message that was cut short is refused.
func TestMessage(t *testing.T) {
	body := messageID{3, 4}.append(nil)
	for i := range records {
		body = records[i].append(body)
	}
	id, got, err := parseMessage(body, nil)
	if err != nil || id != (messageID{3, 4}) || !reflect.DeepEqual(got, records) {
		t.Errorf("parseMessage = %v, %+v, %v, want %+v", id, got, err, records)
	}
	whole := 0
	for n := range body {
		if _, list, err := parseMessage(body[:n], nil); err == nil {
			whole++
			if !reflect.DeepEqual(list, records[:len(list)]) && len(list) > 0 {
				t.Errorf("%d bytes are read as %+v", n, list)
			}
		}
	}
	if whole != len(records) { // cut between two records
		t.Errorf("%d parts can be read, want %d", whole, len(records))
	}
}

func TestParseRefuses(t *testing.T) {
	begin := messageID{3, 4}.append(nil)
	number := func(o op, has uint64, b ...byte) []byte {
		return append(binary.AppendUvarint(append(bytes.Clone(begin), byte(o)), has), b...)
	}
	huge := binary.AppendUvarint(nil, math.MaxUint64)
	for want, bodies := range map[string][][]byte{
		"format 3: want 2": {{3}},
		"format":           {{}},
		"sender":           {{format, 1}},
		"operation":        {number(opEnd, 0), number(255, 0)},
		"fields":           {number(opSet, 1<<15), number(opSet, math.MaxUint64)},
		"key":              {number(opSet, 0), number(opKeep, 0), number(0, 0), number(opSet, hasKey, huge...), number(opSet, hasKey, 200, 5), number(opSet, hasKey, 9, 1)},
		"deadline":         {number(opRetry, hasDeadline, binary.LittleEndian.AppendUint64(nil, uint64(lastDeadline+1))...), number(opRetry, hasDeadline, binary.LittleEndian.AppendUint64(nil, 1<<63)...)},
		"revision":         {number(opTake, hasRev, huge...)},
		"attempts":         {number(opTake, hasAttempts, huge...)},
		"timeout":          {number(opTake, hasLimits, huge...)},
		"missed runs":      {number(opTake, hasCron, 1, 'x', 3)},
		"state":            {number(opTake, hasState, byte(isEnded))},
		"error":            {number(opBury, hasError, huge...)},
	} {
		for _, body := range bodies {
			if _, list, err := parseMessage(body, nil); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v is read as %+v, %v; want an error with %q", body, list, err, want)
			}
		}
	}
	for _, body := range [][]byte{{}, {1}, {format}, {format, 1, 2, 3}, append([]byte{format, 1, 2, 3, 4}, 255)} {
		if b, err := parseBase(1, body); err == nil {
			t.Errorf("%v is read as %+v", body, b)
		}
	}
}

// Any program may have written a message. It is refused, or means what the records say.
func FuzzMessage(f *testing.F) {
	for i := range records {
		f.Add(records[i].append(messageID{1, 2}.append(nil)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		id, list, err := parseMessage(body, nil)
		if err != nil {
			return
		}
		again := id.append(nil)
		for i := range list {
			again = list[i].append(again)
		}
		back, same, err := parseMessage(again, nil)
		if err != nil || back != id || len(same) != len(list) {
			t.Errorf("%+v is read as %+v, %v", list, same, err)
		}
		r := newReplica(base{})
		if _, _, err := r.apply(1, time.Now(), body); err != nil || r.live != liveBytes(r) {
			t.Errorf("%v, %d bytes are live, want %d", err, r.live, liveBytes(r))
		}
	})
}

// A key always has the same partition.
func TestPartition(t *testing.T) {
	l := layout{name: "timers", partitions: 16}
	if p := l.partition("key"); p != l.partition("key") || p != 12 {
		t.Errorf("partition of \"key\" is %d: a change loses timers that are stored", p)
	}
}
