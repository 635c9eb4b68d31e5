package bmc

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/lab/machine"
	"ironworks/models"
)

// quick returns short limits for tests.
func quick() limits {
	return limits{silence: 2 * time.Second, answer: 5 * time.Second, task: 300 * time.Millisecond, pause: 5 * time.Millisecond, logout: time.Second}
}

// TestDo checks the effect of every order on a machine in the lab.
func TestDo(t *testing.T) {
	t.Parallel()
	const image = "http://127.0.0.1:9/a.iso"
	type check func(m *machine.Machine) bool
	tests := map[string]struct {
		before func(t *testing.T, m *machine.Machine)
		order  models.BMCOrder
		did    string
		after  check
	}{
		"power on":    {order: models.BMCOrder{Verb: models.BMCPowerOn}, did: "On", after: isOn},
		"on already":  {before: powerOn, order: models.BMCOrder{Verb: models.BMCPowerOn}, did: "already on", after: isOn},
		"power off":   {before: powerOn, order: models.BMCOrder{Verb: models.BMCPowerOff}, did: "ForceOff", after: isOff},
		"off already": {order: models.BMCOrder{Verb: models.BMCShutDown}, did: "already off", after: isOff},
		"shut down":   {before: powerOn, order: models.BMCOrder{Verb: models.BMCShutDown}, did: "GracefulShutdown", after: isOff},
		"reset":       {before: powerOn, order: models.BMCOrder{Verb: models.BMCReset}, did: "ForceRestart", after: isOn},
		"restart":     {before: powerOn, order: models.BMCOrder{Verb: models.BMCRestart}, did: "GracefulRestart", after: isOn},
		"boot once": {order: models.BMCOrder{Verb: models.BMCBootOnce, Boot: "cd"}, did: "Cd, Once", after: func(m *machine.Machine) bool {
			return m.Override() == machine.BootOverride{Target: machine.Cd, Enabled: machine.Once, Mode: machine.UEFI}
		}},
		"boot once with ETags": {before: wantETag, order: models.BMCOrder{Verb: models.BMCBootOnce, Boot: "Pxe"}, did: "Pxe, Once", after: func(m *machine.Machine) bool {
			return m.Override().Target == machine.Pxe
		}},
		"boot as usual": {before: func(t *testing.T, m *machine.Machine) {
			t.Helper()
			if err := m.SetOverride(machine.BootOverride{Target: machine.Cd, Enabled: machine.Continuous}); err != nil {
				t.Fatal(err)
			}
		}, order: models.BMCOrder{Verb: models.BMCBootOnce, Boot: "None"}, did: "the next boot follows the boot order", after: func(m *machine.Machine) bool {
			return m.Override().Enabled == machine.Disabled
		}},
		"insert": {order: models.BMCOrder{Verb: models.BMCInsert, Image: image}, did: "inserted into slot Cd (CD, DVD)", after: func(m *machine.Machine) bool {
			return m.VirtualMedia() == machine.VirtualMedia{URL: image, Inserted: true}
		}},
		"insert with a password": {
			order: models.BMCOrder{Verb: models.BMCInsert, Image: "http://u:pa55@127.0.0.1:9/a.iso", Slot: "cd"}, did: "inserted into slot Cd (CD, DVD)",
			after: func(m *machine.Machine) bool {
				return m.VirtualMedia() == machine.VirtualMedia{URL: image, User: "u", Password: "pa55", Inserted: true}
			},
		},
		"eject":   {before: insert, order: models.BMCOrder{Verb: models.BMCEject}, did: "ejected from slot Cd (CD, DVD)", after: isEmpty},
		"nothing": {order: models.BMCOrder{Verb: models.BMCEject, Slot: "Cd"}, did: "no media inserted", after: isEmpty},
		"clear jobs": {before: func(t *testing.T, m *machine.Machine) {
			t.Helper()
			if err := m.SetBIOS(map[string]any{"NumLock": "Off"}); err != nil {
				t.Fatal(err)
			}
		}, order: models.BMCOrder{Verb: models.BMCClearJobs}, did: "deleted 1 job", after: func(m *machine.Machine) bool {
			_, pending := m.BIOS()
			return len(m.Jobs()) == 0 && len(pending) == 0
		}},
		"no jobs": {order: models.BMCOrder{Verb: models.BMCClearJobs}, did: "no jobs to delete"},
		"reset BMC": {order: models.BMCOrder{Verb: models.BMCResetController}, did: "GracefulRestart: the BMC will be unavailable for a few minutes", after: func(m *machine.Machine) bool {
			return slices.ContainsFunc(m.Log(), func(e machine.LogEntry) bool { return strings.HasPrefix(e.Text, string(machine.BMCReset)) })
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, "m1")
			if tt.before != nil {
				tt.before(t, m)
			}
			c := newController(t, false, m)
			did, err := Do(t.Context(), target(c), tt.order)
			if err != nil || did != tt.did {
				t.Fatalf("got %q, %v; want %q", did, err, tt.did)
			}
			if tt.after != nil && !tt.after(m) {
				t.Errorf("the machine is not as ordered: power %s, %+v, %+v", m.Power(), m.Override(), m.VirtualMedia())
			}
			if logins := c.count("POST /redfish/v1/SessionService/Sessions"); logins != 1 || c.count("DELETE /redfish/v1/SessionService/") != 1 {
				t.Errorf("%d sessions were made, and not ended", logins)
			}
		})
	}
}

