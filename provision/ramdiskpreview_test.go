package provision_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/test/ramdisk"
)

// TestRamdiskPreviewIsWhatIsSent compares the preview with what a server gets.
func TestRamdiskPreviewIsWhatIsSent(t *testing.T) {
	var got string
	url := record(t, func(r *http.Request, body []byte) {
		got += r.Method + " " + r.URL.EscapedPath() + " " + string(body)
	})
	c, err := ironicclient.New(models.Connection{Endpoint: url}, ironicclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	n := node("n1", models.StateManageable)
	n.DriverInfo["deploy_kernel"] = "k"
	r := &provision.Runner{API: c, Audit: &memAudit{}, Clock: clock{}}
	action := ramdisk.Always(provision.Ramdisk{ISO: isoURL + "?a=<b>&c"})
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
