package machine

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func rackT(t *testing.T, machines ...*Machine) *Rack {
	t.Helper()
	r, err := NewRack(time.Now, machines...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// call sends a request with valid credentials.
func call(t *testing.T, r *Rack, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	request.SetBasicAuth("admin", "secret")
	w := httptest.NewRecorder()
	r.ServeHTTP(w, request)
	return w
}

func TestRedfish(t *testing.T) {
	const system, cd = root + "/Systems/m1", root + "/Managers/m1/VirtualMedia/Cd"
	const power, insert = system + "/Actions/ComputerSystem.Reset", cd + "/Actions/VirtualMedia.InsertMedia"
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"the versions", "GET", "/redfish", "", 200, `"v1":"/redfish/v1/"`},
		{"a slash at the end", "GET", root + "/Systems/", "", 200, `"Members@odata.count":1`},
		{"an unknown path", "GET", root + "/Cables", "", 404, "ResourceMissingAtURI"},
		{"outside of Redfish", "GET", "/", "", 404, "ResourceMissingAtURI"},
		{"an unknown machine", "GET", root + "/Systems/m2", "", 404, "ResourceMissingAtURI"},
		{"an unknown interface", "GET", system + "/EthernetInterfaces/eno9", "", 404, "ResourceMissingAtURI"},
		{"an unknown drive", "GET", system + "/Storage/1/Drives/3", "", 404, "ResourceMissingAtURI"},
		{"a wrong method", "DELETE", system, "", 405, "OperationNotAllowed"},
		{"a wrong method of an action", "GET", power, "", 405, "OperationNotAllowed"},
		{"no JSON", "POST", power, "{", 400, "MalformedJSON"},
		{"no reset type", "POST", power, "{}", 400, "ActionParameterMissing"},
		{"a wrong reset type", "POST", power, `{"ResetType":"Explode"}`, 400, "ActionParameterValueNotInList"},
		{"a reset type that is no text", "POST", power, `{"ResetType":1}`, 400, "PropertyValueNotInList"},
		{"power", "POST", power, `{"ResetType":"On"}`, 204, ""},
		{"a boot device", "PATCH", system, `{"Boot":{"BootSourceOverrideTarget":"Pxe","BootSourceOverrideEnabled":"Once"}}`, 204, ""},
		{"a wrong boot device", "PATCH", system, `{"Boot":{"BootSourceOverrideTarget":"Floppy"}}`, 400, "PropertyValueNotInList"},
		{"an unknown property", "PATCH", system, `{"Colour":"blue"}`, 400, "PropertyUnknown"},
		{"no image", "POST", insert, `{}`, 400, "ActionParameterMissing"},
		{"an image of another protocol", "POST", insert, `{"Image":"nfs://a/b"}`, 400, "PropertyValueNotInList"},
		{"an image", "POST", insert, `{"Image":"http://a/b.iso","UserName":"u","Password":"p"}`, 204, ""},
		{"eject", "POST", cd + "/Actions/VirtualMedia.EjectMedia", "", 204, ""},
		{"an image by PATCH", "PATCH", cd, `{"Image":"http://a/b.iso","Inserted":true,"WriteProtected":true}`, 204, ""},
		{"eject by PATCH", "PATCH", cd, `{"Image":null,"Inserted":false}`, 204, ""},
		{"nothing by PATCH", "PATCH", cd, `{}`, 400, "GeneralError"},
		{"a BIOS attribute", "PATCH", system + "/Bios/Settings", `{"Attributes":{"NumLock":"Off"},"@Redfish.SettingsApplyTime":{"ApplyTime":"OnReset"}}`, 204, ""},
		{"no BIOS attribute", "PATCH", system + "/Bios/Settings", `{"@odata.type":"#Bios.v1_2_1.Bios"}`, 400, "PropertyUnknown"},
		{"a wrong BIOS attribute", "PATCH", system + "/Bios/Settings", `{"Attributes":{"NumLock":"Maybe"}}`, 400, "PropertyValueNotInList"},
		{"an unknown BIOS attribute", "PATCH", system + "/Bios/Settings", `{"Attributes":{"Nonsense":"1"}}`, 400, "PropertyUnknown"},
		{"a read-only BIOS attribute", "PATCH", system + "/Bios/Settings", `{"Attributes":{"SerialNumber":"1"}}`, 400, "PropertyNotWritable"},
		{"a BIOS attribute of another type", "PATCH", system + "/Bios/Settings", `{"Attributes":{"AcPowerDelay":"100"}}`, 400, "PropertyValueTypeError"},
		{"a fraction", "PATCH", system + "/Bios/Settings", `{"Attributes":{"AcPowerDelay":100.5}}`, 400, "PropertyValueTypeError"},
		{"no boolean", "PATCH", system + "/Bios/Settings", `{"Attributes":{"QuietBoot":"true"}}`, 400, "PropertyValueTypeError"},
		{"null", "PATCH", system + "/Bios/Settings", `{"Attributes":{"NumLock":null}}`, 400, "PropertyValueTypeError"},
		{"a BIOS attribute out of range", "PATCH", system + "/Bios/Settings", `{"Attributes":{"AcPowerDelay":59}}`, 400, "PropertyValueOutOfRange"},
		{"a long BIOS attribute", "PATCH", system + "/Bios/Settings", `{"Attributes":{"AssetTag":"` + strings.Repeat("x", 64) + `"}}`, 400, "StringValueTooLong"},
		{"typed BIOS attributes", "PATCH", system + "/Bios/Settings", `{"Attributes":{"AcPowerDelay":600,"QuietBoot":true,"AssetTag":"r7"}}`, 204, ""},
		{"the registry's file", "GET", biosRegistryPath, "", 200, `"Uri":"` + biosRegistryEnPath + `"`},
		{"the registry", "GET", biosRegistryEnPath, "", 200, `"AttributeName":"AcPowerDelay","DefaultValue":120`},
		{"a network adapter", "GET", root + "/Chassis/m1/NetworkAdapters/NIC1", "", 200, `"FirmwarePackageVersion":"22.31.6"`},
		{"an unknown adapter", "GET", root + "/Chassis/m1/NetworkAdapters/NIC2", "", 404, "ResourceMissingAtURI"},
		{"an update", "POST", simpleUpdatePath, `{"ImageURI":"http://a/b.bin","TransferProtocol":"HTTP"}`, 202, `"TaskState":"New"`},
		{"an update of a system", "POST", simpleUpdatePath, `{"ImageURI":"http://a/b.bin","Targets":["` + system + `"]}`, 202, `"Id":"m1:1"`},
		{"an update of another system", "POST", simpleUpdatePath, `{"ImageURI":"http://a/b.bin","Targets":["` + root + `/Systems/m2"]}`, 400, "ActionParameterMissing"},
		{"an update without an image", "POST", simpleUpdatePath, `{}`, 400, "ActionParameterMissing"},
		{"an update by another protocol", "POST", simpleUpdatePath, `{"ImageURI":"http://a/b.bin","TransferProtocol":"NFS"}`, 400, "ActionParameterValueNotInList"},
		{"an update from elsewhere", "POST", simpleUpdatePath, `{"ImageURI":"file:///b.bin"}`, 400, "ActionParameterValueNotInList"},
		{"a wrong time", "PATCH", system + "/Bios/Settings", `{"Attributes":{},"@Redfish.SettingsApplyTime":{"ApplyTime":"Immediate"}}`, 400, "PropertyValueNotInList"},
		{"BIOS defaults", "POST", system + "/Bios/Actions/Bios.ResetBios", "", 204, ""},
		{"the BMC restarts", "POST", root + "/Managers/m1/Actions/Manager.Reset", `{"ResetType":"ForceRestart"}`, 204, ""},
		{"the BMC cannot be off", "POST", root + "/Managers/m1/Actions/Manager.Reset", `{"ResetType":"ForceOff"}`, 400, "ActionParameterValueNotInList"},
		{"firmware", "GET", firmwarePath + "/m1:BMC", "", 200, `"Version":"1.12.0"`},
		{"unknown firmware", "GET", firmwarePath + "/m1:PSU", "", 404, "ResourceMissingAtURI"},
		{"secure boot", "PATCH", system + "/SecureBoot", `{"SecureBootEnable":true}`, 204, ""},
		{"nothing of secure boot", "PATCH", system + "/SecureBoot", `{"SecureBootMode":"SetupMode"}`, 400, "PropertyUnknown"},
		{"secure boot that is no boolean", "PATCH", system + "/SecureBoot", `{"SecureBootEnable":"on"}`, 400, "PropertyValueNotInList"},
		{"a reset of keys", "POST", system + "/SecureBoot/Actions/SecureBoot.ResetKeys", `{"ResetKeysType":"DeletePK"}`, 204, ""},
		{"a reset of no keys", "POST", system + "/SecureBoot/Actions/SecureBoot.ResetKeys", `{}`, 400, "ActionParameterMissing"},
		{"a wrong reset of a database", "POST", system + "/SecureBoot/SecureBootDatabases/db/Actions/SecureBootDatabase.ResetKeys", `{"ResetKeysType":"DeletePK"}`, 400, "ActionParameterValueNotInList"},
		{"an unknown database", "GET", system + "/SecureBoot/SecureBootDatabases/dbq", "", 404, "ResourceMissingAtURI"},
		{"an unknown database's reset", "POST", system + "/SecureBoot/SecureBootDatabases/dbq/Actions/SecureBootDatabase.ResetKeys", `{"ResetKeysType":"DeleteAllKeys"}`, 404, "ResourceMissingAtURI"},
		{"a port", "GET", root + "/Chassis/m1/NetworkAdapters/NIC1/Ports/eno1", "", 200, `"CurrentSpeedGbps":25,`},
		{"an unknown port", "GET", root + "/Chassis/m1/NetworkAdapters/NIC1/Ports/eno9", "", 404, "ResourceMissingAtURI"},
		{"ports of an unknown adapter", "GET", root + "/Chassis/m1/NetworkAdapters/NIC2/Ports", "", 404, "ResourceMissingAtURI"},
		{"an unknown PCIe device", "GET", root + "/Chassis/m1/PCIeDevices/GPU1", "", 404, "ResourceMissingAtURI"},
		{"functions of an unknown PCIe device", "GET", root + "/Chassis/m1/PCIeDevices/GPU1/PCIeFunctions", "", 404, "ResourceMissingAtURI"},
		{"power of the chassis", "POST", root + "/Chassis/m1/Actions/Chassis.Reset", `{"ResetType":"On"}`, 204, ""},
		{"a role", "GET", rolesPath + "/Operator", "", 200, `"AssignedPrivileges":["Login","ConfigureComponents","ConfigureSelf"]`},
		{"an unknown role", "GET", rolesPath + "/Guest", "", 404, "ResourceMissingAtURI"},
		{"a login at Members", "POST", sessionsPath + "/Members", `{"UserName":"admin","Password":"secret"}`, 201, `"UserName":"admin"`},
		{"Members elsewhere", "GET", sessionsPath + "/Members", "", 404, "ResourceMissingAtURI"},
		{"an unknown session", "DELETE", sessionsPath + "/x", "", 404, "ResourceMissingAtURI"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := call(t, rackT(t, machineT(t, spec(), Options{})), test.method, test.path, test.body)
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("status %d, want %d and %q: %s", w.Code, test.status, test.want, w.Body)
			}
			if test.status == 405 && w.Header().Get("Allow") == "" {
				t.Error("no Allow")
			}
		})
	}
}

