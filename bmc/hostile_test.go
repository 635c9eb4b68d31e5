package bmc

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ironworks/lab/machine"
	"ironworks/models"
)

// at replaces the responses to GET requests whose path ends with suffix.
func at(suffix string, answer http.HandlerFunc) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || !strings.HasSuffix(strings.TrimRight(r.URL.Path, "/"), suffix) {
			return false
		}
		answer(w, r)
		return true
	}
}

// onlyInterfaces replaces the response to requests for the interfaces. It also hides the network adapters, because
// they contain the same MAC addresses.
func onlyInterfaces(answer http.HandlerFunc) func(http.ResponseWriter, *http.Request) bool {
	interfaces, adapters := at("/EthernetInterfaces", answer), at("/NetworkAdapters", page(`{"Members": []}`))
	return func(w http.ResponseWriter, r *http.Request) bool { return interfaces(w, r) || adapters(w, r) }
}

func page(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// TestHostile checks that only the affected part is missing if a part of a controller's data is slow, wrong or
// broken. It also checks that reading takes limited time and few requests.
func TestHostile(t *testing.T) {
	t.Parallel()
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	many := func(member string, n int) string {
		return `{"Members": [` + strings.TrimSuffix(strings.Repeat(member+",", n), ",") + `]}`
	}
	const nics = "/Systems/m1/EthernetInterfaces"
	tests := map[string]struct {
		instead func(w http.ResponseWriter, r *http.Request) bool
		limits  func(l *limits)
		// The part field names the part that is expected to be unread, and the why field contains the expected
		// reason. If part is "", everything is expected to be read.
		part, why string
		check     func(b *models.BMC) bool
	}{
		"silence": {instead: at("/Storage", hang), limits: func(l *limits) { l.silence = 100 * time.Millisecond }, part: "drives", why: "in time"},
		"an answer that drips": {
			instead: at("/Storage", func(w http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					_, _ = io.WriteString(w, " ")
					_ = http.NewResponseController(w).Flush()
					wait := time.NewTimer(5 * time.Millisecond)
					select {
					case <-r.Context().Done():
					case <-wait.C:
					}
				}
			}),
			limits: func(l *limits) { l.silence, l.answer = time.Second, 200*time.Millisecond }, part: "drives", why: "in time",
		},
		"an answer without an end": {
			instead: at("/Storage", func(w http.ResponseWriter, r *http.Request) {
				junk := bytes.Repeat([]byte(" "), 64<<10)
				for r.Context().Err() == nil {
					if _, err := w.Write(junk); err != nil {
						return
					}
				}
			}),
			part: "drives", why: "too large",
		},
		"a page that is its own next one": {
			instead: at(nics, func(w http.ResponseWriter, r *http.Request) {
				_, _ = fmt.Fprintf(w, `{"Members": [{"Id": "a", "MACAddress": "52:54:00:00:00:0a"}], "Members@odata.nextLink": %q}`, r.URL.Path)
			}),
			part: "network", why: "returned the same page twice", check: func(b *models.BMC) bool { return len(b.NICs) == 1 },
		},
		"pages without an end": {
			instead: at(nics, func(w http.ResponseWriter, r *http.Request) {
				_, _ = fmt.Fprintf(w, `{"Members": [{"Id": "a", "MACAddress": "52:54:00:00:00:0a"}], "Members@odata.nextLink": "%s?$skip=%sx"}`, r.URL.Path, r.URL.Query().Get("$skip"))
			}),
			part: "network", why: "more than 10 pages", check: func(b *models.BMC) bool { return len(b.NICs) == 10 },
		},
		"a million links": {
			instead: at(nics, page(many(`{"@odata.id":"/redfish/v1"}`, 90_000))), part: "network", why: "more than 256",
		},
		"a million members":   {instead: at(nics, page(many(`{}`, 1_000_000))), part: "network", why: "BMC's response is too large"},
		"too many to be told": {instead: at(nics, page(many(`{"Id": "x", "MACAddress": "y"}`, 300))), part: "network", why: "more than 256", check: func(b *models.BMC) bool { return len(b.NICs) == 256 }},
		"too deep":            {instead: at(nics, page(strings.Repeat("[", 150_000))), part: "network", why: "not a Redfish"},
		"members that lead to themselves": {
			instead: onlyInterfaces(func(w http.ResponseWriter, r *http.Request) {
				_, _ = fmt.Fprintf(w, `{"Members": [{"@odata.id": %q}]}`, r.URL.Path)
			}),
			check: func(b *models.BMC) bool { return len(b.NICs) == 1 && b.NICs[0].MAC == "" },
		},
		"members that are no list": {instead: onlyInterfaces(page(`{"Members": "none"}`)), part: "network", why: "Members is a string"},
		"null members":             {instead: onlyInterfaces(page(`{"Members": [null, {"Id": "a", "MACAddress": null}, null]}`)), check: func(b *models.BMC) bool { return len(b.NICs) == 1 }},
		"members of another kind":  {instead: onlyInterfaces(page(`{"Members": [7, "x", [], {"Id": "a", "MACAddress": "52:54:00:00:00:0a"}]}`)), part: "network", why: "3 failed", check: func(b *models.BMC) bool { return len(b.NICs) == 1 }},
		"no list at all":           {instead: onlyInterfaces(page(`[1, 2]`)), part: "network", why: "not a Redfish"},
		"no JSON":                  {instead: onlyInterfaces(page(`<html>`)), part: "network", why: "not a Redfish"},
		"half of an answer": {
			instead: at(nics, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "1000")
				_, _ = io.WriteString(w, `{"Members": [`)
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}), part: "network", why: "incomplete",
		},
		"a field of the wrong type": {
			instead: at("/EthernetInterfaces/eno1", page(`{"Id": "eno1", "SpeedMbps": "fast", "MACAddress": "52:54:00:00:00:0a", "LinkStatus": 3}`)),
			part:    "network", why: "eno1: SpeedMbps is a string",
			check: func(b *models.BMC) bool { return b.NICs[0].MAC == "52:54:00:00:00:0a" && b.NICs[0].Mbit == 0 },
		},
		"a status of the wrong type": {
			instead: at("/EthernetInterfaces/eno1", page(`{"Id": "eno1", "Status": "fine", "MACAddress": "52:54:00:00:00:0a"}`)),
			part:    "network", why: "Status is a string", check: func(b *models.BMC) bool { return b.NICs[0].MAC != "" },
		},
		"numbers that cannot be": {
			instead: at("/Drives/1", page(`{"Id": "1", "CapacityBytes": -5, "PredictedMediaLifeLeftPercent": 400}`)),
			check:   func(b *models.BMC) bool { return b.Drives[0].Bytes == 0 && b.Drives[0].LifeLeft == nil },
		},
		"numbers beyond all machines": {
			instead: at("/Drives/1", page(`{"Id": "1", "CapacityBytes": 1e300, "PredictedMediaLifeLeftPercent": -1e300}`)),
			check:   func(b *models.BMC) bool { return b.Drives[0].Bytes == 0 && b.Drives[0].LifeLeft == nil },
		},
		"times of a clock that was never set": {
			instead: at("/SEL/Entries", page(`{"Members": [{"Id": "1", "Created": "1970-01-01T00:00:12Z", "Message": "a"}, {"Id": "2", "Created": "soon", "Message": "b"},
				{"Id": "3", "Created": "2026-01-02T03:04:05Z", "Message": "c", "Severity": "FATAL"}]}`)),
			check: func(b *models.BMC) bool {
				return len(b.Log) == 3 && b.Log[0].ID == "3" && b.Log[0].Severity == "" && b.Log[1].At.IsZero() && b.Log[2].At.IsZero()
			},
		},
		"no power state": {
			instead: at("/Systems/m1", page(`{"Id": "m1", "Status": {"State": "Enabled", "Health": "OK"}, "Boot": null, "Actions": {}}`)),
			check:   func(b *models.BMC) bool { return b.System.Power == "" && b.System.Health == "OK" },
		},
		"busy for a moment": {
			instead: busy(2), check: func(b *models.BMC) bool { return len(b.NICs) == 2 },
		},
		"busy for long":         {instead: busy(1 << 20), part: "network", why: "HTTP 503"},
		"a part that is broken": {instead: at("/Bios", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }), part: "BIOS settings", why: "HTTP 500"},
		"too slow as a whole": {
			instead: func(_ http.ResponseWriter, r *http.Request) bool {
				wait := time.NewTimer(40 * time.Millisecond)
				select {
				case <-r.Context().Done():
				case <-wait.C:
				}
				return false
			},
			limits: func(l *limits) { l.total = 600 * time.Millisecond }, part: "jobs", why: "too slow",
		},
		"asked too often": {limits: func(l *limits) { l.requests = 12 }, part: "logs", why: "too many requests"},
		"a redirect in the house": {
			instead: func(w http.ResponseWriter, r *http.Request) bool {
				moved := strings.HasSuffix(r.URL.Path, "/EthernetInterfaces")
				if moved {
					w.Header().Set("Location", r.URL.Path+"/")
					w.WriteHeader(http.StatusPermanentRedirect)
				}
				return moved
			},
			check: func(b *models.BMC) bool { return len(b.NICs) == 2 },
		},
		"a logout that fails": {instead: func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodDelete {
				w.WriteHeader(http.StatusInternalServerError)
			}
			return r.Method == http.MethodDelete
		}},
		"a logout that hangs": {instead: func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodDelete {
				hang(w, r)
			}
			return r.Method == http.MethodDelete
		}, limits: func(l *limits) { l.logout = 100 * time.Millisecond }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newController(t, false, newMachine(t, "m1"))
			c.instead = tt.instead
			x := target(c)
			x.limits = limits{silence: 10 * time.Second, answer: 20 * time.Second}
			if tt.limits != nil {
				tt.limits(&x.limits)
			}
			began := time.Now()
			got, err := Probe(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %s", took)
			}
			if n := c.count(""); n > 700 {
				t.Errorf("%d requests", n)
			}
			found := slices.ContainsFunc(got.Unread, func(u models.BMCUnread) bool { return u.Part == tt.part && strings.Contains(u.Why, tt.why) })
			if tt.part != "" && !found || tt.part == "" && len(got.Unread) > 0 {
				t.Errorf("unread: %+v", got.Unread)
			}
			if tt.check != nil && !tt.check(got) {
				text, _ := json.Marshal(got)
				t.Errorf("told: %.3000s", text)
			}
		})
	}
}

