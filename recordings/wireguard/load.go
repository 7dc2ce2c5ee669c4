//go:build ignore

// Load sends HTTP requests through a tunnel to wireguard-go's example http_server. run.sh builds it in wireguard-go's module.
package main

import (
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.zx2c4.com/wireguard/conn"
	"golang.zx2c4.com/wireguard/device"
	"golang.zx2c4.com/wireguard/tun/netstack"
)

// keys are those of the example http_client.
const keys = `private_key=087ec6e14bbed210e7215cdc73468dfa23f080a1bfb8665b2fd809bd99d28379
public_key=c4c8e984c5322c8184c72265b92b250fdb63688705f504ba003c88f03393cf28
allowed_ip=0.0.0.0/0
endpoint=127.0.0.1:58120
`

func main() {
	tun, tunnel, err := netstack.CreateNetTUN([]netip.Addr{netip.MustParseAddr("192.168.4.28")}, nil, 1420)
	if err != nil {
		log.Fatal(err)
	}
	d := device.NewDevice(tun, conn.NewDefaultBind(), device.NewLogger(device.LogLevelError, ""))
	if err := d.IpcSet(keys); err != nil {
		log.Fatal(err)
	}
	if err := d.Up(); err != nil {
		log.Fatal(err)
	}
	var clients sync.WaitGroup
	var answers atomic.Int64
	end := time.Now().Add(40 * time.Second)
	for range 20 {
		clients.Go(func() {
			t := &http.Transport{DialContext: tunnel.DialContext}
			client := http.Client{Transport: t, Timeout: 10 * time.Second}
			for n := 1; time.Now().Before(end); n++ {
				time.Sleep(time.Duration(rand.ExpFloat64() * float64(200*time.Millisecond)))
				answer, err := client.Get("http://192.168.4.29/")
				if err != nil {
					log.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, answer.Body); err == nil {
					answers.Add(1)
				}
				answer.Body.Close()
				if n%10 == 0 {
					t.CloseIdleConnections()
				}
			}
		})
	}
	clients.Wait()
	fmt.Println(answers.Load(), "answers")
}
