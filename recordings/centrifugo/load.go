//go:build ignore

// Load subscribes WebSocket clients to Centrifugo and publishes messages. run.sh builds it in Centrifugo's module.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

const (
	clients  = 500
	channels = 10
	lasts    = 40 * time.Second
	every    = 45 * time.Millisecond // a message is published
)

func main() {
	address := os.Args[1]
	var received atomic.Int64
	for i := range clients {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			log.Fatal(err)
		}
		in := bufio.NewReader(conn)
		fmt.Fprintf(conn, "GET /connection/websocket HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", address)
		answer, err := http.ReadResponse(in, nil)
		if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
			log.Fatalf("%v, %v", answer, err)
		}
		send(conn, `{"id": 1, "connect": {}}`)
		send(conn, fmt.Sprintf(`{"id": 2, "subscribe": {"channel": "c%d"}}`, i%channels))
		go receive(conn, in, &received)
	}
	end := time.Now().Add(lasts)
	for n := 0; time.Now().Before(end); n++ {
		time.Sleep(every)
		body := fmt.Sprintf(`{"channel": "c%d", "data": {"n": %d}}`, n*7%channels, n)
		answer, err := http.Post("http://"+address+"/api/publish", "application/json", strings.NewReader(body))
		if err != nil || answer.StatusCode != http.StatusOK {
			log.Fatalf("%v, %v", answer, err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	fmt.Println(received.Load(), "messages")
	if received.Load() < clients {
		log.Fatal("want more")
	}
}

// send sends a text frame, which a client masks; with the mask 0 it is plain.
func send(conn net.Conn, text string) {
	frame := []byte{0x81, 0x80 | byte(len(text)), 0, 0, 0, 0}
	if _, err := conn.Write(append(frame, text...)); err != nil {
		log.Fatal(err)
	}
}

// receive counts messages and answers the pings of Centrifugo's protocol, which are empty objects.
func receive(conn net.Conn, in *bufio.Reader, received *atomic.Int64) {
	for {
		head := make([]byte, 2)
		if _, err := io.ReadFull(in, head); err != nil {
			log.Fatal(err)
		}
		length := int(head[1] & 0x7f)
		if length == 126 {
			if _, err := io.ReadFull(in, head); err != nil {
				log.Fatal(err)
			}
			length = int(head[0])<<8 | int(head[1])
		}
		text := make([]byte, length)
		if _, err := io.ReadFull(in, text); err != nil {
			log.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			switch line = strings.TrimSpace(line); {
			case line == "{}":
				send(conn, "{}")
			case strings.Contains(line, `"pub"`):
				received.Add(1)
			}
		}
	}
}
