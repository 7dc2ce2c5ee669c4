// Command grpcserver is a gRPC server that limits the time of each call, with contexts of a driver. Its service is the
// health service of gRPC, so that it needs no generated code.
package main

import (
	"context"
	"flag"
	"log"
	"net"
	"time"

	"google.golang.org/grpc"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/timerbench/timerbench/driver"
)

// limit returns the options of a server whose calls end after the timeout, or earlier if their client says so.
func limit(d *driver.Driver, timeout time.Duration) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.UnaryInterceptor(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			ctx, cancel := d.WithTimeout(ctx, timeout)
			defer cancel()
			return next(ctx, request)
		}),
		grpc.StreamInterceptor(func(service any, s grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			ctx, cancel := d.WithTimeout(s.Context(), timeout)
			defer cancel()
			return next(service, stream{s, ctx})
		}),
	}
}

// stream is a stream with a context of its own.
type stream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s stream) Context() context.Context { return s.ctx }

// server says that the service "" is healthy. It takes for ever to look at any other one, and watches until the end.
type server struct {
	health.UnimplementedHealthServer
}

func (server) Check(ctx context.Context, r *health.HealthCheckRequest) (*health.HealthCheckResponse, error) {
	if r.Service != "" {
		<-ctx.Done()
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	return &health.HealthCheckResponse{Status: health.HealthCheckResponse_SERVING}, nil
}

func (server) Watch(_ *health.HealthCheckRequest, s health.Health_WatchServer) error {
	if err := s.Send(&health.HealthCheckResponse{Status: health.HealthCheckResponse_SERVING}); err != nil {
		return err
	}
	<-s.Context().Done()
	return status.FromContextError(s.Context().Err()).Err()
}

func newServer(d *driver.Driver, timeout time.Duration) *grpc.Server {
	s := grpc.NewServer(limit(d, timeout)...)
	health.RegisterHealthServer(s, server{})
	return s
}

func main() {
	addr := flag.String("addr", "127.0.0.1:50051", "`address` to listen on")
	timeout := flag.Duration("timeout", 10*time.Second, "longest time of a call")
	flag.Parse()
	d, err := driver.New()
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	log.Print("listening on ", listener.Addr())
	log.Fatal(newServer(d, *timeout).Serve(listener))
}
