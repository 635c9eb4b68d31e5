package agent

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ironworks/python"
)

const wholeNode = `{"uuid": "n1", "automated_clean": null, "properties": {"root_device": {"name": "/dev/sda"}}, "instance_info": {"configdrive": {"user_data": {"ignition": {"version": "3.3.0"}}}}}`

func ended(t *testing.T, done chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("the agent goes on")
		return nil
	}
}

func TestDeployment(t *testing.T) {
	c, m, journal := newConductor(t), newMetal(), &lines{}
	c.lookups = []int{http.StatusNotFound, http.StatusConflict}
	done := c.start(m, Options{Journal: journal.add})
	beat := c.wait()
	if !strings.HasPrefix(beat.Text("callback_url"), "https://127.0.0.1:") || beat.Text("agent_token") != testToken || beat.Text("agent_version") != "13.0.0" {
		t.Errorf("heartbeat %s", dump(beat))
	}
	d := c.drive(beat)

	_, status := d.call(http.MethodGet, "/v1/status", nil, "")
	if status.Text("version") != "13.0.0" {
		t.Errorf("status %s", dump(status))
	}
	_, steps := d.post("deploy.get_deploy_steps", `{"node": `+wholeNode+`, "ports": []}`, true)
	result := steps.Dict("command_result")
	versions := dump(result.Get("hardware_manager_version"))
	if want := `{"CoreOSInstallHardwareManager": "1", "generic_hardware_manager": "1.2"}`; versions != want {
		t.Errorf("versions %s, want %s", versions, want)
	}
	first := dump(result.Dict("deploy_steps").Get("CoreOSInstallHardwareManager").(list)[0])
	if want := `{"step": "install_coreos", "priority": 0, "interface": "deploy", "reboot_requested": false, "argsinfo": {}}`; first != want {
		t.Errorf("the first step is %s, want %s", first, want)
	}

	code, shown := d.post("deploy.execute_deploy_step", stepParams("install_coreos", `, "deploy_version": `+versions), false)
	if code != http.StatusOK || shown.Text("command_name") != "execute_deploy_step" {
		t.Errorf("execute answered %d %s", code, dump(shown))
	}
	c.wait() // the heartbeat after the step
	last := d.last()
	if want := `{"deploy_result": null, "deploy_step": {"interface": "deploy", "step": "install_coreos", "args": {}, "priority": 80}}`; last.Text("command_status") != "SUCCEEDED" || dump(last.Get("command_result")) != want {
		t.Errorf("the command is %s", dump(last))
	}
	if got := m.installed(); len(got) != 1 || got[0].Device != "/dev/sda" {
		t.Errorf("installed %+v", got)
	}

	_, logs := d.post("log.collect_system_logs", `{}`, true)
	text := unpack(t, logs.Dict("command_result").Text("system_logs"))
	for _, want := range []string{"coreos-installer: Read disk", "agent_token=" + testToken, "systemd[1]: Started ironic-agent.service", "worker-1 ironic-agent["} {
		if !strings.Contains(text, want) {
			t.Errorf("the collected journal lacks %q", want)
		}
	}
	if _, off := d.post("standby.power_off", `{}`, false); off.Text("command_status") != "RUNNING" {
		t.Errorf("power_off is %s", dump(off))
	}
	if err := ended(t, done); err != nil {
		t.Errorf("the end is %v", err)
	}
	if got := m.history(); !slices.Equal(got, []string{"sync", "power off"}) {
		t.Errorf("the hardware did %q", got)
	}
	for _, want := range []string{"inspector ", "proceeding with lookup", "Failed looking up node", "We will wait 5 seconds"} {
		if !journal.has(want) {
			t.Errorf("the journal lacks %q", want)
		}
	}
}

