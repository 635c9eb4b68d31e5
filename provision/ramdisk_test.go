package provision_test

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/test/ramdisk"
)

var (
	isoURL, kernelURL, initrdURL = ramdisk.ISOURL, ramdisk.KernelURL, ramdisk.InitrdURL
	iso, pair                    = ramdisk.ISO(), ramdisk.Pair()
)

// preview returns the preview of the action for a node. If change is not nil, it modifies the node first.
func preview(a *provision.RamdiskAction, change func(n *models.Node)) provision.Preview {
	n := node("r7-n01", models.StateManageable)
	n.BootInterface = "redfish-virtual-media"
	n.DriverInfo["bootloader"] = "http://192.0.2.1/esp.img"
	if change != nil {
		change(&n)
	}
	r := &provision.Runner{API: newAPI(n), Audit: &memAudit{}}
	return r.Plan(a, []models.Node{n}).Preview()[0]
}

func TestRamdiskPatch(t *testing.T) {
	for _, test := range ramdisk.Cases() {
		t.Run(test.Name, func(t *testing.T) {
			p := preview(ramdisk.Always(test.Ramdisk), func(n *models.Node) {
				maps.Copy(n.DriverInfo, test.Info)
				maps.Copy(n.InstanceInfo, test.Instance)
			})
			if p.Refusal != nil {
				t.Fatal(p.Refusal)
			}
			if p.Unchanged() != (test.Operations == nil) || p.Unchanged() != (len(p.Commands) == 0) {
				t.Fatalf("unchanged: %v, want operations %q", p.Unchanged(), test.Operations)
			}
			if p.Unchanged() {
				return
			}
			if r := p.Requests[0]; len(p.Requests) != 1 || r.Method != http.MethodPatch || r.Path != "/v1/nodes/uuid-r7-n01" || !slices.Equal(ramdisk.Operations(t, r.Payload()), test.Operations) {
				t.Errorf("%s %s %s", r.Method, r.Path, r.Body)
			}
		})
	}
}

func TestRamdiskCommands(t *testing.T) {
	tests := map[string]struct {
		ramdisk provision.Ramdisk
		info    map[string]any
		want    []string
	}{
		"set": {iso, nil, []string{"baremetal node set --driver-info deploy_iso=" + isoURL + " uuid-r7-n01"}},
		"set and unset": {iso, map[string]any{"deploy_kernel": "k", "deploy_ramdisk": "r"}, []string{
			"baremetal node set --driver-info deploy_iso=" + isoURL + " uuid-r7-n01",
			"baremetal node unset --driver-info deploy_kernel --driver-info deploy_ramdisk uuid-r7-n01",
		}},
		"quoted": {
			ramdisk.With(pair, func(r *provision.Ramdisk) { r.KernelParams, r.InInstance = `a="b;c" d=$HOME`, true }),
			map[string]any{"deploy_kernel": kernelURL, "deploy_ramdisk": initrdURL},
			[]string{`baremetal node set --instance-info 'kernel_append_params=a="b;c" d=$HOME' uuid-r7-n01`},
		},
		"a text and no number": {
			ramdisk.With(pair, func(r *provision.Ramdisk) { r.KernelParams = "NaN" }),
			map[string]any{"deploy_kernel": kernelURL, "deploy_ramdisk": initrdURL},
			[]string{`baremetal node set --driver-info 'kernel_append_params="NaN"' uuid-r7-n01`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := preview(ramdisk.Always(test.ramdisk), func(n *models.Node) { maps.Copy(n.DriverInfo, test.info) })
			if !slices.Equal(p.Commands, test.want) {
				t.Errorf("commands %q, refused %v", p.Commands, p.Refusal)
			}
		})
	}
}

var errNothing = errors.New("no image is served for the node")

