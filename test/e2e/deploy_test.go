package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/test/ironic"
)

const hostButane = `variant: fcos
version: 1.5.0
passwd:
  users:
    - name: core
      ssh_authorized_keys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKqCzEWVaIJ7TnE3gIlxTvxGvT1Bf3oN3Vb3VTb5kXkJ ada@example]
`

// dryRun is the output of --dry-run -o json for one node.
type dryRun struct {
	Refused bool          `json:"refused"`
	Checks  []plan.Check  `json:"checks"`
	Steps   []models.Step `json:"steps"`
	Request []struct {
		Method string `json:"method"`
		Path   string `json:"path"`
		Body   any    `json:"body"`
	} `json:"requests"`
	Commands []string `json:"commands"`
}

func (d dryRun) severity(id plan.CheckID) plan.CheckSeverity {
	for _, c := range d.Checks {
		if c.ID == id {
			return c.Severity
		}
	}
	return ""
}

// TestDeployByPlan deploys a lab machine with a plan file that contains root device hints and Butane, but no steps.
func TestDeployByPlan(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, uuid, m := redfishNode(t, s, "ok")
		serial := m.Disks()[0].Serial
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		c.file("host.bu", []byte(hostButane))
		deployPlan := c.file("plan.yaml", []byte("nodes:\n  - name: "+name+"\n    root_device: {hints: {serial: "+serial+"}}\nconfigdrive: {user_data_file: host.bu}\n"))

		override := []string{"--override", "inventory", "--confirm", name}
		o := c.ok(append([]string{"deploy", "-f", deployPlan, "--dry-run", "-o", "json"}, override...)...)
		shown := decode[[]dryRun](t, o)
		if len(shown) != 1 || shown[0].Refused || shown[0].severity(plan.CheckUserData) != plan.CheckOK || len(shown[0].Request) != 4 {
			t.Fatalf("dry run: %s", o.stdout)
		}
		if len(shown[0].Steps) != 6 || shown[0].Steps[1].Step != "install_coreos" {
			t.Errorf("steps: %v", shown[0].Steps)
		}
		if put := shown[0].Request[3]; put.Method != http.MethodPut || strings.Contains(o.stdout, "AAAAC3") || strings.Contains(o.stdout, "H4sI") {
			t.Errorf("the user data is shown: %s", o.stdout)
		}
		if n := apiNode(t, s, uuid); n["instance_uuid"] != nil {
			t.Errorf("a dry run has reserved the node")
		}

		c.ok(append([]string{"deploy", "-f", deployPlan, "--yes", "--wait", "--timeout", "6m"}, override...)...)
		n := apiNode(t, s, uuid)
		if n["provision_state"] != "active" || n["instance_uuid"] == nil {
			t.Errorf("the node is %v, instance %v", n["provision_state"], n["instance_uuid"])
		}
		if hints := n["instance_info"].(map[string]any)["root_device"]; hints.(map[string]any)["serial"] != serial {
			t.Errorf("hints: %v", hints)
		}
		if installed := m.Disks()[0].Installed; installed == nil || !strings.Contains(string(installed.Ignition), `"merge"`) {
			t.Errorf("installed on the disk: %+v", installed)
		}
		overrides := slices.ContainsFunc(c.auditLines(), func(line map[string]any) bool {
			list, _ := line["overrides"].([]any)
			return line["verb"] == "deploy" && len(list) == 1 && list[0] == "inventory"
		})
		if !overrides {
			t.Errorf("the override is not in the audit: %v", c.auditLines())
		}
	})
}

