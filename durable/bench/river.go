package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// startPostgres returns the command of PostgreSQL, which does not run as root. It creates the database if there is none.
func startPostgres(dir string, addresses []string, _ int) (*exec.Cmd, error) {
	as := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			return nil, err
		}
		uid, _ := strconv.Atoi(u.Uid) // numbers on Unix
		gid, _ := strconv.Atoi(u.Gid)
		as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(dir, uid, gid); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(dir, "data")
	if _, err := os.Stat(data); err != nil {
		init := exec.Command(program("initdb"), "-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8")
		init.SysProcAttr, init.Dir = as, dir
		if text, err := init.CombinedOutput(); err != nil {
			return nil, errors.New(string(text))
		}
	}
	_, port, err := net.SplitHostPort(addresses[0])
	cmd := exec.Command(program("postgres"), "-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1", "-k", dir)
	cmd.SysProcAttr, cmd.Dir = as, dir
	return cmd, err
}

type timerArgs struct {
	Payload string `json:"payload"`
}

// Kind implements the interface of River.
func (timerArgs) Kind() string { return "timer" }

func riverPool(ctx context.Context, address string) (*pgxpool.Pool, error) {
	pool, err := pgxpool.New(ctx, "postgres://bench@"+address+"/postgres?sslmode=disable&pool_max_conns=32")
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

func migrateRiver(ctx context.Context, address string) error {
	pool, err := riverPool(ctx, address)
	if err != nil {
		return err
	}
	defer pool.Close()
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	return err
}

type riverClient struct {
	pool *pgxpool.Pool
	*river.Client[pgx.Tx]
}

func openRiver(ctx context.Context, address string) (client, error) {
	pool, err := riverPool(ctx, address)
	if err != nil {
		return nil, err
	}
	c, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	return &riverClient{pool: pool, Client: c}, err
}

func (c *riverClient) Set(ctx context.Context, t *timer) error {
	r, err := c.Insert(ctx, timerArgs{string(t.payload())}, &river.InsertOpts{ScheduledAt: t.at})
	if err == nil {
		t.id = r.Job.ID
	}
	return err
}

func (c *riverClient) SetMany(ctx context.Context, batch []timer) error {
	jobs := make([]river.InsertManyParams, len(batch))
	for i, t := range batch {
		jobs[i] = river.InsertManyParams{Args: timerArgs{string(t.payload())}, InsertOpts: &river.InsertOpts{ScheduledAt: t.at}}
	}
	_, err := c.InsertManyFast(ctx, jobs)
	return err
}

func (c *riverClient) Cancel(ctx context.Context, t timer) (bool, error) {
	job, err := c.JobCancel(ctx, t.id)
	if errors.Is(err, river.ErrNotFound) {
		return false, nil
	}
	return err == nil && job.State == rivertype.JobStateCancelled, err
}

func (c *riverClient) Close() { c.pool.Close() }

func workRiver(ctx context.Context, address string, handled func([]byte)) error {
	pool, err := riverPool(ctx, address)
	if err != nil {
		return err
	}
	defer pool.Close()
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(_ context.Context, job *river.Job[timerArgs]) error {
		handled([]byte(job.Args.Payload))
		return nil
	}))
	c, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: slog.New(slog.DiscardHandler), Workers: workers,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 100}}})
	if err == nil {
		err = c.Start(ctx)
	}
	if err == nil {
		<-ctx.Done()
	}
	return err
}
