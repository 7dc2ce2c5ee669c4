package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"time"

	"github.com/hibiken/asynq"
	"github.com/nats-io/nats-server/v2/server"
)

// timer is a timer of a load.
type timer struct {
	n  int
	at time.Time
	id int64 // what Set returned, if the system has no keys
}

func (t timer) key() string { return "timer-" + strconv.Itoa(t.n) }

// payload returns 64 bytes, from which a worker learns the timer and its deadline.
func (t timer) payload() []byte {
	text := fmt.Appendf(nil, "%d %d", t.n, t.at.UnixNano())
	return append(text, bytes.Repeat([]byte{' '}, 64-len(text))...)
}

// client sets and cancels timers. Cancel and Move return whether the timer was still pending.
type client interface {
	Set(ctx context.Context, t *timer) error
	Cancel(ctx context.Context, t timer) (bool, error)
	Close()
}

// batcher and mover are clients of systems that do not lack "batch" or "move".
type batcher interface {
	SetMany(ctx context.Context, batch []timer) error
}

type mover interface {
	Move(ctx context.Context, t timer, at time.Time) (bool, error)
}

// system is one store of timers with its settings.
type system struct {
	Name     string
	Settings string            // what differs from the defaults
	Stores   string            // what is on the disk when a call returns
	Lacks    map[string]string // "batch" or "move": why not
	nodes    int
	needs    []string // programs
	start    func(dir string, addresses []string, node int) (*exec.Cmd, error)
	prepare  func(ctx context.Context, address string) error // once, before clients and workers
	open     func(ctx context.Context, address string) (client, error)
	work     func(ctx context.Context, address string, handled func(payload []byte)) error // until ctx ends
}

func systems() []system {
	asynqLacks := map[string]string{"batch": "asynq has no call for several tasks", "move": "asynq has no call that moves a task"}
	return []system{
		durableOn("durable", 1, "defaults"),
		durableOn("durable, 3 nodes", 3, "the same, Replicas: 3"),
		{
			Name: "asynq " + version("github.com/hibiken/asynq") + ", everysec", Settings: "Redis 7 with appendonly, appendfsync everysec; Concurrency 10",
			Stores: "Written, synced each second", Lacks: asynqLacks, nodes: 1, needs: []string{"redis-server"},
			start: redis("everysec"), open: openAsynq, work: workAsynq,
		},
		{
			Name: "asynq " + version("github.com/hibiken/asynq") + ", always", Settings: "the same, appendfsync always",
			Stores: "Written and synced", Lacks: asynqLacks, nodes: 1, needs: []string{"redis-server"},
			start: redis("always"), open: openAsynq, work: workAsynq,
		},
		{
			Name: "River " + version("github.com/riverqueue/river"), Settings: "PostgreSQL 15, synchronous_commit on; MaxWorkers 100",
			Stores: "Written and synced", Lacks: map[string]string{"move": "River has no call that moves a job"}, nodes: 1, needs: []string{"initdb", "postgres"},
			start: startPostgres, prepare: migrateRiver, open: openRiver, work: workRiver,
		},
		{
			Name: "schedules of nats-server " + server.VERSION, Settings: "defaults, a pull consumer",
			Stores: "Written, synced each 2 minutes", nodes: 1, start: startServer, prepare: prepareSchedules, open: openSchedules, work: workSchedules,
		},
	}
}

// asynq on Redis.

func redis(fsync string) func(string, []string, int) (*exec.Cmd, error) {
	return func(dir string, addresses []string, _ int) (*exec.Cmd, error) {
		_, port, err := net.SplitHostPort(addresses[0])
		return exec.Command(program("redis-server"), "--bind", "127.0.0.1", "--port", port, "--dir", dir,
			"--appendonly", "yes", "--appendfsync", fsync), err
	}
}

type asynqClient struct {
	*asynq.Client
	inspector *asynq.Inspector
}

func openAsynq(_ context.Context, address string) (client, error) {
	at := asynq.RedisClientOpt{Addr: address}
	c := asynqClient{Client: asynq.NewClient(at), inspector: asynq.NewInspector(at)}
	return c, c.Ping()
}

func (c asynqClient) Set(ctx context.Context, t *timer) error {
	_, err := c.EnqueueContext(ctx, asynq.NewTask("timer", t.payload()), asynq.TaskID(t.key()), asynq.ProcessAt(t.at))
	return err
}

func (c asynqClient) Cancel(_ context.Context, t timer) (bool, error) {
	err := c.inspector.DeleteTask("default", t.key())
	if errors.Is(err, asynq.ErrTaskNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (c asynqClient) Close() {
	_ = c.Client.Close()
	_ = c.inspector.Close()
}

func workAsynq(ctx context.Context, address string, handled func([]byte)) error {
	s := asynq.NewServer(asynq.RedisClientOpt{Addr: address}, asynq.Config{Concurrency: 10, LogLevel: asynq.FatalLevel})
	if err := s.Start(asynq.HandlerFunc(func(_ context.Context, t *asynq.Task) error { handled(t.Payload()); return nil })); err != nil {
		return err
	}
	<-ctx.Done()
	s.Shutdown()
	return nil
}
