package hwheel

// stackPage is how many indexes a stack keeps together.
const stackPage = 1 << 10

// stack is a stack of indexes. Its top is an array; what is below stands in pages,
// so that growing never copies what is there. The zero stack is empty.
type stack struct {
	n     int // indexes in top
	top   [2 * stackPage]uint32
	deep  int // pages in use
	pages []*[stackPage]uint32
}

func (s *stack) len() int { return s.n + s.deep*stackPage }

// push adds an index. There must be room for it at the top.
func (s *stack) push(index uint32) {
	s.top[s.n&(2*stackPage-1)] = index
	s.n++
}

// makeRoom makes room at the top for n more, a page of them at most: where many are
// pushed one by one, this is what need not be asked each time.
func (s *stack) makeRoom(n int) {
	if s.n+n > len(s.top) {
		s.spill()
	}
}

// pop removes the last index pushed. There must be one.
func (s *stack) pop() uint32 {
	if s.n == 0 {
		s.deep--
		s.n = copy(s.top[:], s.pages[s.deep][:])
	}
	s.n--
	return s.top[s.n]
}

// spill moves the lower half of the top to a page.
func (s *stack) spill() {
	if s.deep == len(s.pages) {
		s.pages = append(s.pages, new([stackPage]uint32))
	}
	copy(s.pages[s.deep][:], s.top[:stackPage])
	s.deep++
	s.n = copy(s.top[:], s.top[stackPage:s.n])
}
