package table

import "ironworks/ui/cell"

const (
	gutter = 3 // cursor, mark, a blank
	gap    = 2 // blanks between columns
	// sample is how many rows are asked for a column's width, besides those in sight.
	sample = 400
)

// plan is which columns are shown and how wide. It depends on the columns, the area and
// the widest content so far, not on what is in sight: scrolling never moves a column.
type plan struct {
	cols      []int // places in Table.cols
	width     []int // of each of cols
	maxScroll int
}

// Hidden is how many columns are out of sight: dropped for want of room, or scrolled
// away.
func (t *Table[R]) Hidden() int {
	p := t.layout()
	shown, x := 0, gutter
	for i := range p.cols {
		if i > 0 && i <= t.scroll {
			continue
		}
		if x >= t.w {
			break
		}
		x += p.width[i] + gap
		shown++
	}
	return len(t.cols) - shown
}

// measureAnew forgets how wide contents were.
func (t *Table[R]) measureAnew() {
	t.seen = make([]int, len(t.cols))
	t.plan = nil
	t.measure()
}

// measure learns the widths of contents: of the rows in sight and of some spread over
// the rest. Widths only grow, so that a refresh does not make columns jump.
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
	for i := range t.cols {
		col := &t.cols[i]
		if col.Cell == nil || col.Max > 0 && t.seen[i] >= col.Max {
			continue
		}
		if w := col.Cell(r).width(); w > t.seen[i] {
			t.seen[i] = w
			t.plan = nil
		}
	}
}

// width is the cells that the content takes.
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

// bounds are the least width of a column and the one it would like.
func (t *Table[R]) bounds(i int) (least, want int) {
	col := &t.cols[i]
	title := cell.Width(col.Title)
	want = max(col.Min, title, t.seen[i], 1)
	if col.Max > 0 {
		want = min(want, max(col.Max, col.Min))
	}
	if col.Grow > 0 {
		// It takes the room that is left, and needs none that it does not fill.
		want = max(title, t.seen[i], 1)
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

// worth is the width from where on a column is worth its place: of one that grows, which
// has no least of its own, it is Min all the same.
func (t *Table[R]) worth(i int) int {
	least, _ := t.bounds(i)
	if col := &t.cols[i]; col.Grow > 0 {
		return max(least, col.Min)
	}
	return least
}

// layout is the plan for the present columns, area and contents.
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

// drop takes the columns out that can go, until the others fit at their least width.
func (t *Table[R]) drop(p *plan) {
	need := gutter - gap
	for _, i := range p.cols {
		need += t.worth(i) + gap
	}
	for need > t.w {
		out := -1
		for k, i := range p.cols {
			// Of equals, the rightmost goes.
			if d := t.cols[i].Drop; d > 0 && (out < 0 || d >= t.cols[p.cols[out]].Drop) {
				out = k
			}
		}
		if out < 0 {
			return
		}
		need -= t.worth(p.cols[out]) + gap
		p.cols = append(p.cols[:out], p.cols[out+1:]...)
	}
}

// widen gives room to the columns whose contents need more, a cell to each in turn:
// where it does not suffice, the widest are cut. Those that grow come last: they are made
// to be cut.
func (t *Table[R]) widen(p *plan, room int) int {
	room = t.widenSome(p, room, func(c *Column[R]) bool { return c.Grow == 0 })
	return t.widenSome(p, room, func(c *Column[R]) bool { return c.Grow > 0 })
}

func (t *Table[R]) widenSome(p *plan, room int, these func(*Column[R]) bool) int {
	for given := true; given && room > 0; {
		given = false
		for k, i := range p.cols {
			_, want := t.bounds(i)
			if these(&t.cols[i]) && p.width[k] < want && room > 0 {
				p.width[k]++
				room--
				given = true
			}
		}
	}
	return room
}

// grow shares out the room that is left.
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

// limit keeps each column within what can be shown of it beside the first one, and finds
// how far there is to scroll.
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
		// The first column is always there; it may not leave the others without room.
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