func unpack(t *testing.T, encoded string) string {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewReader(zip)
	header, err := files.Next()
	if err != nil || header.Name != "journal" {
		t.Fatalf("the archive begins with %+v, %v", header, err)
	}
	text, err := io.ReadAll(files)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestServiceRefuses(t *testing.T) {
	c, m := newConductor(t), newMetal()
	m.units = []UnitState{{"inactive", "success"}, {"active", "success"}} // stays active
	c.start(m, Options{Speed: 1, PlainHTTP: true, NoInspection: true})
	d := c.drive(c.wait())
	d.post("deploy.execute_deploy_step", stepParams("start_assisted_install", ""), false)
	right := url.Values{"agent_token": {testToken}}
	for _, r := range []struct {
		name, method, path, body string
		query                    url.Values
		code                     int
		text                     string
	}{
		{name: "no token", method: http.MethodGet, path: "/v1/commands/", code: 401, text: "401 Unauthorized: Token invalid."},
		{name: "a wrong token", method: http.MethodPost, path: "/v1/commands/", query: url.Values{"agent_token": {"x"}}, code: 401, text: "401 Unauthorized: Token invalid."},
		{name: "busy", method: http.MethodPost, path: "/v1/commands/", query: right, body: `{"name": "standby.sync", "params": {}}`, code: 409, text: "Agent is busy: executing command execute_deploy_step"},
		{name: "an unknown id", method: http.MethodGet, path: "/v1/commands/abc", query: right, code: 404, text: "Not found: Command Result with id abc not found."},
		{name: "no name", method: http.MethodPost, path: "/v1/commands/", query: right, body: `{"params": {}}`, code: 400, text: "400 Bad Request: Missing or invalid name or params"},
		{name: "no extension", method: http.MethodPost, path: "/v1/commands/", query: right, body: `{"name": "sync", "params": {}}`, code: 400, text: "Invalid command: Command name must be of the form <extension>.<name>"},
		{name: "no JSON", method: http.MethodPost, path: "/v1/commands/", query: right, body: `{`, code: 400, text: "400 Bad Request: Failed to decode JSON object: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"},
		{name: "nowhere", method: http.MethodGet, path: "/v1/nothing", code: 404, text: notThere},
		{name: "not that method", method: http.MethodDelete, path: "/v1/commands/", code: 405, text: notThat},
	} {
		t.Run(r.name, func(t *testing.T) {
			d.t = t
			code, body := d.call(r.method, r.path, r.query, r.body)
			if code != r.code || body.Text("faultstring") != r.text || body.Text("faultcode") != "Client" {
				t.Errorf("got %d %s", code, dump(body))
			}
		})
	}
	if got := d.last().Text("command_status"); got != "RUNNING" {
		t.Errorf("the step is %s", got)
	}
}

func TestUnknownCommands(t *testing.T) {
	c, m := newConductor(t), newMetal()
	c.start(m, Options{Version: "9.4.2", NoInspection: true})
	d := c.drive(c.wait())
	if code, body := d.call(http.MethodGet, "/v1/commands/", nil, ""); code != http.StatusOK || dump(body) != `{"commands": []}` {
		t.Errorf("the open list is %d %s", code, dump(body))
	}
	if code, body := d.post("deploy.foo", `{}`, true); code != 400 || body.Text("faultstring") != "Invalid command: Unknown command: foo" {
		t.Errorf("got %d %s", code, dump(body))
	}
	if code, body := d.post("foo.bar", `{}`, true); code != 404 || body.Text("faultstring") != "Not found: Extension with id foo not found." {
		t.Errorf("got %d %s", code, dump(body))
	}
	_, body := d.post("clean.execute_clean_step", stepParams("banana", ""), true)
	if e := body.Dict("command_error"); e.Text("type") != "HardwareManagerMethodNotFound" || e.Text("details") != "Could not find method: banana" {
		t.Errorf("an unknown step gives %s", dump(body))
	}
	_, body = d.post("clean.execute_clean_step", stepParams("erase_devices", `, "clean_version": {"generic_hardware_manager": "1.2"}`), true)
	if e := body.Dict("command_error"); body.Text("command_status") != "CLEAN_VERSION_MISMATCH" || e.Text("details") != "Current versions: {'CoreOSInstallHardwareManager': '1', 'generic_hardware_manager': '1.1'}, versions used by ironic: {'generic_hardware_manager': '1.2'}" {
		t.Errorf("another version gives %s", dump(body))
	}
}

func TestInspection(t *testing.T) {
	c, m := newConductor(t), newMetal()
	c.inspection = http.StatusAccepted
	query := ""
	c.lookupQuery = func(q string) { query = q }
	c.start(m, Options{})
	c.wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if got := c.inspected.Dict("inventory").Get("interfaces").(list)[0].(*dict).Text("mac_address"); got != "52:54:00:00:00:01" {
		t.Errorf("the MAC is %q", got)
	}
	if got := c.inspected.Dict("root_disk").Text("name"); got != "/dev/sda" {
		t.Errorf("the root disk is %q", got)
	}
	if python.Truthy(c.inspected.Get("error")) {
		t.Errorf("the error is %v", c.inspected.Get("error"))
	}
	if query != "addresses=52%3A54%3A00%3A00%3A00%3A01&node_uuid=n1" {
		t.Errorf("lookup asked %q", query)
	}
}

// TestInspectionBeforeTheConductorWaits checks that with the Fast option, a machine is inspected even if it boots
// before its conductor waits for the inventory.
func TestInspectionBeforeTheConductorWaits(t *testing.T) {
	for _, fast := range []bool{false, true} {
		t.Run("fast "+strconv.FormatBool(fast), func(t *testing.T) {
			c, m, journal := newConductor(t), newMetal(), &lines{}
			c.lookups = []int{http.StatusConflict}
			c.inspectionLater = http.StatusAccepted
			c.start(m, Options{Journal: journal.add, Fast: fast})
			c.wait()
			c.mu.Lock()
			defer c.mu.Unlock()
			if !journal.has("error 404") || journal.has("inspection finished successfully") != fast {
				t.Error("the journal differs")
			}
			if want := map[bool]int{false: 1, true: 2}[fast]; c.inspections != want {
				t.Errorf("the inventory was sent %d times, want %d", c.inspections, want)
			}
		})
	}
}

// TestLookupOfALockedNode checks that with the Fast option, the lookup timeout starts only when the node is unlocked.
func TestLookupOfALockedNode(t *testing.T) {
	c, m, journal := newConductor(t), newMetal(), &lines{}
	c.lookups = slices.Repeat([]int{http.StatusConflict}, 8)
	c.start(m, Options{Journal: journal.add, NoInspection: true, Fast: true, LookupTimeout: 10 * time.Second, Speed: 200})
	c.wait()

	c.lookups = slices.Repeat([]int{http.StatusConflict}, 1000)
	done := c.start(newMetal(), Options{Journal: journal.add, NoInspection: true, LookupTimeout: 10 * time.Second, Speed: 200})
	if err := ended(t, done); !errors.Is(err, errNotFound) {
		t.Errorf("without Fast: %v", err)
	}
}

func TestNoInventory(t *testing.T) {
	c, m, journal := newConductor(t), newMetal(), &lines{}
	c.inspection = http.StatusBadRequest
	c.start(m, Options{Journal: journal.add, Faults: Faults{NoInventory: true}})
	c.wait()
	if !journal.has("Failed to perform inspection: The following errors were encountered:") {
		t.Error("the journal does not say so")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inspected.Has("inventory") || !python.Truthy(c.inspected.Get("error")) {
		t.Errorf("sent %s", dump(c.inspected))
	}
}

func TestTokenOfAnotherRamdisk(t *testing.T) {
	c, m, journal := newConductor(t), newMetal(), &lines{}
	c.token = hiddenToken
	done := c.start(m, Options{Journal: journal.add, NoInspection: true})
	for !journal.has("locking down IPA") {
		select {
		case err := <-done:
			t.Fatalf("the agent ended: %v", err)
		case <-c.beat:
			t.Fatal("a heartbeat came")
		case <-time.After(time.Millisecond):
		}
	}
	m.off()
	if err := ended(t, done); err != nil {
		t.Error(err)
	}
}

func TestPregeneratedToken(t *testing.T) {
	c, m := newConductor(t), newMetal()
	c.token = hiddenToken
	c.start(m, Options{Token: testToken, NoInspection: true})
	if beat := c.wait(); beat.Text("agent_token") != testToken {
		t.Errorf("heartbeat %s", dump(beat))
	}
}

func TestOldIronicGetsNoCertificate(t *testing.T) {
	c, m := newConductor(t), newMetal()
	c.apiVersion = "1.67"
	c.start(m, Options{NoInspection: true})
	if beat := c.wait(); !strings.HasPrefix(beat.Text("callback_url"), "http://") || beat.Has("agent_verify_ca") {
		t.Errorf("heartbeat %s", dump(beat))
	}
}

func TestRescueAndLockdown(t *testing.T) {
	t.Run("rescue ends the agent", func(t *testing.T) {
		c, m := newConductor(t), newMetal()
		done := c.start(m, Options{NoInspection: true})
		_, shown := c.drive(c.wait()).post("rescue.finalize_rescue", `{"rescue_password": "$6$x", "hashed": true}`, true)
		if err := ended(t, done); err != nil || shown.Text("command_status") != "SUCCEEDED" || !slices.Equal(m.history(), []string{"rescue $6$x"}) {
			t.Errorf("%v, %s, %q", err, dump(shown), m.history())
		}
	})
	t.Run("lockdown takes the network down", func(t *testing.T) {
		c, m, journal := newConductor(t), newMetal(), &lines{}
		done := c.start(m, Options{NoInspection: true, Journal: journal.add})
		c.drive(c.wait()).post("system.lockdown", `{}`, true)
		for !journal.has("System locked down") {
			<-time.After(time.Millisecond)
		}
		m.off()
		if err := ended(t, done); err != nil || !slices.Equal(m.history(), []string{"network down"}) {
			t.Errorf("%v, %q", err, m.history())
		}
	})
}

func TestDiesInStep(t *testing.T) {
	c, m := newConductor(t), newMetal()
	done := c.start(m, Options{NoInspection: true, Faults: Faults{DieInStep: "install_coreos"}})
	c.drive(c.wait()).post("deploy.execute_deploy_step", stepParams("install_coreos", ""), false)
	if err := ended(t, done); !errors.Is(err, ErrDied) {
		t.Errorf("the end is %v", err)
	}
}
