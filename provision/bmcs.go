package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"ironworks/bmc"
	"ironworks/enroll"
	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/models/explain"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/printable"
	"ironworks/provision/images"
)

// BMCAPI reads from Ironic the data that is compared with a BMC's; *ironicclient.Client implements it.
type BMCAPI interface {
	Inventories
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	Ports(ctx context.Context, node string) ([]models.Port, error)
}

// BMCs queries the controllers of the nodes of one Ironic, and sends orders to these controllers. It connects to a
// controller only for a query, or when a Runner runs an order.
type BMCs struct {
	API BMCAPI
	// Complete adds the credentials and trusted certificates to a target. An unknown password remains empty.
	Complete func(ctx context.Context, t *bmc.Target) error
	// Web fetches the ISOs that the machines boot. If it is nil, they are not fetched.
	Web images.Servers
}

// BMCReport contains a controller's data, and a comparison with Ironic's data.
type BMCReport struct {
	// Node is the node whose controller was queried, or nil if the controller was queried without Ironic.
	Node *models.NodeRef `json:"node,omitempty"`
	// Compared lists Ironic's values next to the BMC's.
	Compared []models.BMCDifference `json:"compared,omitempty"`
	BMC      *models.BMC            `json:"bmc"`
	// ISOs lists, for the deploy ISO and each inserted ISO, whether this console can fetch it.
	ISOs []ISOCheck `json:"isos,omitempty"`
	// Missing lists the errors that occurred while reading data from Ironic. That data is missing from the report.
	Missing []error `json:"-"`
}

// BMCCredentialsError reports that the password of a controller is unknown, or was rejected.
type BMCCredentialsError struct {
	// Node is the node's name. It is empty if the controller was queried without Ironic.
	Node string
	// Address is the address of the BMC, usually from driver_info. Username may be empty.
	Address, Username string
	// Rejection is the error with which the controller rejected the password, or nil if no password was sent.
	Rejection error
	// Withheld is the source of a password that was not sent to this address, because the password is meant for
	// several BMCs and bmc.hosts does not list the address. It is empty if no password was withheld.
	Withheld string
}

// Error describes the problem and, if no password was rejected, the settings and the flag that can supply one.
func (e *BMCCredentialsError) Error() string {
	if e.Rejection != nil {
		return e.Rejection.Error()
	}
	return e.sentence("Add its host to bmc: {hosts: [10.0.0.0/8]} in the context or to IRONWORKS_BMC_HOSTS, or pass --bmc-password-file",
		"Set IRONWORKS_BMC_PASSWORD, --bmc-password-file, or bmc: {password_file: …} in the context")
}

// OnScreen is like Error, but names the console's command that asks for the password instead of a flag.
func (e *BMCCredentialsError) OnScreen() string {
	if e.Rejection != nil {
		return models.OnScreen(e.Rejection)
	}
	return e.sentence("Log in on the BMC tab (:bmc-login), or add its host to bmc: {hosts: [10.0.0.0/8]} in the context",
		"Log in on the BMC tab (:bmc-login), or set bmc: {password_file: …} in the context")
}

// sentence describes the problem, with the remedy for a withheld or for an unknown password.
func (e *BMCCredentialsError) sentence(withheld, unknown string) string {
	address := printable.Line(models.MaskURL(e.Address))
	if e.Withheld != "" {
		return fmt.Sprintf("the BMC password from %s is not sent to %s: the address is in driver_info, but not in bmc.hosts. %s", e.Withheld, address, withheld)
	}
	return fmt.Sprintf("no password for %s on the BMC at %s: Ironic masks it. %s", printable.Line(e.Username), address, unknown)
}

// Unwrap returns the error with which the controller rejected the password, if any.
func (e *BMCCredentialsError) Unwrap() error { return e.Rejection }

