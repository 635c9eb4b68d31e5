package bmc

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"ironworks/models"
)

// TestUnreadableTask checks the result if a controller accepts an order with status 202, but the task cannot be read.
// The order may have been carried out, so the result must be reported as unknown, and the order must be sent only
// once.
func TestUnreadableTask(t *testing.T) {
	t.Parallel()
	const task, slot = "/redfish/v1/TaskService/Tasks/7", "/redfish/v1/Managers/1/VirtualMedia/1"
	orders := map[string]models.BMCOrder{
		"reset":  {Verb: models.BMCReset},
		"boot":   {Verb: models.BMCBootOnce, Boot: "Cd"},
		"insert": {Verb: models.BMCInsert, Image: "http://10.0.0.1/a.iso"},
	}
	for name, answer := range map[string]http.HandlerFunc{
		"forbidden":      func(w http.ResponseWriter, _ *http.Request) { refuse(w, 403, "InsufficientPrivilege", "No.") },
		"unauthorized":   func(w http.ResponseWriter, _ *http.Request) { refuse(w, 401, "NoValidSession", "No.") },
		"no such method": func(w http.ResponseWriter, _ *http.Request) { refuse(w, 405, "GeneralError", "No.") },
		"bad request": func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, 400, "MalformedJSON", "BootSourceOverrideMode Inserted")
		},
		"broken": func(w http.ResponseWriter, _ *http.Request) { refuse(w, 500, "InternalError", "Oops.") },
		"busy": func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, 503, "ServiceTemporarilyUnavailable", "Later.")
		},
		"cut off":     func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"not Redfish": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		},
	} {
		for what, order := range orders {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				sent := 0
				f := newFake(t, map[string]string{
					"/redfish/v1/Systems/1": `{"Id": "1", "@odata.id": "/redfish/v1/Systems/1", "PowerState": "On",
						"Boot": {"BootSourceOverrideEnabled": "Disabled", "BootSourceOverrideTarget": "None", "BootSourceOverrideMode": "UEFI"},
						"Actions": {"#ComputerSystem.Reset": {"target": "/redfish/v1/x"}}}`,
					"/redfish/v1/Managers/1":              `{"Id": "1", "VirtualMedia": {"@odata.id": "/redfish/v1/Managers/1/VirtualMedia"}}`,
					"/redfish/v1/Managers/1/VirtualMedia": `{"Members": [{"@odata.id": "` + slot + `"}]}`,
					slot:                                  `{"Id": "1", "MediaTypes": ["CD"], "Inserted": false, "Actions": {"#VirtualMedia.InsertMedia": {"target": "` + slot + `/go"}}}`,
				}, func(_ *fake, w http.ResponseWriter, _, _, _ string) {
					sent++
					w.Header().Set("Location", task)
					w.WriteHeader(http.StatusAccepted)
				})
				pages := f.Config.Handler
				f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == task {
						answer(w, r)
						return
					}
					pages.ServeHTTP(w, r)
				})
				did, err := Do(t.Context(), f.target(), order)
				var fault *models.Fault
				if !errors.As(err, &fault) || !fault.Sent || !strings.Contains(fault.Message, "accepted") || sent != 1 {
					t.Errorf("sent %d times, did %q: %+v", sent, did, err)
				}
				if models.IsFault(err, models.FaultUnauthorized) {
					t.Error("the password is not to blame")
				}
			})
		}
	}
}

// TestBusyTaskIsReadAgain checks that a task is read again if the controller fails to answer the first time.
func TestBusyTaskIsReadAgain(t *testing.T) {
	t.Parallel()
	const task = "/redfish/v1/TaskService/Tasks/7"
	looks := 0
	f := newFake(t, map[string]string{
		"/redfish/v1/Systems/1": `{"Id": "1", "PowerState": "On", "Actions": {"#ComputerSystem.Reset": {"target": "/redfish/v1/x"}}}`,
		task:                    `{"TaskState": "Completed", "TaskStatus": "OK"}`,
	}, func(_ *fake, w http.ResponseWriter, _, _, _ string) {
		w.Header().Set("Location", task)
		w.WriteHeader(http.StatusAccepted)
	})
	pages := f.Config.Handler
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == task {
			if looks++; looks < 3 {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
		}
		pages.ServeHTTP(w, r)
	})
	if did, err := Do(t.Context(), f.target(), models.BMCOrder{Verb: models.BMCReset}); err != nil || did != "ForceRestart" || looks != 3 {
		t.Errorf("after %d looks: %q, %v", looks, did, err)
	}
}

func TestHasFailed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body string
		want bool
	}{
		"an error":               {`{"error": {"code": "Base.1.18.GeneralError", "message": "no"}}`, true},
		"a success code":         {`{"error": {"code": "Base.1.18.Success"}}`, false},
		"a success message":      {`{"error": {"code": "Base.1.18.GeneralError", "@Message.ExtendedInfo": [{"MessageId": "Base.1.18.Success"}]}}`, false},
		"a message that is fine": {`{"error": {"code": "x", "@Message.ExtendedInfo": [{"MessageId": "Oem.Done", "Severity": "OK"}]}}`, false},
		"success and an error": {
			`{"error": {"code": "x", "@Message.ExtendedInfo": [{"MessageId": "Base.1.18.Success"}, {"MessageId": "Base.1.18.InternalError", "MessageSeverity": "Critical"}]}}`, true,
		},
		"success and a warning": {
			`{"error": {"code": "x", "@Message.ExtendedInfo": [{"MessageId": "Base.1.18.Success"}, {"MessageId": "Oem.Note", "MessageSeverity": "Warning"}]}}`, false,
		},
	} {
		if got := hasFailed([]byte(tt.body)); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
