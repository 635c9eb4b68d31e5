package machine

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const firmwareURL = "http://files.example/firmware.bin"

// TestFirmwareUpdate checks when updates take effect: the BMC restarts with its new version at once, whereas the BIOS
// and the network adapter need a boot. Only the job of the BIOS update waits for that boot.
func TestFirmwareUpdate(t *testing.T) {
	for _, test := range []struct {
		component Component
		states    []JobState // while the image is written, afterwards, and after a boot
		versions  []string
	}{
		{BIOSFirmware, []JobState{JobNew, JobPending, JobCompleted}, []string{"2.4.1", "2.4.1", "9.0"}},
		{BMCFirmware, []JobState{JobRunning, JobCompleted, JobCompleted}, []string{"1.12.0", "9.0", "9.0"}},
		{NICFirmware, []JobState{JobRunning, JobCompleted, JobCompleted}, []string{nicVersion, nicVersion, "9.0"}},
	} {
		t.Run(string(test.component), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := machineT(t, spec(), Options{Client: clientOf(web{firmwareURL: string(FirmwareImage(test.component, "9.0"))}), UpdateTime: time.Minute, BMCRestartTime: time.Minute})
				r := rackT(t, m)
				if _, err := m.UpdateFirmware(VirtualMedia{URL: firmwareURL}); err != nil {
					t.Fatal(err)
				}
				check := func(i int) {
					t.Helper()
					synctest.Wait()
					if got := m.Firmware(test.component); m.Jobs()[0].State != test.states[i] || got != test.versions[i] {
						t.Errorf("%d: job %s, version %s; want %s, %s", i, m.Jobs()[0].State, got, test.states[i], test.versions[i])
					}
				}
				check(0)
				<-time.After(time.Minute)
				check(1)
				if restarting := call(t, r, "GET", root, "").Code == 503; restarting != (test.component == BMCFirmware) {
					t.Errorf("the BMC restarts: %v", restarting)
				}
				reset(t, m, ResetOn)
				check(2)
				if m.Spec().BIOSVersion != m.Firmware(BIOSFirmware) {
					t.Errorf("the spec has BIOS %s", m.Spec().BIOSVersion)
				}
			})
		})
	}
}

// TestFirmwareUpdateFails checks that the task of a failed update contains the reason, and that no version changes.
func TestFirmwareUpdateFails(t *testing.T) {
	for name, test := range map[string]struct {
		web    web
		faults Faults
		want   string
	}{
		"no file":           {web{}, Faults{}, firmwareURL + ": 404 Not Found"},
		"no server":         {web{firmwareURL: "refused"}, Faults{}, "connection refused"},
		"a fault":           {web{firmwareURL: "x"}, Faults{ImageFails: "no route to host"}, firmwareURL + ": no route to host"},
		"another file":      {web{firmwareURL: "GIF89a"}, Faults{}, "not a firmware image"},
		"another component": {web{firmwareURL: string(FirmwareImage("PSU", "1"))}, Faults{}, `no component \"PSU\"`},
		"no version":        {web{firmwareURL: firmwareImage + " BIOS\n"}, Faults{}, "not a firmware image"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := machineT(t, spec(), Options{Client: clientOf(test.web)})
				m.SetFaults(test.faults)
				r := rackT(t, m)
				path := call(t, r, "POST", simpleUpdatePath, `{"ImageURI":"`+firmwareURL+`"}`).Header().Get("Location")
				synctest.Wait()
				body := call(t, r, "GET", path, "").Body.String()
				if !strings.Contains(body, `"TaskState":"Exception","TaskStatus":"Critical"`) || !strings.Contains(body, test.want) {
					t.Errorf("task %s, want %s", body, test.want)
				}
				reset(t, m, ResetOn)
				if m.Firmware(BIOSFirmware) != "2.4.1" {
					t.Error("the BIOS was updated")
				}
			})
		})
	}
}

// TestDeletedUpdate checks that deleting the job of a staged BIOS update cancels the update.
func TestDeletedUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := machineT(t, spec(), Options{Client: clientOf(web{firmwareURL: string(FirmwareImage(BIOSFirmware, "9.0"))})})
		if _, err := m.UpdateFirmware(VirtualMedia{URL: firmwareURL}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !m.DeleteJob(1) {
			t.Error("no job")
		}
		reset(t, m, ResetOn)
		if got := m.Firmware(BIOSFirmware); got != "2.4.1" {
			t.Errorf("version %s", got)
		}
	})
}

// TestIgnoredAttribute checks that, with the BIOSIgnores fault, the BMC accepts a change to the named BIOS attribute,
// but the firmware ignores the change.
func TestIgnoredAttribute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := machineT(t, spec(), Options{})
		m.SetFaults(Faults{BIOSIgnores: "NumLock"})
		if err := m.SetBIOS(map[string]any{"NumLock": "Off", "AcPowerDelay": 90}); err != nil {
			t.Fatal(err)
		}
		reset(t, m, ResetOn)
		if current, pending := m.BIOS(); current["NumLock"] != "On" || current["AcPowerDelay"] != 90 || len(pending) != 0 || m.Jobs()[0].State != JobCompleted {
			t.Errorf("attributes %v, pending %v, jobs %+v", current, pending, m.Jobs())
		}
	})
}
