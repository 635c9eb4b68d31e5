// Package fleet is the home screen: every node of an Ironic, live.
package fleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/widget/line"
	"ironworks/ui/widget/table"
	"ironworks/viewstate"
)

// Screen is the list of all nodes. The cursor and the marks belong to nodes, not to lines.
type Screen struct {
	env   *screen.Env
	table *table.Table[item]

	sortColumn models.Column
	descending bool
	wide       bool
	// groupBy is the field by which nodes are grouped, "" for none. folded has the values of the groups whose nodes are
	// hidden.
	groupBy string
	folded  map[string]bool
	// plain hides the preview. peeked is true once the fields of the preview were requested, or if the fleet is too
	// large for them.
	plain, peeked bool
	window        int // the width of the screen; width is that of the list
	width         int
	listAt        int      // the line at which the table was drawn
	columns       []string // keys from the configuration; empty: the default columns
	// configured are the order and the filter of the configuration; filterErr is why a stored filter cannot be used, or
	// nil.
	configured viewstate.State
	filterErr  error

	// filter is the active filter; input is the text being typed, and inputErr its error.
	filter   models.Filter
	input    *line.Line
	typing   bool
	inputErr error
	// reading stops the reading of inventories for the filter; unreadInventories has the nodes that could not be read,
	// and why.
	reading           context.CancelFunc
	unreadInventories map[string]error

	// picture is the last view composed from the store. viewsRequested counts the requests for a new one; answers to
	// older requests are dropped. composing means that a view is being composed, composeAgain that another one is
	// wanted afterwards.
	picture picture
	// userMarks are the marks of nodes that other users look at, by UUID.
	userMarks      map[string]string
	viewsRequested int
	composing      bool
	composeAgain   bool
	// lastRequest is the time when the last view was requested.
	lastRequest time.Time
}

// New makes the screen, with the context's columns, order and filter.
func New(env *screen.Env) *Screen {
	s := &Screen{env: env, table: table.New(itemID), input: line.New(), reading: func() {}}
	s.table.Highlight = true
	s.table.FullRow = s.groupHeading
	s.input.Placeholder = "text, key:value, !not, ~fuzzy, age:>1h, a | b"
	s.sortColumn, _ = explain.FindColumn("state")
	if env.Session != nil {
		s.defaults(env.Session.Defaults)
		s.configured = s.view()
		s.restore(&env.Session.View)
	}
	s.setColumns()
	return s
}

// defaults applies the configuration; its errors were reported at the start.
func (s *Screen) defaults(d screen.Defaults) {
	key, descending := strings.CutPrefix(d.Sort, "-")
	if c, err := explain.FindColumn(key); err == nil {
		s.sortColumn, s.descending = c, descending
	}
	if f, err := s.parse(d.Filter); err == nil {
		s.filter = f
	}
	s.columns = d.Columns
}

// Ref identifies the screen.
func (s *Screen) Ref() screen.Ref { return screen.Ref{Kind: screen.KindFleet} }

// Title returns the text for the header.
func (s *Screen) Title() string { return "fleet" }

// Start requests the first picture, and reports restored settings that are easily overlooked.
func (s *Screen) Start() tea.Cmd { return tea.Batch(s.refresh(), s.reportRestored()) }

// Shown requests a new view: nodes may have changed meanwhile.
func (s *Screen) Shown() tea.Cmd {
	s.markPeople()
	return s.refresh()
}

// Scopes returns the groups of actions: those for a list of nodes that can be filtered.
func (s *Screen) Scopes() []action.Scope {
	return []action.Scope{action.Fleet, action.List, action.Filtered, action.Nodes}
}

// Typing reports whether the filter is being edited.
func (s *Screen) Typing() bool { return s.typing }

// Close stops reading inventories.
func (s *Screen) Close() { s.reading() }

// Update handles changes of the fleet, a composed view, and the keys of the filter.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.FleetChanged:
		if msg.Update.Revision == s.picture.revision && s.picture.number > 0 {
			return nil // the store is unchanged since the last view
		}
		return s.refresh()
	case screen.Reload:
		return s.refresh()
	case screen.PeopleChanged:
		s.markPeople()
	case screen.Tick:
		return s.dueOrder(msg.Now)
	case picture:
		return s.showPicture(msg)
	case inventories:
		return s.inventoriesRead(msg)
	case UseFilter:
		return s.useFilter(string(msg))
	case GroupBy:
		return s.setGroup(string(msg))
	case SortBy:
		return s.sortBy(string(msg))
	case tea.KeyPressMsg, tea.PasteMsg:
		return s.typed(msg)
	}
	return nil
}

// markPeople marks the nodes that other users look at.
func (s *Screen) markPeople() {
	s.userMarks = map[string]string{}
	if s.env.Seat == nil {
		return
	}
	for uuid, users := range s.env.Seat.ByNode() {
		s.userMarks[uuid] = " @" + strings.Join(users, " @")
	}
}

// Targets returns the marked nodes, or the node at the cursor.
func (s *Screen) Targets() []models.NodeRef {
	if marked := s.table.Marked(); len(marked) > 0 {
		refs := make([]models.NodeRef, 0, len(marked))
		for _, uuid := range marked {
			if row, _, ok := s.env.Session.Store.Get(uuid); ok {
				refs = append(refs, row.Node.Ref())
			}
		}
		return refs
	}
	if n, ok := s.NodeAtCursor(); ok {
		return []models.NodeRef{n}
	}
	return nil
}

// NodeAtCursor returns the node at the cursor.
func (s *Screen) NodeAtCursor() (n models.NodeRef, ok bool) {
	row, ok := s.pointed()
	if !ok {
		return n, false
	}
	return row.Node.Ref(), true
}

// pointed returns the row of the node at the cursor; false at the heading of a group.
func (s *Screen) pointed() (*models.Row, bool) {
	i, ok := s.table.Cursor()
	return i.Row, ok && i.group == nil
}

// Copies lists the data of the node at the cursor that can be copied.
func (s *Screen) Copies() []screen.Copyable {
	row, ok := s.pointed()
	if !ok {
		return nil
	}
	copies := screen.NodeCopies(s.env, &row.Node)
	var cells []string
	for _, key := range s.keys() {
		if c, err := explain.FindColumn(key); err == nil {
			cells = append(cells, c.Text(row, s.env.ServerNow()))
		}
	}
	return append(copies, screen.Copyable{Name: "row", Text: strings.Join(cells, "\t"), Shape: screen.Row})
}

// counted returns the number of visible nodes, and of all nodes if a filter hides some.
func (s *Screen) counted() string {
	if s.filter.IsZero() {
		return models.Counted(s.picture.counts.Total, "node")
	}
	return fmt.Sprintf("%d of %s", len(s.picture.rows), models.Counted(s.picture.counts.Total, "node"))
}

// picture is a view composed from the store by a command: sorting 10 000 nodes would delay keys.
type picture struct {
	number int
	// revision is the store's revision at the start.
	revision uint64
	rows     []*models.Row
	// unknown are the nodes for which the filter has no answer yet.
	unknown []*models.Row
	// unseen are nodes that auto-discovery may have enrolled.
	unseen []string
	// groups are the rows by groupBy; nil if groupBy is "".
	groups []*group
	counts fleet.Counts
}