func TestRamdiskRefused(t *testing.T) {
	kernelOnly, withISO := pair, iso
	kernelOnly.Initramfs, withISO.Kernel = "", kernelURL
	href := func(text string) *provision.RamdiskAction { return ramdisk.Always(provision.Ramdisk{ISO: text}) }
	params := func(text string) *provision.RamdiskAction {
		return ramdisk.Always(ramdisk.With(pair, func(r *provision.Ramdisk) { r.KernelParams, r.WithDefaults = text, true }))
	}
	boot := func(name string) func(n *models.Node) { return func(n *models.Node) { n.BootInterface = name } }
	in := func(s models.ProvisionState) func(n *models.Node) {
		return func(n *models.Node) { n.ProvisionState = s }
	}
	tests := []struct {
		name   string
		action *provision.RamdiskAction
		change func(n *models.Node)
		kind   models.RefusalKind
		why    string // "" if the action is not refused
	}{
		{name: "ISO", action: ramdisk.Always(iso)},
		{name: "nothing to boot", action: ramdisk.Always(provision.Ramdisk{}), kind: models.RefusedArguments, why: "no ISO and no kernel"},
		{name: "no ramdisk for the node", action: provision.ApplyRamdisk(func(*models.Node) (provision.Ramdisk, error) {
			return provision.Ramdisk{}, errNothing
		}), kind: models.RefusedArguments, why: "no image is served for the node"},
		{name: "kernel alone", action: ramdisk.Always(kernelOnly), kind: models.RefusedArguments, why: "a kernel and an initramfs must be given together"},
		{name: "ISO and kernel", action: ramdisk.Always(withISO), kind: models.RefusedArguments, why: "cannot be combined"},
		{name: "ISO with parameters", action: ramdisk.Always(ramdisk.With(iso, func(r *provision.Ramdisk) { r.KernelParams = "a" })), kind: models.RefusedArguments, why: "does not pass kernel parameters to a prebuilt ISO"},
		{
			name: "parameters set and removed", action: ramdisk.Always(ramdisk.With(pair, func(r *provision.Ramdisk) { r.KernelParams, r.NoKernelParams = "a", true })),
			kind: models.RefusedArguments, why: "both set and remove",
		},
		{name: "a line end", action: ramdisk.Always(ramdisk.With(pair, func(r *provision.Ramdisk) { r.KernelParams = "a\nb" })), kind: models.RefusedArguments, why: "contains a line break"},
		{name: "grammar", action: params("a:b"), kind: models.RefusedArguments, why: "kernel_append_params: kernel parameters, column 18: found ':' instead of a space"},
		{name: "good parameters", action: params("good")},
		{name: "relative", action: href("a.iso"), kind: models.RefusedArguments, why: "neither a URL nor the UUID"},
		{name: "UUID", action: href("1be26c0b-03f2-4d2e-ae87-c02d7f33c781")},
		{name: "glance", action: href("glance://1be26c0b-03f2-4d2e-ae87-c02d7f33c781")},
		{name: "oci", action: href("oci://registry.example/image:tag")},
		{name: "file", action: href("file:///var/lib/ironic/a.iso")},
		{name: "relative file", action: href("file://a.iso"), kind: models.RefusedArguments, why: "use an absolute path"},
		{name: "ftp", action: href("ftp://192.0.2.1/a.iso"), kind: models.RefusedArguments, why: `does not support the scheme "ftp"`},
		{name: "no host", action: href("http:///a.iso"), kind: models.RefusedArguments, why: "the URL has no host"},
		{name: "a blank", action: href("http://192.0.2.1/a b.iso"), kind: models.RefusedArguments, why: "contains a space or a control character"},
		{name: "no URL", action: href("http://[::1/secret"), kind: models.RefusedArguments, why: "invalid URL"},
		{name: "pxe and ISO", action: ramdisk.Always(iso), change: boot("ipxe"), kind: models.RefusedArguments, why: `"ipxe" does not support deploy_iso`},
		{name: "pxe and pair", action: ramdisk.Always(pair), change: boot("ipxe")},
		{name: "irmc and pair", action: ramdisk.Always(pair), change: boot("irmc-virtual-media"), kind: models.RefusedArguments, why: "supports only deploy_iso"},
		{name: "unknown interface", action: ramdisk.Always(iso), change: boot("acme-boot")},
		{name: "locked", action: ramdisk.Always(iso), change: func(n *models.Node) { n.Reservation = "host-1" }, kind: models.RefusedState, why: "locked by conductor host-1"},
		{name: "locked, already set", action: ramdisk.Always(iso), change: func(n *models.Node) { n.Reservation, n.DriverInfo["deploy_iso"] = "host-1", isoURL }},
		{name: "deploying", action: ramdisk.Always(iso), change: in(models.StateDeploying), kind: models.RefusedState, why: "while the node is deploying"},
		{name: "clean wait", action: ramdisk.Always(iso), change: in(models.StateCleanWait), kind: models.RefusedState, why: "while the node is clean wait"},
		{name: "inspect wait", action: ramdisk.Always(iso), change: in(models.StateInspectWait)},
		{name: "active", action: ramdisk.Always(iso), change: in(models.StateActive)},
		{name: "unreadable", action: ramdisk.Always(iso), change: func(n *models.Node) { n.DriverInfo = nil }, kind: models.RefusedArguments, why: "driver_info cannot be read"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := preview(test.action, test.change)
			switch {
			case (p.Refusal == nil) != (test.why == ""):
				t.Errorf("refused: %v", p.Refusal)
			case p.Refusal != nil && (p.Refusal.Kind != test.kind || !strings.Contains(p.Refusal.Error(), test.why) || strings.Contains(p.Refusal.Error(), "secret")):
				t.Errorf("refused (%s): %v", p.Refusal.Kind, p.Refusal)
			case p.Refusal != nil && (len(p.Requests) > 0 || len(p.Commands) > 0 || p.Unchanged()):
				t.Errorf("refused, and there are requests: %+v", p)
			}
		})
	}
}