func powerOn(t *testing.T, m *machine.Machine) {
	t.Helper()
	if err := m.Reset(machine.ResetOn); err != nil {
		t.Fatal(err)
	}
}

func insert(t *testing.T, m *machine.Machine) {
	t.Helper()
	if err := m.Insert(machine.VirtualMedia{URL: "http://127.0.0.1:9/old.iso?sig=hidden", Inserted: true}); err != nil {
		t.Fatal(err)
	}
}

func wantETag(t *testing.T, m *machine.Machine) {
	t.Helper()
	m.SetFaults(machine.Faults{WantETag: true})
}

func isOn(m *machine.Machine) bool    { return m.Power() == machine.On }
func isOff(m *machine.Machine) bool   { return m.Power() == machine.Off }
func isEmpty(m *machine.Machine) bool { return m.VirtualMedia() == machine.VirtualMedia{} }

// TestDoRefused checks that an unsupported or impossible order is reported and changes nothing.
func TestDoRefused(t *testing.T) {
	t.Parallel()
	order := func(v models.BMCVerb) models.BMCOrder { return models.BMCOrder{Verb: v} }
	iso := models.BMCOrder{Verb: models.BMCInsert, Image: "http://127.0.0.1:9/a.iso"}
	tests := map[string]struct {
		before  func(t *testing.T, m *machine.Machine)
		order   models.BMCOrder
		kind    models.FaultKind
		message string
	}{
		"a reset that is not offered": {before: powerOn, order: order(models.BMCPowerCycle), kind: models.FaultBadRequest, message: "does not support PowerCycle (available: On, "},
		"a boot source":               {order: models.BMCOrder{Verb: models.BMCBootOnce, Boot: "UefiHttp"}, kind: models.FaultBadRequest, message: "available: None, Pxe, Cd, Hdd"},
		"a slot that is full":         {before: insert, order: iso, kind: models.FaultConflict, message: "slot Cd (CD, DVD) has http://127.0.0.1:9/old.iso?****** in it (eject it first)"},
		"a slot that is not there":    {order: models.BMCOrder{Verb: models.BMCEject, Slot: "2"}, kind: models.FaultBadRequest, message: "available: slot Cd"},
		"a protocol":                  {order: models.BMCOrder{Verb: models.BMCInsert, Image: "nfs://127.0.0.1/srv/a.iso"}, kind: models.FaultBadRequest, message: "cannot fetch from NFS (available: HTTP, HTTPS)"},
		"power that fails": {
			before: func(_ *testing.T, m *machine.Machine) { m.SetFaults(machine.Faults{PowerFails: true}) },
			order:  order(models.BMCPowerOn), kind: models.FaultServer, message: "cannot be controlled",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, "m1")
			if tt.before != nil {
				tt.before(t, m)
			}
			before := m.VirtualMedia()
			did, err := Do(t.Context(), target(newController(t, false, m)), tt.order)
			if !models.IsFault(err, tt.kind) || !strings.Contains(err.Error(), tt.message) || did != "" {
				t.Fatalf("got %q, %v; want %s with %q", did, err, tt.kind, tt.message)
			}
			if m.VirtualMedia() != before || m.Override().Enabled != machine.Disabled {
				t.Error("it changed something")
			}
		})
	}
	var bad *models.BMCOrderError
	if _, err := Do(t.Context(), Target{}, models.BMCOrder{Verb: models.BMCInsert}); !errors.As(err, &bad) {
		t.Errorf("an order that makes no sense is sent: %v", err)
	}
}