// Query queries a node's controller and compares its data with Ironic's. This may take a while. Query returns an
// error only if the node or the controller cannot be read; other failures are listed in the report.
func (b *BMCs) Query(ctx context.Context, id string) (*BMCReport, error) {
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
	look := &BMCReport{Node: &ref, BMC: found}
	ports, err := b.API.Ports(ctx, n.UUID)
	if err != nil {
		look.Missing = append(look.Missing, fmt.Errorf("ports of node %s: %w", n.Label(), err))
	}
	look.Compared = models.CompareBMC(n, ports, found)
	look.Compared = append(look.Compared, hints.CompareDrives(b.disks(ctx, n, look), found.Drives)...)
	look.ISOs = b.isos(ctx, n, found)
	return look, ctx.Err()
}

// QueryTarget queries a controller without using Ironic, so the report contains no comparison.
func (b *BMCs) QueryTarget(ctx context.Context, target bmc.Target) (*BMCReport, error) {
	if err := b.complete(ctx, "", &target); err != nil {
		return nil, err
	}
	found, err := b.probe(ctx, "", target)
	if err != nil {
		return nil, err
	}
	return &BMCReport{BMC: found}, nil
}

// Target returns the address and the credentials of a node's controller.
func (b *BMCs) Target(ctx context.Context, n *models.Node) (bmc.Target, error) {
	target, err := bmc.TargetOf(n)
	if err != nil {
		return target, err
	}
	return target, b.complete(ctx, n.Label(), &target)
}

func (b *BMCs) complete(ctx context.Context, node string, t *bmc.Target) error {
	if err := b.Complete(ctx, t); err != nil {
		if login, is := errors.AsType[*BMCCredentialsError](err); is {
			login.Node = node
		}
		return err
	}
	if t.Username != "" && !t.Password.IsSet() {
		return &BMCCredentialsError{Node: node, Address: t.Address, Username: t.Username}
	}
	return nil
}

// probe queries the controller. If the password is rejected, the error names the node and the address.
func (b *BMCs) probe(ctx context.Context, node string, t bmc.Target) (*models.BMC, error) {
	found, err := bmc.Probe(ctx, t)
	return found, asCredentialsError(err, node, &t)
}

func asCredentialsError(err error, node string, t *bmc.Target) error {
	if models.IsFault(err, models.FaultUnauthorized) {
		return &BMCCredentialsError{Node: node, Address: t.Address, Username: t.Username, Rejection: err}
	}
	return err
}

// disks returns the disks in the node's inventory, or none if there is no inventory. Errors go to look.Missing.
func (b *BMCs) disks(ctx context.Context, n *models.Node, look *BMCReport) []hints.Disk {
	inventory, err := readInventory(ctx, b.API, n.UUID)
	if models.IsFault(err, models.FaultNotFound, models.FaultNotAcceptable) {
		return nil
	}
	if err != nil {
		look.Missing = append(look.Missing, fmt.Errorf("inventory of node %s: %w", n.Label(), err))
	}
	return inventory.Disks
}

func (b *BMCs) isos(ctx context.Context, n *models.Node, found *models.BMC) []ISOCheck {
	if b.Web == nil {
		return nil
	}
	var addresses []string
	if iso := models.DeployISO(n); iso != "" {
		addresses = append(addresses, iso)
	}
	for i := range found.Media {
		m := &found.Media[i]
		// A URL with masked credentials or a masked query is not the real address, so it is not fetched.
		if m.Inserted && m.Image != "" && !strings.Contains(m.Image, models.Mask) && !strings.Contains(m.Image, "@") && (len(addresses) == 0 || addresses[0] != m.Image) {
			addresses = append(addresses, m.Image)
		}
	}
	looks := make([]ISOCheck, 0, len(addresses))
	for _, address := range addresses {
		looks = append(looks, checkISO(ctx, b.Web, address))
	}
	return looks
}

