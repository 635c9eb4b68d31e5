package provision

import (
	"context"
	"fmt"
	"strings"

	"ironworks/models"
)

// Set is an action that changes fields of a node, leaf by leaf, and its traits.
func Set(settings []models.Setting) Action { return setAction{settings: settings} }

type setAction struct {
	immediate
	settings []models.Setting
}

func (a setAction) Name() string { return "set" }

// Refuse: Ironic takes no change of a node whose state is in transition.
func (a setAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	if n.ProvisionState.Busy() && n.ProvisionState != models.StateVerifying && n.ProvisionState != models.StateInspectWait && !n.Maintenance {
		return refusal(a, n, models.RefusedState, fmt.Sprintf("Ironic changes nothing while the node is %s", n.ProvisionState),
			"wait for it to come to rest")
	}
	if _, err := models.Patch(n, a.settings); err != nil {
		return refusal(a, n, models.RefusedArguments, err.Error(), "")
	}
	return nil
}

func (a setAction) Effect(*models.Node) models.Effect { return models.Effect{} }

func (a setAction) requests(n *models.Node) ([]request, error) {
	ops, err := models.Patch(n, a.settings)
	if err != nil {
		return nil, err
	}
	var out []request
	if len(ops) > 0 {
		paths := make([]string, len(ops))
		for i, op := range ops {
			paths[i] = op.Path
		}
		// Paths only: a value may be a password.
		out = append(out, patchRequest("set "+strings.Join(paths, " "), n, ops))
	}
	for _, s := range a.settings {
		if s.Path[0] == "traits" {
			out = append(out, traitRequests(n, s)...)
		}
	}
	return out, nil
}

func traitRequests(n *models.Node, s models.Setting) []request {
	one := func(trait string, send func(ctx context.Context, api API) (string, error)) request {
		return request{verb: "set traits" + string(s.Op) + trait, send: send}
	}
	traits := s.Traits()
	var out []request
	switch s.Op {
	case models.SettingSet, models.SettingRemove:
		out = append(out, one(strings.Join(traits, ","), func(ctx context.Context, api API) (string, error) {
			return api.SetTraits(ctx, n.UUID, traits)
		}))
	case models.SettingAdd:
		for _, t := range traits {
			out = append(out, one(t, func(ctx context.Context, api API) (string, error) { return api.AddTrait(ctx, n.UUID, t) }))
		}
	case models.SettingDrop:
		for _, t := range traits {
			out = append(out, one(t, func(ctx context.Context, api API) (string, error) { return api.RemoveTrait(ctx, n.UUID, t) }))
		}
	}
	return out
}