// TestDoWithoutEffect checks that the result mentions that an order had no effect.
func TestDoWithoutEffect(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "m1")
	m.SetFaults(machine.Faults{PowerStuck: true})
	did, err := Do(t.Context(), target(newController(t, false, m)), models.BMCOrder{Verb: models.BMCPowerOn})
	if err != nil || did != "On; the power is still Off" {
		t.Errorf("%q, %v", did, err)
	}
}

// fake is a scripted controller. The pages field holds its responses to GET requests, by path. The asked field lists
// the received requests in the form "METHOD path".
type fake struct {
	*httptest.Server
	pages map[string]string
	// The change function answers requests whose method is not GET. It may change the responses in pages.
	change func(f *fake, w http.ResponseWriter, method, path, body string)
	asked  []string
}

const fakeRoot = `{"@odata.id": "/redfish/v1/", "Systems": {"@odata.id": "/redfish/v1/Systems"}, "Managers": {"@odata.id": "/redfish/v1/Managers"}}`

func newFake(t *testing.T, pages map[string]string, change func(f *fake, w http.ResponseWriter, method, path, body string)) *fake {
	t.Helper()
	f := &fake{pages: map[string]string{
		"/redfish/v1":           fakeRoot,
		"/redfish/v1/Systems":   `{"Members": [{"@odata.id": "/redfish/v1/Systems/1"}]}`,
		"/redfish/v1/Systems/1": `{"Id": "1", "PowerState": "On"}`,
		"/redfish/v1/Managers":  `{"Members": [{"@odata.id": "/redfish/v1/Managers/1"}]}`,
	}, change: change}
	for path, page := range pages {
		f.pages[path] = page
	}
	// The handler has no lock, so that the race detector finds concurrent requests.
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimRight(r.URL.Path, "/")
		f.asked = append(f.asked, r.Method+" "+path)
		if r.Method != http.MethodGet {
			body, _ := io.ReadAll(r.Body)
			f.change(f, w, r.Method+" "+r.Header.Get("If-Match"), path, string(body))
			return
		}
		page, ok := f.pages[path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `W/"1"`)
		_, _ = io.WriteString(w, page)
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) target() Target { return Target{Address: f.URL, limits: quick()} }

func refuse(w http.ResponseWriter, status int, id, text string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"code": "Base.1.18.GeneralError", "message": "A general error.", "@Message.ExtendedInfo": []map[string]any{{"MessageId": "Base.1.18." + id, "Message": text}},
	}})
}

