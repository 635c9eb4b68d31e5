package real

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestReleaseOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Release{"newest": Newest, "39.0.0": Newest, "old": Old, "21.4.4": Old} {
		if got, err := ReleaseOf(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "39", "Old"} {
		if _, err := ReleaseOf(text); err == nil || !strings.Contains(err.Error(), "39.0.0 (newest)") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestFolder checks that a server's folder can be opened again, but only by the same release.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		if got, err := folder(Options{Release: Newest, Dir: dir}); err != nil || got != dir {
			t.Fatalf("folder %q, %v", got, err)
		}
	}
	if _, err := folder(Options{Release: Old, Dir: dir}); err == nil || !strings.Contains(err.Error(), `is the state of Ironic "39.0.0"`) {
		t.Errorf("another release: error %v", err)
	}
}

func TestReachable(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{"0.0.0.0": "127.0.0.1", "::": "::1", "127.0.0.1": "127.0.0.1", "localhost": "localhost"} {
		if got := reachable(host); got != want {
			t.Errorf("%s is reached at %s, want %s", host, got, want)
		}
	}
}

func TestLabSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		speed          float64
		timeout, check string
	}{
		{1, "1800", "60"},
		{4, "450", "15"},
		{7, "258", "9"},
		{1000, "10", "2"},
	} {
		settings := LabSettings(Newest, test.speed)
		c := settings["conductor"]
		if c["deploy_callback_timeout"] != test.timeout || c["inspect_wait_timeout"] != test.timeout ||
			c["check_provision_state_interval"] != test.check || c["sync_power_state_interval"] != "60" {
			t.Errorf("speed %g: %v", test.speed, c)
		}
		if got := settings["redfish"]["firmware_update_status_interval"]; got != test.check {
			t.Errorf("speed %g: updates are checked every %s s", test.speed, got)
		}
	}
	if got := LabSettings(Old, 1)["DEFAULT"]["enabled_firmware_interfaces"]; got != "" {
		t.Errorf("firmware interfaces of the old release: %s", got)
	}
}