// ISOCheck reports whether this console can fetch a ramdisk's ISO. The machine or the conductor may have another route.
type ISOCheck struct {
	// Address is the ISO's URL, safe to show.
	Address string `json:"address"`
	// Readable is empty if the ISO cannot be checked because it is an image in Glance or a file on the conductor.
	Readable explain.Answer `json:"readable"`
	// Text describes the result in one clause.
	Text string `json:"text"`
}

// checkISO fetches the start of the file at address and checks that it is an ISO image.
func checkISO(ctx context.Context, web images.Servers, address string) ISOCheck {
	look := ISOCheck{Address: printable.Line(models.MaskURL(address))}
	if file := (plan.BootFile{Address: address}); !file.OnTheWeb() {
		look.Text = "not checked: the address is not an HTTP URL"
		return look
	}
	answer, head, total := images.QueryFile(ctx, web, address)
	look.Readable = explain.AnswerNo
	switch {
	case answer.Error != "":
		look.Text = answer.Error
	case answer.Status/100 != 2:
		look.Text = fmt.Sprintf("the server returned HTTP %d", answer.Status)
	case !doctor.IsISO(head):
		look.Text = "not an ISO 9660 image"
	default:
		look.Readable, look.Text = explain.AnswerYes, "readable from this console"
		if total > 0 {
			look.Text += ", " + models.FormatBytes(total)
		}
	}
	return look
}

// WaitedFacts returns the [BMCs.Facts] of a machine that Ironic is waiting for, if its credentials are known without
// a prompt. For all other machines, it returns nil.
func (b *BMCs) WaitedFacts(ctx context.Context, n *models.Node, now time.Time) (*explain.BMCFacts, error) {
	if n.ProvisionState.Class() != models.ClassWait {
		return nil, nil //nolint:nilnil // not queried
	}
	if target, err := b.Target(ctx, n); err != nil || !target.Password.IsSet() {
		return nil, nil //nolint:nilnil,nilerr // no credentials
	}
	return b.Facts(ctx, n, now)
}

// Facts queries a node's controller for facts that help to explain the node's state; now is Ironic's time. An
// unreachable controller is not an error but one of the facts. An error means that nothing could be learned about the
// machine, for example because the password is missing.
func (b *BMCs) Facts(ctx context.Context, n *models.Node, now time.Time) (*explain.BMCFacts, error) {
	facts := &explain.BMCFacts{At: now}
	if iso := models.DeployISO(n); iso != "" && b.Web != nil {
		look := checkISO(ctx, b.Web, iso)
		facts.ISOFetchable, facts.ISO = look.Readable, look.Text
	}
	target, err := b.Target(ctx, n)
	if err != nil {
		return facts, err
	}
	found, err := b.probe(ctx, n.Label(), target)
	if err != nil {
		return facts, addFaultFacts(facts, err)
	}
	addBMCFacts(facts, found)
	return facts, nil
}

// addFaultFacts records the facts that an error reveals about the machine, for example that the controller is
// unreachable, and returns nil. It returns any other error unchanged.
func addFaultFacts(facts *explain.BMCFacts, err error) error {
	if _, is := errors.AsType[*BMCCredentialsError](err); is {
		facts.Reachable, facts.Authenticated = explain.AnswerYes, explain.AnswerNo
		return nil
	}
	if !noAnswer(err) {
		return err // the BMC answered, or was not queried
	}
	facts.Reachable = explain.AnswerNo
	return nil
}

// noAnswer reports whether err means that a BMC did not answer.
func noAnswer(err error) bool {
	return models.IsFault(err, models.FaultTimeout, models.FaultRefused, models.FaultUnreachable, models.FaultDNS, models.FaultReset)
}

