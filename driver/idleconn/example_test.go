package idleconn_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/driver/idleconn"
)

func Example() {
	d, _ := driver.New() // without options there is no error
	defer d.Close()
	server, client := net.Pipe()
	defer client.Close()

	conn := idleconn.New(d, server, 50*time.Millisecond)
	defer func() { _ = conn.Close() }()
	go func() { _, _ = io.WriteString(client, "hello") }()
	for buf := make([]byte, 64); ; {
		n, err := conn.Read(buf)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			fmt.Println("nothing has moved for 50 ms")
			return
		case err != nil:
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n", buf[:n])
	}
	// Output:
	// hello
	// nothing has moved for 50 ms
}

// A server that closes connections on which nothing has moved for 5 minutes.
func ExampleListener() {
	d, _ := driver.New() // without options there is no error
	defer d.Close()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "hello")
	}))
	server.Listener = idleconn.Listener(d, server.Listener, 5*time.Minute)
	server.Start()
	defer server.Close()

	answer, err := server.Client().Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	fmt.Printf("%s, and %d timer\n", text, d.Len())
	// Output: hello, and 1 timer
}

// A connection that sends a message whenever it has sent nothing for a while, so that its peer does not give up.
func ExampleInsteadOfTimeout() {
	d, _ := driver.New() // without options there is no error
	defer d.Close()
	here, there := net.Pipe()
	defer there.Close()

	conn := idleconn.New(d, here, 20*time.Millisecond, idleconn.Writes(), idleconn.InsteadOfTimeout(func(c *idleconn.Conn) {
		_, _ = io.WriteString(c, "ping")
	}))
	defer func() { _ = conn.Close() }()
	for range 2 {
		message := make([]byte, 4)
		_, _ = io.ReadFull(there, message)
		fmt.Printf("%s\n", message)
	}
	// Output:
	// ping
	// ping
}
