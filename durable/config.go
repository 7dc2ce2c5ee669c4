package durable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
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
	// AckWait is how long after the last sign of life of a worker others handle the timers that it held, at least
	// 500 ms. The default is 3 s. The lease of that worker counts instead if it is longer.
	AckWait time.Duration
	// MaxAttempts is how many times the handler is called for a timer before the timer becomes
	// a dead letter. The default is 10. A call that fails after Serve was told to end does not
	// count. Taking over a timer of a worker that died counts, because that worker may have called its handler.
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

// The metadata of a stream on which all clients must agree.
const metadataPartitions, metadataFormat = "durable-partitions", "durable-format"

// The oldest version of nats-server that was tried.
const oldestMajor, oldestMinor = 2, 15

func checkServer(ctx context.Context, nc *nats.Conn) error {
	if err := nc.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("durable: no answer from a server at %s: %w", strings.Join(nc.Servers(), ","), err)
	}
	var major, minor int
	version := nc.ConnectedServerVersion()
	if version == "" {
		return fmt.Errorf("durable: %w", nats.ErrDisconnected)
	}
	if n, _ := fmt.Sscanf(version, "%d.%d.", &major, &minor); n < 2 ||
		major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		return fmt.Errorf("durable: nats-server is version %q: want %d.%d or later",
			version, oldestMajor, oldestMinor)
	}
	return nil
}

// getOrMake returns an existing object, or makes it. Another client may be faster.
func getOrMake[T any](get, make func() (T, error), notFound, exists error) (T, error) {
	found, err := get()
	if !errors.Is(err, notFound) {
		return found, err
	}
	made, err := make()
	if errors.Is(err, exists) {
		return get()
	}
	return made, err
}

// openStream creates the stream, or checks the existing one, and returns its layout.
func openStream(ctx context.Context, js jetstream.JetStream, cfg Config) (jetstream.Stream, layout, error) {
	l := layout{name: cfg.Name, partitions: cfg.Partitions}
	stream, err := getOrMake(
		func() (jetstream.Stream, error) { return js.Stream(ctx, cfg.Name) },
		func() (jetstream.Stream, error) { return js.CreateStream(ctx, streamConfig(cfg)) },
		jetstream.ErrStreamNotFound, jetstream.ErrStreamNameAlreadyInUse)
	if err != nil {
		return nil, layout{}, fmt.Errorf("durable: stream %s: %w", cfg.Name, err)
	}
	found := stream.CachedInfo().Config
	if v := found.Metadata[metadataFormat]; v != strconv.Itoa(format) && found.Metadata[metadataPartitions] != "" {
		return nil, layout{}, fmt.Errorf("durable: stream %s has format %s: want %d", cfg.Name, cmp.Or(v, "1"), format)
	}
	if err := errors.Join(checkStream(found, l), checkAccount(ctx, js, found)); err != nil {
		return nil, layout{}, fmt.Errorf("durable: %w", err)
	}
	l.partitions, err = strconv.Atoi(found.Metadata[metadataPartitions])
	if err != nil || l.partitions < 1 || l.partitions > maxPartitions {
		return nil, layout{}, fmt.Errorf("durable: stream %s: metadata %s is %q: want 1 to %d",
			cfg.Name, metadataPartitions, found.Metadata[metadataPartitions], maxPartitions)
	}
	if cfg.Partitions != 0 && cfg.Partitions != l.partitions {
		return nil, layout{}, fmt.Errorf("durable: stream %s has %d partitions: Config.Partitions is %d",
			cfg.Name, l.partitions, cfg.Partitions)
	}
	return stream, l, nil
}

// maxConsumers is how many readers a stream may have: one for each partition, and for a minute
// those of workers that were killed. The server's default is fewer than the partitions may be.
const maxConsumers, defaultConsumers = 1 << 16, 1000

func streamConfig(cfg Config) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:         cfg.Name,
		Description:  "timers of github.com/timerbench/timerbench/durable",
		Subjects:     layout{name: cfg.Name}.subjects(),
		Storage:      jetstream.FileStorage,
		Replicas:     cfg.Replicas,
		AllowDirect:  true,
		AllowRollup:  true,
		MaxConsumers: maxConsumers,
		Metadata: map[string]string{metadataPartitions: strconv.Itoa(cmp.Or(cfg.Partitions, defaultPartitions)),
			metadataFormat: strconv.Itoa(format)},
	}
}