func TestRamdiskWarnings(t *testing.T) {
	url := func(text string) provision.Ramdisk { return provision.Ramdisk{ISO: text} }
	tests := map[string]struct {
		ramdisk provision.Ramdisk
		change  func(n *models.Node)
		want    []string // a part of each expected warning
	}{
		"none":              {ramdisk: iso},
		"file":              {ramdisk: url("file:///srv/a.iso"), want: []string{"file_url_allowed_paths"}},
		"loopback":          {ramdisk: url("http://127.0.0.1:8080/a.iso"), want: []string{"deploy_iso: BMCs cannot reach 127.0.0.1"}},
		"loopback, IPv6":    {ramdisk: url("http://[::1]/a.iso"), want: []string{"BMCs cannot reach ::1"}},
		"loopback, mapped":  {ramdisk: url("http://[::ffff:127.0.0.1]/a.iso"), want: []string{"BMCs cannot reach"}},
		"loopback, by name": {ramdisk: url("https://LocalHost./a.iso"), want: []string{"BMCs cannot reach localhost"}},
		"anywhere":          {ramdisk: url("http://0.0.0.0/a.iso"), want: []string{"is a listen address"}},
		"one link":          {ramdisk: url("http://[fe80::1]/a.iso"), want: []string{"is link-local"}},
		"both of a pair": {
			ramdisk: provision.Ramdisk{Kernel: "http://127.0.0.1/k", Initramfs: "file:///r"},
			want:    []string{"deploy_kernel: BMCs cannot reach 127.0.0.1", "deploy_ramdisk: conductors read files only"},
		},
		"unknown interface": {ramdisk: iso, change: func(n *models.Node) { n.BootInterface = "acme" }, want: []string{`unknown boot interface "acme"`}},
		"no interface":      {ramdisk: iso, change: func(n *models.Node) { n.BootInterface = "" }},
		"no bootloader":     {ramdisk: pair, change: func(n *models.Node) { delete(n.DriverInfo, "bootloader") }, want: []string{"UEFI needs driver_info.bootloader"}},
		"pxe needs none":    {ramdisk: pair, change: func(n *models.Node) { delete(n.DriverInfo, "bootloader"); n.BootInterface = "ipxe" }},
		"parameters stay":   {ramdisk: iso, change: func(n *models.Node) { n.DriverInfo["kernel_append_params"] = "a" }, want: []string{"kernel_append_params is unchanged"}},
		"the instance's go": {
			ramdisk: ramdisk.With(pair, func(r *provision.Ramdisk) { r.KernelParams = "a" }), change: func(n *models.Node) { n.InstanceInfo["kernel_append_params"] = "b" },
			want: []string{"instance_info.kernel_append_params is removed"},
		},
		"at work": {ramdisk: iso, change: func(n *models.Node) { n.ProvisionState = models.StateInspectWait }, want: []string{"the node is inspect wait"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := preview(ramdisk.Always(test.ramdisk), test.change)
			if p.Refusal != nil || len(p.Warnings) != len(test.want) {
				t.Fatalf("warnings %q, refused %v", p.Warnings, p.Refusal)
			}
			for i, part := range test.want {
				if !strings.Contains(p.Warnings[i], part) {
					t.Errorf("%q does not say %q", p.Warnings[i], part)
				}
			}
		})
	}
}

