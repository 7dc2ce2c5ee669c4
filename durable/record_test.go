package durable

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/timerbench/timerbench/driver"
)

func FuzzEscape(f *testing.F) {
	f.Add("job 4.2", "job")
	f.Add("*>%\x00ä", "*>")
	f.Fuzz(func(t *testing.T, key, prefix string) {
		token := escape(key)
		if key != "" && (!server.IsValidLiteralSubject(token) || strings.Contains(token, ".")) {
			t.Errorf("escape(%q) = %q, which is no token of a subject", key, token)
		}
		if back, ok := unescape(token); !ok || back != key {
			t.Errorf("unescape(escape(%q)) = %q, %v", key, back, ok)
		}
		if strings.HasPrefix(key, prefix) != strings.HasPrefix(token, escape(prefix)) {
			t.Errorf("escape(%q) = %q and escape(%q) = %q do not agree on the prefix", key, token, prefix, escape(prefix))
		}
	})
}

// Timers, and the subjects of fired timers, survive encoding and parsing.
func TestMessage(t *testing.T) {
	l := layout{name: "timers", partitions: 16}
	for _, want := range []Timer{
		{Key: "a", Deadline: time.Unix(1, 2), Payload: []byte("x")},
		{Key: "a.b *>%", Deadline: time.Unix(-1, 2), Payload: nil},
		{Key: "every", Deadline: time.Unix(1, 2), Cron: "CRON_TZ=Europe/Berlin 0 3 * * *", Missed: driver.Skip},
		{Key: "last", Deadline: time.Unix(0, firstDeadline), Cron: "@hourly", last: true, Error: "in\ntwo \"lines\""},
		{Key: "far", Deadline: time.Unix(0, lastDeadline), Limits: Limits{1, 1}},
	} {
		m := l.message(want)
		want.Revision = 7
		got, err := l.parse(m.Subject, m.Header, m.Data, 7)
		if err != nil || got.Key != want.Key || !got.Deadline.Equal(want.Deadline) || string(got.Payload) != string(want.Payload) ||
			got.Cron != want.Cron || got.Missed != want.Missed || got.last != want.last || got.Error != want.Error || got.Limits != want.Limits || got.Revision != want.Revision {
			t.Errorf("parse = %+v, %v, want %+v", got, err, want)
		}
		key, deadline, ok := l.parseFired(l.fired(want.Key, want.Deadline.UnixNano()))
		if !ok || key != want.Key || deadline != want.Deadline.UnixNano() {
			t.Errorf("parseFired = %q, %d, %v", key, deadline, ok)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	l := layout{name: "timers", partitions: 16}
	good := l.message(Timer{Key: "k", Deadline: time.Unix(1, 0), Cron: "@hourly"})
	if _, err := l.parse("timers.p.1.c", good.Header, nil, 1); err == nil {
		t.Error("the subject of a Cancel was taken for a timer")
	}
	const least, most = "-9223372036854775808", "9223372036854775807"
	for header, values := range map[string][]string{
		headerDeadline: {"x", "", least, most, "-8520336000000000001", "7258118400000000000", "1e9"},
		headerMissed:   {"x", "", least, most, "-1", "3"},
		headerLimits:   {"x", "1", "-1 1", "1 -1", most + "0 1", "1 " + least},
	} {
		for _, value := range values {
			m := l.message(Timer{Key: "k", Deadline: time.Unix(1, 0), Cron: "@hourly"})
			m.Header.Set(header, value)
			if got, err := l.parse(m.Subject, m.Header, nil, 1); err == nil || !strings.Contains(err.Error(), header) {
				t.Errorf("header %s is %q: %+v, error %v", header, value, got, err)
			}
		}
	}
	for _, subject := range []string{"timers.w.1.k", "timers.w.1.k.x", "timers.w.1.%.1", "", "timers.w.1.k." + least, "timers.w.1.k." + most} {
		if key, _, ok := l.parseFired(subject); ok {
			t.Errorf("parseFired(%q) = %q", subject, key)
		}
	}
}

// A key always has the same partition.
func TestPartition(t *testing.T) {
	l := layout{name: "timers", partitions: 16}
	if p := l.partition("key"); p != l.partition("key") || p != 12 {
		t.Errorf("partition of \"key\" is %d: a change loses timers that are stored", p)
	}
}
