package ui

import (
	"reflect"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/fleet"
	"ironworks/ui/screen/node"
	"ironworks/ui/widget/form"
	"ironworks/viewstate"
)

// viewDelay is the time for which a view must stay unchanged before it is stored.
const viewDelay = 2 * time.Second

type viewKeeper struct {
	file *viewstate.File
	// saved is the view that was last stored, and number counts the saves. pending is the latest view, and since is
	// the time when it last changed.
	saved, pending viewstate.State
	since          time.Time
	number         int
	// failed means that an error has occurred. Further errors are not reported.
	failed bool
	// reopen is the node whose screen was open when the previous console ended, and tab is the tab that was open on
	// it. reopen is cleared when the screen has been shown or a key is pressed.
	reopen, tab string
}

type viewSaved struct {
	session int
	err     error
}

func newViewKeeper(s *screen.Session) viewKeeper {
	return viewKeeper{file: s.ViewFile, saved: s.View, pending: s.View, reopen: s.View.Node, tab: s.View.Tab}
}

// view returns the state that is stored: the fleet's arrangement, the open node with its tab, and the forms' input.
func (c *Console) view() (v viewstate.State) {
	for _, s := range c.history.visited {
		if list, ok := s.(*fleet.Screen); ok {
			v = list.View()
		}
	}
	if n, ok := c.history.front().(*node.Screen); ok {
		v.Node, v.Tab = n.Ref().ID, string(n.Tab())
	} else if c.live.views.reopen != "" {
		v.Node, v.Tab = c.live.views.reopen, c.live.views.tab
	}
	v.Entered = storable(c.env.Entered)
	return v
}

// maxEntered is the maximum length, in bytes, of an input that is stored.
const maxEntered = 500

// storable returns the input of forms that may be stored. It leaves out inputs that are too long or contain control
// characters, and URLs that contain a password or a signature.
func storable(h form.History) map[string][]string {
	stored := map[string][]string{}
	for key, texts := range h {
		for _, text := range texts {
			if len(text) <= maxEntered && printable.Line(text) == text && models.MaskURL(text) == text {
				stored[key] = append(stored[key], text)
			}
		}
	}
	if len(stored) == 0 {
		return nil
	}
	return stored
}

// recall adds the stored input of fields for which this console has no input yet.
func (c *Console) recall(stored map[string][]string) {
	for key, texts := range stored {
		if len(c.env.Entered[key]) == 0 {
			c.env.Entered[key] = slices.Clone(texts)
		}
	}
}

// dueView returns a command that stores the view, or nil. A changed view is stored after viewDelay.
func (c *Console) dueView(now time.Time) tea.Cmd {
	if c.live == nil || c.live.views.file == nil {
		return nil
	}
	k, v := &c.live.views, c.view()
	if !reflect.DeepEqual(v, k.pending) {
		k.pending, k.since = v, now
	}
	if reflect.DeepEqual(v, k.saved) || now.Sub(k.since) < viewDelay {
		return nil
	}
	save, number := k.save(v), c.live.number
	return func() tea.Msg { return viewSaved{number, save()} }
}

// saveView returns a function that stores the current view if it has changed. It may be called once, on any goroutine.
func (c *Console) saveView() func() error {
	if c.live == nil || c.live.views.file == nil {
		return func() error { return nil }
	}
	return c.live.views.save(c.view())
}

// save returns a function that stores v if it differs from the view that was last stored.
func (k *viewKeeper) save(v viewstate.State) func() error {
	if reflect.DeepEqual(v, k.saved) {
		return func() error { return nil }
	}
	k.saved = v
	k.number++
	file, number := k.file, k.number
	return func() error { return file.Save(number, v) }
}

// viewSaved shows the operator the first error in storing the view of a session. Later errors are ignored.
func (c *Console) viewSaved(msg viewSaved) {
	if c.live == nil || msg.session != c.live.number || msg.err == nil || c.live.views.failed {
		return
	}
	c.live.views.failed = true
	c.Say(screen.Say{Level: screen.Warning, Text: models.OnScreen(msg.err)})
}

// reopen opens the node whose screen was open when the previous console ended. It waits until all nodes are known and
// no dialog is open. It does nothing if the operator has pressed a key or the node no longer exists. In place of the
// BMC tab, it opens the first tab, because the BMC must not be queried unless the operator asks for it.
func (c *Console) reopen() tea.Cmd {
	k := &c.live.views
	uuid, tab := k.reopen, action.ID(k.tab)
	if uuid == "" || !c.env.Status.Complete || len(c.overlays) > 0 {
		return nil
	}
	k.reopen = ""
	front := c.history.front()
	if _, _, known := c.env.Session.Store.Get(uuid); !known || front == nil || front.Ref().Kind != screen.KindFleet {
		return nil
	}
	if !node.ShowsTab(tab) || tab == action.ShowBMC {
		tab = ""
	}
	return c.openAt(screen.Open{Ref: screen.Ref{Kind: screen.KindNode, ID: uuid}, Then: tab})
}
