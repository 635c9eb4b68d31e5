package provision

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ironworks/models"
	"ironworks/models/bios"
	"ironworks/printable"
)

// BIOSReader reads the BIOS settings that Ironic has cached; *ironicclient.Client implements it.
type BIOSReader interface {
	BIOS(ctx context.Context, node string) ([]models.BIOSSetting, error)
}

// SetBIOS returns an action that changes BIOS settings to the wanted values with the bios.apply_configuration step.
func SetBIOS(api BIOSReader, wanted []bios.Change) Action {
	return &hardwareAction{name: "set BIOS", work: func(ctx context.Context, n *models.Node) hardwareWork {
		settings, err := api.BIOS(ctx, n.UUID)
		if err != nil {
			return refusedWork(err.Error(), "")
		}
		return biosWork(n, settings, wanted)
	}}
}

// CopyBIOS returns an action that copies BIOS settings from the golden node to other nodes. settings holds all BIOS
// settings of the golden node; if it is nil, they are read each time a node is checked. The action skips read-only and
// unique settings.
func CopyBIOS(api BIOSReader, golden models.NodeRef, settings []models.BIOSSetting) Action {
	return &hardwareAction{name: "copy BIOS", work: func(ctx context.Context, n *models.Node) hardwareWork {
		wanted := settings
		if wanted == nil {
			var err error
			if wanted, err = biosOf(ctx, api, golden.UUID); err != nil {
				return refusedWork(fmt.Sprintf("golden node %s: %v", printable.Line(golden.Label()), err), "")
			}
		}
		if n.UUID == golden.UUID {
			return refusedWork("this is the golden node", "")
		}
		have, err := api.BIOS(ctx, n.UUID)
		if err != nil {
			return refusedWork(err.Error(), "")
		}
		return biosWork(n, have, bios.Copied(bios.Compare(wanted, have)))
	}}
}

// ResetBIOS returns an action that resets all BIOS settings to their defaults. It uses the bios.factory_reset step.
func ResetBIOS() Action {
	return &hardwareAction{name: "reset BIOS", work: func(context.Context, *models.Node) hardwareWork {
		return hardwareWork{
			steps: []models.Step{{Interface: "bios", Step: "factory_reset"}},
			text:  "resets all BIOS settings to their defaults, including the boot mode and boot order", danger: models.DangerMayErase,
		}
	}}
}

// biosWork returns the work that changes the BIOS settings of n. settings holds the settings that Ironic knows.
func biosWork(n *models.Node, settings []models.BIOSSetting, wanted []bios.Change) hardwareWork {
	pending, problems := bios.Pending(settings, wanted)
	switch {
	case len(problems) > 0:
		return refusedWork(strings.Join(problems, "; "), "ironworks bios show "+n.Label()+" lists the settings").onScreen("see the settings (:bios)")
	case len(pending) == 0:
		return refusedWork("all BIOS settings are already set", "")
	}
	w := hardwareWork{steps: []models.Step{{Interface: "bios", Step: "apply_configuration", Args: bios.Arguments(pending)}}}
	var changes []string
	for _, c := range pending {
		changes = append(changes, fmt.Sprintf("%s %s → %v", c.Name, models.OrNone(c.Before), c.Value))
	}
	w.text = "changes BIOS settings: " + strings.Join(changes, ", ")
	if len(settings) == 0 {
		w.warnings = append(w.warnings, "Ironic has not read the BIOS settings of this node, so names and values are not checked")
	}
	return w
}

// NodeDrift describes the differences between the BIOS settings of a node and those of the golden node.
type NodeDrift struct {
	Node        models.NodeRef    `json:"node"`
	Differences []bios.Difference `json:"differences"`
	// Err is the reason why the settings of the node are unknown, or nil if they are known.
	Err error `json:"-"`
	// Error is the text of Err, for JSON and YAML output.
	Error string `json:"error,omitempty"`
}

// BIOSDrift compares the BIOS settings of nodes with those of a golden node, [Concurrency] nodes at a time. If the
// settings of a node cannot be read, its NodeDrift contains the error.
func BIOSDrift(ctx context.Context, api BIOSReader, golden models.NodeRef, nodes []models.NodeRef) ([]NodeDrift, error) {
	want, err := biosOf(ctx, api, golden.UUID)
	if err != nil {
		return nil, fmt.Errorf("golden node %s: %w", printable.Line(golden.Label()), err)
	}
	drifts, _ := readEach(ctx, nodes, func(going context.Context, n models.NodeRef) (NodeDrift, error) {
		drift := NodeDrift{Node: n, Differences: []bios.Difference{}}
		if have, err := biosOf(going, api, n.UUID); err == nil {
			drift.Differences = append(drift.Differences, bios.Compare(want, have)...)
		} else {
			drift.Err, drift.Error = err, err.Error()
		}
		return drift, nil
	})
	return drifts, ctx.Err()
}

func biosOf(ctx context.Context, api BIOSReader, uuid string) ([]models.BIOSSetting, error) {
	settings, err := api.BIOS(ctx, uuid)
	if err == nil && len(settings) == 0 {
		err = errors.New("Ironic has no BIOS settings for the node") //nolint:staticcheck // Ironic is a name
	}
	return settings, err
}
