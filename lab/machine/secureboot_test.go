package machine

import (
	"net/http"
	"strings"
	"testing"
)

// TestSecureBoot checks that changes take effect at the next boot, and that secure boot is not active without a
// platform key.
func TestSecureBoot(t *testing.T) {
	m := machineT(t, spec(), Options{})
	r := rackT(t, m)
	path := m.SystemPath() + "/SecureBoot"
	do := func(method, path, body string, want int) {
		t.Helper()
		if w := call(t, r, method, path, body); w.Code != want {
			t.Fatalf("%s %s: status %d, want %d: %s", method, path, w.Code, want, w.Body)
		}
	}
	state := func(enabled, current, mode string) {
		t.Helper()
		body := call(t, r, http.MethodGet, path, "").Body.String()
		for _, want := range []string{`"SecureBootEnable":` + enabled, `"SecureBootCurrentBoot":"` + current, `"SecureBootMode":"` + mode} {
			if !strings.Contains(body, want) {
				t.Errorf("no %s in %s", want, body)
			}
		}
	}
	boot := func() {
		do(http.MethodPost, m.SystemPath()+"/Actions/ComputerSystem.Reset", `{"ResetType":"ForceRestart"}`, 204)
	}
	state("false", "Disabled", "UserMode")
	do(http.MethodPatch, path, `{"SecureBootEnable":true}`, 204)
	state("true", "Disabled", "UserMode")
	boot()
	state("true", "Enabled", "UserMode")
	do(http.MethodPost, path+"/SecureBootDatabases/PK/Actions/SecureBootDatabase.ResetKeys", `{"ResetKeysType":"DeleteAllKeys"}`, 204)
	state("true", "Enabled", "SetupMode")
	boot()
	state("true", "Disabled", "SetupMode")
	do(http.MethodPost, path+"/Actions/SecureBoot.ResetKeys", `{"ResetKeysType":"ResetAllKeysToDefault"}`, 204)
	boot()
	state("true", "Enabled", "UserMode")
	do(http.MethodPost, path+"/Actions/SecureBoot.ResetKeys", `{"ResetKeysType":"DeletePK"}`, 204)
	if keys := m.SecureBoot().Keys; keys["PK"] || !keys["db"] {
		t.Errorf("keys after deleting PK: %v", keys)
	}
}

// TestSecureBootNeedsUEFI checks that secure boot cannot be enabled in Legacy boot mode. The error is the one that
// Ironic expects (set_secure_boot_state in ironic/drivers/modules/redfish/management.py).
func TestSecureBootNeedsUEFI(t *testing.T) {
	m := machineT(t, spec(), Options{})
	if err := m.SetOverride(BootOverride{Mode: BIOS}); err != nil {
		t.Fatal(err)
	}
	w := call(t, rackT(t, m), http.MethodPatch, m.SystemPath()+"/SecureBoot", `{"SecureBootEnable":true}`)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "PropertyNotWritable") || m.SecureBoot().Enabled {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	if err := m.SetSecureBoot(false); err != nil {
		t.Error(err)
	}
}

// TestGuestHasNoSecureBoot checks that virtual machines have no resource for secure boot.
func TestGuestHasNoSecureBoot(t *testing.T) {
	m := machineT(t, spec(), Options{Guest: &fakeGuest{}})
	r := rackT(t, m)
	if w := call(t, r, http.MethodGet, m.SystemPath()+"/SecureBoot", ""); w.Code != http.StatusNotFound {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	if body := call(t, r, http.MethodGet, m.SystemPath(), "").Body.String(); strings.Contains(body, `"SecureBoot"`) {
		t.Errorf("the system refers to secure boot: %s", body)
	}
}