// openMembers opens or creates the bucket of the workers' signs of life.
func openMembers(ctx context.Context, js jetstream.JetStream, cfg Config) (jetstream.KeyValue, error) {
	name := cfg.Name + "-workers"
	bucket, err := getOrMake(
		func() (jetstream.KeyValue, error) { return js.KeyValue(ctx, name) },
		func() (jetstream.KeyValue, error) {
			return js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
				Bucket:   name,
				Replicas: cfg.Replicas,
				Storage:  jetstream.FileStorage,
				TTL:      maxLease, // removes workers that are gone
			})
		}, jetstream.ErrBucketNotFound, jetstream.ErrBucketExists)
	if err != nil {
		return nil, fmt.Errorf("durable: bucket %s: %w", name, err)
	}
	return bucket, nil
}

// faults are the settings of a stream or a consumer that would lose timers, or delay them.
type faults []string

func (f *faults) refuse(is bool, format string, args ...any) {
	if is {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// differ refuses fields that are not as Open sets them.
func (f *faults) differ(found, made any, fields ...string) {
	for _, name := range fields {
		is, want := reflect.ValueOf(found).FieldByName(name).Interface(), reflect.ValueOf(made).FieldByName(name).Interface()
		f.refuse(!reflect.DeepEqual(is, want), "%s is %v: want %v", name, is, want)
	}
}

func (f faults) error(what string) error {
	if len(f) == 0 {
		return nil
	}
	return fmt.Errorf("%s would lose or delay timers: %s", what, strings.Join(f, "; "))
}

// checkStream returns an error that lists each setting that would lose timers or keep them from firing.
func checkStream(found jetstream.StreamConfig, l layout) error {
	var f faults
	f.refuse(found.MaxAge > 0, "MaxAge %v removes old timers: want 0", found.MaxAge)
	f.refuse(found.MaxMsgs > 0, "MaxMsgs %d removes timers: want -1", found.MaxMsgs)
	f.refuse(found.MaxBytes > 0, "MaxBytes %d removes timers: want -1", found.MaxBytes)
	f.refuse(found.MaxMsgsPerSubject > 0, "MaxMsgsPerSubject %d removes timers: want -1", found.MaxMsgsPerSubject)
	f.refuse(found.MaxMsgSize > 0 && found.MaxMsgSize < 2*maxBatch, "MaxMsgSize %d refuses messages with several changes: want -1 or at least %d",
		found.MaxMsgSize, 2*maxBatch)
	f.refuse(found.MaxConsumers > 0 && found.MaxConsumers < consumersFor(found), "MaxConsumers %d keeps workers from reading timers: want -1 or at least %d",
		found.MaxConsumers, consumersFor(found))
	limits := found.ConsumerLimits
	f.refuse(limits.InactiveThreshold > 0, "ConsumerLimits.InactiveThreshold %v removes or refuses consumers: want 0", limits.InactiveThreshold)
	f.differ(found, streamConfig(Config{Name: l.name}), "Retention", "Storage", "PersistMode", "AllowDirect", "AllowRollup",
		"DenyPurge", "Sealed", "NoAck", "Mirror", "Sources", "SubjectTransform", "Subjects")
	return f.error("stream " + l.name)
}

// consumersFor returns how many consumers a stream must allow: while workers come and go, three read each partition.
func consumersFor(found jetstream.StreamConfig) int {
	partitions, _ := strconv.Atoi(found.Metadata[metadataPartitions]) // openStream checks it
	return max(3*partitions, defaultConsumers)
}

// checkAccount returns an error if the account allows fewer consumers than the stream needs. It may not be allowed to know.
func checkAccount(ctx context.Context, js jetstream.JetStream, found jetstream.StreamConfig) error {
	var f faults
	if info, err := js.AccountInfo(ctx); err == nil {
		n := info.Limits.MaxConsumers
		f.refuse(n > 0 && n < consumersFor(found), "MaxConsumers %d keeps workers from reading timers: want -1 or at least %d", n, consumersFor(found))
	}
	return f.error("the account of stream " + found.Name)
}

// lookAgain is how often a worker looks at the settings of the stream, which an operator may change.
const lookAgain = 10 * time.Second

// look asks for the settings, and returns why timers are lost or delayed, or the error of a store that does not answer.
func (c *Client) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	stream, err := c.stream.Info(ctx)
	if err == nil {
		return c.found(checkStream(stream.Config, c.layout))
	}
	if isGone(err) {
		return c.found(fmt.Errorf("stream %s was deleted: %w", c.layout.name, err))
	}
	return fmt.Errorf("the store does not answer: %w", err)
}

// found keeps err for Stats. It logs it if timers were not lost or delayed before.
func (c *Client) found(err error) error {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if old := c.unfit.Swap(&text); err != nil && (old == nil || *old == "") {
		c.cfg.Logger.Error("timers may be lost or delayed", "error", err)
	}
	return err
}
