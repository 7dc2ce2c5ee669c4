// Package pages has a list that grows without copying, so that it needs no more memory than its elements.
package pages

// size is the number of elements in a page.
const size = 1 << 12

// List is a list of pages. The zero value is empty.
type List[T any] struct {
	pages []*[size]T
	n     int
}

// Len returns the number of elements.
func (l *List[T]) Len() int { return l.n }

// At returns a pointer to element i. It panics if there is no page for it.
func (l *List[T]) At(i int) *T { return &l.pages[i/size][i%size] }

// Append adds an element at the end.
func (l *List[T]) Append(v T) {
	if l.n == len(l.pages)*size {
		l.pages = append(l.pages, new([size]T))
	}
	l.n++
	*l.At(l.n - 1) = v
}

// Truncate removes all elements from n on, and keeps their memory.
func (l *List[T]) Truncate(n int) { l.n = n }
