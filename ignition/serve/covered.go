package serve

import "slices"

// maxSpans limits the memory if clients request every second byte. BMCs that read an image as a drive cause a few
// hundred spans.
const maxSpans = 4096

// span is the half-open byte range [start, end).
type span struct{ start, end int64 }

// covered counts the distinct bytes of an item that were sent. Beyond [maxSpans] it ignores new
// separate spans, so it may count too few.
type covered struct {
	// spans are sorted. They do not touch each other.
	spans []span
	sum   int64
}

func (c *covered) add(start, end int64) {
	if start >= end {
		return
	}
	// The spans from first to last touch the new one.
	first, _ := slices.BinarySearchFunc(c.spans, start, func(s span, start int64) int {
		if s.end < start {
			return -1
		}
		return 1
	})
	last := first
	for last < len(c.spans) && c.spans[last].start <= end {
		start, end = min(start, c.spans[last].start), max(end, c.spans[last].end)
		c.sum -= c.spans[last].end - c.spans[last].start
		last++
	}
	if first == last && len(c.spans) >= maxSpans {
		return
	}
	c.spans = slices.Replace(c.spans, first, last, span{start, end})
	c.sum += end - start
}
