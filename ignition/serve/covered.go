package serve

import "slices"

// maxSpans limits the memory for a client that requests, for example, every second byte. BMCs that use an image as a
// virtual drive cause only a few hundred spans.
const maxSpans = 4096

// span is the half-open byte range [start, end).
type span struct{ start, end int64 }

// covered counts the distinct bytes of an item that were sent. It ignores further separate spans if there are already
// [maxSpans], so the result may be too low.
type covered struct {
	// spans are sorted and neither overlap nor touch each other.
	spans []span
	sum   int64
}

func (c *covered) add(start, end int64) {
	if start >= end {
		return
	}
	// The spans in c.spans[first:last] overlap or touch the new span.
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
