package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/lab/db"
	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/test/embedded"
)

// doctoredIronic starts a server for an in-memory Ironic with one node. answers maps URL paths to responses that
// replace Ironic's. The entry "password" is not a path; it sets the password that the server requires.
func doctoredIronic(t *testing.T, answers map[string]string) *httptest.Server {
	t.Helper()
	ironic := embedded.New(t, time.Now)
	if _, err := ironic.Tables.Nodes.Create(&db.Node{
		Name: "n1", Driver: "redfish", ProvisionState: "active", Conductor: ironic.Tables.Conductors()[0].Hostname,
		Interfaces: map[string]string{"deploy": "custom-agent", "boot": "fake"},
	}); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); strings.HasPrefix(r.URL.Path, "/v1") && answers["password"] != "" && password != answers["password"] {
			w.Header().Set("WWW-Authenticate", `Basic realm="Baremetal API"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer, changed := answers[r.URL.Path]
		if !changed {
			ironic.Handler.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(answer, "<") { // the answer pretends to come from a server other than Ironic
			w.Header().Set("Content-Type", "text/html")
		} else {
			w.Header().Set("X-Openstack-Ironic-Api-Version", "1.115")
			w.Header().Set("X-Openstack-Ironic-Api-Minimum-Version", "1.1")
			w.Header().Set("X-Openstack-Ironic-Api-Maximum-Version", "1.115")
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s
}

// doctored runs doctor in a home directory and returns its checks.
func doctored(t *testing.T, home string, env map[string]string, args ...string) (code int, found map[doctor.ID]doctor.Diagnosis, all string) {
	t.Helper()
	run := func(format string) (int, string, string) {
		var out, complaints bytes.Buffer
		code := run(context.Background(), cli.Process{
			Args: append(append([]string{"doctor"}, args...), "-o", format), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaints,
			Options: config.Options{Home: home, WorkDir: home, SystemDir: home, Env: func(name string) string { return env[name] }},
		})
		return code, out.String(), complaints.String()
	}
	code, out, complaints := run("json")
	var shape struct {
		Checks []doctor.Diagnosis
		Worst  doctor.Result
	}
	dec := json.NewDecoder(strings.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&shape); err != nil {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, complaints)
	}
	if (shape.Worst == doctor.Fail) != (code == cli.ExitFailed) || code != cli.ExitOK && code != cli.ExitFailed {
		t.Errorf("exit code %d, the worst is %s", code, shape.Worst)
	}
	found = map[doctor.ID]doctor.Diagnosis{}
	for _, d := range shape.Checks {
		found[d.ID] = d
	}
	again, text, more := run("table")
	if again != code {
		t.Errorf("exit code %d as JSON, %d as text", code, again)
	}
	return code, found, out + complaints + text + more
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answers map[string]string
		args    []string
		id      doctor.ID
		result  doctor.Result
		says    string
	}{
		"all is well":          {nil, nil, "http", doctor.OK, "Ironic API 1.1 to 1.115"},
		"with a node":          {nil, []string{"n1"}, "node", doctor.OK, "n1 is active"},
		"without custom-agent": {map[string]string{"/v1/drivers": `{"drivers":[{"name":"redfish","enabled_deploy_interfaces":["ansible"]}]}`}, nil, "custom-agent", doctor.Fail, "not enabled"},
		"a page to log in at":  {map[string]string{"/": "<html>", "/v1/nodes": "<html>"}, nil, "http", doctor.Fail, "is HTML"},
		"a wrong password":     {map[string]string{"password": "right"}, nil, "authentication", doctor.Fail, "HTTP 401"},
		"escape sequences":     {map[string]string{"/v1/conductors": `{"conductors":[{"hostname":"\u001b[31mc1","alive":true}]}`}, nil, "conductors", doctor.OK, "c1"},
		"an odd answer":        {map[string]string{"/v1/conductors": `{"conductors":5}`}, nil, "conductors", doctor.Unknown, "could not be read"},
		"a node that is gone":  {nil, []string{"n2"}, "node", doctor.Fail, "n2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			args := append([]string{"--url", strings.Replace(doctoredIronic(t, tt.answers).URL, "//", "//op:hunter2@", 1)}, tt.args...)
			code, found, all := doctored(t, home, map[string]string{"IRONWORKS_BMC_PASSWORD": "hunter2"}, args...)
			d := found[tt.id]
			if d.Result != tt.result || !strings.Contains(d.Title, tt.says) {
				t.Errorf("%+v\n%s", d, all)
			}
			if (tt.result == doctor.Fail) != (code == cli.ExitFailed) {
				t.Errorf("exit code %d\n%s", code, all)
			}
			if strings.Contains(all, "hunter2") || strings.Contains(all, "\x1b") {
				t.Errorf("a secret or an escape sequence is in %q", all)
			}
			if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
				t.Errorf("it left %v, %v", left, err)
			}
		})
	}
}

func TestDoctorOfTheConfiguration(t *testing.T) {
	t.Parallel()
	file := func(t *testing.T, home, name, content string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const ours = ".config/ironworks/config.yaml"
	for name, tt := range map[string]struct {
		make   func(t *testing.T, home string)
		id     doctor.ID
		result doctor.Result
		says   string
	}{
		"an unknown key": {func(t *testing.T, home string) {
			t.Helper()
			file(t, home, ours, "contexts: {a: {urll: x}}", 0o600)
		}, "configuration", doctor.Fail, "urll"},
		"a password that others read": {func(t *testing.T, home string) {
			t.Helper()
			word := file(t, home, "word", "hunter2\n", 0o644)
			file(t, home, ours, "contexts: {a: {url: 'http://127.0.0.1:1', username: u, password_file: "+word+"}}", 0o600)
		}, "configuration-doubts", doctor.Warn, "chmod 600"},
		"no CA": {func(t *testing.T, home string) {
			t.Helper()
			file(t, home, ours, "contexts: {a: {url: 'https://127.0.0.1:1', cacert: "+file(t, home, "ca", "no PEM", 0o600)+"}}", 0o600)
		}, "configuration", doctor.Fail, "no certificate in the file"},
		"no key": {func(t *testing.T, home string) {
			t.Helper()
			file(t, home, ours, "contexts: {a: {url: 'http://127.0.0.1:1', logs: {ssh: {keys: [nokey]}}}}", 0o600)
		}, "ssh-keys", doctor.Warn, "cannot read key"},
		"a journal that is none": {func(t *testing.T, home string) {
			t.Helper()
			file(t, home, ours, "contexts: {a: {url: 'http://127.0.0.1:1'}}", 0o600)
			file(t, home, ".local/state/ironworks/journal-a.db", strings.Repeat("no database", 1000), 0o600)
		}, "journal", doctor.Warn, "journal"},
		"an audit that is a directory": {func(t *testing.T, home string) {
			t.Helper()
			file(t, home, ours, "contexts: {a: {url: 'http://127.0.0.1:1'}}", 0o600)
			file(t, home, ".local/state/ironworks", "a file", 0o600)
		}, "audit", doctor.Fail, "changes are refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			tt.make(t, home)
			code, found, all := doctored(t, home, nil)
			d := found[tt.id]
			if code != cli.ExitFailed || d.Result != tt.result || !strings.Contains(d.Title+d.Hint+evidenceOf(d), tt.says) {
				t.Errorf("exit code %d, %+v\n%s", code, d, all)
			}
			if strings.Contains(all, "hunter2") {
				t.Errorf("a secret is in %s", all)
			}
		})
	}
}

func evidenceOf(d doctor.Diagnosis) string {
	var text []string
	for _, e := range d.Evidence {
		text = append(text, e.String())
	}
	return strings.Join(text, "\n")
}

// TestDoctorEndsInTime checks that doctor ends even if a server accepts connections but never answers.
func TestDoctorEndsInTime(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(s.Close)
	began := time.Now()
	code, found, all := doctored(t, t.TempDir(), nil, "--url", s.URL, "--timeout", "300ms")
	if code != cli.ExitFailed || found["http"].Result != doctor.Fail || time.Since(began) > 5*time.Second {
		t.Errorf("exit code %d after %s\n%s", code, time.Since(began), all)
	}
}

func TestDoctorNames(t *testing.T) {
	t.Parallel()
	code, out, _ := offline(t, "doctor", "--url", "http://127.0.0.1:1", "-o", "name")
	if lines := strings.Fields(out); code != cli.ExitFailed || lines[0] != "tcp" || slices.Contains(lines, "terminal") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if code, _, complaints := offline(t, "doctor", "--timeout", "0s"); code != cli.ExitUsage || !strings.Contains(complaints, "--timeout") {
		t.Errorf("exit code %d: %s", code, complaints)
	}
}

// TestDoctorInterrupted checks that an interrupted doctor prints only that it was interrupted.
func TestDoctorInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() }))
	t.Cleanup(s.Close)
	var out, complaints bytes.Buffer
	code := run(ctx, cli.Process{
		Args: []string{"doctor", "--url", s.URL}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaints,
		Options: config.Options{Home: t.TempDir(), WorkDir: t.TempDir(), SystemDir: t.TempDir()},
	})
	if code != cli.ExitFailed || out.Len() > 0 || complaints.String() != "ironworks: interrupted\n" {
		t.Errorf("exit code %d: %q, %q", code, out.String(), complaints.String())
	}
}

// TestFailedConnectionsSuggestDoctor checks that connection errors suggest ironworks doctor, unless the connection
// was to a BMC.
func TestFailedConnectionsSuggestDoctor(t *testing.T) {
	t.Parallel()
	const advice = "run ironworks doctor to check the connection step by step"
	if code, _, complaints := offline(t, "nodes", "--url", "http://127.0.0.1:1"); code != cli.ExitConnect || !strings.Contains(complaints, advice) {
		t.Errorf("exit code %d: %s", code, complaints)
	}
	var complaints bytes.Buffer
	a := newApp(cli.Process{Stderr: &complaints})
	a.Report(t.Context(), &models.Fault{Kind: models.FaultRefused, URL: "https://bmc/redfish/v1"})
	if strings.Contains(complaints.String(), advice) {
		t.Errorf("a BMC without an Ironic: %s", &complaints)
	}
}
