package bmc

import (
	"cmp"
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

// label returns the name of the slot for messages, such as "slot 1 (CD, DVD)".
func (s *slot) label() string {
	if len(s.MediaTypes) == 0 {
		return "slot " + s.ID
	}
	return fmt.Sprintf("slot %s (%s)", s.ID, strings.Join(s.MediaTypes[:min(len(s.MediaTypes), 3)], ", "))
}

// takesCD reports whether the slot may accept an ISO image. A slot that names no media types may do so.
func (s *slot) takesCD() bool {
	return len(s.MediaTypes) == 0 || slices.ContainsFunc(s.MediaTypes, func(t string) bool {
		return strings.EqualFold(t, "CD") || strings.EqualFold(t, "DVD")
	})
}

func (s *slot) content() string {
	if s.Image == "" {
		return s.label() + " is not empty"
	}
	return s.label() + " has " + models.MaskURL(s.Image) + " in it"
}

// allSlots returns the machine's slots for virtual media. It returns an error if there are none.
func (m *server) allSlots(ctx context.Context) ([]slot, error) {
	controller, err := m.findManager(ctx)
	if controller == nil && m.system.VirtualMedia.ID == "" && err != nil {
		return nil, err
	}
	slots, err := m.slots(ctx, controller)
	switch {
	case len(slots) > 0:
		return slots, nil
	case err != nil:
		return nil, err
	}
	return nil, m.refuse("this BMC has no virtual media", "some BMCs require a license")
}

func labels(slots []slot) string {
	var words []string
	for i := range slots {
		words = append(words, slots[i].label())
	}
	return strings.Join(words, ", ")
}

// doInsert inserts an image into an empty slot.
func (m *server) doInsert(ctx context.Context, o models.BMCOrder) (string, error) {
	image, err := url.Parse(o.Image)
	if err != nil {
		return "", o.Check()
	}
	if isLoopback(image.Hostname()) && !isLoopback(m.guard.base.Hostname()) {
		return "", m.refuse("BMCs cannot reach "+image.Hostname(), "use an address that the BMC can reach")
	}
	slots, err := m.allSlots(ctx)
	if err != nil {
		return "", err
	}
	s, err := m.slotToFill(o, slots)
	if err != nil {
		return "", err
	}
	protocols, err := m.imageProtocols(ctx, s)
	if err != nil {
		return "", err
	}
	protocol := strings.ToUpper(image.Scheme)
	if !slices.ContainsFunc(protocols, func(p string) bool { return strings.EqualFold(p, protocol) }) && len(protocols) > 0 {
		return "", m.refuse(s.label()+" cannot fetch from "+protocol, "available: "+strings.Join(protocols, ", "))
	}
	body := map[string]any{}
	if image.User != nil {
		body["UserName"] = image.User.Username()
		if password, has := image.User.Password(); has {
			body["Password"] = password
			m.addSecret(image.User.Username(), password)
		}
		image.User = nil
	}
	body["Image"] = image.String()
	note, err := m.insert(ctx, s, body, protocol)
	if err != nil {
		return "", err
	}
	return "inserted into " + s.label() + note + m.mediaResult(ctx, s, true), nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// slotToFill returns the slot that the order names, or the first empty slot that accepts an ISO image.
func (m *server) slotToFill(o models.BMCOrder, slots []slot) (*slot, error) {
	if o.Slot != "" {
		s, err := m.slotByID(o.Slot, slots)
		if err == nil && s.inserted() {
			return nil, m.occupiedFault(s.content())
		}
		return s, err
	}
	var held []string
	for i := range slots {
		switch s := &slots[i]; {
		case !s.takesCD():
		case s.inserted():
			held = append(held, s.content())
		default:
			return s, nil
		}
	}
	if len(held) > 0 {
		return nil, m.occupiedFault(strings.Join(held, ", "))
	}
	return nil, m.refuse("this BMC has no CD slot", "available: "+labels(slots))
}

func (m *server) occupiedFault(what string) error {
	return &models.Fault{Kind: models.FaultConflict, URL: m.url, Message: m.safe(what), Hint: "eject it first"}
}

func (m *server) slotByID(id string, slots []slot) (*slot, error) {
	if i := slices.IndexFunc(slots, func(s slot) bool { return strings.EqualFold(s.ID, id) }); i >= 0 {
		return &slots[i], nil
	}
	return nil, m.refuse("no slot "+id, "available: "+labels(slots))
}

// insert inserts an image. Because some controllers reject properties that others require, it first sends few, then
// those that the controller's error names, and finally other sets of properties.
func (m *server) insert(ctx context.Context, s *slot, body map[string]any, protocol string) (string, error) {
	ask := func() (string, error) {
		return m.act(ctx, cmp.Or(s.Actions.Insert.Target, s.ref.ID+"/Actions/VirtualMedia.InsertMedia"), body)
	}
	extras := []map[string]any{{"Inserted": true, "WriteProtected": true}, {"TransferMethod": "Stream", "TransferProtocolType": protocol}}
	if s.Actions.Insert == nil {
		maps.Copy(body, extras[0]) // without these, some controllers load the image but do not insert it
		ask = func() (string, error) { return m.change(ctx, s.ref.ID, body) }
		extras = []map[string]any{{"WriteProtected": nil}, {"Inserted": nil}}
	}
	const most = 5
	note, err := ask()
	for tries := 1; refused(err) && tries < most; tries++ {
		if !adjustProperties(body, err, protocol) {
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

// adjustProperties changes the body of a request for another attempt. It adds each property that the controller's error
// names, or removes it if it is there, and reports whether there are any.
func adjustProperties(body map[string]any, err error, protocol string) bool {
	found := false
	for name, value := range map[string]any{"Inserted": true, "WriteProtected": true, "TransferMethod": "Stream", "TransferProtocolType": protocol} {
		if !isAbout(err, name) {
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

// apply changes the body: it sets the properties in change, and removes those whose value is nil.
func apply(body, change map[string]any) {
	for name, value := range change {
		if value == nil {
			delete(body, name)
		} else {
			body[name] = value
		}
	}
}

// refused reports whether a controller rejected the properties of a request before it carried the request out.
func refused(err error) bool {
	switch status(err) {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return anyOf(err, "ActionParameterMissing", "ActionParameterUnknown", "ActionParameterNotSupported", "ActionParameterValueFormatError",
			"PropertyMissing", "PropertyUnknown", "PropertyNotWritable", "PropertyValueNotInList", "CreateFailedMissingReqProperties", "MalformedJSON")
	}
	return false
}

// mediaResult returns a note about the slot if the state of the slot is unknown or is not as ordered. Otherwise, it
// returns "". The full argument reports whether the slot should contain an image.
func (m *server) mediaResult(ctx context.Context, s *slot, full bool) string {
	var now slot
	if err := m.get(ctx, s.ref.ID, &now); err != nil {
		return "; the result is unknown because the BMC did not answer"
	}
	switch {
	case full && !now.inserted():
		return "; the BMC reports an empty slot; check that it can fetch the image"
	case !full && now.inserted():
		return "; the BMC still reports the image"
	}
	return ""
}

// doEject empties a slot: the slot that the order names, or the only slot with an image.
func (m *server) doEject(ctx context.Context, o models.BMCOrder) (string, error) {
	slots, err := m.allSlots(ctx)
	if err != nil {
		return "", err
	}
	var held []slot
	if o.Slot != "" {
		s, err := m.slotByID(o.Slot, slots)
		if err != nil {
			return "", err
		}
		slots = []slot{*s}
	}
	for i := range slots {
		if slots[i].inserted() {
			held = append(held, slots[i])
		}
	}
	switch len(held) {
	case 0:
		return "no media inserted", nil
	case 1:
	default:
		return "", m.refuse(fmt.Sprintf("%d slots are not empty", len(held)), "select one: "+labels(held))
	}
	s := &held[0]
	var note string
	if a := s.Actions.Eject; a != nil {
		at := cmp.Or(a.Target, s.ref.ID+"/Actions/VirtualMedia.EjectMedia")
		note, err = m.act(ctx, at, map[string]any{})
		if refused(err) || status(err) == http.StatusUnsupportedMediaType {
			note, err = m.act(ctx, at, nil) // some controllers accept only requests without a body, others only requests with a body
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
	return "ejected from " + s.label() + note + m.mediaResult(ctx, s, false), nil
}
