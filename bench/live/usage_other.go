//go:build !unix

package live

func used() (u usage, ok bool) { return u, false }