func addBMCFacts(facts *explain.BMCFacts, found *models.BMC) {
	facts.Reachable, facts.Authenticated = explain.AnswerYes, explain.AnswerYes
	facts.Power = map[string]models.PowerState{"on": models.PowerOn, "off": models.PowerOff}[strings.ToLower(found.System.Power)]
	facts.BootMode = map[string]string{"uefi": "uefi", "legacy": "bios"}[strings.ToLower(found.Boot.Mode)]
	for i := range found.Media {
		m := &found.Media[i]
		switch {
		case m.Inserted:
			facts.MediaInserted, facts.Media = explain.AnswerYes, m.Image
		case facts.MediaInserted == "":
			facts.MediaInserted = explain.AnswerNo
		}
	}
	facts.Health, facts.Progress = cmp.Or(found.System.Rollup, found.System.Health), found.System.Progress
	causes := textsOf(found.Causes, func(c models.BMCCause) string { return strings.TrimSpace(fmt.Sprintf("%s %s", c.Part, c.State)) })
	facts.Causes = strings.Join(causes, ", ")
}

// DiscoveryStatus is the result of querying the BMC at one address.
type DiscoveryStatus string

// The results of querying a BMC.
const (
	DiscoveryFound DiscoveryStatus = "found"
	// DiscoveryRefused means that the credentials were rejected or are unknown.
	DiscoveryRefused     DiscoveryStatus = "refused"
	DiscoveryUnreachable DiscoveryStatus = "unreachable"
	// DiscoveryFailed means that the server is not a BMC with Redfish, or that its certificate is not trusted.
	DiscoveryFailed DiscoveryStatus = "failed"
)

// Discovered is a system found at an address, or the reason why none was found.
type Discovered struct {
	Address string
	Status  DiscoveryStatus
	// BMC is the BMC's report. It is nil if no system was found.
	BMC *models.BMC
	// Login holds the credentials that the BMC accepted.
	Login enroll.Login
	Err   error
}

// Note returns a note with the number of systems at the BMC's address. It is empty if there is at most one.
func (d *Discovered) Note() string {
	if d.BMC == nil || len(d.BMC.System.Paths) < 2 {
		return ""
	}
	return fmt.Sprintf("%d systems behind this address", len(d.BMC.System.Paths))
}

// discoveries is the number of BMCs that are queried at the same time. It is high because each BMC is a different
// host, and because querying a host that does not answer takes five seconds.
const discoveries = 32

// Discover queries the BMCs at the given addresses, 32 at a time. It contacts no other hosts. progress is called for
// each finished address, from several goroutines; it may be nil.
func (b *BMCs) Discover(ctx context.Context, addresses []string, progress func(address string)) []Discovered {
	found := make([][]Discovered, len(addresses))
	inSlots(ctx, len(addresses), discoveries, func(going context.Context, i int, _ func()) {
		if found[i] = b.discover(going, addresses[i]); progress != nil {
			progress(addresses[i])
		}
	})
	var all []Discovered
	for _, list := range found {
		all = append(all, list...)
	}
	return all
}

func (b *BMCs) discover(ctx context.Context, address string) []Discovered {
	target := bmc.Target{Address: address}
	if u, err := url.Parse(address); err == nil && strings.Contains(u.Path, "/Systems/") {
		target.System = u.Path
		u.Path = ""
		target.Address = u.String()
	}
	one := Discovered{Address: address}
	if one.Err = b.complete(ctx, "", &target); one.Err == nil {
		var systems []models.BMC
		systems, one.Err = bmc.Identify(ctx, target)
		one.Err = asCredentialsError(one.Err, "", &target)
		if one.Err == nil {
			list := make([]Discovered, len(systems))
			for i := range systems {
				list[i] = Discovered{
					Address: target.Address, Status: DiscoveryFound, BMC: &systems[i],
					Login: enroll.Login{Username: target.Username, Password: target.Password, Insecure: target.TLS.Insecure},
				}
			}
			return list
		}
	}
	one.Status = DiscoveryFailed
	if _, refused := errors.AsType[*BMCCredentialsError](one.Err); refused {
		one.Status = DiscoveryRefused
	} else if noAnswer(one.Err) {
		one.Status = DiscoveryUnreachable
	}
	return []Discovered{one}
}
