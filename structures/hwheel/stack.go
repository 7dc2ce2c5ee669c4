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

func (s *stack) push(index uint32) {
	if s.n == len(s.top) {
		s.spill()
	}
	s.top[s.n] = index
	s.n++
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
	s.n = copy(s.top[:], s.top[stackPage:])
}