// TestDoAdaptsToTheController checks that orders succeed on controllers with different requirements.
func TestDoAdaptsToTheController(t *testing.T) {
	t.Parallel()
	const (
		slotPath = "/redfish/v1/Managers/1/VirtualMedia/1"
		medias   = `{"Members": [{"@odata.id": "/redfish/v1/Managers/1/VirtualMedia/F"}, {"@odata.id": "` + slotPath + `"}]}`
		manager  = `{"Id": "1", "VirtualMedia": {"@odata.id": "/redfish/v1/Managers/1/VirtualMedia"}}`
		floppy   = `{"Id": "F", "MediaTypes": ["Floppy", "USBStick"], "Inserted": false}`
		actions  = `"Actions": {"#VirtualMedia.InsertMedia": {"target": "` + slotPath + `/go"}, "#VirtualMedia.EjectMedia": {"target": "` + slotPath + `/out"}}`
	)
	media := func(slot string) map[string]string {
		return map[string]string{"/redfish/v1/Managers/1": manager, "/redfish/v1/Managers/1/VirtualMedia": medias, "/redfish/v1/Managers/1/VirtualMedia/F": floppy, slotPath: slot}
	}
	iso := models.BMCOrder{Verb: models.BMCInsert, Image: "http://10.0.0.1/a.iso"}
	full := `{"Id": "1", "MediaTypes": ["CD"], "Inserted": true, "Image": "http://10.0.0.1/a.iso", ` + actions + `}`
	tests := map[string]struct {
		pages  map[string]string
		change func(f *fake, w http.ResponseWriter, method, path, body string)
		order  models.BMCOrder
		did    string
		fails  string
	}{
		"the resets are described elsewhere": {
			pages: map[string]string{
				"/redfish/v1/Systems/1":      `{"Id": "1", "PowerState": "On", "Actions": {"#ComputerSystem.Reset": {"target": "/redfish/v1/x", "@Redfish.ActionInfo": "/redfish/v1/Systems/1/Info"}}}`,
				"/redfish/v1/Systems/1/Info": `{"Parameters": [{"Name": "ResetType", "AllowableValues": ["On", "PowerCycle"]}]}`,
			},
			order: models.BMCOrder{Verb: models.BMCReset}, fails: "this BMC does not support ForceRestart (available: On, PowerCycle)",
		},
		"a task that ends": {
			pages: map[string]string{
				"/redfish/v1/Systems/1":           `{"Id": "1", "PowerState": "On", "Actions": {"#ComputerSystem.Reset": {"target": "/redfish/v1/x"}}}`,
				"/redfish/v1/TaskService/Tasks/7": `{"TaskState": "Running"}`,
			},
			change: func(f *fake, w http.ResponseWriter, _, _, _ string) {
				f.pages["/redfish/v1/TaskService/Tasks/7"] = `{"TaskState": "Completed", "TaskStatus": "OK"}`
				w.Header().Set("Location", f.URL+"/redfish/v1/TaskService/Tasks/7")
				w.WriteHeader(http.StatusAccepted)
			},
			order: models.BMCOrder{Verb: models.BMCReset}, did: "ForceRestart",
		},
		"a task that fails": {
			pages: map[string]string{"/redfish/v1/Systems/1": `{"Id": "1", "PowerState": "On", "Actions": {"#ComputerSystem.Reset": {"target": "/redfish/v1/x"}}}`},
			change: func(f *fake, w http.ResponseWriter, _, _, _ string) {
				f.pages["/redfish/v1/TaskService/Tasks/7"] = `{"TaskState": "Exception", "Messages": [{"Message": "The lid\u001b[2J is open.", "Severity": "Critical"}]}`
				w.WriteHeader(http.StatusAccepted)
				_, _ = io.WriteString(w, `{"@odata.type": "#Task.v1_4_3.Task", "@odata.id": "/redfish/v1/TaskService/Tasks/7"}`)
			},
			order: models.BMCOrder{Verb: models.BMCReset}, fails: `reset: the BMC accepted the request, but it failed: The lid\x1b[2J is open.`,
		},
		"a task without an end": {
			pages: map[string]string{
				"/redfish/v1/Systems/1":           `{"Id": "1", "PowerState": "On", "Actions": {"#ComputerSystem.Reset": {"target": "/redfish/v1/x"}}}`,
				"/redfish/v1/TaskService/Tasks/7": `{"TaskState": "Running"}`,
			},
			change: func(_ *fake, w http.ResponseWriter, _, _, _ string) {
				w.Header().Set("Location", "/redfish/v1/TaskService/Tasks/7")
				w.WriteHeader(http.StatusAccepted)
			},
			order: models.BMCOrder{Verb: models.BMCReset}, did: "ForceRestart; the BMC is still processing the request (Running, task 7)",
		},
		"an error with a good status": {
			pages: map[string]string{"/redfish/v1/Systems/1": `{"Id": "1", "PowerState": "On", "Actions": {"#ComputerSystem.Reset": {"target": "/redfish/v1/x"}}}`},
			change: func(_ *fake, w http.ResponseWriter, _, _, _ string) {
				refuse(w, http.StatusOK, "ActionNotSupported", "Not today.")
			},
			order: models.BMCOrder{Verb: models.BMCReset}, fails: "Not today.",
		},
		"a weak tag that has to be a strong one": {
			pages: map[string]string{"/redfish/v1/Systems/1": `{"Id": "1", "Boot": {"BootSourceOverrideTarget": "None", "BootSourceOverrideMode": "UEFI"}}`},
			change: func(f *fake, w http.ResponseWriter, method, path, body string) {
				if method != `PATCH "1"` {
					w.WriteHeader(http.StatusPreconditionFailed)
					return
				}
				f.pages[path] = body
			},
			order: models.BMCOrder{Verb: models.BMCBootOnce, Boot: "Cd"}, did: "Cd, Once",
		},
		"no mode beside the source": {
			pages: map[string]string{"/redfish/v1/Systems/1": `{"Id": "1", "Boot": {"BootSourceOverrideMode": "UEFI"}}`},
			change: func(f *fake, w http.ResponseWriter, _, path, body string) {
				if strings.Contains(body, "Mode") {
					refuse(w, http.StatusBadRequest, "PropertyNotWritable", "BootSourceOverrideMode is read only.")
					return
				}
				f.pages[path] = `{"Boot": {"BootSourceOverrideTarget": "Cd", "BootSourceOverrideMode": "Legacy"}}`
			},
			order: models.BMCOrder{Verb: models.BMCBootOnce, Boot: "Cd"}, did: "Cd, Once; the boot mode changed from UEFI to Legacy",
		},
		"an override in an object of its own": {
			pages: map[string]string{
				"/redfish/v1/Systems/1":    `{"Id": "1", "Boot": {"BootSourceOverrideTarget": "None", "BootSourceOverrideMode": "UEFI"}, "@Redfish.Settings": {"SettingsObject": {"@odata.id": "/redfish/v1/Systems/1/SD"}}}`,
				"/redfish/v1/Systems/1/SD": `{"Boot": {"BootSourceOverrideTarget": "None"}}`,
			},
			change: func(f *fake, w http.ResponseWriter, _, path, body string) {
				if path != "/redfish/v1/Systems/1/SD" {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return
				}
				f.pages[path] = body
			},
			order: models.BMCOrder{Verb: models.BMCBootOnce, Boot: "Cd"}, did: "Cd, Once",
		},
		"a protocol has to be said, and nothing else": {
			pages: media(`{"Id": "1", "MediaTypes": ["CD"], "Inserted": false, ` + actions + `}`),
			change: func(f *fake, w http.ResponseWriter, _, _, body string) {
				switch body {
				case `{"Image":"http://10.0.0.1/a.iso"}`:
					refuse(w, http.StatusBadRequest, "ActionParameterMissing", "The action requires that the parameter TransferProtocolType be present.")
				case `{"Image":"http://10.0.0.1/a.iso","TransferProtocolType":"HTTP"}`:
					f.pages[slotPath] = full
				default:
					refuse(w, http.StatusBadRequest, "ActionParameterUnknown", "That is not known: "+body)
				}
			},
			order: iso, did: "inserted into slot 1 (CD)",
		},
		"no reason is told": {
			pages: media(`{"Id": "1", "MediaTypes": ["CD"], "Inserted": false, ` + actions + `}`),
			change: func(f *fake, w http.ResponseWriter, _, _, body string) {
				if !strings.Contains(body, "TransferMethod") {
					w.WriteHeader(http.StatusBadRequest)
					return
				}
				f.pages[slotPath] = full
			},
			order: iso, did: "inserted into slot 1 (CD)",
		},
		"eject wants no body": {
			pages: media(full),
			change: func(f *fake, w http.ResponseWriter, _, _, body string) {
				if body != "" {
					w.WriteHeader(http.StatusUnsupportedMediaType)
					return
				}
				f.pages[slotPath] = `{"Inserted": false}`
			},
			order: models.BMCOrder{Verb: models.BMCEject}, did: "ejected from slot 1 (CD)",
		},
		"more has to be said": {
			pages: media(`{"Id": "1", "MediaTypes": ["CD"], "Image": "http://10.0.0.1/left-over.iso", "Inserted": false, ` + actions + `}`),
			change: func(f *fake, w http.ResponseWriter, _, _, body string) {
				if !strings.Contains(body, "TransferProtocolType") {
					refuse(w, http.StatusBadRequest, "ActionParameterMissing", "TransferProtocolType is missing.")
					return
				}
				f.pages[slotPath] = full
			},
			order: iso, did: "inserted into slot 1 (CD)",
		},
		"an image that is not fetched": {
			pages: media(`{"Id": "1", "MediaTypes": ["CD"], "Inserted": false, ` + actions + `}`),
			change: func(f *fake, w http.ResponseWriter, _, _, _ string) {
				if slices.Index(f.asked, "POST "+slotPath+"/go") != len(f.asked)-1 {
					t.Error("it is asked again for what cannot be done")
				}
				refuse(w, http.StatusBadRequest, "RAC0904", "Unable to locate the ISO or IMG image file.")
			},
			order: iso, fails: "Unable to locate",
		},
		"no action for media": {
			pages: media(`{"Id": "1", "MediaTypes": ["DVD"], "Inserted": false}`),
			change: func(f *fake, w http.ResponseWriter, method, path, body string) {
				if method != "PATCH " || strings.Contains(body, "Inserted") {
					refuse(w, http.StatusBadRequest, "PropertyNotWritable", "Inserted is read only.")
					return
				}
				f.pages[path] = full
			},
			order: iso, did: "inserted into slot 1 (DVD)",
		},
		"the slot stays empty": {
			pages:  media(`{"Id": "1", "MediaTypes": ["CD"], "Inserted": false, ` + actions + `}`),
			change: func(_ *fake, w http.ResponseWriter, _, _, _ string) { w.WriteHeader(http.StatusNoContent) },
			order:  iso, did: "inserted into slot 1 (CD); the BMC reports an empty slot; check that it can fetch the image",
		},
		"media of the system": {
			pages: map[string]string{
				"/redfish/v1/Managers/1":     `{"Id": "1"}`,
				"/redfish/v1/Systems/1":      `{"Id": "1", "VirtualMedia": {"@odata.id": "/redfish/v1/Systems/1/VM"}}`,
				"/redfish/v1/Systems/1/VM":   `{"Members": [{"@odata.id": "/redfish/v1/Systems/1/VM/1"}]}`,
				"/redfish/v1/Systems/1/VM/1": `{"Id": "1", "MediaTypes": ["CD"], "Inserted": true, "Image": "x"}`,
			},
			change: func(f *fake, _ http.ResponseWriter, _, path, _ string) { f.pages[path] = `{"Inserted": false}` },
			order:  models.BMCOrder{Verb: models.BMCEject}, did: "ejected from slot 1 (CD)",
		},
		"no CD slot": {
			pages: map[string]string{
				"/redfish/v1/Managers/1":                manager,
				"/redfish/v1/Managers/1/VirtualMedia":   `{"Members": [{"@odata.id": "/redfish/v1/Managers/1/VirtualMedia/F"}]}`,
				"/redfish/v1/Managers/1/VirtualMedia/F": floppy,
			},
			order: iso, fails: "no CD slot (available: slot F (Floppy, USBStick))",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, tt.pages, tt.change)
			did, err := Do(t.Context(), f.target(), tt.order)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) || strings.Contains(err.Error(), "\x1b") {
					t.Errorf("got %q, %v; want an error with %q", did, err, tt.fails)
				}
				return
			}
			if err != nil || did != tt.did {
				t.Errorf("got %q, %v; want %q", did, err, tt.did)
			}
		})
	}
}

