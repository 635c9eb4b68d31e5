package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/provision"
)

// UseFilter is a message that asks the screen to use the filter with this text.
type UseFilter string

func (s *Screen) parse(text string) (filter.Filter, error) {
	if s.env.Session == nil {
		return filter.Parse(text)
	}
	return s.env.Session.Filters.Parse(text)
}

// suggest sets the possible completions of the last word of the filter that is being typed.
func (s *Screen) suggest() {
	text := s.input.Value()
	head := text[:strings.LastIndexAny(text, " |")+1]
	var suggestions []string
	if word := text[len(head):]; word != "" && s.env.Session != nil {
		for _, c := range s.env.Session.Filters.Complete(word, s.picture.rows) {
			suggestions = append(suggestions, head+c)
		}
	}
	s.input.SetSuggestions(suggestions)
}

// inventoriesAtOnce is the maximum number of inventories that are read before the list is composed again.
const inventoriesAtOnce = 200

// inventories reports that inventories were read: the errors of those that could not be, by node UUID.
type inventories map[string]error

// missingInventories returns the UUIDs of nodes whose inventory is needed but unknown, except those whose inventory
// could not be read. An inventory is needed if the filter uses it, or if auto-discovery may have enrolled the node.
// It returns at most inventoriesAtOnce UUIDs.
func (s *Screen) missingInventories() []string {
	var uuids []string
	add := func(uuid string) {
		if _, failed := s.unreadInventories[uuid]; !failed && len(uuids) < inventoriesAtOnce {
			uuids = append(uuids, uuid)
		}
	}
	for _, uuid := range s.picture.unseen {
		add(uuid)
	}
	if !s.filter.NeedsHardware() {
		return uuids
	}
	properties := slices.Contains(s.filter.Fields(), "properties") // properties may make the inventory unnecessary
	for _, r := range s.picture.unknown {
		if r.Hardware == nil && (r.Node.Properties != nil || !properties) {
			add(r.Node.UUID)
		}
	}
	return uuids
}

// readInventories returns the command that reads the missing inventories. It cancels the previous command.
func (s *Screen) readInventories() tea.Cmd {
	uuids := s.missingInventories()
	if len(uuids) == 0 {
		return nil
	}
	s.reading()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	s.reading = cancel
	api, store := s.env.Session.API, s.env.Session.Store
	return func() tea.Msg {
		var mu sync.Mutex
		failed := inventories{}
		provision.ReadHardware(ctx, api, uuids, func(uuid string, hardware *models.Hardware, err error) {
			if err == nil {
				store.SetHardware(uuid, hardware)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			failed[uuid] = err
		})
		if ctx.Err() != nil {
			return nil
		}
		return failed
	}
}

func (s *Screen) inventoriesRead(failed inventories) tea.Cmd {
	for uuid, err := range failed {
		if s.unreadInventories == nil {
			s.unreadInventories = map[string]error{}
		}
		s.unreadInventories[uuid] = err
	}
	return s.refresh()
}

// unknownText says how many nodes the filter cannot be evaluated for, or why, or "" if there are none.
func (s *Screen) unknownText() string {
	n := len(s.picture.unknown)
	if n == 0 {
		return ""
	}
	if len(s.unreadInventories) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(s.unreadInventories))) // every drawing shows the same error
		return fmt.Sprintf("%s not read: %s ", models.Counted(n, "node"), models.OnScreen(s.unreadInventories[first]))
	}
	if lacking := s.env.Session.API.MissingFields(s.filter.Fields()); len(lacking) > 0 {
		return fmt.Sprintf("not available: %s ", strings.Join(lacking, ", "))
	}
	return fmt.Sprintf("%s still unknown ", models.Counted(n, "node"))
}
