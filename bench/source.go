package bench

import (
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
)

// scripted is a script as the source of a cell.
type scripted struct {
	*script.Script
	workload workload.Workload
	filled   *script.Block
}

func (s *scripted) pace(n, _ int) pace { return pace{blockSize(s.workload, n), warmSize(n), 1} }

func (s *scripted) keys() int { return s.start().Keys }

func (s *scripted) populate(do func(*script.Block) error) error { return do(s.start()) }

func (s *scripted) follow(size int, reuse *script.Block) (*script.Block, error) {
	s.filled = nil // it may be large
	return s.Next(size, reuse), nil
}

func (s *scripted) close() {}

// start returns the block that fills a structure, which is the same for all.
func (s *scripted) start() *script.Block {
	if s.filled == nil {
		s.filled = s.Fill()
	}
	return s.filled
}
