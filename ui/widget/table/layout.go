package table

import "ironworks/ui/cell"

const (
	gutter = 3 // the cursor, the mark, and a space
	gap    = 2 // spaces between columns
	// sample is the approximate number of rows that are measured in addition to the visible ones.
	sample = 400
)

// plan is the layout of a table: its visible columns and their widths. It depends on the columns, the area, and the
// widest content so far, but not on which rows are visible, so that scrolling never moves a column.
type plan struct {
	cols      []int // indexes into Table.cols
	width     []int // width of each element of cols
	maxScroll int
}

// Shown returns the keys of the columns that are visible, from left to right.
func (t *Table[R]) Shown() []string {
	var keys []string
	x := gutter
	for k, i := range t.layout().cols {
		if k > 0 && k <= t.scroll {
			continue
		}
		if x >= t.w {
			break
		}
		x += t.plan.width[k] + gap
		keys = append(keys, t.cols[i].Key)
	}
	return keys
}

// measureAnew discards the measured widths and measures again.
func (t *Table[R]) measureAnew() {
	t.widest = make([]int, len(t.cols))
	t.plan = nil
	t.measure()
}

// measure measures the visible rows and a sample. Widths only grow, so that no refresh makes columns narrower.
func (t *Table[R]) measure() {
	for _, r := range t.Visible() {
		t.measureRow(r)
	}
	step := max((len(t.rows)+sample-1)/sample, 1)
	for i := 0; i < len(t.rows); i += step {
		t.measureRow(t.rows[i])
	}
}

func (t *Table[R]) measureRow(r R) {
	if _, whole := t.fullRow(r); whole {
		return
	}
	for i := range t.cols {
		col := &t.cols[i]
		if col.Max > 0 && t.widest[i] >= col.Max {
			continue
		}
		if w := col.printable(r).width(); w > t.widest[i] {
			t.widest[i] = w
			t.plan = nil
		}
	}
}

func (c Cell) width() int {
	w := cell.Width(c.Text)
	if c.Glyph == "" {
		return w
	}
	if w > 0 {
		w++
	}
	return w + cell.Width(c.Glyph)
}

// bounds returns the minimum width of a column, and the width that it would need.
func (t *Table[R]) bounds(i int) (least, want int) {
	col := &t.cols[i]
	title := cell.Width(col.Title)
	want = max(col.Min, title, t.widest[i], 1)
	if col.Max > 0 {
		want = min(want, max(col.Max, col.Min))
	}
	if col.Grow > 0 {
		// A column with Grow takes free space anyway, so it wants no more than its content needs.
		want = max(title, t.widest[i], 1)
		if col.Max > 0 {
			want = min(want, max(col.Max, 1))
		}
	}
	least = col.Min
	if least <= 0 {
		least = max(title, 1)
	}
	return min(least, want), want
}

// usefulWidth returns the least width at which a column is worth showing. With Grow, it is at least Min.
func (t *Table[R]) usefulWidth(i int) int {
	least, _ := t.bounds(i)
	if col := &t.cols[i]; col.Grow > 0 {
		return max(least, col.Min)
	}
	return least
}

func (t *Table[R]) layout() *plan {
	if t.plan != nil {
		return t.plan
	}
	p := &plan{}
	for i := range t.cols {
		p.cols = append(p.cols, i)
	}
	if !t.wide {
		t.drop(p)
	}
	p.width = make([]int, len(p.cols))
	room := t.w - gutter + gap
	for k, i := range p.cols {
		least, want := t.bounds(i)
		p.width[k] = least
		if t.wide {
			p.width[k] = want
		}
		room -= p.width[k] + gap
	}
	room = t.widen(p, room)
	t.grow(p, room)
	t.limit(p)
	t.scroll = min(t.scroll, p.maxScroll)
	t.plan = p
	return p
}

// drop removes columns until the remaining ones fit at their smallest useful width, or until no more may be removed.
func (t *Table[R]) drop(p *plan) {
	need := gutter - gap
	for _, i := range p.cols {
		need += t.usefulWidth(i) + gap
	}
	for need > t.w {
		out := -1
		for k, i := range p.cols {
			// Of columns with the same Drop, the rightmost is removed.
			if d := t.cols[i].Drop; d > 0 && (out < 0 || d >= t.cols[p.cols[out]].Drop) {
				out = k
			}
		}
		if out < 0 {
			return
		}
		need -= t.usefulWidth(p.cols[out]) + gap
		p.cols = append(p.cols[:out], p.cols[out+1:]...)
	}
}

// widen gives cells to the columns that need more, one cell each in turn, so that only the widest columns are cut.
// Columns with Grow come last. It returns the number of cells that remain.
func (t *Table[R]) widen(p *plan, room int) int {
	for _, growing := range []bool{false, true} {
		for given := true; given && room > 0; {
			given = false
			for k, i := range p.cols {
				_, want := t.bounds(i)
				if growing == (t.cols[i].Grow > 0) && p.width[k] < want && room > 0 {
					p.width[k]++
					room--
					given = true
				}
			}
		}
	}
	return room
}

// grow distributes the remaining width among the columns with Grow.
func (t *Table[R]) grow(p *plan, room int) {
	for given := true; given && room > 0; {
		given = false
		for k, i := range p.cols {
			col := &t.cols[i]
			more := min(col.Grow, room)
			if col.Max > 0 {
				more = min(more, col.Max-p.width[k])
			}
			if more > 0 {
				p.width[k] += more
				room -= more
				given = true
			}
		}
	}
}

// limit makes each column fit beside the first one if not all fit, and computes how far Scroll can go.
func (t *Table[R]) limit(p *plan) {
	if len(p.cols) == 0 {
		return
	}
	total := gutter - gap
	for k := range p.width {
		total += p.width[k] + gap
	}
	if total <= t.w {
		return
	}
	area := max(t.w-gutter, 1)
	if len(p.cols) > 1 {
		// The first column is always visible, but takes at most half of the area.
		p.width[0] = min(p.width[0], max(area/2, 1))
	}
	rest := max(area-p.width[0]-gap, 1)
	room := rest + gap
	p.maxScroll = len(p.cols) - 1
	for k := len(p.cols) - 1; k > 0; k-- {
		p.width[k] = min(p.width[k], rest)
		room -= p.width[k] + gap
		if room >= 0 {
			p.maxScroll = k - 1
		}
	}
}
