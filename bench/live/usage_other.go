//go:build !unix

package live

func used() usage { return usage{} }
