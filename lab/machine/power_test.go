package machine

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestPower(t *testing.T) {
	type step struct {
		reset ResetType // empty if the step only waits
		wait  time.Duration
		want  Power
	}
	for _, test := range []struct {
		name  string
		steps []step
	}{
		{"on", []step{{ResetOn, 0, PoweringOn}, {"", 11 * time.Second, On}}},
		{"on twice is on", []step{{ResetOn, 5 * time.Second, PoweringOn}, {ResetOn, 6 * time.Second, On}, {ForceOn, 0, On}}},
		{"off is quick", []step{{ResetOn, 11 * time.Second, On}, {ForceOff, 0, PoweringOff}, {"", 3 * time.Second, Off}}},
		{"a shutdown takes its time", []step{{ResetOn, 11 * time.Second, On}, {GracefulShutdown, 29 * time.Second, PoweringOff}, {"", 2 * time.Second, Off}}},
		{"force shortens a shutdown", []step{{ResetOn, 11 * time.Second, On}, {GracefulShutdown, 5 * time.Second, PoweringOff}, {ForceOff, 3 * time.Second, Off}, {"", time.Minute, Off}}},
		{"on while powering off", []step{{ResetOn, 11 * time.Second, On}, {ForceOff, 0, PoweringOff}, {ResetOn, 0, PoweringOff}, {"", 3 * time.Second, PoweringOn}, {"", 10 * time.Second, On}}},
		{"off while powering on", []step{{ResetOn, 5 * time.Second, PoweringOn}, {ForceOff, 3 * time.Second, Off}, {"", time.Minute, Off}}},
		{"a restart stays on", []step{{ResetOn, 11 * time.Second, On}, {ForceRestart, 0, On}, {"", time.Minute, On}}},
		{"a restart of what is off", []step{{GracefulRestart, 11 * time.Second, On}}},
		{"off during a restart", []step{{ResetOn, 11 * time.Second, On}, {GracefulRestart, time.Second, On}, {ForceOff, 3 * time.Second, Off}, {"", time.Minute, Off}}},
		{"the button", []step{{PushPowerButton, 11 * time.Second, On}, {PushPowerButton, 29 * time.Second, PoweringOff}, {"", 2 * time.Second, Off}}},
		{"off when off", []step{{ForceOff, 0, Off}, {GracefulShutdown, 0, Off}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := machineT(t, spec(), Options{PowerOnTime: 10 * time.Second, PowerOffTime: 2 * time.Second, ShutdownTime: 30 * time.Second})
				for i, s := range test.steps {
					if s.reset != "" {
						reset(t, m, s.reset)
					}
					time.Sleep(s.wait) //nolint:forbidigo // on the clock of the test
					synctest.Wait()
					if got := m.Power(); got != s.want {
						t.Fatalf("step %d, %s: power %s, want %s", i, s.reset, got, s.want)
					}
				}
			})
		})
	}
}

func TestPowerRefused(t *testing.T) {
	m := machineT(t, spec(), Options{})
	if err := m.Reset("Explode"); !errors.Is(err, errReset) {
		t.Errorf("an unknown reset: %v", err)
	}
	m.Close()
	if err := m.Reset(ResetOn); !errors.Is(err, errClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestRamdiskEndsWithThePower(t *testing.T) {
	for _, how := range []ResetType{ForceOff, GracefulShutdown, ForceRestart, GracefulRestart} {
		t.Run(string(how), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ramdisk := &recorder{}
				m := machineT(t, spec(), Options{Ramdisk: ramdisk.Run, Client: clientOf(web{imageURL: "iso"})})
				insertT(t, m, Continuous)
				reset(t, m, ResetOn)
				synctest.Wait()
				if ramdisk.now != 1 || m.Boot().Progress != ProgressOSRunning {
					t.Fatalf("%d run, boot %+v", ramdisk.now, m.Boot())
				}
				reset(t, m, how)
				time.Sleep(time.Minute) //nolint:forbidigo // on the clock of the test
				synctest.Wait()
				want := 0
				if m.Power() == On {
					want = 1
				}
				if ramdisk.now != want || ramdisk.most != 1 || len(ramdisk.runs) != want+1 {
					t.Errorf("%d run, want %d; %d at once; %d boots", ramdisk.now, want, ramdisk.most, len(ramdisk.runs))
				}
			})
		})
	}
}
