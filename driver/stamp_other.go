//go:build !amd64

package driver

func stamp() uint64 { return 0 }

func steady() bool { return false }
