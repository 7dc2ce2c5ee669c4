// Package address finds free addresses for tests and measurements, and hides the secrets in
// addresses that are printed.
package address

import (
	"net"
	"strings"
)

// Free returns n addresses of this machine at which nobody listens.
func Free(n int) ([]string, error) {
	var list []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // only now, so that the addresses differ
		list = append(list, l.Addr().String())
	}
	return list, nil
}

// Redact returns text without the user names, passwords and tokens of urls, which are separated
// by commas: nats://***@host:4222.
func Redact(text, urls string) string {
	for url := range strings.SplitSeq(urls, ",") {
		at := strings.LastIndexByte(url, '@') + 1
		begin := strings.Index(url[:at], "//")
		if begin++; begin > 0 {
			begin++
		}
		if secret := url[begin:at]; len(secret) > 1 {
			text = strings.ReplaceAll(text, secret, "***@")
		}
	}
	return text
}