// TestClearJobs checks that jobs are deleted. Dell's controllers have a job queue in one of three places; others have
// tasks that may be deletable.
func TestClearJobs(t *testing.T) {
	t.Parallel()
	const service = `{"Actions": {"#DellJobService.DeleteJobQueue": {"target": "/redfish/v1/clear"}}}`
	jobs := `{"Members": [{"@odata.id": "/redfish/v1/j/1"}, {"@odata.id": "/redfish/v1/j/2"}]}`
	clearAll := func(f *fake, w http.ResponseWriter, _, path, body string) {
		if path != "/redfish/v1/clear" || body != `{"JobID":"JID_CLEARALL"}` {
			w.WriteHeader(http.StatusBadRequest)
		}
		f.pages["/redfish/v1/Managers/iDRAC.Embedded.1/Jobs"] = `{"Members": []}`
		f.pages["/redfish/v1/Jobs"] = `{"Members": []}`
	}
	dell := func(manager string, more map[string]string) map[string]string {
		more["/redfish/v1/Managers"] = `{"Members": [{"@odata.id": "/redfish/v1/Managers/iDRAC.Embedded.1"}]}`
		more["/redfish/v1/Managers/iDRAC.Embedded.1"] = manager
		return more
	}
	tests := map[string]struct {
		pages  map[string]string
		change func(f *fake, w http.ResponseWriter, method, path, body string)
		did    string
		fails  string
	}{
		"newer iDRAC": {pages: dell(`{"Id": "iDRAC.Embedded.1", "Links": {"Oem": {"Dell": {"DellJobService": {"@odata.id": "/redfish/v1/s"}, "Jobs": {"@odata.id": "/redfish/v1/Jobs"}}}}}`,
			map[string]string{"/redfish/v1/s": service, "/redfish/v1/Jobs": jobs}), change: clearAll, did: "deleted 2 jobs"},
		"without a link": {pages: dell(`{"Id": "iDRAC.Embedded.1"}`, map[string]string{
			"/redfish/v1/Managers/iDRAC.Embedded.1/Oem/Dell/DellJobService": service, "/redfish/v1/Managers/iDRAC.Embedded.1/Jobs": jobs,
		}), change: clearAll, did: "deleted 2 jobs"},
		"older iDRAC": {pages: dell(`{"Id": "iDRAC.Embedded.1"}`, map[string]string{
			"/redfish/v1/Dell/Managers/iDRAC.Embedded.1/DellJobService": service,
		}), change: clearAll, did: "cleared the queue (JID_CLEARALL)"},
		"tasks": {
			pages: map[string]string{
				"/redfish/v1":      strings.TrimSuffix(fakeRoot, "}") + `, "Tasks": {"@odata.id": "/redfish/v1/T"}}`,
				"/redfish/v1/T":    `{"Tasks": {"@odata.id": "/redfish/v1/Ts"}}`,
				"/redfish/v1/Ts":   `{"Members": [{"@odata.id": "/redfish/v1/Ts/1"}, {"@odata.id": "/redfish/v1/Ts/2"}, {"@odata.id": "/redfish/v1/Ts/3"}, null]}`,
				"/redfish/v1/Ts/1": `{"TaskState": "Completed"}`, "/redfish/v1/Ts/2": `{"TaskState": "Running"}`, "/redfish/v1/Ts/3": `{"TaskState": "Pending"}`,
			},
			change: func(_ *fake, w http.ResponseWriter, method, path, _ string) {
				switch {
				case method != "DELETE " || path == "/redfish/v1/Ts/2":
					t.Errorf("%s %s", method, path)
				case path == "/redfish/v1/Ts/3":
					w.WriteHeader(http.StatusMethodNotAllowed)
				}
			},
			did: "deleted 1 job; 1 still running; cannot delete 1: no error message (HTTP 405)",
		},
		"nothing of it": {fails: "no job queue and no tasks"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, tt.pages, tt.change)
			if tt.pages["/redfish/v1/Managers"] == "" {
				f.pages["/redfish/v1/Managers/1"] = `{"Id": "1"}`
			}
			did, err := Do(t.Context(), f.target(), models.BMCOrder{Verb: models.BMCClearJobs})
			if did != tt.did || (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("got %q, %v; want %q, %q", did, err, tt.did, tt.fails)
			}
		})
	}
}

