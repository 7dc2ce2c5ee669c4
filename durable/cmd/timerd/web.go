package main

import (
	"net/http"
	"time"
)

// maxConnections is how many connections --http keeps open at a time. Others wait.
const maxConnections = 64

// webServer returns a server that closes connections which are slow or idle.
func webServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      10 * time.Second,
		IdleTimeout:       10 * time.Second,
		MaxHeaderBytes:    16 << 10,
	}
}
