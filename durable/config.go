package durable

import (
	"cmp"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"time"
)

// Config configures a client. The zero Config is valid. Durations are at most 100 years.
type Config struct {
	// Name is the name of the stream, and the prefix of its subjects and its bucket: letters,
	// digits, - and _. The default is "timers".
	Name string
	// Replicas is how many nodes store each timer, 1 to 5. The default is 1. It takes effect
	// when Open creates the stream.
	Replicas int
	// Partitions is how many parts the timers are divided into, 1 to 1024. It is fixed when Open creates the
	// stream, by default at 4: plan four for each worker. For an existing stream, 0 means any number; another value must match.
	Partitions int

	// Horizon is how long before its deadline the payload of a timer is read into memory, at least 1 s. The
	// default is 1 h.
	Horizon time.Duration
	// Lease is how long a worker counts as alive after its last sign of life, 500 ms to 1 h. The default is 2 s.
	// Then others take over its partitions.
	Lease time.Duration
	// Concurrency is how many handlers a worker runs at a time. The default is 64.
	Concurrency int
	// HandlerTimeout is when the context of a handler ends. The default is 1 min. The timer of
	// a handler that has not returned by then is handled again.
	HandlerTimeout time.Duration
	// AckWait is how long after the last sign of life of a worker this one handles its timers, at least
	// 500 ms and the lease. The default is 3 s.
	AckWait time.Duration
	// MaxAttempts is how many times the handler is called for a timer before the timer becomes
	// a dead letter. The default is 10. A call that fails after Serve was told to end does not
	// count, and neither does a delivery without a call.
	MaxAttempts int
	// Backoff returns the pause after a failed attempt; the first attempt is 1. The default
	// starts at 100 ms and doubles, up to 1 min.
	Backoff func(attempt int) time.Duration

	// Now is the clock that deadlines are compared with. The default is time.Now.
	Now func() time.Time
	// Logger receives errors that no method returns. Most of them are retried. The default discards them.
	Logger *slog.Logger
}

const (
	defaultPartitions = 4
	maxPartitions     = 1024
	maxLease          = time.Hour
	minAckWait        = 500 * time.Millisecond
	longest           = 100 * 365 * 24 * time.Hour // of other durations, so that sums with them are exact
)

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// withDefaults returns the configuration with its defaults, or an error that names an invalid
// field. Partitions may stay 0.
func (cfg Config) withDefaults() (Config, error) {
	cfg.Name = cmp.Or(cfg.Name, "timers")
	cfg.Replicas = cmp.Or(cfg.Replicas, 1)
	cfg.Horizon = cmp.Or(cfg.Horizon, time.Hour)
	cfg.Lease = cmp.Or(cfg.Lease, 2*time.Second)
	cfg.Concurrency = cmp.Or(cfg.Concurrency, 64)
	cfg.HandlerTimeout = cmp.Or(cfg.HandlerTimeout, time.Minute)
	cfg.AckWait = cmp.Or(cfg.AckWait, 3*time.Second)
	cfg.MaxAttempts = cmp.Or(cfg.MaxAttempts, 10)
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	if cfg.Backoff == nil {
		cfg.Backoff = doubling
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	var wrong error
	check := func(valid bool, field string, value any, want string) {
		if !valid && wrong == nil {
			wrong = fmt.Errorf("durable: Config.%s is %v: want %s", field, value, want)
		}
	}
	check(validName.MatchString(cfg.Name), "Name", strconv.Quote(cfg.Name), "1 to 64 letters, digits, - and _")
	check(cfg.Replicas >= 1 && cfg.Replicas <= 5, "Replicas", cfg.Replicas, "1 to 5")
	check(cfg.Partitions >= 0 && cfg.Partitions <= maxPartitions, "Partitions", cfg.Partitions, "0 to 1024")
	check(cfg.Horizon >= time.Second && cfg.Horizon <= longest, "Horizon", cfg.Horizon, "1s to 100 years")
	check(cfg.Lease >= 500*time.Millisecond && cfg.Lease <= maxLease, "Lease", cfg.Lease, "500ms to 1h")
	check(cfg.Concurrency >= 1, "Concurrency", cfg.Concurrency, "at least 1")
	check(cfg.HandlerTimeout > 0 && cfg.HandlerTimeout <= longest, "HandlerTimeout", cfg.HandlerTimeout, "more than 0, up to 100 years")
	check(cfg.AckWait >= minAckWait && cfg.AckWait <= longest, "AckWait", cfg.AckWait, "500ms to 100 years")
	check(cfg.MaxAttempts >= 1, "MaxAttempts", cfg.MaxAttempts, "at least 1")
	return cfg, wrong
}

func doubling(attempt int) time.Duration {
	const first, longest = 100 * time.Millisecond, time.Minute
	if attempt > 10 {
		return longest
	}
	return min(first<<max(attempt-1, 0), longest)
}
