package provision_test

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/ironicclient"
	"ironworks/lab"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/test/ironic"
)

// TestRamdiskEmbedded applies ramdisks to nodes of the embedded Ironic.
func TestRamdiskEmbedded(t *testing.T) {
	t.Parallel()
	i, err := lab.StartIronic(t.Context(), lab.IronicOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	testRamdisks(t, i.URL)
}

// TestRamdiskReal does the same on a real one, and has the commands of the preview run
// by the baremetal command: they come to the same.
func TestRamdiskReal(t *testing.T) {
	t.Parallel()
	server := ironic.StartT(t, ironic.Options{Release: ironic.Newest})
	testRamdisks(t, server.URL)
	testCommands(t, server.URL, filepath.Dir(ironic.Program(t, "baremetal")))
}

// enrolled is a node of a test with what the case has in it.
func enrolled(t *testing.T, c *ironicclient.Client, test applied) *models.Node {
	t.Helper()
	info := map[string]any{"redfish_address": "http://127.0.0.1:9", "redfish_system_id": "/redfish/v1/Systems/1", "redfish_username": "a", "redfish_password": "b"}
	maps.Copy(info, test.info)
	instance := map[string]any{}
	maps.Copy(instance, test.instance)
	uuid, err := c.CreateNode(t.Context(), map[string]any{
		"driver": "redfish", "boot_interface": "redfish-virtual-media", "driver_info": info, "instance_info": instance,
	})
	if err != nil {
		t.Fatal(err)
	}
	return read(t, c, uuid)
}

func read(t *testing.T, c *ironicclient.Client, uuid string) *models.Node {
	t.Helper()
	n, err := c.Node(t.Context(), uuid)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func connected(t *testing.T, url string) *ironicclient.Client {
	t.Helper()
	c, err := ironicclient.New(models.Connection{Endpoint: url}, ironicclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// checkNode compares what the case is about.
func checkNode(t *testing.T, n *models.Node, test applied) {
	t.Helper()
	got := maps.Clone(n.DriverInfo)
	maps.DeleteFunc(got, func(field string, _ any) bool {
		return strings.HasPrefix(field, "redfish_") && field != "redfish_deploy_iso"
	})
	if !reflect.DeepEqual(got, test.wantInfo) {
		t.Errorf("driver_info %v, want %v", got, test.wantInfo)
	}
	if len(n.InstanceInfo)+len(test.wantInstance) > 0 && !reflect.DeepEqual(n.InstanceInfo, test.wantInstance) {
		t.Errorf("instance_info %v, want %v", n.InstanceInfo, test.wantInstance)
	}
	if n.DriverInfo["redfish_address"] == nil || n.DriverInfo["redfish_password"] == nil {
		t.Errorf("driver_info lost what it had: %v", n.DriverInfo)
	}
}

func testRamdisks(t *testing.T, url string) {
	t.Helper()
	c := connected(t, url)
	if err := wait(t, c); err != nil {
		t.Fatal(err)
	}
	for _, test := range appliedCases() {
		t.Run(test.name, func(t *testing.T) {
			n := enrolled(t, c, test)
			audit := &memAudit{}
			r := &provision.Runner{API: c, Audit: audit, Clock: clock{}}
			apply := func() provision.Preview {
				t.Helper()
				action := always(test.ramdisk)
				plan := r.Plan(action, []models.Node{*read(t, c, n.UUID)})
				if res := r.Run(t.Context(), plan, provision.RunOptions{})[0]; res.Outcome != provision.OutcomeDone {
					t.Fatalf("%s: %v", res.Outcome, res.Err)
				}
				return plan.Preview()[0]
			}
			if p := apply(); p.Unchanged() != (test.ops == nil) || !p.Unchanged() && !slices.Equal(opsOf(t, p.Requests[0].Payload()), test.ops) {
				t.Errorf("preview %+v", p)
			}
			checkNode(t, read(t, c, n.UUID), test)
			records := len(audit.lines())
			if p := apply(); !p.Unchanged() || len(audit.lines()) != records {
				t.Errorf("the second time: %+v, audit %q", p, audit.lines())
			}
		})
	}
	t.Run("ironic-can-boot-it", func(t *testing.T) {
		for name, ramdisk := range map[string]provision.Ramdisk{"iso": iso, "pair": pair} {
			n := enrolled(t, c, applied{})
			if reason := bootReason(t, c, n.UUID); !strings.Contains(reason, "parameters were missing") {
				t.Errorf("before, Ironic says %q", reason)
			}
			r := &provision.Runner{API: c, Audit: &memAudit{}, Clock: clock{}}
			if res := r.Run(t.Context(), r.Plan(always(ramdisk), []models.Node{*n}), provision.RunOptions{})[0]; res.Err != nil {
				t.Fatal(res.Err)
			}
			if reason := bootReason(t, c, n.UUID); reason != "" {
				t.Errorf("%s: Ironic says %q", name, reason)
			}
		}
	})
}

// wait waits until a conductor takes nodes.
func wait(t *testing.T, c *ironicclient.Client) error {
	t.Helper()
	return ironic.Poll(t.Context(), 50*time.Millisecond, func(ctx context.Context) (bool, error) {
		_, err := c.CreateNode(ctx, map[string]any{"driver": "redfish"})
		return err == nil, nil
	})
}

// bootReason is what Ironic misses in the node for booting it, "" for nothing.
func bootReason(t *testing.T, c *ironicclient.Client, uuid string) string {
	t.Helper()
	list, err := c.Validate(t.Context(), uuid)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(v models.Validation) bool { return v.Interface == "boot" })
	if i < 0 || list[i].Result == nil {
		t.Fatalf("Ironic says nothing of booting: %+v", list)
	}
	return list[i].Reason
}

func testCommands(t *testing.T, url, programs string) {
	t.Helper()
	c := connected(t, url)
	for _, test := range appliedCases() {
		if len(test.ops) == 0 {
			continue
		}
		t.Run("commands-"+test.name, func(t *testing.T) {
			n := enrolled(t, c, test)
			r := &provision.Runner{API: c, Audit: &memAudit{}, Clock: clock{}}
			action := always(test.ramdisk)
			p := r.Plan(action, []models.Node{*n}).Preview()[0]
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "sh", "-ec", strings.Join(p.Commands, "\n"))
			cmd.Env = append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"), "OS_AUTH_TYPE=none", "OS_ENDPOINT="+url)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%q: %v\n%s", p.Commands, err, out)
			}
			checkNode(t, read(t, c, n.UUID), test)
		})
	}
}