// TestDeployRefusals checks that mistakes that Ironic would accept are refused before a request is sent.
func TestDeployRefusals(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, uuid, _ := redfishNode(t, s, "ok")
		if o := c.fails(3, "deploy", name, "--yes"); !strings.Contains(o.stderr, `[state] not possible in state "enroll"`) || !strings.Contains(o.stderr, "[inventory]") {
			t.Errorf("wrong state and no inventory: %s", o.stderr)
		}
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		before := len(c.auditLines())
		cloud := c.file("cloud.yaml", []byte("#cloud-config\nusers: []\n"))
		host := c.file("host.bu", []byte(hostButane))
		for what, try := range map[string]struct {
			args []string
			says string
		}{
			"an unknown hint":             {[]string{"--root-device", `{"colour": "red"}`}, "[hints]"},
			"a malformed hint":            {[]string{"--root-device", `{"size": "<range-in> [ 10 20 ]"}`}, "[hints]"},
			"cloud-config":                {[]string{"--user-data", cloud}, "[user-data] the user data (cloud-config)"},
			"no step that installs":       {[]string{"--step", "deploy.erase_devices_metadata@90"}, "[install-step]"},
			"an unknown argument":         {[]string{"--step", `{"interface":"deploy","step":"install_coreos","args":{"a":1},"priority":80}`}, "[steps]"},
			"an install without an agent": {[]string{"--step", "deploy.install_coreos@20"}, "[step-order]"},
			"a disabled interface":        {[]string{"-f", c.file("ansible.yaml", []byte("deploy_interface: ansible\n"))}, "[deploy-interface] ansible is not enabled"},
			"no inventory":                {[]string{"--user-data", host}, "[inventory]"},
		} {
			args := append([]string{"deploy", name, "--yes"}, try.args...)
			if !strings.Contains(try.says, "inventory") {
				args = append(args, "--override", "inventory", "--confirm", name)
			}
			if o := c.fails(3, args...); !strings.Contains(o.stderr, try.says) {
				t.Errorf("%s: %s", what, o.stderr)
			}
		}
		c.ok("set", name, "instance_uuid=7d5f1a2b-0d6e-4a43-9f2c-000000000001")
		before += 2
		if o := c.fails(3, "deploy", name, "--yes"); !strings.Contains(o.stderr, "[reserved]") {
			t.Errorf("reserved node: %s", o.stderr)
		}
		if n := len(c.auditLines()); n != before {
			t.Errorf("a request was sent: %v", c.auditLines()[before:])
		}
		if state := apiNode(t, s, uuid)["provision_state"]; state != "available" {
			t.Errorf("the node is %v", state)
		}
	})
}

// TestDeployTwoDisks checks that hints that match two disks in the inventory are refused, but that the node is
// deployed with --override.
func TestDeployTwoDisks(t *testing.T) {
	t.Parallel()
	c, _ := labUp(t, "--lab-machines", "3", "--lab-speed", "30")
	c.ok("manage", "r7-n01", "--wait", "--timeout", "6m")
	c.ok("inspect", "r7-n01", "--wait", "--timeout", "6m")
	c.ok("provide", "r7-n01", "--wait", "--timeout", "6m")
	o := c.fails(3, "deploy", "r7-n01", "--yes", "--root-device", `{"rotational": false}`)
	if !strings.Contains(o.stderr, "[root-device] 2 disks match the hints") {
		t.Errorf("two disks: %s", o.stderr)
	}
	if o := c.fails(2, "deploy", "r7-n01", "--override", "root-device"); !strings.Contains(o.stderr, "--confirm") {
		t.Errorf("an override without the name: %s", o.stderr)
	}
	if o := c.fails(2, "deploy", "r7-n01", "--override", "state", "--confirm", "r7-n01"); !strings.Contains(o.stderr, "cannot be turned off") {
		t.Errorf("an override of the state: %s", o.stderr)
	}
	c.ok("deploy", "r7-n01", "--yes", "--wait", "--timeout", "6m", "--root-device", `{"rotational": false}`,
		"--override", "root-device", "--confirm", "r7-n01")
	// The steps that the agent offered in this deployment were recorded and are used to check the next one.
	c.ok("undeploy", "r7-n01", "--yes", "--wait", "--timeout", "6m")
	o = c.fails(3, "deploy", "r7-n01", "--yes", "--step", "deploy.instal_coreos", "--policy", "root-device=off")
	if !strings.Contains(o.stderr, "[step-offered] deploy.instal_coreos was not offered") {
		t.Errorf("misspelled step: %s", o.stderr)
	}
}

// TestDeployChecksTheImage checks that the image and its checksum are looked up before a request is sent.
func TestDeployChecksTheImage(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, _, _ := redfishNode(t, s, "ok")
		c.ok("manage", name, "--wait", "--timeout", "6m")
		c.ok("provide", name, "--wait", "--timeout", "6m")
		mux := http.NewServeMux()
		mux.HandleFunc("/os.raw", func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader("an image"))
		})
		mux.HandleFunc("/SUMS", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("a", 64)+"  os.raw\n")
		})
		web := httptest.NewServer(mux)
		t.Cleanup(web.Close)
		for _, tt := range []struct {
			image, sums    string
			there, sumsAre plan.CheckSeverity
		}{
			{"/os.raw", "/SUMS", plan.CheckOK, plan.CheckOK},
			{"/another.raw", "/SUMS", plan.CheckRefuse, plan.CheckRefuse},
			{"/os.raw", "/nothing", plan.CheckOK, plan.CheckRefuse},
		} {
			deployPlan := c.file("direct.yaml", []byte("nodes: ["+name+"]\nkind: direct\nimage: {source: \""+web.URL+tt.image+"\", checksum: \""+web.URL+tt.sums+"\"}\n"))
			o := c.run("deploy", "-f", deployPlan, "--dry-run", "-o", "json")
			shown := decode[[]dryRun](t, o)
			if len(shown) != 1 || shown[0].severity(plan.CheckImageThere) != tt.there || shown[0].severity(plan.CheckImageFile) != tt.sumsAre {
				t.Errorf("%s, %s: %s", tt.image, tt.sums, o.stdout)
			}
		}
	})
}

