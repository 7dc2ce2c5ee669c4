package records

// stack has the indexes of free records, the last freed on top. It grows by pages, of which the first one
// doubles, and never shrinks. The pages below the top page are full.
type stack struct {
	top   []uint32 // the page of the top
	depth uint     // used of it
	page  int      // its number
	pages [][]uint32
}

const (
	stackPage  = 1 << 14
	stackFirst = 1 << 7
)

// up makes the page after the full top page the top page, or doubles the first one.
func (f *stack) up() {
	if len(f.top) < stackPage {
		first := make([]uint32, max(stackFirst, 2*len(f.top)))
		copy(first, f.top)
		f.top, f.pages = first, append(f.pages[:0], first)
		return
	}
	if f.page++; f.page == len(f.pages) {
		f.pages = append(f.pages, make([]uint32, stackPage))
	}
	f.top, f.depth = f.pages[f.page], 0
}

// down makes the page below the empty top page the top page. It returns false if there is none.
func (f *stack) down() bool {
	if f.page == 0 {
		return false
	}
	f.page--
	f.top, f.depth = f.pages[f.page], stackPage
	return true
}

// reserve makes room for n indexes.
func (f *stack) reserve(n uint64) {
	page, depth := f.page, f.depth
	for uint64(f.page)*stackPage+uint64(len(f.top)) < n {
		f.up()
	}
	if f.page, f.depth = page, depth; n > 0 {
		f.top = f.pages[page]
	}
}
