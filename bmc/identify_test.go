package bmc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/wire"
)

// TestIdentify checks that each machine behind an address is found with the data that enrollment needs, and that
// nothing else is read.
func TestIdentify(t *testing.T) {
	t.Parallel()
	c := newController(t, false, newMachine(t, "m1"), newMachine(t, "m2"))
	got, err := Identify(t.Context(), target(c))
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i := range got {
		if b := &got[i]; b.System.Serial == "" || len(b.System.Paths) != 2 || len(b.NICs) != 2 || len(b.Media) != 1 || len(b.Unread) > 0 || len(b.Drives)+len(b.BIOS) > 0 {
			t.Errorf("%+v", b)
		}
	}
	if got[0].System.Path == got[1].System.Path {
		t.Errorf("%s was found twice", got[0].System.Path)
	}
	x := target(c)
	x.System = "/redfish/v1/Systems/m2/"
	if got, err = Identify(t.Context(), x); err != nil || len(got) != 1 || got[0].System.Serial != "m2" {
		t.Errorf("one of two: %+v, %v", got, err)
	}
	x.System = "/redfish/v1/Systems/m3"
	if got, err = Identify(t.Context(), x); !models.IsFault(err, models.FaultNotFound) {
		t.Errorf("none of two: %+v, %v", got, err)
	}
	if posts, deletes := c.count(http.MethodPost), c.count(http.MethodDelete); posts != 3 || deletes != 3 {
		t.Errorf("%d sessions were created, %d ended", posts, deletes)
	}
}

// TestIdentifyHostile checks reading from a controller that lies, floods, hangs or answers very slowly. Reading must
// end in time and after few requests. The data from the controller must neither control the terminal nor reveal the
// password.
func TestIdentifyHostile(t *testing.T) {
	t.Parallel()
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	everywhere := func(answer http.HandlerFunc) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			answer(w, r)
			return true
		}
	}
	endless := func(chunk string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			junk := bytes.Repeat([]byte(chunk), 64<<10/len(chunk))
			for r.Context().Err() == nil {
				if _, err := w.Write(junk); err != nil {
					return
				}
			}
		}
	}
	drips := func(w http.ResponseWriter, r *http.Request) {
		for tick := time.NewTicker(5 * time.Millisecond); r.Context().Err() == nil; <-tick.C {
			_, _ = io.WriteString(w, " ")
			_ = http.NewResponseController(w).Flush()
		}
	}
	denied := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="\x1b[2J"`)
		w.WriteHeader(http.StatusUnauthorized)
	}
	const systems = "/redfish/v1/Systems"
	other := stranger(t)
	quick := limits{silence: 200 * time.Millisecond, answer: 400 * time.Millisecond}
	for name, tt := range map[string]struct {
		instead func(w http.ResponseWriter, r *http.Request) bool
		limits  limits
		kind    models.FaultKind // "" if machines should be found
		check   func(found []models.BMC) bool
	}{
		"never answers":        {instead: everywhere(hang), limits: quick, kind: models.FaultTimeout},
		"drips":                {instead: everywhere(drips), limits: quick, kind: models.FaultTimeout},
		"hangs after login":    {instead: at(systems, hang), limits: quick, kind: models.FaultTimeout},
		"an endless root":      {instead: everywhere(endless(" ")), kind: models.FaultBadAnswer},
		"an endless string":    {instead: everywhere(endless(`{"a": "`)), kind: models.FaultBadAnswer},
		"endless systems":      {instead: at(systems, endless(`{"Members": [{}], `)), kind: models.FaultBadAnswer},
		"a million systems":    {instead: at(systems, page(`{"Members": [`+strings.Repeat(`{"@odata.id":"/redfish/v1/Systems/m1"},`, 999_999)+`{}]}`)), kind: models.FaultBadAnswer},
		"broken JSON":          {instead: at(systems, page(`{"Members": [`)), kind: models.FaultBadAnswer},
		"a page of HTML":       {instead: everywhere(page(`<html><title>Log in</title>`)), kind: models.FaultNotRedfish},
		"nothing":              {instead: everywhere(page(``)), kind: models.FaultNotRedfish},
		"no systems":           {instead: at(systems, page(`{"Members": []}`)), kind: models.FaultNotFound},
		"systems of text":      {instead: at(systems, page(`{"Members": ["m1", 7, null, []]}`)), kind: models.FaultNotFound},
		"each request denied":  {instead: everywhere(denied), kind: models.FaultUnauthorized},
		"denied after login":   {instead: at(systems, denied), kind: models.FaultUnauthorized},
		"denied at one of two": {instead: at(systems+"/m1", denied), check: func(found []models.BMC) bool { return len(found) == 1 }},
		"denied at each system": {instead: func(w http.ResponseWriter, r *http.Request) bool {
			return at(systems+"/m1", denied)(w, r) || at(systems+"/m2", denied)(w, r)
		}, kind: models.FaultUnauthorized},
		"redirects to itself": {instead: func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
			return true
		}, kind: models.FaultNotRedfish},
		"redirects to another host": {instead: func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
			return true
		}, kind: models.FaultNotRedfish},
		"a system on another host": {instead: at(systems, page(`{"Members": [{"@odata.id": "@`+strings.TrimPrefix(other.URL, "http://")+`/redfish/v1/x"}]}`)), kind: models.FaultBadAnswer},
		"one of two broken": {
			instead: at(systems+"/m1", page(`[]`)), check: func(found []models.BMC) bool {
				return len(found) == 1 && found[0].System.Serial == "m2" && len(found[0].System.Paths) == 2
			},
		},
		"a system twice": {
			instead: at(systems, page(`{"Members": [{"@odata.id": "/redfish/v1/Systems/m1"}, {"@odata.id": "/redfish/v1/Systems/m1/"}]}`)),
			check:   func(found []models.BMC) bool { return len(found) == 1 },
		},
		"NICs that hang": {
			instead: onlyInterfaces(hang), limits: quick,
			check: func(found []models.BMC) bool {
				return len(found) == 2 && len(found[0].NICs) == 0 && len(found[0].Unread) == 1
			},
		},
		"escape sequences": {
			instead: at(systems+"/m1", page(`{"SerialNumber": "S\u001b[2J\u202e1\n", "Model": "`+password+`", "HostName": "\u0000a", "UUID": "\ud800"}`)),
			check: func(found []models.BMC) bool {
				return len(found) == 2 && !strings.ContainsAny(found[0].System.Serial+found[0].System.HostName, "\x1b\u202e\n\x00")
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newController(t, false, newMachine(t, "m1"), newMachine(t, "m2"))
			c.instead = tt.instead
			x := target(c)
			x.limits = tt.limits
			found, err := Identify(t.Context(), x)
			switch f, is := errors.AsType[*models.Fault](err); {
			case tt.kind == "" && err != nil:
				t.Fatal(err)
			case tt.kind != "" && (!is || f.Kind != tt.kind):
				t.Errorf("%+v, %v, want %s", found, err, tt.kind)
			case tt.check != nil && !tt.check(found):
				t.Errorf("found %+v", found)
			}
			if n := c.count(""); n > 40 {
				t.Errorf("%d requests", n)
			}
			text, _ := json.Marshal(found)
			for _, secret := range []string{password, "\x1b", "\u202e"} {
				if strings.Contains(string(text)+fmt.Sprint(err), secret) {
					t.Errorf("%q is shown: %s, %v", secret, text, err)
				}
			}
		})
	}
}