// TestDeployPoliciesOfAContext checks that a plan or a flag overrides the context's policies for checks.
func TestDeployPoliciesOfAContext(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, s *ironic.Server) {
		c := newConsole(t)
		name, _, _ := redfishNode(t, s, "ok")
		config := func(checks string) string {
			return c.file("config.yaml", []byte("context: x\ncontexts:\n  x:\n    url: "+s.URL+"\n    checks: {"+checks+"}\n"))
		}
		deployPlan := c.file("plan.yaml", []byte("nodes: ["+name+"]\npolicy: {inventory: refuse}\n"))
		warn := config("inventory: warn")
		for _, tt := range []struct {
			args []string
			want plan.CheckSeverity
		}{
			{[]string{name}, plan.CheckWarn},
			{[]string{"-f", deployPlan}, plan.CheckRefuse},
			{[]string{"-f", deployPlan, "--policy", "inventory=off"}, ""},
		} {
			o := c.run(append([]string{"--config", warn, "deploy", "--dry-run", "-o", "json"}, tt.args...)...)
			if shown := decode[[]dryRun](t, o); len(shown) != 1 || shown[0].severity(plan.CheckInventory) != tt.want {
				t.Errorf("%v: want %q: %s", tt.args, tt.want, o.stdout)
			}
		}
		if o := c.run("--config", config("inventry: warn"), "nodes"); o.code == 0 || !strings.Contains(o.stderr, `unknown check "inventry" (did you mean inventory?)`) {
			t.Errorf("unknown check: %d %s", o.code, o.stderr)
		}
	})
}

// TestDeployRecordsItsRootDisk checks that a deployment records its root disk in the node's extra field, and that the
// next deployment warns when the hints match another disk.
func TestDeployRecordsItsRootDisk(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name, uuid, m := redfishNode(t, s, "ok")
		host := c.file("host.bu", []byte(hostButane))
		first, second := m.Disks()[0], m.Disks()[1]
		c.ok("manage", name, "--wait", "--timeout", "6m")
		inspected := s.Release != ironic.Old // 21.4.4 has no agent inspection
		if inspected {
			c.ok("set", name, "inspect_interface=agent")
			c.ok("inspect", name, "--wait", "--timeout", "6m")
		}
		c.ok("provide", name, "--wait", "--timeout", "6m")
		c.ok("deploy", name, "--yes", "--wait", "--timeout", "6m", "--user-data", host, "--root-device", `{"serial": "`+first.Serial+`"}`,
			"--override", "inventory", "--confirm", name)
		console, _ := apiNode(t, s, uuid)["extra"].(map[string]any)["console"].(map[string]any)
		disk, _ := console["root_disk"].(map[string]any)
		if !inspected {
			if disk != nil {
				t.Errorf("recorded %v although no disk was known", disk)
			}
			return
		}
		if disk["serial"] != first.Serial || disk["wwn"] != first.WWN {
			t.Errorf("recorded %v, installed to %s %s", disk, first.Serial, first.WWN)
		}
		if !slices.ContainsFunc(c.auditLines(), func(line map[string]any) bool {
			return strings.HasPrefix(fmt.Sprint(line["verb"]), "set /extra/console")
		}) {
			t.Errorf("not in the audit: %v", c.auditLines())
		}
		c.ok("undeploy", name, "--yes", "--wait", "--timeout", "6m")
		for serial, want := range map[string]plan.CheckSeverity{first.Serial: plan.CheckOK, second.Serial: plan.CheckWarn} {
			o := c.run("deploy", name, "--dry-run", "-o", "json", "--user-data", host, "--root-device", `{"serial": "`+serial+`"}`)
			if shown := decode[[]dryRun](t, o); shown[0].severity(plan.CheckSameDisk) != want {
				t.Errorf("%s: want %s: %s", serial, want, o.stdout)
			}
		}
	})
}
