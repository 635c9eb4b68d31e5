package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/weather"
)

const secretButane = `variant: fcos
version: 1.5.0
passwd:
  users:
    - name: core
      password_hash: $y$j9T$hunter2
`

// killPoint is a request during which the program is killed, before or after Ironic has received it.
type killPoint struct {
	name  string
	match weather.Match
	after bool
	// stage is the expected stage of the deployment's record; secrets reports whether the record still holds the user
	// data.
	stage   string
	secrets bool
	// rejected makes Ironic reject the deployment, so that the node is given back.
	rejected bool
}

var (
	patches   = weather.Method(http.MethodPatch)
	validates = weather.Path("/validate")
	deploys   = weather.Both(weather.Method(http.MethodPut), weather.Path("/states/provision"))
)

// killPoints returns two cases for each request that changes something, and for the validation: one before the
// request reaches Ironic, and one after. One more case kills the program while it follows the deployment. Other reads
// need no case.
func killPoints() []killPoint {
	var list []killPoint
	for _, after := range []bool{false, true} {
		word := map[bool]string{false: "before", true: "after"}[after]
		list = append(list,
			killPoint{"reserve " + word, weather.Nth(1, patches), after, "preparing", true, false},
			killPoint{"set " + word, weather.Nth(2, patches), after, "preparing", true, false},
			killPoint{"validate " + word, weather.Nth(2, validates), after, "preparing", true, false},
			killPoint{"deploy " + word, weather.Nth(1, deploys), after, "sending", true, false},
			killPoint{"restore " + word, weather.Nth(3, patches), after, "giving back", true, true},
			killPoint{"release " + word, weather.Nth(4, patches), after, "giving back", true, true},
		)
	}
	sent := false
	return append(list, killPoint{"follow", func(r *http.Request) bool {
		sent = sent || deploys(r)
		return sent && r.Method == http.MethodGet
	}, true, "following", false, false})
}

// TestDeployKilled kills the program at every request of a deployment and starts it again. It checks that Ironic gets
// exactly one request to deploy, and that the machine is installed.
func TestDeployKilled(t *testing.T) {
	t.Parallel()
	for _, again := range []string{"resume", "typed again"} {
		t.Run(again, func(t *testing.T) {
			t.Parallel()
			for _, k := range killPoints() {
				t.Run(k.name, func(t *testing.T) {
					t.Parallel()
					testDeployKilled(t, embeddedIronic(t), k, again == "resume")
				})
			}
		})
	}
}

// TestDeployKilledReal runs cases of TestDeployKilled against real Ironics. Under make test-long, it runs all of them
// except the validations; otherwise, only the one in which the response to the deploy request is lost.
func TestDeployKilledReal(t *testing.T) {
	t.Parallel()
	for _, release := range newestReleases(t) {
		t.Run(release.Version(), func(t *testing.T) {
			t.Parallel()
			server := takeIronic(t, release)
			for _, k := range killPoints() {
				if ironic.Long() && !strings.HasPrefix(k.name, "validate") || k.name == "deploy after" {
					t.Run(k.name, func(t *testing.T) { testDeployKilled(t, server, k, true) })
				}
			}
		})
	}
}

