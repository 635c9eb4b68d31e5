// Package steps lists the deploy, clean and service steps that Ironic's interfaces and ironic-python-agent offer, and
// their arguments. Ironic's API reports neither. Without the checks in this package, a step that a node's interfaces
// do not offer fails only when the conductor plans it, or even after the machine has booted.
//
// The table covers releases 39.0.0 and 21.4.4 of Ironic, and releases 13.0.0 and 9.4.2 of the agent. test/upstream
// compares the table with the source code of these releases.
package steps

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// Agent is the name used in [Known.Drivers] for steps that the agent runs. It is also the name of a RAID interface.
const Agent = "agent"

// Type is the type of a step's argument. Ironic's step lists lack types; these come from the code of the steps.
type Type string

// The types of arguments.
const (
	Text    Type = "text"
	Number  Type = "number"
	Boolean Type = "boolean"
	List    Type = "list"
	Object  Type = "object"
)

// Argument describes an argument of a step.
type Argument struct {
	Name        string `json:"name"`
	Type        Type   `json:"type"`
	Required    bool   `json:"required"`
	Description string `json:"description"`
	// Default is the value that the step uses if the argument is missing, or empty if that is not a single value.
	Default string `json:"default,omitempty"`
}

// Known is a step that one or more implementations of an interface offer.
type Known struct {
	Interface string `json:"interface"`
	Name      string `json:"step"`
	// Drivers lists the implementations that offer the step: redfish, ilo, …, or [Agent] for the agent's steps.
	Drivers []string `json:"drivers"`
	// Kinds lists the kinds of operations in which the step can be used.
	Kinds       []models.StepKind `json:"kinds"`
	Description string            `json:"description"`
	Args        []Argument        `json:"arguments"`
	// Automated is the step's priority in automated cleaning, unless Ironic's options change it
	// ([deploy]erase_devices_priority, [conductor]clean_step_priority_override). 0 means that automated cleaning does
	// not include the step.
	Automated int `json:"automated_cleaning_priority,omitempty"`
	// Release is the release that offers the step. It is empty if both releases offer it.
	Release string `json:"release,omitempty"`
	// Image names the ramdisk images that offer the step with an additional hardware manager. It is empty if all
	// images offer the step.
	Image string `json:"image,omitempty"`
}

// Label returns the step in the form interface.step, as in Ironic's messages.
func (k *Known) Label() string { return k.Interface + "." + k.Name }

// Argument returns the argument with the given name, or nil if there is none.
func (k *Known) Argument(name string) *Argument {
	i := slices.IndexFunc(k.Args, func(a Argument) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &k.Args[i]
}

// OfferedBy describes which implementations offer the step.
func (k *Known) OfferedBy() string {
	var names []string
	for _, d := range k.Drivers {
		if d == Agent && k.Interface == "deploy" {
			d = "the agent"
			if k.Image != "" {
				d = "agents of " + k.Image + " images"
			}
		}
		names = append(names, d)
	}
	text := strings.Join(names, ", ")
	if k.Release != "" {
		text += " (" + k.Release + ")"
	}
	return text
}

// Usage returns the step's description and its arguments. Optional arguments are in brackets.
func (k *Known) Usage() string {
	if len(k.Args) == 0 {
		return k.Description + "; no arguments"
	}
	names := make([]string, len(k.Args))
	for i, a := range k.Args {
		names[i] = fmt.Sprintf("%s (%s)", a.Name, a.Description)
		if !a.Required {
			names[i] = "[" + names[i] + "]"
		}
	}
	return k.Description + "; arguments: " + strings.Join(names, ", ")
}

// Named returns the table rows of the named step. There is one row for each variant of its arguments.
func Named(iface, name string) []*Known {
	var rows []*Known
	for i := range table {
		if table[i].Interface == iface && table[i].Name == name {
			rows = append(rows, &table[i])
		}
	}
	return rows
}

// All returns a copy of the table of known steps.
func All() []Known { return slices.Clone(table) }

// Interfaces maps each kind of interface of a node, such as raid, to its implementation, such as redfish. If a kind
// is missing, its implementation is unknown.
type Interfaces map[string]string

// InterfacesOf returns the interfaces of a node. It returns nil unless the node was read with all its fields.
func InterfacesOf(n *models.Node) Interfaces {
	var fields map[string]json.RawMessage
	if json.Unmarshal(n.Raw, &fields) != nil {
		return nil
	}
	all := Interfaces{}
	for name, value := range fields {
		var text string
		if kind, ok := strings.CutSuffix(name, "_interface"); ok && json.Unmarshal(value, &text) == nil && text != "" {
			all[kind] = text
		}
	}
	return all
}

// Offers returns the known steps that the interfaces offer, sorted by label, with the rows of a step merged.
func (all Interfaces) Offers() []Known {
	var list []Known
	for i := range table {
		k := &table[i]
		if !all.offer(k) {
			continue
		}
		at := slices.IndexFunc(list, func(o Known) bool { return o.Label() == k.Label() })
		if at < 0 {
			row := *k
			row.Kinds = slices.Clone(k.Kinds)
			list = append(list, row)
			continue
		}
		list[at].Kinds = models.Unique(append(list[at].Kinds, k.Kinds...))
	}
	slices.SortFunc(list, func(a, b Known) int { return strings.Compare(a.Label(), b.Label()) })
	return list
}

// Automated returns the steps of automated cleaning in the order in which they run by default.
func (all Interfaces) Automated() []Known {
	list := slices.DeleteFunc(all.Offers(), func(k Known) bool { return k.Automated == 0 })
	slices.SortStableFunc(list, func(a, b Known) int { return cmp.Compare(b.Automated, a.Automated) })
	return list
}

// offer reports whether the interfaces offer the step. The agent runs its steps for deploy interfaces that boot it,
// and for the agent RAID interface.
func (all Interfaces) offer(k *Known) bool {
	name, known := all[k.Interface]
	switch {
	case !known:
		return false
	case slices.Contains(k.Drivers, name):
		return true
	case k.Interface == "deploy" && slices.Contains(k.Drivers, Agent):
		return bootsAgent(name)
	}
	return false
}

// bootsAgent reports whether the agent runs its steps if the node has this deploy interface. It returns true for
// autodetect, which Ironic replaces with another interface before steps run.
func bootsAgent(deployInterface string) bool {
	return !slices.Contains([]string{"fake", "noop", "ramdisk", "anaconda"}, deployInterface)
}
