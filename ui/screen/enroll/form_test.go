package enroll_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ironworks/enroll"
	"ironworks/enroll/nodefile"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	enrolling "ironworks/ui/screen/enroll"
	"ironworks/ui/screen/screentest"
)

func TestMain(m *testing.M) { screentest.Main(m) }

const secret = "hunter2-Zq"

// rack is a spreadsheet whose nodes produce all results of a comparison with existing. The first node is new, the
// second differs, and the third is unchanged. The fourth and the fifth have the same BMC. The driver of the sixth is
// not enabled.
const rack = `name,driver,bmc,user,password,mac,resource class
r7-n01,redfish,https://10.0.0.11,admin,` + secret + `,52:54:00:00:00:01,baremetal
r7-n02,redfish,https://10.0.0.12,admin,` + secret + `,52:54:00:00:00:02,gpu
r7-n03,redfish,https://10.0.0.13,admin,` + secret + `,52:54:00:00:00:03,baremetal
r7-n04,redfish,https://10.0.0.14,admin,` + secret + `,52:54:00:00:00:04,baremetal
r7-n05,redfish,https://10.0.0.14,admin,` + secret + `,52:54:00:00:00:05,baremetal
r7-n06,snmp,https://10.0.0.16,admin,` + secret + `,52:54:00:00:00:06,baremetal
`

// existing returns the second and the third node of rack as they are stored in Ironic.
func existing() enroll.Existing {
	var have enroll.Existing
	for _, i := range []int{2, 3} {
		fields := map[string]any{
			"uuid": screentest.UUID(i), "name": fmt.Sprintf("r7-n%02d", i), "driver": "redfish", "resource_class": "baremetal", "provision_state": "manageable",
			"driver_info": map[string]any{"redfish_address": fmt.Sprintf("https://10.0.0.1%d", i), "redfish_username": "admin", "redfish_password": "******"},
		}
		raw, _ := json.Marshal(fields)
		var n models.Node
		_ = json.Unmarshal(raw, &n)
		n.Raw = raw
		have.Nodes = append(have.Nodes, n)
		have.Ports = append(have.Ports, map[string]any{
			"uuid": screentest.UUID(100 + i), "node_uuid": screentest.UUID(i), "address": fmt.Sprintf("52:54:00:00:00:%02d", i),
		})
	}
	return have
}

// fake is a [screen.Enrolling] that holds its input files and BMCs in memory.
type fake struct {
	files map[string]string
	bmcs  []provision.Discovered
	have  enroll.Existing
	err   error
	// wait, if not nil, delays each comparison until the channel is closed or the comparison is canceled. told is the
	// progress that a delayed comparison reports.
	wait chan struct{}
	told [2]int
	// asked lists the inputs of all comparisons. logins lists the credentials for their BMCs.
	asked  []provision.EnrollSource
	logins []enroll.Login
}

func (f *fake) API() provision.EnrollAPI { return nil }

func (f *fake) Compare(
	ctx context.Context, in *provision.EnrollSource, login enroll.Login, progress func(done, of int),
) (provision.EnrollFound, enroll.Plan, error) {
	f.asked, f.logins = append(f.asked, *in), append(f.logins, login)
	if f.wait != nil {
		progress(f.told[0], f.told[1])
		select {
		case <-f.wait:
		case <-ctx.Done():
			return provision.EnrollFound{}, nil, ctx.Err()
		}
	}
	var found provision.EnrollFound
	if f.err != nil {
		return found, nil, f.err
	}
	for _, name := range in.Files {
		file, err := nodefile.Options{File: name, Format: in.Format, Columns: in.Fields, Driver: in.Driver}.Read([]byte(f.files[name]))
		if err != nil {
			return found, nil, err
		}
		found.Nodes = append(found.Nodes, file.Nodes...)
		found.Files = append(found.Files, file)
	}
	if len(in.BMCs) > 0 {
		found.BMCs = f.bmcs
		for _, d := range f.bmcs {
			if d.BMC != nil {
				found.Nodes = append(found.Nodes, enroll.FromBMC(d.BMC, d.Address, login, in.Names, len(found.Nodes)))
			}
		}
	}
	for _, setting := range in.Settings {
		for i := range found.Nodes {
			if err := found.Nodes[i].Apply(setting); err != nil {
				return found, nil, &provision.EnrollInputError{Field: provision.EnrollSet, Err: err}
			}
		}
	}
	enroll.Settle(found.Nodes, []models.Driver{{Name: "redfish"}, {Name: "ipmi"}})
	return found, enroll.Compare(found.Nodes, f.have, enroll.Options{UpdateCredentials: in.UpdateCredentials}), nil
}

