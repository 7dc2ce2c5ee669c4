package main

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/timerbench/timerbench/driver"
)

// dial starts a server whose calls end after the timeout, and returns a client.
func dial(t *testing.T, d *driver.Driver, timeout time.Duration) health.HealthClient {
	t.Helper()
	listener := bufconn.Listen(1 << 16)
	s := newServer(d, timeout)
	served := make(chan error)
	go func() { served <- s.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:memory", grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return listener.DialContext(ctx)
	}), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		s.GracefulStop() // waits for calls
		if err := <-served; err != nil {
			t.Error(err)
		}
		if d.Len() != 0 {
			t.Errorf("%d timers are left", d.Len())
		}
	})
	return health.NewHealthClient(conn)
}

func want(t *testing.T, what string, err error, code codes.Code) {
	t.Helper()
	if got := status.Code(err); got != code {
		t.Errorf("%s: %v, want %v", what, err, code)
	}
}

// In a bubble no call is late because the machine is busy.
func TestTheServerEndsACall(t *testing.T) { synctest.Test(t, theServerEndsACall) }

func theServerEndsACall(t *testing.T) {
	d, _ := driver.New() // without options there is no error
	defer d.Close()
	client := dial(t, d, 20*time.Millisecond)
	_, err := client.Check(t.Context(), &health.HealthCheckRequest{Service: "slow"})
	want(t, "a call", err, codes.DeadlineExceeded)
	watch, err := client.Watch(t.Context(), &health.HealthCheckRequest{})
	want(t, "a stream", err, codes.OK)
	_, err = watch.Recv()
	want(t, "a message", err, codes.OK)
	_, err = watch.Recv()
	want(t, "the end", err, codes.DeadlineExceeded)
}

// A client may use contexts of a driver, too. Package grpc derives its own from them.
func TestTheClientEndsACall(t *testing.T) { synctest.Test(t, theClientEndsACall) }

func theClientEndsACall(t *testing.T) {
	d, _ := driver.New() // without options there is no error
	defer d.Close()
	client := dial(t, d, time.Hour)
	_, err := client.Check(t.Context(), &health.HealthCheckRequest{})
	want(t, "a short call", err, codes.OK)

	late, cancel := d.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = client.Check(late, &health.HealthCheckRequest{Service: "slow"})
	want(t, "a call that is late", err, codes.DeadlineExceeded)

	cancelled, cancel := d.WithTimeout(context.WithoutCancel(t.Context()), time.Hour)
	watch, err := client.Watch(cancelled, &health.HealthCheckRequest{})
	want(t, "a stream", err, codes.OK)
	_, err = watch.Recv()
	want(t, "a message", err, codes.OK)
	cancel()
	_, err = watch.Recv()
	want(t, "the end", err, codes.Canceled)
}