func testDeployKilled(t *testing.T, s *ironic.Server, k killPoint, resume bool) {
	c, p := behindProxy(t, s)
	name, uuid, m := redfishNode(t, s, "ok")
	serial := m.Disks()[0].Serial
	consoleAt(t, s).ok("manage", name, "--wait", "--timeout", "6m")
	consoleAt(t, s).ok("provide", name, "--wait", "--timeout", "6m")
	data := c.file("host.bu", []byte(secretButane))
	command := []string{
		"deploy", name, "--yes", "--wait", "--timeout", "6m", "--user-data", data, "--root-device", `{"serial": "` + serial + `"}`,
		"--override", "inventory", "--confirm", name,
	}
	reached := make(chan struct{}, 1)
	rules := []*weather.Rule{weather.On(k.match, weather.Held(reached, k.after)).Times(1)}
	if k.rejected {
		rules = append(rules, weather.On(deploys, weather.Ironic(400, "not today")).Times(1))
	}
	p.Set(rules...)
	first := c.background(command...)
	wait(t, reached)
	rec := c.onlyRecord()
	if rec.stage != k.stage || rec.secrets != k.secrets || rec.mode != 0o600 {
		t.Errorf("the record (%v, secrets %v): %s", rec.mode, rec.secrets, rec.text)
	}
	if o := c.fails(3, command...); !strings.Contains(o.stderr, fmt.Sprintf("PID %d", first.cmd.Process.Pid)) {
		t.Errorf("while the first one runs: %s", o.stderr)
	}
	first.kill()
	p.Clear()
	if o := c.ok("deploy", "--unfinished", "-o", "name"); strings.TrimSpace(o.stdout) != name {
		t.Errorf("unfinished: %s", o.stdout)
	}
	if resume && k.rejected {
		o := c.fails(1, "deploy", "--resume", "--yes")
		if n := apiNode(t, s, uuid); k.name == "release after" && !strings.Contains(o.stdout, "the node was released") || n["instance_uuid"] != nil || len(n["instance_info"].(map[string]any)) != 0 {
			t.Errorf("still reserved: %v %v\n%s", n["instance_uuid"], n["instance_info"], o.stdout)
		}
	} else if resume {
		c.ok("deploy", "--resume", "--yes", "--timeout", "6m")
	}
	if !resume || k.rejected {
		c.ok(command...)
	}
	n := apiNode(t, s, uuid)
	if n["provision_state"] != "active" || !k.rejected && n["instance_uuid"] != rec.instance {
		t.Errorf("the node is %v as %v, want %v", n["provision_state"], n["instance_uuid"], rec.instance)
	}
	if installed := m.Disks()[0].Installed; installed == nil || !strings.Contains(string(installed.Ignition), `"merge"`) {
		t.Errorf("installed on the disk: %+v", installed)
	}
	if sent := deployRequests(p, k); sent != 1 {
		t.Errorf("Ironic got %d requests to deploy", sent)
	}
	if left := c.records(); len(left) != 0 {
		t.Errorf("leftover records: %v", left)
	}
}

// deployRequests returns how many requests to deploy Ironic received.
func deployRequests(p *weather.Proxy, k killPoint) int {
	n := 0
	for _, r := range p.Requests() {
		if r.Method == http.MethodPut && strings.HasSuffix(r.Path, "/states/provision") && (!r.Ruled || k.name == "deploy after") {
			n++
		}
	}
	return n
}

// runUntilKilled runs the program and kills it during the request that k describes.
func (c *console) runUntilKilled(p *weather.Proxy, k killPoint, args ...string) {
	c.t.Helper()
	reached := make(chan struct{}, 1)
	p.Set(weather.On(k.match, weather.Held(reached, k.after)).Times(1))
	r := c.background(args...)
	wait(c.t, reached)
	r.kill()
	p.Clear()
}

// kill sends SIGKILL and waits for the program to end.
func (r *running) kill() {
	r.t.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		r.t.Fatal(err)
	}
	r.interrupt() // interrupt waits for the end
}

func wait(t *testing.T, reached <-chan struct{}) {
	t.Helper()
	select {
	case <-reached:
	case <-time.After(time.Minute):
		t.Fatal("the request never came")
	}
}

// deploymentRecord holds what a test needs to know about a deployment's record. mode is the mode of the record's
// file.
type deploymentRecord struct {
	text, stage, instance string
	secrets               bool
	mode                  os.FileMode
}

// records returns the paths of the files that deployments left in the state directory.
func (c *console) records() []string {
	c.t.Helper()
	list, err := filepath.Glob(filepath.Join(c.home, ".local/state/ironworks/deployments/*/*"))
	if err != nil {
		c.t.Fatal(err)
	}
	return list
}

// onlyRecord decodes the only record in the state directory.
func (c *console) onlyRecord() deploymentRecord {
	c.t.Helper()
	for _, path := range c.records() {
		if filepath.Ext(path) != ".json" {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			c.t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		var r struct {
			Stage      string `json:"stage"`
			Instance   string `json:"instance_uuid"`
			Deployment *struct {
				UserData []byte `json:"user_data"`
			} `json:"deployment"`
		}
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		if err != nil {
			c.t.Fatal(err)
		}
		return deploymentRecord{
			text: string(data), stage: r.Stage, instance: r.Instance, mode: info.Mode().Perm(),
			secrets: r.Deployment != nil && strings.Contains(string(r.Deployment.UserData), "hunter2"),
		}
	}
	c.t.Fatalf("no record: %v", c.records())
	return deploymentRecord{}
}