// TestIdentifyOverTLS checks that a self-signed certificate, which most BMCs have, is refused unless the operator
// accepts it.
func TestIdentifyOverTLS(t *testing.T) {
	t.Parallel()
	c := newController(t, true, newMachine(t, "m1"))
	for name, tt := range map[string]struct {
		change func(x *Target)
		kind   models.FaultKind
	}{
		"refused":             {change: func(*Target) {}, kind: models.FaultTLS},
		"not verified":        {change: func(x *Target) { x.TLS.Insecure = true }},
		"pinned":              {change: func(x *Target) { x.Fingerprint = wire.Fingerprint(c.Certificate()) }},
		"another is pinned":   {change: func(x *Target) { x.Fingerprint = strings.Repeat("00", 32) }, kind: models.FaultTLS},
		"no TLS at that port": {change: func(x *Target) { x.Address = strings.Replace(x.Address, "https", "http", 1) }, kind: models.FaultTLS},
	} {
		t.Run(name, func(t *testing.T) {
			x := target(c)
			tt.change(&x)
			found, err := Identify(t.Context(), x)
			if tt.kind == "" && (err != nil || len(found) != 1) || tt.kind != "" && !models.IsFault(err, tt.kind) {
				t.Errorf("%+v, %v", found, err)
			}
			if tt.kind != "" && strings.Contains(fmt.Sprint(err), password) {
				t.Errorf("the password is shown: %v", err)
			}
		})
	}
}

// TestIdentifyMemory checks that no memory is still in use after a hundred oversized responses.
func TestIdentifyMemory(t *testing.T) { //nolint:paralleltest // what others allocate would count
	flood := bytes.Repeat([]byte(`{"Members": [{}]}, `), 1<<20)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(flood) }))
	t.Cleanup(server.Close)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 100 {
		if _, err := Identify(t.Context(), Target{Address: server.URL, Username: "admin", Password: password}); err == nil {
			t.Fatal("a flood is accepted")
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("%d MiB are held", grown>>20)
	}
}
