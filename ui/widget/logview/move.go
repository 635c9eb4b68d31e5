package logview

import (
	"ironworks/ui/cell"
	"ironworks/ui/widget/pane"
)

// at returns the position of the window. It may be beyond the last line.
func (v *View) at() pane.Place {
	i := v.index(v.top.number)
	if i < v.Shown() && v.number(i) == v.top.number {
		return pane.Place{Line: i, Row: v.top.row}
	}
	return pane.Place{Line: i}
}

func (v *View) goTo(to pane.Place) {
	if to.Line < v.Shown() {
		v.top = place{v.number(to.Line), to.Row}
	} else {
		v.top = place{number: v.ring.next()}
	}
}

// settle corrects the position of the window after the log has changed.
func (v *View) settle() {
	end, at := v.end(), v.at()
	if v.follow || end.Before(at) {
		at = end
	}
	if at.Line < v.Shown() {
		at.Row = min(at.Row, v.rowsOf(at.Line)-1)
	}
	v.goTo(at)
}

// Follow starts or stops following the newest line.
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

// Following reports whether the newest line is followed.
func (v *View) Following() bool { return v.follow }

// Fresh returns the number of matching lines that have arrived since the view stopped following, or 0 if it follows.
func (v *View) Fresh() int {
	if v.follow {
		return 0
	}
	return v.Shown() - v.index(v.since)
}

// Move scrolls by rows. Scrolling away from the end stops following, scrolling down to it starts it again.
func (v *View) Move(by int) {
	v.settle()
	end := v.end()
	at := v.walk().Move(v.at(), by, end)
	v.setPosition(at, by > 0 && at == end)
}

// setPosition moves the window, and sets whether it follows new lines.
func (v *View) setPosition(at pane.Place, follow bool) {
	fits := v.end() == pane.Place{}
	v.Follow(follow || v.follow && fits) // a window that shows all lines continues to follow
	v.goTo(at)
}

// Page scrolls by the given number of screens, which overlap by one row.
func (v *View) Page(by int) { v.Move(by * max(v.h-1, 1)) }

// Top goes to the oldest line, and stops following.
func (v *View) Top() { v.settle(); v.setPosition(pane.Place{}, false) }

// Bottom goes to the newest line, and starts following.
func (v *View) Bottom() { v.Follow(true) }

// Scroll scrolls sideways by the given number of cells, at most to the end of the longest visible line. It does
// nothing if lines are wrapped.
func (v *View) Scroll(by int) {
	if v.wrap {
		return
	}
	v.settle()
	widest := 0
	for i := v.at().Line; i < min(v.at().Line+v.h, v.Shown()); i++ {
		widest = max(widest, cell.Width(v.ring.at(v.number(i)).body()))
	}
	most := max(widest-v.room(), 0)
	if by > 0 {
		most = max(most, v.x)
	}
	v.x = min(max(v.x+by, 0), most)
}

// Position returns the range of visible lines as text, such as "12–48 of 300", or "" if there are none.
func (v *View) Position() string {
	v.settle()
	return v.walk().Position(v.at(), v.Shown(), v.h)
}

// reveal makes the i-th matching line current and, unless it is fully visible, scrolls to it.
func (v *View) reveal(i int) {
	number := v.number(i)
	v.settle()
	v.Follow(false)
	v.cursor = number
	first := v.at()
	if last := v.walk().Down(first, max(v.h-1, 0), pane.Place{Line: v.Shown() - 1}); i < first.Line || i == first.Line && first.Row > 0 || i >= last.Line {
		at := v.walk().Up(pane.Place{Line: i}, v.h/3)
		if end := v.end(); end.Before(at) {
			at = end
		}
		v.goTo(at)
	}
}

func (v *View) walk() pane.Rows { return v.rowsOf }

// end returns the last position at which the lines still fill the window.
func (v *View) end() pane.Place { return v.walk().End(v.Shown(), v.h) }
