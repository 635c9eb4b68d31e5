package models

import (
	"errors"
	"strings"
	"time"
)

// MayBeDiscovered reports whether a node looks like one that auto-discovery has enrolled: Ironic creates such nodes
// without a name and leaves them in enroll (ironic/api/controllers/v1/ramdisk.py, _auto_enroll).
func (n *Node) MayBeDiscovered() bool { return n.ProvisionState == StateEnroll && n.Name == "" }

// Discovered reports whether auto-discovery has enrolled the node. Ironic records this only in the inventory's
// plugin_data, where it stays until the next inspection. An inspection rule may copy it to extra.auto_discovered.
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

// isKeys are the values that the filter key "is" accepts.
var isKeys = []string{"discovered", "maintenance", "protected", "retired"}

// isTerm parses a term such as is:VALUE.
func isTerm(w word, at int) (term, error) {
	value := fold(w.text[at:])
	switch value {
	case "discovered":
		return term{hardware: true, fields: []string{"extra"}, test: func(r *Row, _ time.Time) Answer { return r.Discovered() }}, nil
	case "maintenance", "protected", "retired":
		return term{key: value, values: []string{"yes"}}, nil
	}
	return term{}, errors.New("want is: with one of " + strings.Join(isKeys, ", "))
}
