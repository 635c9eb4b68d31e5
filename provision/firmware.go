package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/spell"
)

// FirmwareReader reads the firmware versions that Ironic has cached; *ironicclient.Client implements it.
type FirmwareReader interface {
	Firmware(ctx context.Context, node string) ([]models.Firmware, error)
}

// FirmwareUpdate describes an update of one firmware component.
type FirmwareUpdate struct {
	// Component is "bios", "bmc", or "nic:" followed by an ID (FIRMWARE_COMPONENTS in
	// ironic/drivers/modules/redfish/utils.py).
	Component string
	// URL is the address of the image. The BMC fetches the image, or Ironic does so on the BMC's behalf.
	URL string
	// WaitSeconds is the length of the pause after the update; 0 means no pause.
	WaitSeconds int
}

// ParseFirmwareUpdate parses an update of the form COMPONENT=URL.
func ParseFirmwareUpdate(text string) (FirmwareUpdate, error) {
	component, address, ok := strings.Cut(text, "=")
	if !ok {
		return FirmwareUpdate{}, fmt.Errorf("firmware update %q: must be COMPONENT=URL, such as bios=http://10.0.0.1/bios.bin", text)
	}
	if component != "bios" && component != "bmc" && !strings.HasPrefix(component, "nic:") {
		return FirmwareUpdate{}, fmt.Errorf("firmware update %q: unknown component %q%s; use bios, bmc or nic:ID",
			text, component, spell.DidYouMean(component, []string{"bios", "bmc"}))
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" && u.Scheme != "file" || !slices.Contains([]string{"http", "https", "file", "swift"}, u.Scheme) {
		return FirmwareUpdate{}, fmt.Errorf("firmware update %q: %q is not a URL (http, https, file or swift)", text, address)
	}
	return FirmwareUpdate{Component: component, URL: address}, nil
}

// Setting returns the update as an entry of the settings argument of the firmware.update step.
func (u FirmwareUpdate) Setting() map[string]any {
	setting := map[string]any{"component": u.Component, "url": u.URL}
	if u.WaitSeconds > 0 {
		setting["wait"] = u.WaitSeconds
	}
	return setting
}

// UpdateFirmware returns an action that updates firmware with the firmware.update step (39.0.0).
func UpdateFirmware(api FirmwareReader, updates []FirmwareUpdate) Action {
	return &hardwareAction{name: "update firmware", work: func(ctx context.Context, n *models.Node) hardwareWork {
		have, err := api.Firmware(ctx, n.UUID)
		if err != nil {
			return refusedWork(err.Error(), "")
		}
		return firmwareWork(n, have, updates)
	}}
}

func firmwareWork(n *models.Node, have []models.Firmware, updates []FirmwareUpdate) hardwareWork {
	w := hardwareWork{danger: models.DangerMayErase} // a failed update may leave the machine unable to start
	var settings []any
	var changes []string
	for _, u := range updates {
		i := slices.IndexFunc(have, func(f models.Firmware) bool { return f.Component == u.Component })
		if i < 0 && len(have) > 0 {
			components := textsOf(have, func(f models.Firmware) string { return f.Component })
			return refusedWork(fmt.Sprintf("no firmware component %s; the node has %s", u.Component, strings.Join(components, ", ")),
				"ironworks firmware list "+n.Label()).onScreen("see the components (:firmware)")
		}
		current := ""
		if i >= 0 {
			current = " " + have[i].CurrentVersion
		}
		settings = append(settings, u.Setting())
		changes = append(changes, u.Component+current+" from "+u.URL)
	}
	w.steps = []models.Step{{Interface: "firmware", Step: "update", Args: map[string]any{"settings": settings}}}
	w.text = "updates firmware: " + strings.Join(changes, ", ")
	if len(have) == 0 {
		w.warnings = append(w.warnings, "Ironic has not read the firmware of this node, so components are not checked")
	}
	return w
}

// NodeFirmware lists the firmware versions of a node.
type NodeFirmware struct {
	Node       models.NodeRef    `json:"node"`
	Components []models.Firmware `json:"components"`
}

// FirmwareOf reads the firmware versions of the nodes, [Concurrency] at a time. It stops at the first error.
func FirmwareOf(ctx context.Context, api FirmwareReader, nodes []models.NodeRef) ([]NodeFirmware, error) {
	going, stop := context.WithCancel(ctx)
	defer stop()
	all, errs := readEach(going, nodes, func(going context.Context, n models.NodeRef) (NodeFirmware, error) {
		list, err := api.Firmware(going, n.UUID)
		if err != nil {
			stop()
		}
		return NodeFirmware{Node: n, Components: append([]models.Firmware{}, list...)}, err
	})
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	return all, ctx.Err()
}

// FirmwareVersion is a version of a firmware component. Nodes lists the nodes of one model that have this version.
type FirmwareVersion struct {
	Model     string           `json:"model"`
	Component string           `json:"component"`
	Version   string           `json:"version"`
	Nodes     []models.NodeRef `json:"nodes"`
}

// ReadFirmwareMatrix reads the firmware versions and the models of the nodes. It groups the nodes by model, component
// and version, and sorts the groups in this order. The model comes from the last inspection.
func ReadFirmwareMatrix(ctx context.Context, api HardwareAPI, nodes []models.NodeRef) ([]FirmwareVersion, error) {
	all, err := FirmwareOf(ctx, api, nodes)
	if err != nil {
		return nil, err
	}
	names, errs := readEach(ctx, all, func(going context.Context, n NodeFirmware) (string, error) {
		if len(n.Components) == 0 {
			return "", nil
		}
		return modelOf(going, api, n.Node.UUID)
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var matrix []FirmwareVersion
	for i, n := range all {
		for _, f := range n.Components {
			row := FirmwareVersion{Model: names[i], Component: f.Component, Version: f.CurrentVersion}
			at := slices.IndexFunc(matrix, func(v FirmwareVersion) bool {
				return v.Model == row.Model && v.Component == row.Component && v.Version == row.Version
			})
			if at < 0 {
				at = len(matrix)
				matrix = append(matrix, row)
			}
			matrix[at].Nodes = append(matrix[at].Nodes, n.Node)
		}
	}
	slices.SortFunc(matrix, func(a, b FirmwareVersion) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Component, b.Component), cmp.Compare(a.Version, b.Version))
	})
	return matrix, nil
}

// modelOf returns the manufacturer and the product name in a node's inventory. It returns "not inspected" if there is
// no inventory, and "unknown" if the inventory does not contain them.
func modelOf(ctx context.Context, api Inventories, uuid string) (string, error) {
	raw, err := api.Inventory(ctx, uuid)
	if models.IsFault(err, models.FaultNotFound) {
		return "not inspected", nil
	}
	if err != nil {
		return "", err
	}
	inventory, err := hints.DecodeInventory(raw)
	if err != nil {
		return "unknown", nil //nolint:nilerr // an inventory that is not as documented
	}
	return cmp.Or(strings.TrimSpace(inventory.Vendor.Manufacturer+" "+inventory.Vendor.Product), "unknown"), nil
}
