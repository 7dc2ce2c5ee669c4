package durable

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// metadataPartitions is the metadata of a stream on which all clients must agree.
const metadataPartitions = "durable-partitions"

// The oldest version of nats-server that works: a client can store a message and purge a schedule in one step.
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
		Name:              cfg.Name,
		Description:       "timers of github.com/timerbench/timerbench/durable",
		Subjects:          layout{name: cfg.Name}.subjects(),
		Storage:           jetstream.FileStorage,
		Replicas:          cfg.Replicas,
		AllowDirect:       true,
		AllowRollup:       true,
		AllowMsgSchedules: true,
		MaxConsumers:      maxConsumers,
		Metadata:          map[string]string{metadataPartitions: strconv.Itoa(cmp.Or(cfg.Partitions, defaultPartitions))},
	}
}

// workersConsumer is the name of the consumer that delivers fired timers to workers.
const workersConsumer = "workers"

func openConsumer(ctx context.Context, stream jetstream.Stream, l layout,
	ackWait time.Duration) (jetstream.Consumer, error) {
	consumer, err := getOrMake(
		func() (jetstream.Consumer, error) { return stream.Consumer(ctx, workersConsumer) },
		func() (jetstream.Consumer, error) {
			return stream.CreateConsumer(ctx, consumerConfig(l, ackWait))
		}, jetstream.ErrConsumerNotFound, jetstream.ErrConsumerExists)
	if err != nil {
		return nil, fmt.Errorf("durable: consumer %s of stream %s: %w", workersConsumer, l.name, err)
	}
	if err := checkConsumer(consumer.CachedInfo().Config, l); err != nil {
		return nil, fmt.Errorf("durable: %w", err)
	}
	return consumer, nil
}

func consumerConfig(l layout, ackWait time.Duration) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       workersConsumer,
		FilterSubject: l.allFired(),
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       ackWait,
		MaxAckPending: maxHandled,
		MaxDeliver:    -1, // workers count the attempts and write dead letters
	}
}

// maxHandled is how many timers all workers together may hold.
const maxHandled = 1 << 15

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
	f.refuse(found.MaxMsgsPerSubject > 0, "MaxMsgsPerSubject %d restores changed timers after a crash: want -1", found.MaxMsgsPerSubject)
	f.refuse(found.MaxMsgSize > 0 && int(found.MaxMsgSize) < largestNote, "MaxMsgSize %d refuses notes of what was removed: want -1 or at least %d",
		found.MaxMsgSize, largestNote)
	f.refuse(found.MaxConsumers > 0 && found.MaxConsumers < consumersFor(found), "MaxConsumers %d keeps workers from reading timers: want -1 or at least %d",
		found.MaxConsumers, consumersFor(found))
	limits := found.ConsumerLimits
	f.refuse(limits.InactiveThreshold > 0, "ConsumerLimits.InactiveThreshold %v removes or refuses consumers: want 0", limits.InactiveThreshold)
	f.refuse(limits.MaxAckPending > 0 && limits.MaxAckPending < maxHandled, "ConsumerLimits.MaxAckPending %d: want 0 or at least %d", limits.MaxAckPending, maxHandled)
	f.refuse(found.Duplicates < runWindow, "the Duplicates window of %v fires runs of Every twice: want at least %v", found.Duplicates, runWindow)
	f.differ(found, streamConfig(Config{Name: l.name}), "Retention", "Storage", "PersistMode", "AllowMsgSchedules", "AllowRollup",
		"DenyDelete", "DenyPurge", "Sealed", "NoAck", "Mirror", "Sources", "SubjectTransform", "Subjects")
	return f.error("stream " + l.name)
}

const (
	runWindow   = 2 * time.Minute // within which the server stores a run of Every once: its default
	largestNote = maxNoted*(binary.MaxVarintLen64+len(digest{})) + headersRoom
)

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

// checkConsumer returns an error that lists each setting of the workers' consumer that would lose what has fired, or delay it.
func checkConsumer(found jetstream.ConsumerConfig, l layout) error {
	var f faults
	f.differ(found, consumerConfig(l, 0), "FilterSubject", "FilterSubjects", "DeliverPolicy", "DeliverSubject", "AckPolicy", "ReplayPolicy",
		"MaxDeliver", "BackOff", "InactiveThreshold", "PriorityPolicy", "HeadersOnly", "MemoryStorage")
	f.refuse(found.AckWait < minAckWait, "AckWait is %v: want at least %v", found.AckWait, minAckWait)
	f.refuse(found.MaxAckPending >= 0 && found.MaxAckPending < maxHandled, "MaxAckPending is %d: want at least %d", found.MaxAckPending, maxHandled)
	f.refuse(found.MaxRequestBatch > 0 && found.MaxRequestBatch < maxFetched, "MaxRequestBatch is %d: want 0 or at least %d", found.MaxRequestBatch, maxFetched)
	f.refuse(found.MaxRequestExpires > 0 && found.MaxRequestExpires < jetstream.DefaultExpires, "MaxRequestExpires is %v: want 0 or at least %v",
		found.MaxRequestExpires, jetstream.DefaultExpires)
	return f.error("consumer " + workersConsumer + " of stream " + l.name)
}

// lookAgain is how often a worker looks at the settings of the stream and its consumer, which an operator may change.
const lookAgain = 10 * time.Second

// look asks for the settings, and returns the error of judge, or of a store that does not answer.
func (c *Client) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	stream, err := c.stream.Info(ctx)
	if err == nil {
		var consumer *jetstream.ConsumerInfo
		if consumer, err = c.consumer.Info(ctx); err == nil {
			return c.judge(stream, consumer)
		}
	}
	if isGone(err) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return c.found(fmt.Errorf("stream %s or its consumer was deleted: %w", c.layout.name, err))
	}
	return fmt.Errorf("the store does not answer: %w", err)
}

// judge returns why timers are lost or delayed, and keeps it for Stats.
func (c *Client) judge(stream *jetstream.StreamInfo, consumer *jetstream.ConsumerInfo) error {
	var f faults
	f.refuse(consumer.Paused, "it is paused for %v, and no handler is called", consumer.PauseRemaining.Round(time.Second))
	return c.found(errors.Join(checkStream(stream.Config, c.layout), checkConsumer(consumer.Config, c.layout), f.error("consumer "+workersConsumer)))
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