// busy rejects the given number of requests for the interfaces, with a short Retry-After. It answers all later
// requests.
func busy(times int64) func(http.ResponseWriter, *http.Request) bool {
	var n atomic.Int64
	return onlyInterfaces(func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) <= times {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		page(`{"Members": [{"Id": "a"}, {"Id": "b"}]}`)(w, r)
	})
}

// stranger starts a server on another port, to which no request may be sent.
func stranger(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("another host was asked: %s %s, %v", r.Method, r.URL, r.Header)
		_, _ = io.WriteString(w, `{"Id": "stolen", "Members": []}`)
	}))
	t.Cleanup(s.Close)
	return s
}

// TestCredentialsStayWithTheController checks that the credentials are sent to no other host, whatever redirects and
// links the controller sends.
func TestCredentialsStayWithTheController(t *testing.T) {
	t.Parallel()
	other := stranger(t)
	host := strings.TrimPrefix(other.URL, "http://")
	for name, place := range map[string]string{
		"behind a user": "@" + host + "/redfish/v1/x", "a whole address": other.URL + "/redfish/v1/x", "no scheme": "//" + host + "/redfish/v1/x",
		"up and out": "/redfish/v1/../../admin", "up, hidden": "/redfish/v1/%2e%2e/%2e%2e/admin", "another service": "/admin", "a longer name": ".example.com/redfish/v1",
		"a port": ":1/redfish/v1", "control characters": "/redfish/v1/\n\x00", "not a path": "%zz",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newController(t, false, newMachine(t, "m1"))
			text, _ := json.Marshal(place)
			c.instead = func(w http.ResponseWriter, r *http.Request) bool {
				if strings.Contains(r.URL.Path, "admin") {
					t.Errorf("asked for %s", r.URL)
				}
				return onlyInterfaces(page(`{"Members": [{"@odata.id": `+string(text)+`}], "Members@odata.nextLink": `+string(text)+`}`))(w, r)
			}
			got, err := Probe(t.Context(), target(c))
			if err != nil || len(got.NICs) != 0 || len(got.Unread) == 0 || got.Unread[0].Part != "network" {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	t.Run("a redirect", func(t *testing.T) {
		t.Parallel()
		for _, where := range []string{"", "/EthernetInterfaces", "/SessionService/Sessions"} {
			c := newController(t, false, newMachine(t, "m1"))
			c.instead = func(w http.ResponseWriter, r *http.Request) bool {
				if away := strings.HasSuffix(strings.TrimRight(r.URL.Path, "/"), where) || where == ""; away {
					http.Redirect(w, r, other.URL+"/redfish/v1/", http.StatusTemporaryRedirect)
					return true
				}
				return false
			}
			got, err := Probe(t.Context(), target(c))
			switch {
			case where == "/EthernetInterfaces" && (err != nil || len(got.Unread) == 0 || !strings.Contains(got.Unread[0].Why, "redirects to another address")):
				t.Errorf("%+v, %v", got, err)
			case where != "/EthernetInterfaces" && !models.IsFault(err, models.FaultNotRedfish):
				t.Errorf("%s: %v", where, err)
			}
		}
	})
	t.Run("an action", func(t *testing.T) {
		t.Parallel()
		f := newFake(t, map[string]string{"/redfish/v1/Systems/1": `{"Actions": {"#ComputerSystem.Reset": {"target": "@` + host + `/redfish/v1/x"}}}`}, nil)
		if did, err := Do(t.Context(), f.target(), models.BMCOrder{Verb: models.BMCReset}); !models.IsFault(err, models.FaultBadAnswer) {
			t.Errorf("%q, %v", did, err)
		}
	})
}

// dirty answers like the lab's machine, but adds a control sequence and the credentials to every string except links.
func dirty(t *testing.T, rack *machine.Rack, w http.ResponseWriter, r *http.Request) bool {
	t.Helper()
	answer := httptest.NewRecorder()
	rack.ServeHTTP(answer, r)
	var value any
	if r.Method != http.MethodGet || json.Unmarshal(answer.Body.Bytes(), &value) != nil {
		for name, all := range answer.Header() {
			w.Header()[name] = all
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
		return true
	}
	filth := "\x1b[2J\u202e" + password + " " + r.Header.Get("X-Auth-Token") + " BAD"
	body, err := json.Marshal(soil(value, filth))
	if err != nil {
		t.Error(err)
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(bytes.ReplaceAll(body, []byte("BAD"), []byte("\xff\xfe")))
	return true
}

func soil(value any, filth string) any {
	switch v := value.(type) {
	case string:
		return v + filth
	case []any:
		for i := range v {
			v[i] = soil(v[i], filth)
		}
	case map[string]any:
		for name := range v {
			if !strings.HasPrefix(name, "@odata") && name != "target" && name != "Created" {
				v[name] = soil(v[name], filth)
			}
		}
		if attributes, is := v["Attributes"].(map[string]any); is {
			attributes["Setting"+filth] = "x"
		}
	}
	return value
}

// TestDirtyTexts checks that the password and control sequences are not shown even if a controller sends them.
func TestDirtyTexts(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "m1")
	if err := m.SetBIOS(map[string]any{"NumLock": "Off"}); err != nil {
		t.Fatal(err)
	}
	powerOn(t, m)
	c := newController(t, false, m)
	c.instead = func(w http.ResponseWriter, r *http.Request) bool { return dirty(t, c.rack, w, r) }
	got, err := Probe(t.Context(), target(c))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte(models.Mask)); n < 40 || len(got.Log) == 0 || len(got.BIOS) == 0 || len(got.Jobs) == 0 || len(got.Consoles) == 0 {
		t.Errorf("%d texts with the password masked in %s", n, text)
	}
	for _, bad := range []string{password, "\x1b", `\u001b`, "\u202e"} {
		if i := bytes.Index(text, []byte(bad)); i >= 0 {
			t.Errorf("%q: %s", bad, text[max(0, i-100):min(len(text), i+100)])
		}
	}
	for _, o := range []models.BMCOrder{{Verb: models.BMCEject}, {Verb: models.BMCPowerCycle}, {Verb: models.BMCInsert, Image: "http://127.0.0.1/a.iso"}, {Verb: models.BMCClearJobs}} {
		did, err := Do(t.Context(), target(c), o)
		if all := fmt.Sprint(did, err); strings.Contains(all, password) || strings.Contains(all, "\x1b") || strings.Contains(all, "\u202e") {
			t.Errorf("%s: %q", o.Name(), all)
		}
	}
}

// TestMemoryIsBounded checks that responses that would fill the memory of a naive decoder are rejected.
func TestMemoryIsBounded(t *testing.T) { //nolint:paralleltest // what others allocate would count
	for name, body := range map[string]string{
		"empty members": `{"Members": [` + strings.TrimSuffix(strings.Repeat("{},", 2_000_000), ",") + `]}`,
		"null members":  `{"Members": [` + strings.TrimSuffix(strings.Repeat("null,", 190_000), ",") + `]}`,
		"temperatures":  `{"Temperatures": [` + strings.TrimSuffix(strings.Repeat("{},", 90_000), ",") + `]}`,
	} {
		m := newMachine(t, "m1")
		c := newController(t, false, m)
		c.instead = func(w http.ResponseWriter, r *http.Request) bool {
			return onlyInterfaces(page(body))(w, r) || at("/Thermal", page(body))(w, r) || at("/Processors", page(body))(w, r)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if _, err := Probe(t.Context(), target(c)); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		mib := (after.TotalAlloc - before.TotalAlloc) >> 20
		t.Logf("%s: %d MiB", name, mib)
		if mib > 300 {
			t.Errorf("%s: %d MiB were allocated", name, mib)
		}
	}
}

// TestSessions checks what happens if sessions expire, are refused, or are not supported.
func TestSessions(t *testing.T) {
	t.Parallel()
	const sessions = "/redfish/v1/SessionService/Sessions"
	login := func(r *http.Request) bool {
		return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/Sessions")
	}
	tests := map[string]struct {
		instead func(c *controller) func(w http.ResponseWriter, r *http.Request) bool
		kind    models.FaultKind // "" if no error is expected
		hint    string
		unread  bool
		logins  int
		basic   bool
	}{
		"forgotten in the middle": {instead: func(*controller) func(w http.ResponseWriter, r *http.Request) bool {
			var n atomic.Int64
			return func(w http.ResponseWriter, r *http.Request) bool {
				lost := r.Method == http.MethodGet && n.Add(1) == 8
				if lost {
					w.WriteHeader(http.StatusUnauthorized)
				}
				return lost
			}
		}, logins: 2},
		"refused from the middle on": {instead: func(c *controller) func(w http.ResponseWriter, r *http.Request) bool {
			var n atomic.Int64
			return func(_ http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodGet && n.Add(1) == 8 {
					c.machines[0].SetFaults(machine.Faults{RefusePassword: true})
				}
				return false
			}
		}, logins: 2, unread: true},
		"no session service": {instead: func(*controller) func(w http.ResponseWriter, r *http.Request) bool {
			return at("/redfish/v1", page(`{"Systems": {"@odata.id": "/redfish/v1/Systems"}, "Managers": {"@odata.id": "/redfish/v1/Managers"}}`))
		}, basic: true},
		"a session service that is not there": {instead: func(*controller) func(w http.ResponseWriter, r *http.Request) bool {
			return func(w http.ResponseWriter, r *http.Request) bool {
				if login(r) {
					w.WriteHeader(http.StatusNotImplemented)
				}
				return login(r)
			}
		}, logins: 1, basic: true},
		"a session without a token": {instead: func(*controller) func(w http.ResponseWriter, r *http.Request) bool {
			return func(w http.ResponseWriter, r *http.Request) bool {
				if login(r) {
					w.Header().Set("Location", "https://idrac.example.com"+sessions+"/7")
					w.WriteHeader(http.StatusCreated)
				}
				return login(r)
			}
		}, logins: 1, basic: true},
		"a root that wants the password": {instead: func(*controller) func(w http.ResponseWriter, r *http.Request) bool {
			return func(w http.ResponseWriter, r *http.Request) bool {
				_, _, has := r.BasicAuth()
				refused := strings.TrimRight(r.URL.Path, "/") == "/redfish/v1" && !has
				if refused {
					w.WriteHeader(http.StatusUnauthorized)
				}
				return refused
			}
		}, basic: true},
		"sessions are full": {instead: func(*controller) func(w http.ResponseWriter, r *http.Request) bool {
			return func(w http.ResponseWriter, r *http.Request) bool {
				if login(r) {
					refuse(w, http.StatusBadRequest, "SessionLimitExceeded", "There are too many sessions.")
				}
				return login(r)
			}
		}, kind: models.FaultUnavailable, hint: "no free session", logins: 1},
		"busy from the start": {instead: func(*controller) func(w http.ResponseWriter, r *http.Request) bool {
			return func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Retry-After", "120")
				w.WriteHeader(http.StatusServiceUnavailable)
				return true
			}
		}, kind: models.FaultUnavailable, hint: "retry in a minute"},
		"another kind of server": {instead: func(*controller) func(w http.ResponseWriter, r *http.Request) bool {
			return func(w http.ResponseWriter, _ *http.Request) bool {
				_, _ = io.WriteString(w, "<html>")
				return true
			}
		}, kind: models.FaultNotRedfish, hint: "that Redfish is enabled"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newController(t, false, newMachine(t, "m1"))
			c.instead = tt.instead(c)
			var basic atomic.Bool
			inner := c.Config.Handler
			c.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, _, has := r.BasicAuth(); has {
					basic.Store(true)
				}
				inner.ServeHTTP(w, r)
			})
			got, err := Probe(t.Context(), target(c))
			if tt.kind != "" {
				var f *models.Fault
				if !errors.As(err, &f) || f.Kind != tt.kind || !strings.Contains(f.Hint, tt.hint) {
					t.Errorf("got %v", err)
				}
				if name == "busy from the start" && f.RetryAfter != 2*time.Minute {
					t.Errorf("again after %s", f.RetryAfter)
				}
			} else if err != nil || (len(got.Unread) > 0) != tt.unread {
				t.Errorf("got %+v, %v", got, err)
			}
			if n := c.count("POST " + sessions); n != tt.logins || basic.Load() != tt.basic {
				t.Errorf("%d logins, basic %v", n, basic.Load())
			}
		})
	}
}