// TestResetThatBreaksTheConnection checks that resetting a controller succeeds if the controller disconnects before
// it answers.
func TestResetThatBreaksTheConnection(t *testing.T) {
	t.Parallel()
	for name, offered := range map[string]string{"GracefulRestart": `["ForceRestart", "GracefulRestart"]`, "ForceRestart": `["ForceRestart"]`} {
		f := newFake(t, map[string]string{
			"/redfish/v1/Managers/1": `{"Id": "1", "Actions": {"#Manager.Reset": {"target": "/redfish/v1/r", "ResetType@Redfish.AllowableValues": ` + offered + `}}}`,
		}, func(_ *fake, _ http.ResponseWriter, _, _, _ string) { panic(http.ErrAbortHandler) })
		did, err := Do(t.Context(), f.target(), models.BMCOrder{Verb: models.BMCResetController})
		if err != nil || !strings.HasPrefix(did, name) {
			t.Errorf("%s: %q, %v", name, did, err)
		}
	}
	silent := newFake(t, map[string]string{"/redfish/v1/Managers/1": `{"Id": "1", "Actions": {"#Manager.Reset": {}}}`},
		func(_ *fake, _ http.ResponseWriter, _, path, _ string) {
			if path != "/redfish/v1/Managers/1/Actions/Manager.Reset" {
				t.Errorf("asked for %s", path)
			}
			wait := time.NewTimer(400 * time.Millisecond)
			<-wait.C
		})
	x := silent.target()
	x.limits.silence = 100 * time.Millisecond
	if did, err := Do(t.Context(), x, models.BMCOrder{Verb: models.BMCResetController}); err != nil || !strings.Contains(did, "no response received") {
		t.Errorf("%q, %v", did, err)
	}
	// For a power command, a broken connection is an error, because the command may have been carried out.
	f := newFake(t, map[string]string{"/redfish/v1/Systems/1": `{"Id": "1", "Actions": {"#ComputerSystem.Reset": {"target": "/redfish/v1/x"}}}`},
		func(_ *fake, _ http.ResponseWriter, _, _, _ string) { panic(http.ErrAbortHandler) })
	_, err := Do(t.Context(), f.target(), models.BMCOrder{Verb: models.BMCReset})
	var fault *models.Fault
	if !errors.As(err, &fault) || !fault.Sent {
		t.Errorf("%+v", err)
	}
}
