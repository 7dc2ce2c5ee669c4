// Package durable stores timers that survive the crash of a process or a machine, and fires
// them on time. It holds millions of timers, which any client can set, move and cancel by key,
// and a fleet of workers handles each at least once. NATS JetStream stores, replicates and
// orders what happens to them.
//
//	server, err := durable.Embedded("data") // or nats.Connect to any server
//	nc, err := server.Connect()
//	c, err := durable.Open(ctx, nc, durable.Config{})
//	err = c.Schedule(ctx, "invoice/4711", time.Now().Add(30*24*time.Hour), payload)
//	err = c.Serve(ctx, func(ctx context.Context, f durable.Fired) error { ... })
//
// # How it works
//
// The timers are divided into partitions. One subject of the stream holds the log of a partition: each message is a list of
// records, which set, move and cancel timers, fire them, and say that they were handled. The order of the log decides. The state
// of a partition follows from its log alone: everybody who has read the same messages has the same timers, and the same answer to
// each record.
//
//   - A client appends a record. What several goroutines append at a time goes in one message. A timer is set when its message
//     is stored.
//   - Whether a Cancel or a move has found its timer follows from the records before it. A worker that has read the log tells
//     the client. If there is none, the client reads the log itself.
//   - A worker appends records that fire due timers, and reads them back. It calls the handler if its record was the first
//     decision about this state of the timer. Such a record names the position of the last change that the worker knows, and
//     has no effect after another change.
//   - When a timer is handled, the worker appends that. Until then the timer belongs to this worker. A record takes over what a
//     dead worker has left.
//   - A run of Every and the move to the next one are one record.
//
// It follows that a Cancel that returned true has beaten the worker that was about to fire; that no two workers fire the same
// timer, even if one of them was suspended for an hour; and that a crash between two steps loses nothing.
// There are no locks, no fencing and no known window for duplicates.
//
// A worker cleans a log from its beginning: it appends the live records of the oldest messages again, then stores where the log begins
// now, its base, and then removes the messages. That costs about one byte for each byte removed, and keeps the log below twice
// what is live. A record that repeats a timer counts only if the timer has not changed. Timers from before the base are missing
// in the first part of the log until they are repeated; so the base says up to where that is, and which records there had no
// effect although a reader could think so. Messages before the base do not count if a server that was killed restores them.
// A worker may miss messages that were removed, because it was suspended or its connection was lost. Until the number of messages
// before the base tells it that nothing is missing, it answers no client and calls no handler.
//
// Workers share the partitions. Each worker regularly writes a sign of life to a bucket, with the partitions that it
// serves, and a hash assigns each partition to one of the workers alive. The newly assigned worker reads the
// partition before the old one stops. Two workers that serve one partition for a while do no harm. Only the server's clock decides
// who is alive. A worker that has not looked for due timers for 10 s gives up its partitions to the others.
//
// A worker holds the timers of its partitions in memory: the payloads of those within the horizon, and about 120 bytes and the key of
// each, which garbage nearly doubles. It reads the payloads of the others from the log when they are a horizon away.
//
// # Promises
//
//   - No timer fires before its deadline, by the clock of the worker that fires it.
//   - Each timer is handled at least once. Fired.ID, which consists of key and deadline, is the
//     same each time.
//   - If Cancel returned true, the timer has not fired and will not fire. If Reschedule returned
//     true, the timer fires at the new deadline only.
//   - When a worker is killed, others take over its partitions within a lease and about a second.
//   - After an error of Schedule, Cancel or Reschedule the change may have happened or not.
//     Calling again is safe.
//
// The promises hold when workers, servers, or a minority of the nodes of a cluster are killed at any moment, as
// far as the server keeps all acknowledged messages. It writes to its files at once and syncs them every two
// minutes: replicas or SyncAlways protect against power loss. A timer whose acknowledgement had not reached the
// server's disk is handled again, with the same ID.
package durable
