package ramdisk_test

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/audit"
	"ironworks/ironicclient"
	"ironworks/lab"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/test/ironic"
	"ironworks/test/ramdisk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// verbLog is an audit log that keeps only the verbs of its records.
type verbLog struct {
	mu    sync.Mutex
	verbs []string
}

func (a *verbLog) Write(r audit.Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.verbs = append(a.verbs, r.Verb)
	return nil
}

func (a *verbLog) lines() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.verbs)
}

// TestRamdiskEmbedded checks that ramdisks can be applied to nodes of the embedded Ironic.
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

// TestRamdiskReal checks that ramdisks can be applied to nodes of a real Ironic, and that the `baremetal` commands of
// the preview have the same effect.
func TestRamdiskReal(t *testing.T) {
	t.Parallel()
	server := ironic.StartT(t, ironic.Options{Release: ironic.Newest})
	testRamdisks(t, server.URL)
	testCommands(t, server.URL, filepath.Dir(ironic.Program(t, "baremetal")))
}

// enroll enrolls a node with the fields of a case and returns the node.
func enroll(t *testing.T, c *ironicclient.Client, test ramdisk.Case) *models.Node {
	t.Helper()
	info := map[string]any{"redfish_address": "http://127.0.0.1:9", "redfish_system_id": "/redfish/v1/Systems/1", "redfish_username": "a", "redfish_password": "b"}
	maps.Copy(info, test.Info)
	instance := map[string]any{}
	maps.Copy(instance, test.Instance)
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

func connect(t *testing.T, url string) *ironicclient.Client {
	t.Helper()
	c, err := ironicclient.New(models.Connection{Endpoint: url}, ironicclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// checkNode checks the fields that the case changes, and that the node still has its other driver_info.
func checkNode(t *testing.T, n *models.Node, test ramdisk.Case) {
	t.Helper()
	got := maps.Clone(n.DriverInfo)
	maps.DeleteFunc(got, func(field string, _ any) bool {
		return strings.HasPrefix(field, "redfish_") && field != "redfish_deploy_iso"
	})
	if !reflect.DeepEqual(got, test.WantInfo) {
		t.Errorf("driver_info %v, want %v", got, test.WantInfo)
	}
	if len(n.InstanceInfo)+len(test.WantInstance) > 0 && !reflect.DeepEqual(n.InstanceInfo, test.WantInstance) {
		t.Errorf("instance_info %v, want %v", n.InstanceInfo, test.WantInstance)
	}
	if n.DriverInfo["redfish_address"] == nil || n.DriverInfo["redfish_password"] == nil {
		t.Errorf("driver_info lost fields: %v", n.DriverInfo)
	}
}

func testRamdisks(t *testing.T, url string) {
	t.Helper()
	c := connect(t, url)
	if err := wait(t, c); err != nil {
		t.Fatal(err)
	}
	for _, test := range ramdisk.Cases() {
		t.Run(test.Name, func(t *testing.T) {
			n := enroll(t, c, test)
			written := &verbLog{}
			r := &provision.Runner{API: c, Audit: written}
			apply := func() provision.Preview {
				t.Helper()
				action := ramdisk.Always(test.Ramdisk)
				plan := r.Plan(action, []models.Node{*read(t, c, n.UUID)})
				if res := r.Run(t.Context(), plan, provision.RunOptions{})[0]; res.Outcome != provision.OutcomeDone {
					t.Fatalf("%s: %v", res.Outcome, res.Err)
				}
				return plan.Preview()[0]
			}
			if p := apply(); p.Unchanged() != (test.Operations == nil) || !p.Unchanged() && !slices.Equal(ramdisk.Operations(t, p.Requests[0].Payload()), test.Operations) {
				t.Errorf("preview %+v", p)
			}
			checkNode(t, read(t, c, n.UUID), test)
			records := len(written.lines())
			if p := apply(); !p.Unchanged() || len(written.lines()) != records {
				t.Errorf("second time: %+v, audit %q", p, written.lines())
			}
		})
	}
	t.Run("ironic-can-boot-it", func(t *testing.T) {
		for name, boots := range map[string]provision.Ramdisk{"iso": ramdisk.ISO(), "pair": ramdisk.Pair()} {
			n := enroll(t, c, ramdisk.Case{})
			if reason := bootReason(t, c, n.UUID); !strings.Contains(reason, "parameters were missing") {
				t.Errorf("before, Ironic reports %q", reason)
			}
			r := &provision.Runner{API: c, Audit: &verbLog{}}
			if res := r.Run(t.Context(), r.Plan(ramdisk.Always(boots), []models.Node{*n}), provision.RunOptions{})[0]; res.Err != nil {
				t.Fatal(res.Err)
			}
			if reason := bootReason(t, c, n.UUID); reason != "" {
				t.Errorf("%s: Ironic reports %q", name, reason)
			}
		}
	})
}

// wait waits until a conductor accepts nodes.
func wait(t *testing.T, c *ironicclient.Client) error {
	t.Helper()
	return ironic.Poll(t.Context(), 50*time.Millisecond, func(ctx context.Context) (bool, error) {
		_, err := c.CreateNode(ctx, map[string]any{"driver": "redfish"})
		return err == nil, nil
	})
}

// bootReason returns the reason why Ironic cannot boot the node, such as a missing setting, or "" if there is none.
func bootReason(t *testing.T, c *ironicclient.Client, uuid string) string {
	t.Helper()
	list, err := c.Validate(t.Context(), uuid)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(v models.Validation) bool { return v.Interface == "boot" })
	if i < 0 || list[i].Result == nil {
		t.Fatalf("no result for the boot interface: %+v", list)
	}
	return list[i].Reason
}

func testCommands(t *testing.T, url, programs string) {
	t.Helper()
	c := connect(t, url)
	for _, test := range ramdisk.Cases() {
		if len(test.Operations) == 0 {
			continue
		}
		t.Run("commands-"+test.Name, func(t *testing.T) {
			n := enroll(t, c, test)
			r := &provision.Runner{API: c, Audit: &verbLog{}}
			action := ramdisk.Always(test.Ramdisk)
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