// TestRamdiskRuns checks that no request is sent to refused nodes, that nodes already in the requested state are done
// without a request, and that the audit log contains the names of the fields but not their values.
func TestRamdiskRuns(t *testing.T) {
	api := newAPI(node("n1", models.StateManageable), node("n2", models.StateDeploying), node("n3", models.StateAvailable), node("n4", models.StateActive))
	api.set("n3", func(n *models.Node) { n.DriverInfo["deploy_iso"] = isoURL + "?n3" })
	api.set("n1", func(n *models.Node) { n.DriverInfo["deploy_kernel"] = "k" })
	api.onCall = func(_, id string) error {
		if id == "uuid-n4" {
			return &models.Fault{Kind: models.FaultBadRequest, Status: 400, Message: "the value " + isoURL + "?n4 is bad"}
		}
		return nil
	}
	each := provision.ApplyRamdisk(func(n *models.Node) (provision.Ramdisk, error) {
		return provision.Ramdisk{ISO: isoURL + "?" + n.Name}, nil
	})
	results, audit := act(t, api, each, provision.RunOptions{}, "n1", "n2", "n3", "n4")
	var outcomes []provision.Outcome
	for _, r := range results {
		outcomes = append(outcomes, r.Outcome)
	}
	if want := []provision.Outcome{provision.OutcomeDone, provision.OutcomeRefused, provision.OutcomeDone, provision.OutcomeFailed}; !slices.Equal(outcomes, want) {
		t.Errorf("outcomes %q", outcomes)
	}
	slices.Sort(api.calls)
	if want := []string{
		`n1 patch [{"op":"add","path":"/driver_info/deploy_iso","value":"` + isoURL + `?n1"},{"op":"remove","path":"/driver_info/deploy_kernel"}]`,
		`n4 patch [{"op":"add","path":"/driver_info/deploy_iso","value":"` + isoURL + `?n4"}]`,
	}; !slices.Equal(api.calls, want) {
		t.Errorf("calls %q", api.calls)
	}
	lines := audit.lines()
	slices.Sort(lines)
	if want := []string{
		"n1 ignition apply /driver_info/deploy_iso /driver_info/deploy_kernel- accepted req-n1",
		"n1 ignition apply /driver_info/deploy_iso /driver_info/deploy_kernel- sending",
		"n4 ignition apply /driver_info/deploy_iso refused  bad request (HTTP 400)",
		"n4 ignition apply /driver_info/deploy_iso sending",
	}; !slices.Equal(lines, want) {
		t.Errorf("audit %q", lines)
	}
}

// TestRamdiskReadOnly checks that the preview in a read-only context contains a refusal, but no requests.
func TestRamdiskReadOnly(t *testing.T) {
	n := node("n1", models.StateManageable)
	r := &provision.Runner{API: newAPI(n), Audit: &memAudit{}, ReadOnly: true}
	a := ramdisk.Always(iso)
	if p := r.Plan(a, []models.Node{n}).Preview()[0]; p.Refusal == nil || p.Refusal.Kind != models.RefusedReadOnly || len(p.Requests) > 0 {
		t.Errorf("preview %+v", p)
	}
}
