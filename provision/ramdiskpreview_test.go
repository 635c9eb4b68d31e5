package provision_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"time"

	"ironworks/lab/db"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/test/embedded"
	"ironworks/test/ramdisk"
)

// TestRamdiskPreviewIsWhatIsSent checks that the preview matches the requests that a server receives.
func TestRamdiskPreviewIsWhatIsSent(t *testing.T) {
	ironic := embedded.New(t, time.Now)
	created, err := ironic.Tables.Nodes.Create(&db.Node{
		Name: "n1", Driver: "redfish", ProvisionState: string(models.StateManageable), Conductor: ironic.Tables.Conductors()[0].Hostname,
		DriverInfo: db.Dict{"deploy_kernel": "k"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, api := "", ironic.Handler
	ironic.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodGet {
			got += r.Method + " " + r.URL.EscapedPath() + " " + string(body)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		api.ServeHTTP(w, r)
	})
	c := ironic.Client(t)
	n, err := c.Node(t.Context(), created.UUID)
	if err != nil {
		t.Fatal(err)
	}
	r := &provision.Runner{API: c, Audit: &memAudit{}}
	action := ramdisk.Always(provision.Ramdisk{ISO: isoURL + "?a=<b>&c"})
	plan := r.Plan(action, []models.Node{*n})
	if res := r.Run(t.Context(), plan, provision.RunOptions{})[0]; res.Err != nil {
		t.Fatal(res.Err)
	}
	shown := ""
	for _, r := range plan.Preview()[0].Requests {
		shown += r.Method + " " + r.Path + " " + string(r.Payload())
	}
	if got != shown || got == "" {
		t.Errorf("sent %s, shown %s", got, shown)
	}
}