// TestRamdiskPreviewIsWhatIsSent compares the preview with what a server gets.
func TestRamdiskPreviewIsWhatIsSent(t *testing.T) {
	var got string
	url := record(t, func(r *http.Request, body []byte) {
		got += r.Method + " " + r.URL.EscapedPath() + " " + string(body)
	})
	c := connected(t, url)
	n := node("n1", models.StateManageable)
	n.DriverInfo["deploy_kernel"] = "k"
	r := &provision.Runner{API: c, Audit: &memAudit{}, Clock: clock{}}
	action := always(provision.Ramdisk{ISO: isoURL + "?a=<b>&c"})
	plan := r.Plan(action, []models.Node{n})
	if res := r.Run(t.Context(), plan, provision.RunOptions{})[0]; res.Err != nil {
		t.Fatal(res.Err)
	}
	shown := ""
	for _, r := range plan.Preview()[0].Requests {
		shown += r.Method + " " + r.Path + " " + string(r.Payload())
	}
	if got != shown {
		t.Errorf("sent %s, shown %s", got, shown)
	}
}

// record is an Ironic that takes everything and tells what came.
func record(t *testing.T, tell func(r *http.Request, body []byte)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		tell(r, body)
		w.Header().Set("X-OpenStack-Ironic-API-Minimum-Version", "1.1")
		w.Header().Set("X-OpenStack-Ironic-API-Maximum-Version", "1.115")
		w.Header().Set("X-OpenStack-Ironic-API-Version", r.Header.Get("X-OpenStack-Ironic-API-Version"))
		_, _ = io.WriteString(w, `{"uuid":"uuid-n1"}`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
