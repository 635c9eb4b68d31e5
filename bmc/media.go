package bmc

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ironworks/models"
)

// label is a slot as it is told: "slot 1 (CD, DVD)".
func (s *slot) label() string {
	if len(s.MediaTypes) == 0 {
		return "slot " + s.ID
	}
	return fmt.Sprintf("slot %s (%s)", s.ID, strings.Join(s.MediaTypes[:min(len(s.MediaTypes), 3)], ", "))
}

// takesCD says whether a slot is one for an ISO; one that does not tell may be.
func (s *slot) takesCD() bool {
	return len(s.MediaTypes) == 0 || slices.ContainsFunc(s.MediaTypes, func(t string) bool {
		return strings.EqualFold(t, "CD") || strings.EqualFold(t, "DVD")
	})
}

func (s *slot) holds() string {
	if s.Image == "" {
		return s.label() + " has something in it"
	}
	return s.label() + " has " + models.MaskURL(s.Image) + " in it"
}

// allSlots are the slots of the machine, of which there has to be one.
func (m *server) allSlots(ctx context.Context, op string) ([]slot, error) {
	controller, err := m.findManager(ctx)
	if controller == nil && m.system.VirtualMedia.ID == "" && err != nil {
		return nil, err
	}
	slots, err := m.slots(ctx, controller)
	if len(slots) == 0 {
		if err != nil {
			return nil, err
		}
		return nil, m.refuse(op, "this BMC has no virtual media", "some want a licence for it")
	}
	return slots, nil
}

func labels(slots []slot) string {
	var words []string
	for i := range slots {
		words = append(words, slots[i].label())
	}
	return strings.Join(words, ", ")
}

