package durable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
