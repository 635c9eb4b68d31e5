package models

import (
	"errors"
	"strings"
	"time"
)

// MayBeDiscovered reports whether the node looks as if auto-discovery had enrolled it. Ironic creates such nodes
// without a name and leaves them in enroll (ironic/api/controllers/v1/ramdisk.py, _auto_enroll).
func (n *Node) MayBeDiscovered() bool { return n.ProvisionState == StateEnroll && n.Name == "" }

// Discovered reports whether auto-discovery enrolled the node. Ironic records this only in the inventory's
// plugin_data, and only until the next inspection. An inspection rule may copy it to extra.auto_discovered.
func (r *Row) Discovered() Answer {
	marked, loaded := r.Node.Field("extra", "auto_discovered")
	switch {
	case marked == true, r.Hardware != nil && r.Hardware.Discovered:
		return Yes
	case !loaded || r.Hardware == nil:
		return Unknown
	}
	return No
}

// isKeys lists the values that can follow "is:" in a filter.
var isKeys = []string{"discovered", "maintenance", "protected", "retired"}

// isTerm parses a term of the form is:VALUE. The value starts at w.text[at].
func isTerm(w word, at int) (term, error) {
	value := fold(w.text[at:])
	switch value {
	case "discovered":
		return term{hardware: true, fields: []string{"extra"}, test: func(r *Row, _ time.Time) Answer { return r.Discovered() }}, nil
	case "maintenance", "protected", "retired":
		return term{key: value, values: []string{"yes"}}, nil
	}
	return term{}, errors.New("is: must be followed by one of " + strings.Join(isKeys, ", "))
}
