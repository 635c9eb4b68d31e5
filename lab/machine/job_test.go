package machine

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestJobs checks that all changes to BIOS attributes are pending in one job until the next boot, and that deleting
// this job cancels the changes. It also checks that only the latest jobs are kept.
func TestJobs(t *testing.T) {
	t.Parallel()
	m, err := New(Spec{Name: "m1", User: "u", Password: "p"}, Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	change := func() {
		t.Helper()
		if err := m.SetBIOS(map[string]any{"NumLock": "Off"}); err != nil {
			t.Fatal(err)
		}
	}
	change()
	change()
	if jobs := m.Jobs(); len(jobs) != 1 || jobs[0].State != JobPending {
		t.Fatalf("%+v", jobs)
	}
	if m.DeleteJob(7) || !m.DeleteJob(1) {
		t.Error("the wrong job was deleted")
	}
	if _, pending := m.BIOS(); len(pending) != 0 || len(m.Jobs()) != 0 {
		t.Errorf("what was deleted waits still: %v", pending)
	}
	change()
	if err := m.Reset(ResetOn); err != nil {
		t.Fatal(err)
	}
	if jobs := m.Jobs(); len(jobs) != 1 || jobs[0].State != JobCompleted || jobs[0].ID != 2 {
		t.Errorf("%+v", jobs)
	}
	for range 2 * maxJobs {
		change()
		if err := m.Reset(ForceRestart); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(m.Jobs()); n != maxJobs {
		t.Errorf("%d jobs are kept", n)
	}
}

// TestWantETag checks that, with the WantETag fault, a client must name the current version of a resource in order to
// change it.
func TestWantETag(t *testing.T) {
	t.Parallel()
	m, err := New(Spec{Name: "m1", User: "u", Password: "p"}, Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	m.SetFaults(Faults{WantETag: true})
	rack, err := NewRack(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, etag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, m.SystemPath(), strings.NewReader(`{"Boot": {"BootSourceOverrideTarget": "Cd"}}`))
		r.SetBasicAuth("u", "p")
		if etag != "" {
			r.Header.Set("If-Match", etag)
		}
		w := httptest.NewRecorder()
		rack.ServeHTTP(w, r)
		return w
	}
	etag := ask(http.MethodGet, "").Header().Get("ETag")
	for _, tt := range []struct {
		etag string
		want int
	}{{"", http.StatusPreconditionRequired}, {`"1"`, http.StatusPreconditionFailed}, {etag, http.StatusNoContent}, {etag, http.StatusPreconditionFailed}} {
		if got := ask(http.MethodPatch, tt.etag).Code; got != tt.want {
			t.Errorf("%q: %d, want %d", tt.etag, got, tt.want)
		}
	}
}
