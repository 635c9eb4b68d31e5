package provision

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ironworks/bmc"
	"ironworks/models"
	"ironworks/models/hints"
)

// BMCAPI is what of Ironic stands beside what a BMC says; *ironicclient.Client has it.
type BMCAPI interface {
	Inventories
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	Ports(ctx context.Context, node string) ([]models.Port, error)
}

// BMCs asks the controllers of one Ironic's nodes, and tells them what to do, when somebody
// wants it: nothing here runs by itself.
type BMCs struct {
	API BMCAPI
	// Complete adds to a target what Ironic does not tell: the login and what is trusted.
	// Where nobody knows the password it leaves it empty.
	Complete func(ctx context.Context, t *bmc.Target) error
	// Web asks for the ramdisk's ISO; nil leaves that out.
	Web ImageWeb
	Now func() time.Time
}

// BMCLook is what a controller told, beside what Ironic believes.
type BMCLook struct {
	// Node is nil where the controller was asked without Ironic.
	Node *models.NodeRef `json:"node,omitempty"`
	// Compared is what Ironic believes beside what the BMC says.
	Compared []models.BMCDifference `json:"compared,omitempty"`
	BMC      *models.BMC            `json:"bmc"`
	// ISOs are those that the machine boots, or that are inserted, asked from here.
	ISOs []ISOLook `json:"isos,omitempty"`
	// Missing says what could not be read of Ironic.
	Missing []error `json:"-"`
}

// BMCLoginError says that a controller wants a password that nobody here knows, or does not
// take the one that there is.
type BMCLoginError struct {
	// Node is its name, empty where the controller was asked without Ironic.
	Node string
	// Address is as driver_info has it; Username may be empty.
	Address, Username string
	// Wrong is what the controller said of the one that there is; nil where there is none.
	Wrong error
	// Withheld says where a password comes from that is not sent to this address, for it is
	// meant for several BMCs and nobody has listed the address; empty for none.
	Withheld string
}

// Error names the ways to give one.
func (e *BMCLoginError) Error() string {
	if e.Wrong != nil {
		return e.Wrong.Error()
	}
	if e.Withheld != "" {
		return fmt.Sprintf("the BMC password from %s is not sent to %s: the address is in driver_info, but not in bmc.hosts. "+
			"Add its host to bmc: {hosts: [10.0.0.0/8]} in the context or to IRONWORKS_BMC_HOSTS, or pass --bmc-password-file",
			e.Withheld, models.Printable(models.MaskURL(e.Address)))
	}
	return fmt.Sprintf("no password for %s of the BMC at %s: Ironic masks it. Set IRONWORKS_BMC_PASSWORD, --bmc-password-file, or bmc: {password_file: …} in the context",
		models.Printable(e.Username), models.Printable(models.MaskURL(e.Address)))
}

// Unwrap is what the controller said.
func (e *BMCLoginError) Unwrap() error { return e.Wrong }

// Look asks the controller of a node, and puts beside it what Ironic believes. It may take
// long; whatever cannot be read but the node and the controller themselves is told in the
// result.
func (b *BMCs) Look(ctx context.Context, id string) (*BMCLook, error) {
	n, err := b.API.Node(ctx, id)
	if err != nil {
		return nil, err
	}
	target, err := b.Target(ctx, n)
	if err != nil {
		return nil, err
	}
	found, err := b.probe(ctx, n.Label(), target)
	if err != nil {
		return nil, err
	}
	ref := n.Ref()
	look := &BMCLook{Node: &ref, BMC: found}
	ports, err := b.API.Ports(ctx, n.UUID)
	if err != nil {
		look.Missing = append(look.Missing, fmt.Errorf("ports of node %s: %w", n.Label(), err))
	}
	look.Compared = models.CompareBMC(n, ports, found)
	look.Compared = append(look.Compared, hints.CompareDrives(b.disks(ctx, n, look), found.Drives)...)
	look.ISOs = b.isos(ctx, n, found)
	return look, ctx.Err()
}

// LookAt asks a controller without Ironic.
func (b *BMCs) LookAt(ctx context.Context, target bmc.Target) (*BMCLook, error) {
	if err := b.complete(ctx, "", &target); err != nil {
		return nil, err
	}
	found, err := b.probe(ctx, "", target)
	if err != nil {
		return nil, err
	}
	return &BMCLook{BMC: found}, nil
}

// Target is the controller of a node, with the login to it.
func (b *BMCs) Target(ctx context.Context, n *models.Node) (bmc.Target, error) {
	target, err := bmc.OfNode(n)
	if err != nil {
		return target, err
	}
	return target, b.complete(ctx, n.Label(), &target)
}

func (b *BMCs) complete(ctx context.Context, node string, t *bmc.Target) error {
	if err := b.Complete(ctx, t); err != nil {
		var login *BMCLoginError
		if errors.As(err, &login) {
			login.Node = node
		}
		return err
	}
	if t.Username != "" && !t.Password.IsSet() {
		return &BMCLoginError{Node: node, Address: t.Address, Username: t.Username}
	}
	return nil
}

// probe asks, and says whose password it was that was not taken.
func (b *BMCs) probe(ctx context.Context, node string, t bmc.Target) (*models.BMC, error) {
	found, err := bmc.Probe(ctx, t, b.Now)
	return found, wrongLogin(err, node, &t)
}

func wrongLogin(err error, node string, t *bmc.Target) error {
	if models.IsFault(err, models.FaultUnauthorized) {
		return &BMCLoginError{Node: node, Address: t.Address, Username: t.Username, Wrong: err}
	}
	return err
}

// disks are those that inspection found; a node that was not inspected has none.
func (b *BMCs) disks(ctx context.Context, n *models.Node, look *BMCLook) []hints.Disk {
	raw, err := b.API.Inventory(ctx, n.UUID)
	if models.IsFault(err, models.FaultNotFound) || models.IsFault(err, models.FaultNotAcceptable) {
		return nil
	}
	var inventory hints.Inventory
	if err == nil {
		inventory, err = hints.DecodeInventory(raw)
	}
	if err != nil {
		look.Missing = append(look.Missing, fmt.Errorf("inventory of node %s: %w", n.Label(), err))
	}
	return inventory.Disks
}

// isos asks for what the machine boots, and for what is inserted where that is another one.
func (b *BMCs) isos(ctx context.Context, n *models.Node, found *models.BMC) []ISOLook {
	if b.Web == nil {
		return nil
	}
	var addresses []string
	if iso := models.DeployISO(n); iso != "" {
		addresses = append(addresses, iso)
	}
	for i := range found.Media {
		m := &found.Media[i]
		// An address without its credentials and query is another one.
		if m.Inserted && m.Image != "" && !strings.Contains(m.Image, models.Mask) && !strings.Contains(m.Image, "@") && (len(addresses) == 0 || addresses[0] != m.Image) {
			addresses = append(addresses, m.Image)
		}
	}
	looks := make([]ISOLook, 0, len(addresses))
	for _, address := range addresses {
		looks = append(looks, LookAtISO(ctx, b.Web, address))
	}
	return looks
}
