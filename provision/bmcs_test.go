package provision_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ironworks/audit"
	"ironworks/bmc"
	"ironworks/lab/machine"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/provision/images"
)

const bmcPassword = "s3cr3t-0f-the-BMC"

// besides is a fake Ironic that also has the ports and the inventory of one node. The BMC's data is compared with
// them.
type besides struct {
	*fakeAPI
	ports     []models.Port
	inventory string
	portsErr  error
}

func (b *besides) Ports(context.Context, string) ([]models.Port, error) { return b.ports, b.portsErr }

func (b *besides) Inventory(context.Context, string) (json.RawMessage, error) {
	if b.inventory == "" {
		return nil, &models.Fault{Kind: models.FaultNotFound, Status: 404}
	}
	return json.RawMessage(b.inventory), nil
}

// aMachine returns a lab machine whose BMC is running, and the machine's node.
func aMachine(t *testing.T) (*machine.Machine, models.Node) {
	t.Helper()
	m, err := machine.New(machine.Spec{
		Name: "m1", User: "admin", Password: bmcPassword, CPUs: 8, MemoryMiB: 16384,
		Disks: []machine.Disk{{Name: "/dev/sda", SizeBytes: 480e9, Serial: "S1"}},
		NICs:  []machine.NIC{{Name: "eno1", MAC: "52:54:00:00:00:01"}},
	}, machine.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	rack, err := machine.NewRack(time.Now, m)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(rack)
	t.Cleanup(server.Close)
	n := node("n1", models.StateManageable)
	n.DriverInfo = map[string]any{"redfish_address": server.URL, "redfish_username": "admin", "redfish_password": "******"}
	return m, n
}

func isOn(m *machine.Machine) bool { return m.Power() == machine.On }

func knows(password models.Secret) func(context.Context, *bmc.Target) error {
	return func(_ context.Context, t *bmc.Target) error {
		t.Password = password
		return nil
	}
}

func TestBMCReport(t *testing.T) {
	t.Parallel()
	_, n := aMachine(t)
	iso := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/live.iso":
			data := make([]byte, 64<<10)
			copy(data[0x8001:], "CD001")
			http.ServeContent(w, r, "live.iso", time.Time{}, strings.NewReader(string(data)))
		case "/page":
			_, _ = w.Write([]byte(strings.Repeat("<html>", 20_000)))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(iso.Close)
	api := &besides{
		fakeAPI: newAPI(n), inventory: `{"inventory": {"disks": [{"name": "/dev/sda", "size": 480000000000, "serial": "S1"}]}}`,
		ports: []models.Port{{Address: "52:54:00:00:00:01"}, {Address: "52:54:00:00:00:99"}},
	}
	b := &provision.BMCs{API: api, Complete: knows(bmcPassword), Web: images.NewWeb()}
	for _, test := range []struct {
		path     string
		readable explain.Answer
		text     string
	}{
		{"/live.iso", explain.AnswerYes, "readable from this console, 64.0 KiB"}, {"/gone", explain.AnswerNo, "the server returned HTTP 404"}, {"/page", explain.AnswerNo, "not an ISO 9660"},
	} {
		api.set("n1", func(n *models.Node) { n.DriverInfo["deploy_iso"] = iso.URL + test.path })
		look, err := b.Query(t.Context(), "n1")
		if err != nil {
			t.Fatal(err)
		}
		if len(look.ISOs) != 1 || look.ISOs[0].Readable != test.readable || !strings.Contains(look.ISOs[0].Text, test.text) {
			t.Errorf("%s: %+v", test.path, look.ISOs)
		}
		differs := map[string]bool{}
		for _, d := range look.Compared {
			differs[d.What] = d.Differs
		}
		if d, listed := differs["disk /dev/sda"]; !listed || d || !differs["port 52:54:00:00:00:99"] || differs["port 52:54:00:00:00:01"] {
			t.Errorf("compared %+v", look.Compared)
		}
		if title, sections := look.Page(); title == "" || len(sections) < 6 {
			t.Errorf("%q with %d sections", title, len(sections))
		}
	}
	api.portsErr = errors.New("no ports today")
	api.set("n1", func(n *models.Node) { n.DriverInfo["deploy_iso"] = "glance://uuid" })
	look, err := b.Query(t.Context(), "n1")
	if err != nil || len(look.Missing) != 1 || look.ISOs[0].Readable != "" {
		t.Errorf("%+v, error %v", look, err)
	}
}

func TestBMCReportNeedsCredentials(t *testing.T) {
	t.Parallel()
	_, n := aMachine(t)
	ipmi := node("n2", models.StateManageable)
	ipmi.DriverInfo = map[string]any{"ipmi_address": "10.0.7.1"}
	api := &besides{fakeAPI: newAPI(n, ipmi)}
	for _, test := range []struct {
		password models.Secret
		wrong    bool
	}{{"", false}, {"wrong-Pa55", true}} {
		_, err := (&provision.BMCs{API: api, Complete: knows(test.password)}).Query(t.Context(), "n1")
		var login *provision.BMCCredentialsError
		if !errors.As(err, &login) || (login.Rejection != nil) != test.wrong || login.Username != "admin" || login.Node != "n1" {
			t.Errorf("error %v", err)
		}
		if err != nil && strings.Contains(err.Error(), "wrong-Pa55") {
			t.Errorf("the password is in %q", err)
		}
	}
	var none *models.NoRedfishError
	if _, err := (&provision.BMCs{API: api, Complete: knows("x")}).Query(t.Context(), "n2"); !errors.As(err, &none) || none.IPMI != "10.0.7.1" {
		t.Errorf("error %v", err)
	}
}

// TestBMCOrder checks that orders bypass Ironic but are audited.
func TestBMCOrder(t *testing.T) {
	t.Parallel()
	m, n := aMachine(t)
	cleaning := n
	cleaning.UUID, cleaning.Name, cleaning.ProvisionState = "uuid-n2", "n2", models.StateCleanWait
	api := &besides{fakeAPI: newAPI(n, cleaning)}
	b := &provision.BMCs{API: api, Complete: knows(bmcPassword)}
	book := &memAudit{}
	runner := &provision.Runner{API: api, Audit: book, Context: "rack7"}
	order := func(o models.BMCOrder, node *models.Node) provision.Result {
		t.Helper()
		return runner.Run(t.Context(), runner.Plan(b.Order(o), []models.Node{*node}), provision.RunOptions{Wait: true})[0]
	}
	if res := order(models.BMCOrder{Verb: models.BMCPowerOn}, &n); res.Err != nil || res.Outcome != provision.OutcomeDone || res.Note == "" || !isOn(m) {
		t.Errorf("%+v, on: %v", res, isOn(m))
	}
	if len(book.records) != 2 || book.records[1].Verb != "BMC power on" || book.records[1].Result != audit.Accepted {
		t.Errorf("audit %+v", book.records)
	}
	for name, test := range map[string]struct {
		order models.BMCOrder
		node  *models.Node
		want  string
	}{
		"nonsense":        {models.BMCOrder{Verb: models.BMCInsert, Image: "ftp://h/x"}, &n, "ftp"},
		"while it cleans": {models.BMCOrder{Verb: models.BMCPowerOff}, &cleaning, "is erasing disks"},
	} {
		if res := order(test.order, test.node); res.Outcome != provision.OutcomeRefused || !strings.Contains(res.Err.Error(), test.want) {
			t.Errorf("%s: %+v", name, res)
		}
	}
	if len(book.records) != 2 {
		t.Error("something was sent")
	}
	e := b.Order(models.BMCOrder{Verb: models.BMCPowerOff}).Effect(&n)
	if e.Danger != models.DangerInterrupts || !strings.Contains(e.Text, "restores the previous power state") {
		t.Errorf("effect %+v", e)
	}
	// Without Ironic, the audit log contains the address in place of the node.
	address, _ := models.BMCAddress(&n)
	target := bmc.Target{Address: address, Username: "admin"}
	bare := &provision.Runner{Audit: book}
	if did, err := bare.OrderBMC(t.Context(), b, target, models.BMCOrder{Verb: models.BMCPowerOff}); err != nil || did == "" || isOn(m) {
		t.Errorf("%q, error %v, on: %v", did, err, isOn(m))
	}
	if last := book.records[len(book.records)-1]; last.Node.Name != address || last.Result != audit.Accepted {
		t.Errorf("audit %+v", last)
	}
	bare.ReadOnly = true
	if _, err := bare.OrderBMC(t.Context(), b, target, models.BMCOrder{Verb: models.BMCPowerOn}); err == nil || isOn(m) {
		t.Errorf("read-only: error %v", err)
	}
}
