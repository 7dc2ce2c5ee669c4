package hwheel

// stackPage is the number of indexes in a page of a stack.
const stackPage = 1 << 10

// stack is a stack of indexes. The zero stack is empty. The upper indexes are in an
// array, the lower ones in full pages. So growing copies one page at most.
type stack struct {
	n       int // indexes in top
	top     [2 * stackPage]uint32
	spilled int // pages in use
	pages   []*[stackPage]uint32
}

func (s *stack) len() int { return s.n + s.spilled*stackPage }

// push adds an index. The array must have room for it: see makeRoom.
func (s *stack) push(index uint32) {
	s.top[s.n&(2*stackPage-1)] = index
	s.n++
}

// makeRoom makes room in the array for n more indexes, at most stackPage. A caller
// that pushes often calls it once for many pushes.
func (s *stack) makeRoom(n int) {
	if s.n+n > len(s.top) {
		s.spill()
	}
}

// pop removes the last index that was pushed. The stack must not be empty.
func (s *stack) pop() uint32 {
	if s.n == 0 {
		s.spilled--
		s.n = copy(s.top[:], s.pages[s.spilled][:])
	}
	s.n--
	return s.top[s.n]
}

// spill moves the lower half of the array to a page.
func (s *stack) spill() {
	if s.spilled == len(s.pages) {
		s.pages = append(s.pages, new([stackPage]uint32))
	}
	copy(s.pages[s.spilled][:], s.top[:stackPage])
	s.spilled++
	s.n = copy(s.top[:], s.top[stackPage:s.n])
}
