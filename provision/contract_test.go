package provision_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/lab/db"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/test/embedded"
	"ironworks/test/seeds"
)

// TestFakePatchesLikeIronic checks that patches have the same result in the fake Ironic of this package and in the
// embedded one. The tests in test/contract compare the embedded one with real servers.
func TestFakePatchesLikeIronic(t *testing.T) {
	for _, seed := range seeds.For(t, 20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // no secret
				n := recordable(t)
				fake, ironic := newAPI(n), embedded.New(t, time.Now)
				if _, err := ironic.Tables.Nodes.Create(&db.Node{
					UUID: n.UUID, Name: n.Name, Driver: n.Driver, ProvisionState: string(n.ProvisionState), Conductor: ironic.Tables.Conductors()[0].Hostname,
					Properties: n.Properties, DriverInfo: n.DriverInfo, Interfaces: map[string]string{"deploy": "direct"},
				}); err != nil {
					t.Fatal(err)
				}
				client := ironic.Client(t)
				for range 40 {
					ops := randomOps(random)
					_, fakeErr := fake.Send(t.Context(), request.Patch(n.UUID, ops))
					_, err := client.Send(t.Context(), request.Patch(n.UUID, ops))
					if kindOf(fakeErr) != kindOf(err) {
						t.Fatalf("%+v: the fake says %v, Ironic %v", ops, fakeErr, err)
					}
					if got, want := patchable(t, fake), patchable(t, client); !reflect.DeepEqual(got, want) {
						t.Fatalf("%+v: the fake has\n%v\nIronic has\n%v", ops, got, want)
					}
				}
			})
		})
	}
}

// randomOps returns random changes like those that a deployment makes and undoes.
func randomOps(random *rand.Rand) []models.PatchOp {
	paths := []string{
		"/instance_uuid", "/description", "/extra/a", "/driver_info/deploy_iso", "/driver_info/deploy_kernel",
		"/instance_info/image_source", "/instance_info/root_device", "/properties/root_device", "/properties/root_device/serial", "/properties/root_device/wwn",
	}
	ops := make([]models.PatchOp, 1+random.IntN(2))
	for i := range ops {
		op := models.PatchOp{Op: []string{"add", "replace", "remove"}[random.IntN(3)], Path: paths[random.IntN(len(paths))]}
		if op.Op != "remove" {
			op.Value = fmt.Sprint("value ", random.IntN(5))
		}
		switch {
		case op.Op == "remove":
		case op.Path == "/instance_uuid":
			op.Value = fmt.Sprintf("7d5f1a2b-0d6e-4a43-9f2c-00000000000%d", random.IntN(5))
		case op.Path == "/instance_info/root_device" || op.Path == "/properties/root_device":
			op.Value = map[string]any{"wwn": op.Value}
		}
		ops[i] = op
	}
	return ops
}

// patchable reads the test's node and returns the fields that [randomOps] can change.
func patchable(t *testing.T, api interface {
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
},
) map[string]any {
	t.Helper()
	n, err := api.Node(t.Context(), recordableUUID)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(n.Raw, &all); err != nil {
		t.Fatal(err)
	}
	some := map[string]any{}
	for _, field := range []string{"instance_uuid", "description", "extra", "driver_info", "instance_info", "properties"} {
		some[field] = all[field]
	}
	return some
}

// kindOf returns the kind of the fault in err, or "" if there is none.
func kindOf(err error) models.FaultKind {
	var f *models.Fault
	if errors.As(err, &f) {
		return f.Kind
	}
	return ""
}
