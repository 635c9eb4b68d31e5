// Package steps knows the deploy, clean and service steps of Ironic's interfaces and of ironic-python-agent, with
// their arguments: Ironic's API lists neither. Without this check, a step that a node's interfaces do not offer fails
// only when the conductor plans it, or after the machine has booted.
//
// The table covers the releases 39.0.0 and 21.4.4 of Ironic and the agents 13.0.0 and 9.4.2; test/upstream compares it
// with their sources.
package steps

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// Agent names the implementation of an interface whose steps the agent runs.
const Agent = "agent"

// Type is the type of an argument. Ironic's step lists have no types; these are from the steps' code.
type Type string

// The types of arguments.
const (
	Text    Type = "text"
	Number  Type = "number"
	Boolean Type = "boolean"
	List    Type = "list"
	Object  Type = "object"
)

// Argument is an argument of a step.
type Argument struct {
	Name        string `json:"name" yaml:"name"`
	Type        Type   `json:"type" yaml:"type"`
	Required    bool   `json:"required" yaml:"required"`
	Description string `json:"description" yaml:"description"`
	// Default is the value that the step uses without the argument; empty if it is not a single value.
	Default string `json:"default,omitempty" yaml:"default,omitempty"`
}

// Known is a step of one or more implementations of an interface.
type Known struct {
	Interface string `json:"interface" yaml:"interface"`
	Name      string `json:"step" yaml:"step"`
	// Drivers are the implementations that offer the step: redfish, ilo, …; Agent for steps of the agent.
	Drivers []string `json:"drivers" yaml:"drivers"`
	// Kinds are the operations that the step can be part of.
	Kinds       []models.StepKind `json:"kinds" yaml:"kinds"`
	Description string            `json:"description" yaml:"description"`
	Args        []Argument        `json:"arguments" yaml:"arguments"`
	// Automated is the step's priority in automated cleaning, unless Ironic's options change it
	// ([deploy]erase_devices_priority, [conductor]clean_step_priority_override). 0 means that the step is not part of
	// automated cleaning.
	Automated int `json:"automated_cleaning_priority,omitempty" yaml:"automated_cleaning_priority,omitempty"`
	// Release is set if only one of the releases has the step.
	Release string `json:"release,omitempty" yaml:"release,omitempty"`
	// Image is set if only some ramdisk images have the step, because they have a hardware manager of their own.
	Image string `json:"image,omitempty" yaml:"image,omitempty"`
}

// Label returns interface.step, as in Ironic's messages.
func (k *Known) Label() string { return k.Interface + "." + k.Name }

// Argument returns an argument by name, or nil.
func (k *Known) Argument(name string) *Argument {
	i := slices.IndexFunc(k.Args, func(a Argument) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &k.Args[i]
}

// OfferedBy names the implementations that offer the step.
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

// Usage returns the description and the arguments, optional ones in brackets.
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

// Named returns the rows of the table for a step: one for each variant of its arguments.
func Named(iface, name string) []*Known {
	var rows []*Known
	for i := range table {
		if table[i].Interface == iface && table[i].Name == name {
			rows = append(rows, &table[i])
		}
	}
	return rows
}

// All returns all rows of the table.
func All() []Known { return slices.Clone(table) }

// Interfaces has the implementation of each interface of a node, such as redfish for raid. The implementations of
// missing kinds are unknown.
type Interfaces map[string]string

// InterfacesOf returns the interfaces of a node that was read with all fields; none for other nodes.
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

// Offers returns the known steps that the interfaces offer, sorted by label. Rows of one step are merged.
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
		for _, kind := range k.Kinds {
			if !slices.Contains(list[at].Kinds, kind) {
				list[at].Kinds = append(list[at].Kinds, kind)
			}
		}
	}
	slices.SortFunc(list, func(a, b Known) int { return strings.Compare(a.Label(), b.Label()) })
	return list
}

// Automated returns the steps of automated cleaning in their order, if Ironic's options do not change them.
func (all Interfaces) Automated() []Known {
	list := slices.DeleteFunc(all.Offers(), func(k Known) bool { return k.Automated == 0 })
	slices.SortStableFunc(list, func(a, b Known) int { return cmp.Compare(b.Automated, a.Automated) })
	return list
}

// offer reports whether the interfaces offer a step. The agent runs the steps of deploy interfaces that boot it, and
// those of the raid interface agent.
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

// bootsAgent reports whether a deploy interface runs the agent's steps. It returns true for autodetect, which another
// interface has replaced when steps run.
func bootsAgent(deployInterface string) bool {
	return !slices.Contains([]string{"fake", "noop", "ramdisk", "anaconda"}, deployInterface)
}
