// Package fleet implements the home screen. It lists all nodes in Ironic and is updated continuously.
package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/filter"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/widget/line"
	"ironworks/ui/widget/table"
	"ironworks/viewstate"
)

// Screen lists all nodes. The cursor and the marks stay on their nodes when the order of the list changes.
type Screen struct {
	screen.Base
	env   *screen.Env
	table *table.Table[item]

	sortColumn models.Column
	descending bool
	wide       bool
	// groupBy is the field by which the nodes are grouped, or "" if they are not grouped. folded contains the values
	// of the groups whose nodes are hidden.
	groupBy string
	folded  map[string]bool
	// plain hides the preview. peeked is true if the preview's fields have been requested, or if the fleet is too
	// large to request them.
	plain, peeked bool
	window        int // the width of the screen; width is the width of the list
	width         int
	listAt        int      // the line of the screen at which the table was drawn
	columns       []string // column keys from the configuration; if empty, the default columns are shown
	// configured holds the order and the filter from the configuration. filterErr is the reason why a stored filter
	// cannot be used, or nil.
	configured viewstate.State
	filterErr  error

	// filter is the filter in effect; input holds the text that is being typed, and inputErr its error.
	filter   filter.Filter
	input    *line.Line
	typing   bool
	inputErr error
	// reading cancels the command that reads inventories. unreadInventories holds the errors for inventories that
	// could not be read, by node UUID.
	reading           context.CancelFunc
	unreadInventories map[string]error

	// picture is the last picture that was composed from the store. viewsRequested counts the requests for a picture,
	// so that results of earlier requests can be dropped. composing reports whether a picture is being composed, and
	// composeAgain whether another one is needed after it.
	picture picture
	// userMarks maps the UUID of each node that other users are looking at to the user names that the list shows
	// beside the node, such as " @ann @bob".
	userMarks      map[string]string
	viewsRequested int
	composing      bool
	composeAgain   bool
	// lastRequest is the time when a picture was last requested.
	lastRequest time.Time
}

// New returns the screen with the columns, the sort order and the filter that are configured for the context. The
// view stored by an earlier run takes precedence.
func New(env *screen.Env) *Screen {
	s := &Screen{
		Base: screen.NewBase(screen.Ref{Kind: screen.KindFleet}, "fleet", action.Fleet, action.List, action.Filtered, action.Nodes),
		env:  env, table: table.New(itemID), input: line.New(), reading: func() {},
	}
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

// defaults applies the settings from the configuration. It ignores invalid settings, because they were reported at
// the start.
func (s *Screen) defaults(d screen.Defaults) {
	s.setOrder(d.Sort)
	if f, err := s.parse(d.Filter); err == nil {
		s.filter = f
	}
	s.columns = d.Columns
}

// setOrder sets the sort order to the key of a column, after a dash if it is descending. ok reports whether the column
// is known.
func (s *Screen) setOrder(text string) (ok bool) {
	key, descending := strings.CutPrefix(text, "-")
	c, err := explain.FindColumn(key)
	if err == nil {
		s.sortColumn, s.descending = c, descending
	}
	return err == nil
}

// Start requests the first picture, and reports restored settings that are easily overlooked.
func (s *Screen) Start() tea.Cmd { return tea.Batch(s.refresh(), s.reportRestored()) }

// Shown requests a new picture, because nodes may have changed while the screen was hidden.
func (s *Screen) Shown() tea.Cmd {
	s.markPeople()
	return s.refresh()
}

// Typing reports whether the filter is being edited.
func (s *Screen) Typing() bool { return s.typing }

// Close stops reading inventories.
func (s *Screen) Close() { s.reading() }

// Update handles changes to the fleet, composed pictures, inventories, new settings of the list, and keys typed into
// the filter.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.FleetChanged:
		if msg.Update.Revision == s.picture.revision && s.picture.number > 0 {
			return nil // the store has not changed since the last picture
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
		f, err := s.parse(string(msg))
		if err != nil {
			return nil
		}
		s.typing, s.inputErr = false, nil
		return s.setFilter(f)
	case GroupBy:
		return s.setGroup(string(msg))
	case SortBy:
		return s.sortBy(string(msg))
	case tea.KeyPressMsg, tea.PasteMsg:
		return s.typed(msg)
	}
	return nil
}