// TestLinks checks that every link leads to a resource, and that every resource reports its type and its path.
func TestLinks(t *testing.T) {
	m := machineT(t, spec(), Options{})
	r := rackT(t, m)
	m.restartBMC() // adds an entry to the log
	seen, next := map[string]bool{}, []string{root + "/"}
	for len(next) > 0 {
		path := next[0]
		next = next[1:]
		if path, _, inside := strings.Cut(path, "#"); inside || seen[path] {
			continue
		}
		seen[path] = true
		w := call(t, r, http.MethodGet, path, "")
		var body map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != http.StatusOK || w.Header().Get("ETag") == "" {
			t.Fatalf("%s: status %d, error %v: %s", path, w.Code, err, w.Body)
		}
		for _, key := range []string{"@odata.id", "@odata.type", "Name"} {
			if body[key] == nil {
				t.Errorf("%s has no %s", path, key)
			}
		}
		checkHeaders(t, path, body["@odata.type"], w.Header())
		if body["@odata.id"] != path {
			t.Errorf("%s says that it is %s", path, body["@odata.id"])
		}
		next = append(next, linksIn(body)...)
	}
	if len(seen) < 60 {
		t.Errorf("only %d resources: %q", len(seen), slices.Sorted(maps.Keys(seen)))
	}
}

