//go:build !unix

package beside

// cpu is not known here.
func cpu() int64 { return 0 }
