package machine

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func clientOf(w web) *http.Client { return &http.Client{Transport: w} }

// insertT inserts the test image and selects it for booting.
func insertT(t *testing.T, m *Machine, enabled Enabled) {
	t.Helper()
	err := errors.Join(
		m.Insert(VirtualMedia{URL: imageURL, Inserted: true}),
		m.SetOverride(BootOverride{Target: Cd, Enabled: enabled}))
	if err != nil {
		t.Fatal(err)
	}
}

func TestBoot(t *testing.T) {
	installed := func(s *Spec) { s.Disks[1].Installed = &Installation{What: "CoreOS"} }
	for _, test := range []struct {
		name     string
		web      web
		change   func(*Spec)
		options  Options
		prepare  func(*testing.T, *Machine)
		want     Device // empty if nothing boots
		failures []string
		runs     int
	}{
		{name: "nothing", failures: []string{"Hdd: nothing is installed", "Pxe: no answer"}},
		{name: "a disk", change: installed, want: Hdd},
		{
			name: "the CD", web: web{imageURL: "iso"}, want: Cd, runs: 1,
			prepare: func(t *testing.T, m *Machine) { t.Helper(); insertT(t, m, Once) },
		},
		{
			name: "the CD is gone, the disk boots", change: installed, want: Hdd, failures: []string{"Cd: fetching the image: " + imageURL + ": 404 Not Found"},
			prepare: func(t *testing.T, m *Machine) { t.Helper(); insertT(t, m, Once) },
		},
		{
			name: "the server refuses", web: web{imageURL: "refused"}, failures: []string{"connection refused", "Hdd", "Pxe"},
			prepare: func(t *testing.T, m *Machine) { t.Helper(); insertT(t, m, Once) },
		},
		{
			name: "the image is too large", web: web{imageURL: strings.Repeat("x", 2000)}, failures: []string{"2000 bytes are more than the 1000", "Hdd", "Pxe"},
			prepare: func(t *testing.T, m *Machine) { t.Helper(); insertT(t, m, Once) }, options: Options{MaxImage: 1000},
		},
		{
			name: "the image does not end", web: web{imageURL: "endless"}, failures: []string{"more than the 1000 bytes", "Hdd", "Pxe"},
			prepare: func(t *testing.T, m *Machine) { t.Helper(); insertT(t, m, Once) }, options: Options{MaxImage: 1000},
		},
		{
			name: "images cannot be fetched", web: web{imageURL: "iso"}, failures: []string{"no route to host", "Hdd", "Pxe"},
			prepare: func(t *testing.T, m *Machine) {
				t.Helper()
				insertT(t, m, Once)
				m.SetFaults(Faults{ImageFails: "no route to host"})
			},
		},
		{
			name: "an empty drive", failures: []string{"Cd: no medium", "Hdd", "Pxe"},
			prepare: func(t *testing.T, m *Machine) { t.Helper(); insertT(t, m, Once); m.Eject() },
		},
		{
			name: "a medium that is not inserted", web: web{imageURL: "iso"}, failures: []string{"Cd: no medium", "Hdd", "Pxe"},
			prepare: func(t *testing.T, m *Machine) {
				t.Helper()
				insertT(t, m, Once)
				_ = m.Insert(VirtualMedia{URL: imageURL})
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, ramdisk := spec(), &recorder{}
				if test.change != nil {
					test.change(&s)
				}
				var failures []string
				test.options.Client, test.options.Ramdisk, test.options.OnEvent = clientOf(test.web), ramdisk.Run, failedBoots(&failures)
				m := machineT(t, s, test.options)
				if test.prepare != nil {
					test.prepare(t, m)
				}
				reset(t, m, ResetOn)
				synctest.Wait()
				checkBoot(t, m.Boot(), test.want, failures, test.failures)
				if len(ramdisk.runs) != test.runs {
					t.Errorf("%d boots, want %d", len(ramdisk.runs), test.runs)
				}
			})
		})
	}
}

// failedBoots returns a function that adds the texts of BootFailed events to texts.
func failedBoots(texts *[]string) func(Event) {
	return func(e Event) {
		if e.Kind == BootFailed {
			*texts = append(*texts, e.Text)
		}
	}
}

func checkBoot(t *testing.T, got BootStatus, device Device, failed, failures []string) {
	t.Helper()
	progress := ProgressOSRunning
	if device == "" {
		progress = ProgressOSStarted
	}
	if got.Device != device || got.Progress != progress || len(failed) != len(failures) {
		t.Fatalf("boot %+v, failures %q; want %q, %s, %d failures", got, failed, device, progress, len(failures))
	}
	for i, want := range failures {
		if !strings.Contains(failed[i], want) {
			t.Errorf("failure %q, want %q", failed[i], want)
		}
	}
}