func linksIn(value any) []string {
	var found []string
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			if path, ok := inner.(string); ok && key == "@odata.id" {
				found = append(found, path)
			}
			found = append(found, linksIn(inner)...)
		}
	case []any:
		for _, inner := range value {
			found = append(found, linksIn(inner)...)
		}
	}
	return found
}

func TestSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := machineT(t, spec(), Options{})
		r := rackT(t, m)
		status := func(token string) int {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, m.SystemPath(), http.NoBody)
			request.Header.Set("X-Auth-Token", token)
			w := httptest.NewRecorder()
			r.ServeHTTP(w, request)
			return w.Code
		}
		login := func() (token, location string) {
			w := httptest.NewRecorder()
			r.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, sessionsPath, strings.NewReader(`{"UserName":"admin","Password":"secret"}`)))
			if w.Code != http.StatusCreated {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			return w.Header().Get("X-Auth-Token"), w.Header().Get("Location")
		}
		first, location := login()
		second, other := login()
		if a, b := status(first), status("wrong"); a != http.StatusOK || b != http.StatusUnauthorized {
			t.Errorf("right token: %d, wrong token: %d", a, b)
		}
		if w := call(t, r, http.MethodGet, location, ""); w.Code != http.StatusOK || strings.Contains(w.Body.String(), first) {
			t.Errorf("the session: %d, %s", w.Code, w.Body)
		}
		if w := call(t, r, http.MethodDelete, location, ""); w.Code != http.StatusNoContent || status(first) != http.StatusUnauthorized {
			t.Errorf("after deleting: %d, %d", w.Code, status(first))
		}
		time.Sleep(sessionTimeout - time.Minute) //nolint:forbidigo // on the clock of the test
		if status(second) != http.StatusOK {
			t.Error("the session ended early")
		}
		time.Sleep(sessionTimeout + time.Minute) //nolint:forbidigo // as above
		if status(second) != http.StatusUnauthorized {
			t.Error("the session did not end")
		}
		if w := call(t, r, http.MethodGet, other, ""); w.Code != http.StatusNotFound {
			t.Errorf("the session that ended: %d", w.Code)
		}
	})
}

