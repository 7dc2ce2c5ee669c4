package durable

import (
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"time"
)

// Backend says what fires the timers of a stream.
type Backend int

// The backends.
const (
	// Driver is the default: the workers fire, each for its partitions, from a
	// driver.Driver in memory. Lateness is a few milliseconds.
	Driver Backend = iota
	// JetStream leaves it to the message schedules of the server, which takes up
	// to 250 ms and more under load. It has no Every. It is for few timers that
	// need not be on time, and what Driver is measured against.
	JetStream
)

// String returns the name of the backend, as the stream's metadata has it.
func (b Backend) String() string {
	switch b {
	case Driver:
		return "driver"
	case JetStream:
		return "jetstream"
	}
	return fmt.Sprintf("Backend(%d)", int(b))
}

// Config is how a client works. The zero Config is valid.
type Config struct {
	// Name begins the names of the stream, its subjects, its consumer and its
	// bucket: letters, digits, - and _. By default it is "timers".
	Name string
	// Replicas is the number of nodes that store each timer, 1 to 5, by default
	// 1. It counts when Open makes the stream.
	Replicas int
	// Partitions is the number of parts that the timers are divided into, 1 to
	// 1024. It is fixed when Open makes the stream, by default at 16. 0 takes
	// what the stream has, and any other value must agree with it.
	Partitions int
	// Backend says what fires. It is fixed as Partitions is.
	Backend Backend

	// Horizon is how far ahead of its deadline a timer is read into memory, at
	// least 1 s, by default 1 h. Of a timer beyond it a worker keeps 8 bytes.
	Horizon time.Duration
	// Lease is how long after its last sign of life a worker counts as dead, at
	// least 500 ms, by default 2 s. Others then take its partitions.
	Lease time.Duration
	// Concurrency is how many handlers of a worker run at a time, by default 64.
	Concurrency int
	// HandlerTimeout is when the context of a handler ends, by default after a
	// minute. A handler that has not returned by then is tried again elsewhere.
	HandlerTimeout time.Duration
	// AckWait is how long after the last sign of life of the worker a timer that
	// it handles goes to another one, at least 500 ms, by default 3 s. It is
	// fixed when the stream is made.
	AckWait time.Duration
	// MaxAttempts is how many times a timer is handled before it becomes a dead
	// letter, by default 10.
	MaxAttempts int
	// Backoff returns the pause after a failed attempt, which is 1 for the first.
	// By default it is 100 ms, doubled each time, 1 min at most.
	Backoff func(attempt int) time.Duration

	// Now is the clock that deadlines are compared with, by default time.Now.
	Now func() time.Time
	// Logger gets what cannot be returned: trouble that is tried again. By
	// default it is discarded.
	Logger *slog.Logger
}

const defaultPartitions = 16

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// withDefaults returns the configuration with all defaults filled in, or an error
// that names the field that is invalid. Partitions may stay 0.
func (cfg Config) withDefaults() (Config, error) {
	setDefault(&cfg.Name, "timers")
	setDefault(&cfg.Replicas, 1)
	setDefault(&cfg.Horizon, time.Hour)
	setDefault(&cfg.Lease, 2*time.Second)
	setDefault(&cfg.Concurrency, 64)
	setDefault(&cfg.HandlerTimeout, time.Minute)
	setDefault(&cfg.AckWait, 3*time.Second)
	setDefault(&cfg.MaxAttempts, 10)
	if cfg.Backoff == nil {
		cfg.Backoff = doubling
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	for _, f := range []struct {
		valid bool
		field string
		value any
		want  string
	}{
		{validName.MatchString(cfg.Name), "Name", strconv.Quote(cfg.Name), "1 to 64 letters, digits, - and _"},
		{cfg.Replicas >= 1 && cfg.Replicas <= 5, "Replicas", cfg.Replicas, "1 to 5"},
		{cfg.Partitions >= 0 && cfg.Partitions <= 1024, "Partitions", cfg.Partitions, "0 to 1024"},
		{cfg.Backend == Driver || cfg.Backend == JetStream, "Backend", cfg.Backend, "Driver or JetStream"},
		{cfg.Horizon >= time.Second, "Horizon", cfg.Horizon, "at least 1s"},
		{cfg.Lease >= 500*time.Millisecond, "Lease", cfg.Lease, "at least 500ms"},
		{cfg.Concurrency >= 1, "Concurrency", cfg.Concurrency, "at least 1"},
		{cfg.HandlerTimeout > 0, "HandlerTimeout", cfg.HandlerTimeout, "more than 0"},
		{cfg.AckWait >= 500*time.Millisecond, "AckWait", cfg.AckWait, "at least 500ms"},
		{cfg.MaxAttempts >= 1, "MaxAttempts", cfg.MaxAttempts, "at least 1"},
	} {
		if !f.valid {
			return Config{}, fmt.Errorf("durable: Config.%s is %v: want %s", f.field, f.value, f.want)
		}
	}
	return cfg, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func doubling(attempt int) time.Duration {
	const first, longest = 100 * time.Millisecond, time.Minute
	if attempt > 10 {
		return longest
	}
	return min(first<<max(attempt-1, 0), longest)
}
