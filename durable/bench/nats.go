package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/timerbench/timerbench/durable"
)

func dial(addresses string) (*nats.Conn, error) {
	return nats.Connect("nats://"+strings.ReplaceAll(addresses, ",", ",nats://"), nats.MaxReconnects(-1),
		nats.ReconnectWait(50*time.Millisecond), nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2))
}

// connect returns a connection and its JetStream. It closes the connection if that fails.
func connect(address string, options ...jetstream.JetStreamOpt) (*nats.Conn, jetstream.JetStream, error) {
	nc, err := dial(address)
	if err != nil {
		return nil, nil, err
	}
	js, err := jetstream.New(nc, options...)
	if err != nil {
		nc.Close()
	}
	return nc, js, err
}

// durable.

type durableClient struct {
	*durable.Client
	nc *nats.Conn
}

// durableOn returns durable on the embedded server, one node in each process.
func durableOn(name string, nodes int, settings string) system {
	open := func(ctx context.Context, address string) (*durableClient, error) {
		nc, err := dial(address)
		if err != nil {
			return nil, err
		}
		c, err := durable.Open(ctx, nc, durable.Config{Replicas: nodes})
		if err != nil {
			nc.Close()
			return nil, err
		}
		return &durableClient{c, nc}, nil
	}
	return system{
		Name: name, Settings: settings, Stores: "Written, synced each 2 minutes", nodes: nodes,
		start: startServer,
		open:  func(ctx context.Context, address string) (client, error) { return open(ctx, address) },
		work: func(ctx context.Context, address string, handled func([]byte)) error {
			c, err := open(ctx, address)
			if err != nil {
				return err
			}
			return c.Serve(ctx, func(_ context.Context, f durable.Fired) error { handled(f.Payload); return nil })
		},
	}
}

func startServer(dir string, addresses []string, node int) (*exec.Cmd, error) {
	return self(role{Dir: filepath.Join(dir, fmt.Sprint(node)), Addresses: addresses, Node: node})
}

// serve runs the embedded server, which is the nats-server of its version.
func (r role) serve() error {
	options := []durable.ServerOption{durable.Listen(r.Addresses[r.Node]), durable.Insecure()}
	if n := len(r.Addresses) / 2; n > 1 {
		options = append(options, durable.Cluster("bench", fmt.Sprint("node", r.Node), r.Addresses[n+r.Node], r.Addresses[n:]...))
	}
	s, err := durable.Embedded(r.Dir, options...)
	if err != nil {
		return err
	}
	return s.Wait()
}

func (c *durableClient) Set(ctx context.Context, t *timer) error {
	return c.Schedule(ctx, t.key(), t.at, t.payload())
}

func (c *durableClient) SetMany(ctx context.Context, batch []timer) error {
	list := make([]durable.Timer, len(batch))
	for i, t := range batch {
		list[i] = durable.Timer{Key: t.key(), Deadline: t.at, Payload: t.payload()}
	}
	return c.Client.Set(ctx, list...)
}

func (c *durableClient) Cancel(ctx context.Context, t timer) (bool, error) {
	return c.Client.Cancel(ctx, t.key())
}

func (c *durableClient) Move(ctx context.Context, t timer, at time.Time) (bool, error) {
	return c.Reschedule(ctx, t.key(), at)
}

func (c *durableClient) Close() { c.nc.Close() }

// Message schedules.

const stream = "SCHEDULES"

func prepareSchedules(ctx context.Context, address string) error {
	nc, js, err := connect(address)
	if err != nil {
		return err
	}
	defer nc.Close()
	if _, err = js.CreateStream(ctx, jetstream.StreamConfig{Name: stream, Subjects: []string{"set.*", "due"},
		Storage: jetstream.FileStorage, AllowMsgSchedules: true, AllowRollup: true, AllowDirect: true}); err != nil {
		return err
	}
	_, err = js.CreateConsumer(ctx, stream, jetstream.ConsumerConfig{Durable: "work", FilterSubject: "due", AckPolicy: jetstream.AckExplicitPolicy})
	return err
}

type schedules struct {
	nc *nats.Conn
	jetstream.JetStream
}

func openSchedules(_ context.Context, address string) (client, error) {
	nc, js, err := connect(address, jetstream.WithPublishAsyncMaxPending(1024))
	if err != nil {
		return nil, err
	}
	return &schedules{nc, js}, nil
}

func (t timer) schedule() *nats.Msg {
	return &nats.Msg{Subject: "set." + t.key(), Data: t.payload(), Header: nats.Header{
		"Nats-Schedule": {"@at " + t.at.UTC().Format(time.RFC3339Nano)}, "Nats-Schedule-Target": {"due"}}}
}

func (c *schedules) Set(ctx context.Context, t *timer) error {
	_, err := c.PublishMsg(ctx, t.schedule())
	return err
}

func (c *schedules) SetMany(_ context.Context, batch []timer) error {
	var acks []jetstream.PubAckFuture
	for _, t := range batch {
		ack, err := c.PublishMsgAsync(t.schedule())
		if err != nil {
			return err
		}
		acks = append(acks, ack)
	}
	for _, ack := range acks {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return err
		}
	}
	return nil
}

// Cancel purges the subject, and reports whether there was a message.
func (c *schedules) Cancel(ctx context.Context, t timer) (bool, error) {
	m, err := c.nc.RequestWithContext(ctx, "$JS.API.STREAM.PURGE."+stream, []byte(`{"filter":"set.`+t.key()+`"}`))
	if err != nil {
		return false, err
	}
	var reply server.JSApiStreamPurgeResponse
	if err := json.Unmarshal(m.Data, &reply); err != nil {
		return false, err
	}
	if reply.Error != nil {
		return false, errors.New(reply.Error.Description)
	}
	return reply.Purged > 0, nil
}

// Move stores the schedule again, whether it is pending or not.
func (c *schedules) Move(ctx context.Context, t timer, at time.Time) (bool, error) {
	t.at = at
	err := c.Set(ctx, &t)
	return err == nil, err
}

func (c *schedules) Close() { c.nc.Close() }

func workSchedules(ctx context.Context, address string, handled func([]byte)) error {
	nc, js, err := connect(address)
	if err != nil {
		return err
	}
	defer nc.Close()
	consumer, err := js.Consumer(ctx, stream, "work")
	if err != nil {
		return err
	}
	consuming, err := consumer.Consume(func(m jetstream.Msg) {
		handled(m.Data())
		_ = m.Ack() // otherwise it is delivered again
	})
	if err != nil {
		return err
	}
	defer consuming.Stop()
	<-ctx.Done()
	return nil
}