// TestTLS checks the errors for a port that expects TLS, a port without TLS, and an expired certificate.
func TestTLS(t *testing.T) {
	t.Parallel()
	secure := newController(t, true, newMachine(t, "m1"))
	plain := newController(t, false, newMachine(t, "m2"))
	moved := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://"+r.Host+r.URL.Path, http.StatusMovedPermanently)
	}))
	t.Cleanup(moved.Close)
	certificate, err := machine.NewCertificate(time.Now().AddDate(-11, 0, 0), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	old := httptest.NewUnstartedServer(plain.Config.Handler)
	old.TLS = secure.TLS.Clone()
	old.TLS.Certificates[0] = certificate
	old.StartTLS()
	t.Cleanup(old.Close)
	bundle := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(bundle, pemOf(certificate.Certificate[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		target Target
		text   string
	}{
		"HTTP to HTTPS":         {Target{Address: "http://" + strings.TrimPrefix(secure.URL, "https://")}, "use https://"},
		"sent on to HTTPS":      {Target{Address: moved.URL}, "use https://"},
		"HTTPS to HTTP":         {Target{Address: "https://" + strings.TrimPrefix(plain.URL, "http://")}, "use http://"},
		"certificate has ended": {Target{Address: old.URL, TLS: models.TLS{CACert: bundle}}, "it has expired"},
	} {
		tt.target.Username, tt.target.Password = "admin", password
		if _, err := Probe(t.Context(), tt.target); !models.IsFault(err, models.FaultTLS) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func pemOf(der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}) }
