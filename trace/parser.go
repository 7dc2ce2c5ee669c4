package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// parser parses a payload. After the first error its methods return zeros.
type parser struct {
	rest []byte
	err  error
}

var errNumber = errors.New("a number is cut off or too long")

// fail takes note of an error, unless there is one.
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// number parses a uvarint.
func (p *parser) number() uint64 {
	x, n := binary.Uvarint(p.rest)
	if n <= 0 {
		p.fail("%w", errNumber)
		return 0
	}
	p.rest = p.rest[n:]
	return x
}

// signed returns the value of a varint.
func signed(x uint64) int64 { return int64(x>>1) ^ -int64(x&1) }

// limited parses a number up to most.
func (p *parser) limited(what string, most uint64) uint64 {
	x, n := binary.Uvarint(p.rest)
	switch {
	case n <= 0:
		p.fail("%s: %w", what, errNumber)
	case x > most:
		p.fail("%s: %d, want at most %d", what, x, most)
	default:
		p.rest = p.rest[n:]
	}
	if p.err != nil {
		return 0
	}
	return x
}

func (p *parser) text(what string) string {
	n := p.limited(what, math.MaxInt64)
	if n > uint64(len(p.rest)) {
		p.fail("%s: %d bytes of which %d are there", what, n, len(p.rest))
	}
	if p.err != nil {
		return ""
	}
	s := string(p.rest[:n])
	p.rest = p.rest[n:]
	return s
}

// end returns the first error. Bytes that are left are one.
func (p *parser) end() error {
	if len(p.rest) > 0 {
		p.fail("%d bytes too many", len(p.rest))
	}
	return p.err
}
