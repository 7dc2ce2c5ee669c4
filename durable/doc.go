// Package durable keeps timers that outlive their process and their machine, and
// fires them at their time: millions of them, set, moved and cancelled by key from
// anywhere, handled at least once by a fleet of workers. NATS JetStream stores,
// replicates and delivers; a driver of package driver has what is due soon.
//
//	server, err := durable.Embedded("data") // or any server, by nats.Connect
//	nc, err := server.Connect()
//	c, err := durable.Open(ctx, nc, durable.Config{})
//	err = c.Schedule(ctx, "invoice/4711", time.Now().Add(30*24*time.Hour), payload)
//	err = c.Serve(ctx, func(ctx context.Context, f durable.Fired) error { ... })
//
// # How it works
//
// All is in one stream. A timer is the message of its subject, which has its key and
// its partition. Its revision is the sequence of that message. Every change is one
// message that the server stores only if the timer still has the revision that was
// read:
//
//   - To fire is to store a message for the workers. In the same step the server
//     removes the timer.
//   - To cancel is to store a message with its key. In the same step the server
//     removes the timer.
//   - To move is to store the timer anew.
//   - A run of Every is stored first, and then the timer with the next deadline. The
//     server stores the same run once within two minutes, whoever sends it.
//
// What the server has removed may be there again after it was killed: see
// docs/durable.md. So each of these messages names the revisions that it removes. Before
// it is removed itself they are noted in the stream, until they would be due; and each
// minute workers store up to which deadline all has fired. After a start of the server
// clients read that, and do not see what has come back; workers remove it.
//
// So the server puts all that happens to a timer in one order. One change of a
// revision wins, and all others are told. It follows that a Cancel that returned true
// has won over the worker that was about to fire, whenever that was; that no two
// workers fire the same timer; and that a crash between any two steps loses nothing.
// No fence is needed, no lock, and no window in which duplicates are known.
//
// Workers share the partitions. Each gives signs of life in a bucket, with the
// partitions that it serves, and a hash of both chooses who is to serve which. A
// worker that was chosen reads the partition before the one that has served it stops.
// Two that serve the same partition for a while, or one that was stopped for an hour
// and goes on, do no harm: what they send is refused. Only the clock of the server is
// used to tell who is alive.
//
// A worker follows the messages of its partitions. Timers due within the horizon are
// in its memory, in one driver. Of the others it keeps the revisions, 8 bytes each, by
// the quarter of a horizon in which they are due, and reads them when that is a horizon
// away. What changed meanwhile is found out when it is read, or refused when it fires;
// when there are twice as many revisions as timers the partition is read anew.
//
// What has fired is delivered to all workers by one consumer, with acknowledgement. A
// worker tells the server now and then that it still has what it has; when it dies
// others get it after Config.AckWait.
//
// # Promises
//
//   - No timer fires before its deadline by the clock of the worker that fires it.
//   - Each timer is handled at least once. If it is handled again it has the same
//     Fired.ID, which is made of key and deadline.
//   - After a Cancel that returned true the timer does not fire, and it has not fired
//     before. After a Reschedule that returned true it fires at the new deadline only.
//   - When a worker is killed its partitions go on within about a lease and a second.
//   - An error of Schedule, Cancel or Reschedule means that it has happened or not. To
//     do it again is safe.
//
// They hold when workers, servers, or a minority of the nodes of a cluster are killed
// at any moment, as far as the server keeps what it has acknowledged. It writes to its
// files at once and syncs them every two minutes: against the loss of power there are
// replicas, or SyncAlways. What has fired and was not acknowledged by the server on
// its disk is handled again, with the same ID.
//
// # Backends
//
// With Config.Backend JetStream the schedules of the server fire the timers; they are
// stored, changed and handled in the same way. They are 250 ms apart, and have no Every.
package durable
