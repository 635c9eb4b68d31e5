package lab_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/test/ironic"
)

// site starts a lab with its own Ironic.
func site(t *testing.T, options lab.SiteOptions) *lab.Site {
	t.Helper()
	if options.Speed == 0 {
		options.Speed = 50
	}
	options.OnError = func(err error) { t.Errorf("lab: %v", err) }
	s, err := lab.StartSite(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

// states returns the provision states of all nodes, keyed by name.
func states(ctx context.Context, url string) (map[string]string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/nodes?fields=name,provision_state", http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("X-OpenStack-Ironic-API-Version", "1.80")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("listing: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	var list struct {
		Nodes []struct {
			Name  string `json:"name"`
			State string `json:"provision_state"`
		} `json:"nodes"`
	}
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		return nil, fmt.Errorf("listing: %w", err)
	}
	all := map[string]string{}
	for _, n := range list.Nodes {
		all[n.Name] = n.State
	}
	return all, nil
}

// untilStates waits until the nodes are in the given states.
func untilStates(t *testing.T, url string, want map[string]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var seen map[string]string
	err := ironic.Poll(ctx, 100*time.Millisecond, func(ctx context.Context) (bool, error) {
		var err error
		seen, err = states(ctx, url)
		for name, state := range want {
			if seen[name] != state {
				return false, err
			}
		}
		return err == nil, err
	})
	if err != nil {
		t.Fatalf("%v; the nodes are %v, want %v", err, seen, want)
	}
}

// TestDemoMachinesReachTheirStates runs the story of the demo machines on the embedded Ironic, and checks that each
// machine ends in the state that it would reach under a real Ironic.
func TestDemoMachinesReachTheirStates(t *testing.T) {
	t.Parallel()
	s := site(t, lab.SiteOptions{Members: lab.Cast(14), Story: true})
	if seen, err := states(t.Context(), s.Ironic.URL); err != nil || len(seen) < 12 {
		t.Errorf("%d nodes at the start, %v", len(seen), err)
	}
	untilStates(t, s.Ironic.URL, map[string]string{
		"r7-n01": "active", "r7-n02": "deploy failed", "r7-n03": "deploy failed", "r7-n04": "available", "r7-n05": "manageable", "r7-n06": "enroll",
		"r7-n07": "active", "r7-n08": "clean failed", "r7-n09": "manageable", "r7-n10": "manageable", "r7-n11": "active", "r7-n12": "enroll", "r7-n14": "enroll",
	})
	// The node is available right after the start: its BMC reports the disks, so that the machine need not boot.
	m, _ := s.Lab.Machine("r7-n04")
	var stored struct {
		Inventory struct{ Disks []struct{ Serial string } } `json:"inventory"`
	}
	status, answer, err := ironic.At(s.Ironic.URL, ironic.Newest).Do(t.Context(), http.MethodGet, "/v1/nodes/r7-n04/inventory", nil)
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &stored) != nil || len(stored.Inventory.Disks) != len(m.Disks()) || len(m.Journal()) > 0 {
		t.Errorf("r7-n04: inventory %s (%d, %v), %d lines of a ramdisk", answer, status, err, len(m.Journal()))
	}
	m, _ = s.Lab.Machine("r7-n01")
	if d := m.Disks()[1]; d.Installed == nil || !strings.Contains(string(d.Installed.Ignition), "3.4.0") {
		t.Errorf("installed on the smallest disk: %+v", d.Installed)
	}
	journal := ""
	for _, e := range m.Journal() {
		journal += e.Text + "\n"
	}
	for _, line := range []string{"Linux version", "Started ironic-agent.service", "Read disk", "Install complete."} {
		if !strings.Contains(journal, line) {
			t.Errorf("the journal has no %q", line)
		}
	}
}

// TestRestartKeepsNodesAndDisks restarts a lab with its folder, and checks that the nodes and the contents of their
// disks are still there.
func TestRestartKeepsNodesAndDisks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	members := lab.Cast(1)
	first := site(t, lab.SiteOptions{Members: members, Dir: dir, Story: true})
	untilStates(t, first.Ironic.URL, map[string]string{"r7-n01": "active"})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := site(t, lab.SiteOptions{Members: members, Dir: dir, Story: true})
	if seen, err := states(t.Context(), second.Ironic.URL); err != nil || seen["r7-n01"] != "active" || len(seen) != 1 {
		t.Errorf("the nodes are %v, %v", seen, err)
	}
	m, _ := second.Lab.Machine("r7-n01")
	if m.Disks()[1].Installed == nil {
		t.Errorf("the disks are empty: %+v", m.Disks())
	}
	// Ironic remembers that the machine was on and powers it on in its next synchronization, a minute after the
	// start.
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if err := ironic.Poll(ctx, 50*time.Millisecond, func(context.Context) (bool, error) { return m.Power() == "On", nil }); err != nil {
		t.Errorf("the power stays %s", m.Power())
	}
}

func TestSitesThatCannotStart(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "machines.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		options lab.SiteOptions
		want    string
	}{
		{"a taken address", lab.SiteOptions{Members: lab.Cast(1), Listen: taken.Addr().String()}, "address already in use"},
		{"a broken file", lab.SiteOptions{Members: lab.Cast(1), Dir: broken}, "machines.json"},
		{"a folder that is a file", lab.SiteOptions{Members: lab.Cast(1), Dir: file}, "not a directory"},
		{"a duplicate name", lab.SiteOptions{Members: append(lab.Cast(1), lab.Cast(1)...)}, "duplicate machine r7-n01"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := lab.StartSite(t.Context(), test.options)
			if err == nil {
				_ = s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	if content, err := os.ReadFile(filepath.Join(broken, "machines.json")); err != nil || string(content) != "{" {
		t.Errorf("the broken file is now %q, %v", content, err)
	}
}
