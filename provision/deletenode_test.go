package provision_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/lab/db"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/provision"
	"ironworks/test/embedded"
)

// TestDeleteIsRefusedAsByIronic checks that ironworks refuses to delete exactly the nodes that Ironic refuses to
// delete.
func TestDeleteIsRefusedAsByIronic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ironic := embedded.New(t, time.Now)
		client := ironic.Client(t)
		for i, state := range models.States() {
			for flags := range 8 {
				maintenance, reserved, protected := flags&1 > 0, flags&2 > 0, flags&4 > 0
				row := &db.Node{
					UUID: fmt.Sprintf("7d5f1a2b-0d6e-4a43-9f2c-0000000%03d%02d", i, flags), Driver: "fake-hardware", ProvisionState: string(state),
					Conductor: ironic.Tables.Conductors()[0].Hostname, Maintenance: maintenance, Protected: protected,
				}
				if reserved {
					row.InstanceUUID = fmt.Sprintf("8d5f1a2b-0d6e-4a43-9f2c-0000000%03d%02d", i, flags)
				}
				if _, err := ironic.Tables.Nodes.Create(row); err != nil {
					t.Fatal(err)
				}
				n, err := client.Node(t.Context(), row.UUID)
				if err != nil {
					t.Fatal(err)
				}
				refusal := provision.Delete().Refuse(n, models.APIVersion{Minor: models.NewestMinor})
				_, err = client.Send(t.Context(), request.Delete(row.UUID))
				if (refusal == nil) != (err == nil) {
					t.Errorf("%s, maintenance %v, reserved %v, protected %v: refused %v, Ironic says %v", state, maintenance, reserved, protected, refusal, err)
				}
			}
		}
	})
}

// TestDeleteWithLostAnswer checks that a deletion whose answer was lost succeeds if the node no longer exists. If the
// request itself was lost, the result is unknown.
func TestDeleteWithLostAnswer(t *testing.T) {
	for name, after := range map[string]bool{"the request is lost": false, "the answer is lost": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := &cut{Client: embedded.New(t, time.Now).Client(t), at: 1, after: after, once: true}
				uuid, err := api.CreateNode(t.Context(), map[string]any{"name": "n1", "driver": "fake-hardware"})
				if err != nil {
					t.Fatal(err)
				}
				n, err := api.Node(t.Context(), uuid)
				if err != nil {
					t.Fatal(err)
				}
				api.sent, api.at = nil, 1
				runner := &provision.Runner{API: api, Audit: &memAudit{}}
				res := runner.Run(t.Context(), runner.Plan(provision.Delete(), []models.Node{*n}), provision.RunOptions{})[0]
				want := provision.OutcomeUnknown
				if after {
					want = provision.OutcomeDone
				}
				if res.Outcome != want || (want == provision.OutcomeDone) != (res.Note == "deleted from Ironic") || !after && !errors.Is(res.Err, errUnplugged) {
					t.Errorf("%+v", res)
				}
			})
		})
	}
}