// doInsert puts an image into a slot that is empty.
func (m *server) doInsert(ctx context.Context, o models.BMCOrder) (string, error) {
	image, err := url.Parse(o.Image)
	if err != nil {
		return "", o.Check()
	}
	if isLoopback(image.Hostname()) && !isLoopback(m.guard.base.Hostname()) {
		return "", m.refuse(o.Name(), "the BMC fetches the image, and to the BMC "+image.Hostname()+" is itself", "name an address that the BMC reaches")
	}
	slots, err := m.allSlots(ctx, o.Name())
	if err != nil {
		return "", err
	}
	s, err := m.slotToFill(o, slots)
	if err != nil {
		return "", err
	}
	protocols, err := m.fetches(ctx, s)
	if err != nil {
		return "", err
	}
	protocol := strings.ToUpper(image.Scheme)
	if !slices.ContainsFunc(protocols, func(p string) bool { return strings.EqualFold(p, protocol) }) && len(protocols) > 0 {
		return "", m.refuse(o.Name(), s.label()+" does not fetch from "+protocol, "it offers "+strings.Join(protocols, ", "))
	}
	body := map[string]any{}
	if image.User != nil {
		body["UserName"] = image.User.Username()
		if password, has := image.User.Password(); has {
			body["Password"] = password
			m.keepSecret(image.User.Username(), password)
		}
		image.User = nil
	}
	body["Image"] = image.String()
	note, err := m.insert(ctx, s, body, protocol)
	if err != nil {
		return "", err
	}
	return "inserted into " + s.label() + note + m.mediaNow(ctx, s, true), nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// slotToFill is the slot that is named, or the first empty one for an ISO.
func (m *server) slotToFill(o models.BMCOrder, slots []slot) (*slot, error) {
	if o.Slot != "" {
		s, err := m.named(o, slots)
		if err == nil && s.full() {
			return nil, m.occupied(o, s.holds())
		}
		return s, err
	}
	var held []string
	for i := range slots {
		switch s := &slots[i]; {
		case !s.takesCD():
		case s.full():
			held = append(held, s.holds())
		default:
			return s, nil
		}
	}
	if len(held) > 0 {
		return nil, m.occupied(o, strings.Join(held, ", "))
	}
	return nil, m.refuse(o.Name(), "this BMC has no slot for a CD", "it has "+labels(slots))
}

func (m *server) occupied(o models.BMCOrder, what string) error {
	return &models.Fault{Kind: models.FaultConflict, Op: o.Name(), URL: m.url, Message: m.safe(what), Hint: "eject it first"}
}

func (m *server) named(o models.BMCOrder, slots []slot) (*slot, error) {
	for i := range slots {
		if strings.EqualFold(slots[i].ID, o.Slot) {
			return &slots[i], nil
		}
	}
	return nil, m.refuse(o.Name(), "there is no slot "+o.Slot, "there is "+labels(slots))
}

// insert asks with as little as there is to say, and says more, or less, where the
// controller wants it: there are those that refuse what others demand.
func (m *server) insert(ctx context.Context, s *slot, body map[string]any, protocol string) (string, error) {
	ask := func() (string, error) {
		return m.act(ctx, actionAt(s.Actions.Insert.Target, s.ref.ID+"/Actions/VirtualMedia.InsertMedia"), body)
	}
	extras := []map[string]any{{"Inserted": true, "WriteProtected": true}, {"TransferMethod": "Stream", "TransferProtocolType": protocol}}
	if s.Actions.Insert == nil {
		maps.Copy(body, extras[0]) // without it some take the image, and do not insert it
		ask = func() (string, error) { return m.change(ctx, s.ref.ID, body) }
		extras = []map[string]any{{"WriteProtected": nil}, {"Inserted": nil}}
	}
	const most = 5
	note, err := ask()
	for tries := 1; refused(err) && tries < most; tries++ {
		if !adapt(body, err, protocol) {
			if len(extras) == 0 {
				break
			}
			apply(body, extras[0])
			extras = extras[1:]
		}
		note, err = ask()
	}
	return note, err
}

// adapt adds to a body what a controller's no is about, or takes it away where it was
// there, and reports whether there was anything.
func adapt(body map[string]any, err error, protocol string) bool {
	found := false
	for name, value := range map[string]any{"Inserted": true, "WriteProtected": true, "TransferMethod": "Stream", "TransferProtocolType": protocol} {
		if !names(err, name) {
			continue
		}
		if _, is := body[name]; is {
			value = nil
		}
		apply(body, map[string]any{name: value})
		found = true
	}
	return found
}

// apply changes a body; nil takes away.
func apply(body, change map[string]any) {
	for name, value := range change {
		if value == nil {
			delete(body, name)
		} else {
			body[name] = value
		}
	}
}

// refused says that a controller did not like the properties that it got: not that it
// could not do what they ask for.
func refused(err error) bool {
	switch status(err) {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return anyOf(err, "ActionParameterMissing", "ActionParameterUnknown", "ActionParameterNotSupported", "ActionParameterValueFormatError",
			"PropertyMissing", "PropertyUnknown", "PropertyNotWritable", "PropertyValueNotInList", "CreateFailedMissingReqProperties", "MalformedJSON")
	}
	return false
}

// mediaNow is what the controller says of a slot, where that is not what was ordered.
func (m *server) mediaNow(ctx context.Context, s *slot, full bool) string {
	var now slot
	if err := m.get(ctx, s.ref.ID, &now); err != nil {
		return "; the BMC could not be asked what came of it"
	}
	switch {
	case full && !now.full():
		return "; the BMC says that it is empty (yet): can it fetch the image?"
	case !full && now.full():
		return "; the BMC says that it is there still"
	}
	return ""
}

// doEject empties a slot: the one that is named, or the only one that is full.
func (m *server) doEject(ctx context.Context, o models.BMCOrder) (string, error) {
	slots, err := m.allSlots(ctx, o.Name())
	if err != nil {
		return "", err
	}
	var held []slot
	if o.Slot != "" {
		s, err := m.named(o, slots)
		if err != nil {
			return "", err
		}
		slots = []slot{*s}
	}
	for i := range slots {
		if slots[i].full() {
			held = append(held, slots[i])
		}
	}
	switch len(held) {
	case 0:
		return "nothing is inserted", nil
	case 1:
	default:
		return "", m.refuse(o.Name(), fmt.Sprintf("%d slots have something in them", len(held)), "say which one: "+labels(held))
	}
	s := &held[0]
	var note string
	if a := s.Actions.Eject; a != nil {
		at := actionAt(a.Target, s.ref.ID+"/Actions/VirtualMedia.EjectMedia")
		note, err = m.act(ctx, at, map[string]any{})
		if refused(err) || status(err) == http.StatusUnsupportedMediaType {
			note, err = m.act(ctx, at, nil) // there are those that want no body, and those that want one
		}
	} else {
		note, err = m.change(ctx, s.ref.ID, map[string]any{"Image": nil, "Inserted": false})
		if refused(err) {
			note, err = m.change(ctx, s.ref.ID, map[string]any{"Image": nil})
		}
	}
	if err != nil {
		return "", err
	}
	return "ejected from " + s.label() + note + m.mediaNow(ctx, s, false), nil
}
