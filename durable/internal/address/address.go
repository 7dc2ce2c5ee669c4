// Package address finds addresses for servers of tests and measurements.
package address

import "net"

// Free returns n addresses of this machine at which nobody listens.
func Free(n int) ([]string, error) {
	var list []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // once all are found, so that they differ
		list = append(list, l.Addr().String())
	}
	return list, nil
}
