// Package durable stores timers that survive the crash of a process or a machine, and fires
// them on time. It holds millions of timers, which any client can set, move and cancel by key,
// and a fleet of workers handles each at least once. NATS JetStream stores, replicates and
// delivers; a driver of package driver holds the timers that are due soon.
//
//	server, err := durable.Embedded("data") // or nats.Connect to any server
//	nc, err := server.Connect()
//	c, err := durable.Open(ctx, nc, durable.Config{})
//	err = c.Schedule(ctx, "invoice/4711", time.Now().Add(30*24*time.Hour), payload)
//	err = c.Serve(ctx, func(ctx context.Context, f durable.Fired) error { ... })
//
// # How it works
//
// All timers are in one stream. A timer is the only message of its subject, which contains its partition and
// its key. The sequence number of the message is the timer's revision. A change is one message, which the
// server stores only if the timer still has the revision that the client has read:
//
//   - To fire a timer, a worker stores a message for the handlers. The server removes the timer
//     in the same step.
//   - To cancel a timer, a client stores a message with its key. The server removes the timer in
//     the same step.
//   - To move a timer, a client stores it again.
//   - A run of Every is stored first, and then the timer with its next deadline. The server
//     stores the same run only once within two minutes.
//
// The server thus puts all changes of a timer in one order: one change of a revision wins, and
// the others fail. It follows that a Cancel that returned true has beaten the worker that was
// about to fire; that no two workers fire the same timer; and that a crash between two steps
// loses nothing. There are no locks, no fencing and no known window for duplicates.
//
// A server that was killed may restore messages that it had removed: see docs/durable.md. A restored timer does
// not count if it was moved, because the last message of a subject counts. What was fired or cancelled is stored as a
// note. If the notes of a partition become large, a worker replaces them by a list of what is left in the partition:
// other messages up to the last of these notes do not count. Clients read notes and lists after each start of the
// server. Workers remove the restored timers.
//
// Workers share the partitions. Each worker regularly writes a sign of life to a bucket, with the partitions that it
// serves, and a hash assigns each partition to one of the workers alive. The newly assigned worker reads the
// partition before the old one stops. Two workers that serve one partition for a while do no harm, nor does a worker
// that was suspended for an hour: the server refuses their changes. Only the server's clock decides who is alive. A
// worker on which nothing due gets through for 10 s removes its sign of life, so that the others take its partitions.
//
// A worker follows the messages of its partitions. It keeps timers due within the horizon in memory, in one driver.
// Of the others it keeps the revisions, 8 bytes each, grouped by the quarter of a horizon in which they are due, and
// reads the timers when that is a horizon away. A timer that has changed in the meantime is missing then, or the
// server refuses to fire it. Once there are twice as many revisions as timers, the worker reads the partition again.
//
// One consumer delivers fired timers to all workers, with acknowledgements. A worker keeps telling the server
// that it still handles its timers. If it dies, others get them after Config.AckWait.
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
