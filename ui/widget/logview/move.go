package logview

import (
	"fmt"

	"ironworks/ui/cell"
)

// spot is a place by the index of its line among those that are shown.
type spot struct{ i, row int }

func (a spot) before(b spot) bool { return a.i < b.i || a.i == b.i && a.row < b.row }

// at is the window's place; it may be behind the last line.
func (v *View) at() spot {
	i := v.index(v.top.number)
	if i < v.Shown() && v.number(i) == v.top.number {
		return spot{i, v.top.row}
	}
	return spot{i, 0}
}

func (v *View) goTo(s spot) {
	if s.i < v.Shown() {
		v.top = place{v.number(s.i), s.row}
	} else {
		v.top = place{number: v.ring.next()}
	}
}

// settle brings the window back into the log after it has changed.
func (v *View) settle() {
	end, at := v.end(), v.at()
	if v.follow || end.before(at) {
		at = end
	}
	if at.i < v.Shown() {
		at.row = min(at.row, v.rowsOf(at.i)-1)
	}
	v.goTo(at)
}

// Follow keeps the newest in sight, or stays where it is.
func (v *View) Follow(follow bool) {
	v.settle()
	if v.follow && !follow {
		v.since = v.ring.next()
	}
	if follow {
		v.cursor = -1
	}
	v.follow = follow
}

// Following says whether the newest is kept in sight.
func (v *View) Following() bool { return v.follow }

// Fresh is how many lines came that the filter keeps since following ended.
func (v *View) Fresh() int {
	if v.follow {
		return 0
	}
	return v.Shown() - v.index(v.since)
}

// Move scrolls by rows. Who leaves the newest stops following, who comes to the end
// follows again.
func (v *View) Move(by int) {
	v.settle()
	end, at := v.end(), v.at()
	if by < 0 {
		at = v.up(at, -by)
	} else {
		at = v.down(at, by, end)
	}
	v.arrive(at, by > 0 && at == end)
}

// arrive puts the window somewhere, and follows from there or not.
func (v *View) arrive(at spot, follow bool) {
	fits := v.end() == spot{}
	v.Follow(follow || v.follow && fits) // where all is in sight there is nothing to leave
	v.goTo(at)
}

// Page scrolls by screens; one row of the last one stays in sight.
func (v *View) Page(by int) { v.Move(by * max(v.h-1, 1)) }

// Top goes to the oldest line.
func (v *View) Top() { v.settle(); v.arrive(spot{}, false) }

// Bottom goes to the newest, and follows.
func (v *View) Bottom() { v.Follow(true) }

// Scroll moves the text sideways by cells, as far as the lines in sight reach.
func (v *View) Scroll(by int) {
	if v.wrap {
		return
	}
	v.settle()
	widest := 0
	for i := v.at().i; i < min(v.at().i+v.h, v.Shown()); i++ {
		widest = max(widest, cell.Width(v.ring.at(v.number(i)).body()))
	}
	most := max(widest-v.room(), 0)
	if by > 0 {
		most = max(most, v.x)
	}
	v.x = min(max(v.x+by, 0), most)
}

// Position tells which of the shown lines are in sight, such as "12–48 of 300"; nothing
// where there are none.
func (v *View) Position() string {
	n := v.Shown()
	if n == 0 {
		return ""
	}
	v.settle()
	at := v.at()
	last := v.down(at, max(v.h-1, 0), spot{n - 1, v.rowsOf(n-1) - 1})
	return fmt.Sprintf("%d–%d of %d", at.i+1, last.i+1, n)
}

// reveal brings a line into sight, with some of what was before it, and marks it.
func (v *View) reveal(i int) {
	number := v.number(i)
	v.settle()
	v.Follow(false)
	v.cursor = number
	first := v.at()
	if last := v.down(first, max(v.h-1, 0), spot{v.Shown() - 1, 0}); i < first.i || i == first.i && first.row > 0 || i >= last.i {
		at := v.up(spot{i: i}, v.h/3)
		if end := v.end(); end.before(at) {
			at = end
		}
		v.goTo(at)
	}
}

// up is the spot that is n rows before another.
func (v *View) up(at spot, n int) spot {
	for n > at.row {
		if at.i == 0 {
			return spot{}
		}
		n -= at.row + 1
		at.i--
		at.row = v.rowsOf(at.i) - 1
	}
	at.row -= n
	return at
}

// down is the spot that is n rows after another, but not beyond the limit.
func (v *View) down(at spot, n int, limit spot) spot {
	for at.i < limit.i && n > 0 {
		left := v.rowsOf(at.i) - 1 - at.row
		if n <= left {
			break
		}
		n -= left + 1
		at = spot{i: at.i + 1}
	}
	at.row += n
	if limit.before(at) {
		return limit
	}
	return at
}

// end is the last spot from which the log fills the area.
func (v *View) end() spot {
	n := v.Shown()
	if n == 0 {
		return spot{}
	}
	return v.up(spot{n - 1, v.rowsOf(n-1) - 1}, max(v.h, 1)-1)
}
