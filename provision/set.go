package provision

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/request"
	"ironworks/printable"
)

// Maintenance returns an action that sets or clears the maintenance flag of nodes.
func Maintenance(on bool, reason string) Action {
	return requestAction{
		name:    "maintenance " + nameOf(on, "on", "off"),
		effect:  func(n *models.Node) models.Effect { return maintenanceEffect(n, on) },
		request: func(n *models.Node) request.Request { return request.Maintenance(n.UUID, on, reason) },
	}
}

// maintenanceEffect warns that maintenance stalls a running operation, because Ironic ignores heartbeats.
func maintenanceEffect(n *models.Node, on bool) models.Effect {
	text := "Ironic stops its power sync and ignores heartbeats; the node cannot be deployed"
	switch {
	case on == n.Maintenance:
		return models.Effect{}
	case !on && n.MaintenanceReason != "":
		text = "Ironic acts on the node again; the maintenance reason was: " + printable.Line(n.MaintenanceReason)
	case !on:
		text = "Ironic acts on the node again"
	case n.ProvisionState.Busy():
		text = fmt.Sprintf("the node is %s: maintenance stalls the operation", n.ProvisionState)
	}
	return models.Effect{Danger: models.DangerInterrupts, Text: text}
}

// Protect returns an action that protects nodes against undeploy and rebuild, or removes the protection.
func Protect(on bool, reason string) Action {
	return flagAction(nameOf(on, "protect", "unprotect"), "protected", on, reason, func(a Action, n *models.Node) *models.Refusal {
		protectable := []models.ProvisionState{models.StateActive, models.StateRescue}
		if on && !slices.Contains(protectable, n.ProvisionState) {
			return refusal(a, n, models.RefusedState, models.NotPossibleIn(n.ProvisionState, protectable), "")
		}
		return unchangeable(a, n)
	})
}

// Retire returns an action that marks nodes as retired, or removes the mark.
func Retire(on bool, reason string) Action {
	return flagAction(nameOf(on, "retire", "unretire"), "retired", on, reason, func(a Action, n *models.Node) *models.Refusal {
		if on && n.ProvisionState == models.StateAvailable {
			return refusal(a, n, models.RefusedState, `not possible in state "available"`, "ironworks manage "+n.Label()+" first").
				WithScreenHint("manage the node first (:manage)")
		}
		return unchangeable(a, n)
	})
}

func nameOf(on bool, yes, no string) string {
	if on {
		return yes
	}
	return no
}

func flagAction(name, field string, on bool, reason string, refuse func(a Action, n *models.Node) *models.Refusal) Action {
	ops := []models.PatchOp{{Op: "add", Path: "/" + field, Value: on}}
	if on && reason != "" {
		ops = append(ops, models.PatchOp{Op: "add", Path: "/" + field + "_reason", Value: reason})
	}
	return requestAction{name: name, refuse: refuse, request: func(n *models.Node) request.Request { return request.Patch(n.UUID, ops) }}
}

// Set returns an action that changes fields or traits of nodes.
func Set(settings []models.Setting) Action { return setAction{settings: settings} }

type setAction struct {
	immediateAction
	settings []models.Setting
}

func (a setAction) Name() string { return "set" }

func (a setAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	ops, err := models.Patch(n, a.settings)
	switch {
	case err != nil:
		return refusal(a, n, models.RefusedArguments, err.Error(), "")
	case len(ops) == 0: // nothing changes except perhaps traits, which are not fields of the node itself
		return nil
	case n.Maintenance && len(ops) == 1 && ops[0].Op == "remove" && ops[0].Path == "/instance_uuid":
		return nil // Ironic allows this change in every state
	}
	return unchangeable(a, n)
}

// unchangeable refuses field changes during a state transition, even in maintenance, as Ironic does
// (UPDATE_ALLOWED_STATES in ironic/common/states.py). Of the hold states, only service hold allows changes.
func unchangeable(a Action, n *models.Node) *models.Refusal {
	s := n.ProvisionState
	switch {
	case s == models.StateVerifying, s == models.StateInspectWait:
		return nil
	case s == models.StateDeployHold, s == models.StateCleanHold:
		return refusal(a, n, models.RefusedState, fmt.Sprintf("Ironic refuses changes while the node is in %q", s),
			"unhold or abort it first")
	case s.Class() == models.ClassTransitional, s.Class() == models.ClassWait:
		return refusal(a, n, models.RefusedState, fmt.Sprintf("Ironic refuses changes while the node is %s", s),
			"wait until the operation ends")
	}
	return nil
}

func (a setAction) entries(n *models.Node) ([]entry, error) {
	ops, err := models.Patch(n, a.settings)
	if err != nil {
		return nil, err
	}
	var out []entry
	if len(ops) > 0 {
		out = append(out, patchEntry("set "+pathsOf(ops), n, ops))
	}
	for _, s := range a.settings {
		if s.Path[0] == "traits" {
			out = append(out, traitEntries(n, s)...)
		}
	}
	return out, nil
}

func traitEntries(n *models.Node, s models.Setting) []entry {
	traits := s.Traits()
	var out []entry
	add := func(trait string, r request.Request) {
		out = append(out, entry{verb: "set traits" + string(s.Op) + trait, Request: r})
	}
	switch s.Op {
	case models.SettingSet, models.SettingRemove:
		add(strings.Join(traits, ","), request.Traits(n.UUID, traits))
	case models.SettingAdd:
		for _, t := range traits {
			add(t, request.AddTrait(n.UUID, t))
		}
	case models.SettingDrop:
		for _, t := range traits {
			add(t, request.RemoveTrait(n.UUID, t))
		}
	}
	return out
}