func answers() []provision.Discovered {
	return []provision.Discovered{
		{Address: "https://10.0.0.11", Status: provision.DiscoveryFound, BMC: &models.BMC{
			System: models.BMCSystem{Path: "/redfish/v1/Systems/1", Paths: []string{"/redfish/v1/Systems/1", "/redfish/v1/Systems/2"}, Manufacturer: "ACME", Model: "R7", Serial: "S-1", Power: "Off", Health: "OK"},
			NICs:   []models.BMCNIC{{MAC: "52:54:00:00:00:01", Link: "LinkUp"}},
			Media:  []models.BMCMedia{{Types: []string{"CD"}}},
		}},
		{Address: "https://10.0.0.12", Status: provision.DiscoveryRefused, Err: &provision.BMCCredentialsError{
			Address: "https://10.0.0.12", Username: "admin", Rejection: &models.Fault{Kind: models.FaultUnauthorized, Op: "log in", Status: 401, Message: "the BMC rejected the password"},
		}},
		{Address: "https://10.0.0.13", Status: provision.DiscoveryUnreachable, Err: &models.Fault{
			Kind: models.FaultTimeout, Op: "connect to 10.0.0.13", Message: "no answer within 10s", Hint: "check the address and the route to it",
		}},
	}
}

// opened returns a screen that is connected to a fake.
func opened(t *testing.T) (*screentest.Rig, *fake, *enrolling.Screen) {
	t.Helper()
	r := screentest.New(t)
	f := &fake{files: map[string]string{"rack.csv": rack}, bmcs: answers(), have: existing()}
	r.Env.Session.Enroll = f
	s := enrolling.New(r.Env)
	r.Open(s)
	return r, f, s
}

// fill types text into the field at the cursor and saves the field.
func fill(r *screentest.Rig, s *enrolling.Screen, text string) {
	r.Do(s, s.Do(action.EditField))
	r.Type(s, text)
	r.Deliver(s, screentest.Press("enter"))
}

// down moves the cursor down by n rows.
func down(r *screentest.Rig, s *enrolling.Screen, n int) {
	for range n {
		r.Do(s, s.Do(action.Down))
	}
}

// file enters rack.csv as the input file and runs the comparison.
func file(r *screentest.Rig, s *enrolling.Screen) {
	down(r, s, 1)
	fill(r, s, "rack.csv")
	r.Do(s, s.Do(action.EnrollCompare))
}

// askBMCs fills in the form with three BMCs and their credentials.
func askBMCs(r *screentest.Rig, s *enrolling.Screen) {
	r.Do(s, s.Do(action.EditField))
	down(r, s, 1)
	fill(r, s, "10.0.0.11-13")
	down(r, s, 1)
	fill(r, s, "admin")
	down(r, s, 1)
	fill(r, s, secret)
	down(r, s, 2)
	fill(r, s, "r7-n%02d")
}

// sent returns the message in wishes that asks the root to start enrolling.
func sent(t *testing.T, wishes []tea.Msg) screen.StartEnroll {
	t.Helper()
	for _, w := range wishes {
		if start, is := w.(screen.StartEnroll); is {
			return start
		}
	}
	t.Fatalf("nothing was started: %v", wishes)
	return screen.StartEnroll{}
}