func TestOverride(t *testing.T) {
	for _, test := range []struct {
		enabled Enabled
		boots   int
	}{{Once, 1}, {Continuous, 2}, {Disabled, 0}} {
		t.Run(string(test.enabled), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ramdisk := &recorder{}
				m := machineT(t, spec(), Options{Ramdisk: ramdisk.Run, Client: clientOf(web{imageURL: "iso"})})
				insertT(t, m, test.enabled)
				for range 2 {
					reset(t, m, ResetOn)
					synctest.Wait()
					reset(t, m, ForceOff)
					time.Sleep(time.Minute) //nolint:forbidigo // on the clock of the test
				}
				if len(ramdisk.runs) != test.boots {
					t.Errorf("%d boots from the CD, want %d", len(ramdisk.runs), test.boots)
				}
			})
		})
	}
}

func TestOverrideRefused(t *testing.T) {
	m := machineT(t, spec(), Options{})
	for _, change := range []BootOverride{{Target: "Floppy"}, {Enabled: "Often"}, {Mode: "OpenFirmware"}} {
		if err := m.SetOverride(change); !errors.Is(err, errBoot) {
			t.Errorf("%+v: %v", change, err)
		}
	}
	if got, want := m.Override(), (BootOverride{Target: None, Enabled: Disabled, Mode: UEFI}); got != want {
		t.Errorf("override %+v, want %+v", got, want)
	}
}

// TestImage checks that the image file is removed when the image is no longer needed.
func TestImage(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(*testing.T, *Machine)
	}{
		{"ejected", func(_ *testing.T, m *Machine) { m.Eject() }},
		{"powered off", func(t *testing.T, m *Machine) { t.Helper(); reset(t, m, ForceOff) }},
		{"closed", func(_ *testing.T, m *Machine) { m.Close() }},
		{"another one", func(_ *testing.T, m *Machine) { _ = m.Insert(VirtualMedia{URL: "http://other/", Inserted: true}) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ramdisk := &recorder{}
				m := machineT(t, spec(), Options{Ramdisk: ramdisk.Run, Client: clientOf(web{imageURL: "the image"})})
				insertT(t, m, Once)
				reset(t, m, ResetOn)
				synctest.Wait()
				media := ramdisk.runs[0]
				if media.URL != imageURL || media.Size != 9 || ramdisk.read[0] != "the image" {
					t.Errorf("medium %+v, read %q", media, ramdisk.read)
				}
				test.end(t, m)
				synctest.Wait()
				if _, err := os.Stat(media.Path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the file is still there: %v", err)
				}
			})
		})
	}
}

func TestMediumRefused(t *testing.T) {
	m := machineT(t, spec(), Options{})
	for _, address := range []string{"", "boot.iso", "nfs://host/boot.iso", "http://", "http://a b/"} {
		if err := m.Insert(VirtualMedia{URL: address, Inserted: true}); !errors.Is(err, errMedia) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestRamdiskThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended []string
		m := machineT(t, spec(), Options{
			Ramdisk: (&recorder{fails: errors.New("kernel panic")}).Run, Client: clientOf(web{imageURL: "iso"}),
			OnEvent: func(e Event) {
				if e.Kind == RamdiskEnded {
					ended = append(ended, e.Text)
				}
			},
		})
		insertT(t, m, Once)
		reset(t, m, ResetOn)
		synctest.Wait()
		if len(ended) != 1 || ended[0] != "kernel panic" || m.Power() != On {
			t.Errorf("ended %q, power %s", ended, m.Power())
		}
	})
}

func TestBIOSIsAppliedByABoot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := machineT(t, spec(), Options{})
		if err := m.SetBIOS(map[string]any{"NumLock": "Off", "Nonsense": "1"}); !errors.As(err, new(*refusal)) {
			t.Errorf("an unknown attribute: %v", err)
		}
		if err := m.SetBIOS(map[string]any{"NumLock": "Off"}); err != nil {
			t.Fatal(err)
		}
		if current, pending := m.BIOS(); current["NumLock"] != "On" || len(pending) != 1 {
			t.Errorf("before the boot: %v, pending %v", current, pending)
		}
		reset(t, m, ResetOn)
		if current, pending := m.BIOS(); current["NumLock"] != "Off" || len(pending) != 0 {
			t.Errorf("after the boot: %v, pending %v", current, pending)
		}
		m.ResetBIOS()
		reset(t, m, ForceRestart)
		if current, _ := m.BIOS(); current["NumLock"] != "On" {
			t.Errorf("after the reset: %v", current)
		}
	})
}