func TestCredentials(t *testing.T) {
	for _, test := range []struct {
		name           string
		user, password string
		faults         Faults
		want           int
	}{
		{"right", "admin", "secret", Faults{}, 200},
		{"a wrong password", "admin", "wrong", Faults{}, 401},
		{"a wrong user", "root", "secret", Faults{}, 401},
		{"refused all the same", "admin", "secret", Faults{RefusePassword: true}, 401},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := machineT(t, spec(), Options{})
			m.SetFaults(test.faults)
			r := rackT(t, m)
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, m.SystemPath(), http.NoBody)
			request.SetBasicAuth(test.user, test.password)
			w := httptest.NewRecorder()
			r.ServeHTTP(w, request)
			if w.Code != test.want || (w.Code == 401 && !strings.Contains(w.Body.String(), "@Message.ExtendedInfo")) {
				t.Errorf("basic: status %d, want %d: %s", w.Code, test.want, w.Body)
			}
			body, _ := json.Marshal(map[string]string{"UserName": test.user, "Password": test.password})
			w = httptest.NewRecorder()
			r.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, sessionsPath, strings.NewReader(string(body))))
			if want := map[int]int{200: 201, 401: 401}[test.want]; w.Code != want {
				t.Errorf("session: status %d, want %d: %s", w.Code, want, w.Body)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := machineT(t, spec(), Options{BMCRestartTime: time.Minute})
		r := rackT(t, m)
		power := func() int {
			return call(t, r, http.MethodPost, m.SystemPath()+"/Actions/ComputerSystem.Reset", `{"ResetType":"On"}`).Code
		}
		m.SetFaults(Faults{PowerFails: true})
		if status := power(); status != http.StatusInternalServerError || m.Power() != Off {
			t.Errorf("failing power: status %d, %s", status, m.Power())
		}
		m.SetFaults(Faults{PowerStuck: true})
		if status := power(); status != http.StatusNoContent || m.Power() != Off {
			t.Errorf("stuck power: status %d, %s", status, m.Power())
		}
		m.SetFaults(Faults{Stall: 40 * time.Second})
		start := time.Now()
		if status := power(); status != http.StatusNoContent || time.Since(start) != 40*time.Second {
			t.Errorf("stalling: status %d after %s", status, time.Since(start))
		}
		m.SetFaults(Faults{})
		m.restartBMC()
		if status := power(); status != http.StatusServiceUnavailable {
			t.Errorf("restarting: status %d", status)
		}
		time.Sleep(time.Minute) //nolint:forbidigo // on the clock of the test
		if status := power(); status != http.StatusNoContent {
			t.Errorf("restarted: status %d", status)
		}
	})
}

// TestRack checks that each machine of a rack has its own password and faults.
func TestRack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var machines []*Machine
		for _, name := range []string{"b", "a", "c"} {
			s := spec()
			s.Name = name
			if name == "c" {
				s.Password = "other"
			}
			machines = append(machines, machineT(t, s, Options{}))
		}
		r := rackT(t, machines...)
		if _, err := NewRack(nil, machines[0], machines[1], machines[0]); err == nil {
			t.Error("the same name twice")
		}
		if w := call(t, r, http.MethodGet, root+"/Systems", ""); !strings.Contains(w.Body.String(), `[{"@odata.id":"/redfish/v1/Systems/a"},{"@odata.id":"/redfish/v1/Systems/b"}]`) {
			t.Errorf("the systems: %s", w.Body)
		}
		machines[0].SetFaults(Faults{RefusePassword: true, Stall: time.Hour})
		for name, want := range map[string]int{"a": 200, "b": 401, "c": 401} {
			if w := call(t, r, http.MethodGet, root+"/Systems/"+name, ""); w.Code != want {
				t.Errorf("machine %s: status %d, want %d", name, w.Code, want)
			}
		}
	})
}
