package main

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// maxConnections is how many connections of --http are open at a time. Others wait.
const maxConnections = 64

// webServer returns a server that lets nobody keep a connection for long without using it.
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

// limited is a listener that accepts a connection only while fewer than cap(room) are open.
type limited struct {
	net.Listener
	room chan struct{}
}

func limit(l net.Listener, n int) limited { return limited{l, make(chan struct{}, n)} }

// Accept waits for room, and for a connection.
func (l limited) Accept() (net.Conn, error) {
	l.room <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.room
		return nil, err
	}
	return &limitedConn{Conn: c, room: l.room}, nil
}

type limitedConn struct {
	net.Conn
	once sync.Once
	room chan struct{}
}

// Close makes room for another connection.
func (c *limitedConn) Close() error {
	c.once.Do(func() { <-c.room })
	return c.Conn.Close()
}
