//go:build unix

package durable

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// What the message schedules of nats-server do in another way than durable, by running both on one server: docs/durable.md names it.

// schedules makes a stream for message schedules, and returns functions that store one and that receive what has fired.
func schedules(t *testing.T, nc *nats.Conn) (store func(key, schedule string, more ...string), fired <-chan jetstream.Msg) {
	t.Helper()
	js, err := jetstream.New(nc)
	fatalIf(t, err)
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.*", "due.*"}, AllowMsgSchedules: true, AllowRollup: true})
	fatalIf(t, err)
	consumer, err := js.CreateConsumer(t.Context(), "S", jetstream.ConsumerConfig{FilterSubject: "due.*"})
	fatalIf(t, err)
	all := make(chan jetstream.Msg, 1000)
	consuming, err := consumer.Consume(func(m jetstream.Msg) { all <- m; _ = m.Ack() }) // a second delivery is later
	fatalIf(t, err)
	t.Cleanup(consuming.Stop)
	return func(key, schedule string, more ...string) {
		m := &nats.Msg{Subject: "s." + key, Header: nats.Header{"Nats-Schedule": {schedule}, "Nats-Schedule-Target": {"due." + key}}}
		if len(more) > 0 {
			m.Header["Nats-Schedule-Time-Zone"] = more
		}
		_, err := js.PublishMsg(t.Context(), m)
		fatalIf(t, err)
	}, all
}

// Deadlines are a millisecond apart, and the timers are stored with the last one first. durable fires in the order of the
// deadlines; schedules that come due between two looks of the server fire in the order of storing.
func TestSchedulesFireInTheOrderOfStoring(t *testing.T) {
	t.Parallel()
	const n = 40
	nc := start(t)
	c := open(t, nc, Config{Partitions: 1, Concurrency: 1})
	store, came := schedules(t, nc)
	fired := serve(t, c)
	waitFor(t, func() bool { return c.Stats().Partitions == 1 })
	due := time.Now().Add(3 * time.Second)
	for i := n; i > 0; i-- {
		at := due.Add(time.Duration(i) * time.Millisecond)
		mustSet(t, c, Timer{Key: fmt.Sprintf("%03d", i), Deadline: at})
		store(fmt.Sprintf("%03d", i), "@at "+at.UTC().Format(time.RFC3339Nano))
	}
	if time.Now().After(due) {
		t.Skip("the machine is too busy to store 80 timers in 3 s")
	}
	var ours, theirs []string
	for range n {
		ours = append(ours, receive(t, fired).Key)
		theirs = append(theirs, receive(t, came).Subject()[len("due."):])
	}
	if !slices.IsSorted(ours) {
		t.Errorf("durable fires in the order %v", ours)
	}
	back := 0
	for i := range n - 1 {
		if theirs[i+1] < theirs[i] {
			back++
		}
	}
	if back < n/2 { // all but one, unless the server looks in the middle
		t.Errorf("schedules fire in the order %v", theirs)
	}
}

// The server is killed in the middle of the second period. A timer of Every keeps the time of its next run; a schedule begins
// a new period when the server starts.
func TestSchedulesBeginAnewAfterAKill(t *testing.T) {
	t.Parallel()
	const period = 6 * time.Second
	cl := startCluster(t, 1)
	c, nc := cl.open(t, Config{})
	store, came := schedules(t, nc)
	fired := serve(t, c)
	must(t, func() error { return c.Every(t.Context(), "job", "@every 6s", nil) })
	store("job", "@every 6s")
	first := receive(t, fired).Deadline
	receive(t, came)
	time.Sleep(time.Until(first.Add(period / 2)))
	cl.nodes[0].kill()
	cl.start(t, 0)
	started := time.Now()
	if f := receive(t, fired); !f.Deadline.Equal(first.Add(period)) {
		t.Errorf("durable runs at %v and %v, want a period of %v", first, f.Deadline, period)
	}
	m, err := receive(t, came).Metadata()
	fatalIf(t, err)
	if after := m.Timestamp.Sub(started); after < period-2*time.Second {
		t.Errorf("the schedule fires %v after the restart, and %v after its last run", after, m.Timestamp.Sub(first))
	}
}

// The clocks of a zone go forward over a daily job just after midnight. durable runs it when they do; a schedule leaves it out.
func TestSchedulesLeaveOutARunWhenClocksChange(t *testing.T) {
	t.Parallel()
	change := time.Now().Add(5 * time.Second).Truncate(time.Second)
	h, m, s := change.UTC().Clock()
	offset := (24*3600 - (h*3600 + m*60 + s)) % (24 * 3600) // the clocks go from 0:00 to 1:00
	if offset > 12*3600 {
		offset -= 24 * 3600
	}
	const zone = "Test/Forward"
	setForward(t, zone, change, offset)
	nc := start(t)
	c := open(t, nc, Config{})
	store, came := schedules(t, nc)
	fired := serve(t, c)
	must(t, func() error { return c.Every(t.Context(), "job", "CRON_TZ="+zone+" 30 0 * * *", nil) })
	store("job", "0 30 0 * * *", zone)
	store("probe", "@at "+change.Add(3*time.Second).UTC().Format(time.RFC3339)) // it is alive
	if f := receive(t, fired); f.Deadline.Sub(change).Abs() > time.Hour {
		t.Errorf("durable runs at %v, want %v", f.Deadline, change)
	}
	if m := receive(t, came); m.Subject() != "due.probe" {
		t.Errorf("%s fires, want only the probe", m.Subject())
	}
}
