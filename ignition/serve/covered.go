package serve

import "slices"

// maxSpans bounds what a client that asks for every second byte makes us remember. BMCs
// that read an image as a drive leave some hundreds.
const maxSpans = 4096

// span is the bytes from start up to end, without end.
type span struct{ start, end int64 }

// covered is which bytes of an item were sent, each counted once. Beyond [maxSpans]
// pieces new ones that touch none are left out: it then tells less than there is.
type covered struct {
	// spans are in order and touch nowhere.
	spans []span
	sum   int64
}

func (c *covered) add(start, end int64) {
	if start >= end {
		return
	}
	// The spans from first up to last touch the new one.
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
