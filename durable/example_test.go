package durable_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/durable"
)

var (
	ctx      = context.Background()
	client   *durable.Client
	tomorrow = time.Now().AddDate(0, 0, 1)
)

// Set several timers at once, one of them with its own limits.
func ExampleClient_Set() {
	err := client.Set(ctx,
		durable.Timer{Key: "order/1/remind", Deadline: tomorrow, Payload: []byte("mail")},
		durable.Timer{Key: "order/1/cancel", Deadline: tomorrow.Add(time.Hour),
			Limits: durable.Limits{Timeout: 10 * time.Minute, MaxAttempts: 3}},
	)
	if err != nil {
		fmt.Println("some may be set, call Set again:", err)
	}
}

// Only the first message about an order starts its timer.
func ExampleClient_Add() {
	added, err := client.Add(ctx, durable.Timer{Key: "order/1", Deadline: tomorrow})
	fmt.Println(added, err)
}

// Each process of a cluster calls Every when it starts. Each run is handled by one of them.
func ExampleClient_Every() {
	err := client.Every(ctx, "report", "CRON_TZ=Europe/Berlin 30 2 * * *", nil, driver.Skip)
	fmt.Println(err)
}

// A handler decides whether there is another attempt, and when.
func ExamplePermanent() {
	err := client.Serve(ctx, func(ctx context.Context, f durable.Fired) error {
		response, err := http.Post(string(f.Payload), "text/plain", http.NoBody)
		if err != nil {
			return err // again after Config.Backoff
		}
		_ = response.Body.Close() // the status is enough
		switch err := errors.New(response.Status); response.StatusCode {
		case http.StatusOK:
			return nil
		case http.StatusTooManyRequests:
			return durable.RetryAfter(time.Minute, err)
		default:
			return durable.Permanent(err) // a dead letter at once
		}
	})
	fmt.Println(err)
}

// Each use of a connection moves its timeout. A move is atomic: no crash can lose the timer.
func ExampleClient_Reschedule() {
	moved, err := client.Reschedule(ctx, "connection/7", time.Now().Add(time.Minute))
	if err == nil && !moved {
		fmt.Println("too late: the timer has fired")
	}
}

// Serve metrics and probes for Prometheus and Kubernetes under a path of the program's own server.
func ExampleClient_Handler() {
	mux := http.NewServeMux()
	mux.Handle("/timers/", http.StripPrefix("/timers", client.Handler()))
	fmt.Println(http.ListenAndServe("localhost:8080", mux))
}