func (s *Screen) markPeople() {
	s.userMarks = map[string]string{}
	if s.env.Seat == nil {
		return
	}
	for uuid, users := range s.env.Seat.ByNode() {
		s.userMarks[uuid] = " @" + strings.Join(users, " @")
	}
}

// Targets returns the marked nodes or, if there are none, the node at the cursor.
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

// NodeAtCursor returns the node at the cursor, even if other nodes are marked.
func (s *Screen) NodeAtCursor() (n models.NodeRef, ok bool) {
	row, ok := s.pointed()
	if !ok {
		return n, false
	}
	return row.Node.Ref(), true
}

// pointed returns the node at the cursor; there is none on the heading of a group.
func (s *Screen) pointed() (*models.Row, bool) {
	i, ok := s.table.Cursor()
	return i.Row, ok && i.group == nil
}

// Copies returns the result of [screen.NodeCopies] for the node at the cursor, and the visible cells of its row.
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

// picture is the content of the list. A command composes it: sorting 10 000 nodes in Update would delay keys.
type picture struct {
	number int
	// revision is the store's revision when composing started.
	revision uint64
	rows     []*models.Row
	// unknown lists the nodes for which the filter cannot be evaluated yet.
	unknown []*models.Row
	// unseen lists the UUIDs of nodes that auto-discovery may have enrolled and whose inventory is not known.
	unseen []string
	// groups holds the rows grouped by groupBy. It is nil if groupBy is "".
	groups []*group
	counts fleet.Counts
}

// View returns the settings of the list, so that another run can restore them. It omits a sort order or filter that
// is the same as in the configuration, so that later changes to the configuration take effect.
func (s *Screen) View() viewstate.State {
	v := s.view()
	if *v.Sort == *s.configured.Sort {
		v.Sort = nil
	}
	if *v.Filter == *s.configured.Filter {
		v.Filter = nil
	}
	v.Wide, v.NoPreview, v.Marks = s.wide, s.plain, s.table.Marked()
	v.Group, v.Folded = s.groupBy, s.foldedValues()
	return v
}

func (s *Screen) view() viewstate.State {
	order, filter := s.sortColumn.Key, s.filter.String()
	if s.descending {
		order = "-" + order
	}
	return viewstate.State{Sort: &order, Filter: &filter}
}

// restore applies the list settings that an earlier run stored, and requests the API fields that they need.
func (s *Screen) restore(v *viewstate.State) {
	if v.Sort != nil && s.setOrder(*v.Sort) {
		s.needFields(s.sortColumn.Field)
	}
	if v.Filter != nil {
		f, err := s.parse(*v.Filter)
		if err != nil {
			s.filterErr = fmt.Errorf("stored filter %q ignored: %w", *v.Filter, err)
		} else {
			s.filter = f
			s.needFields(f.Fields()...)
		}
	}
	s.wide, s.plain = v.Wide, v.NoPreview
	if slices.Contains(GroupFields(), v.Group) {
		s.groupBy, s.folded = v.Group, map[string]bool{}
		for _, value := range v.Folded {
			s.folded[value] = true
		}
		s.needGroupField()
	}
	for _, uuid := range v.Marks {
		s.table.Mark(uuid)
	}
}

// needFields requests API fields. Empty names mean fields that are in every listing.
func (s *Screen) needFields(fields ...string) {
	fields = slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return f == "" })
	if len(fields) > 0 && s.env.Session != nil {
		s.env.Session.NeedFields(fields...)
	}
}

// reportRestored reports restored marks, to which the next action applies, and a filter that was lost.
func (s *Screen) reportRestored() tea.Cmd {
	var cmds []tea.Cmd
	if s.filterErr != nil {
		cmds = append(cmds, screen.Send(screen.Say{Level: screen.Warning, Text: models.OnScreen(s.filterErr)}))
	}
	if n := len(s.table.Marked()); n > 0 {
		cmds = append(cmds, screen.Send(screen.Say{Text: s.env.Keys.Text(fmt.Sprintf(textMarksRestored, models.Counted(n, "mark")))}))
	}
	return tea.Batch(cmds...)
}
