package machine

import (
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fakeGuest is a guest that records its boots. The test determines how each boot ends.
type fakeGuest struct {
	ends chan GuestEnd // receives the end of each boot from the test
	err  error

	mu      sync.Mutex
	boots   []Device
	media   []string // content of the medium in the drive at each boot
	pressed int
	ejected int
	now     int
}

func (g *fakeGuest) Run(ctx context.Context, boot GuestBoot) (GuestEnd, error) {
	g.mu.Lock()
	g.boots = append(g.boots, boot.First)
	content := ""
	if boot.Media != nil {
		text, _ := os.ReadFile(boot.Media.Path)
		content = string(text)
	}
	g.media = append(g.media, content)
	g.now++
	err := g.err
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		g.now--
		g.mu.Unlock()
	}()
	if err != nil {
		return "", err
	}
	boot.Started()
	select {
	case <-ctx.Done():
		return GuestCut, nil
	case end := <-g.ends:
		return end, nil
	}
}

func (g *fakeGuest) PressPower() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pressed++
}

func (g *fakeGuest) Eject() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ejected++
}

func (g *fakeGuest) is(t *testing.T, running, pressed int, boots ...Device) {
	t.Helper()
	synctest.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.now != running || g.pressed != pressed || !slices.Equal(g.boots, boots) {
		t.Errorf("%d run, the power button was pressed %d times, boots %v; want %d, %d, %v", g.now, g.pressed, g.boots, running, pressed, boots)
	}
}

func guestT(t *testing.T) (*Machine, *fakeGuest) {
	t.Helper()
	g := &fakeGuest{ends: make(chan GuestEnd)}
	m := machineT(t, spec(), Options{Guest: g, Client: clientOf(web{imageURL: "the image"}), Dir: t.TempDir(), PowerOffTime: time.Second})
	return m, g
}

// pass advances the test's clock.
func pass(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // on the clock of the test

func mustReset(t *testing.T, m *Machine, how ResetType) {
	t.Helper()
	if err := m.Reset(how); err != nil {
		t.Fatal(err)
	}
}

func wantPower(t *testing.T, m *Machine, want Power) {
	t.Helper()
	synctest.Wait()
	if got := m.Power(); got != want {
		t.Errorf("the power is %s, want %s", got, want)
	}
}

func TestGuestEndsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, g := guestT(t)
		mustReset(t, m, ResetOn)
		g.is(t, 1, 0, None)
		g.ends <- GuestReset // the guest boots again, and the power stays on
		g.is(t, 1, 0, None, None)
		wantPower(t, m, On)
		g.ends <- GuestPoweredOff
		g.is(t, 0, 0, None, None)
		pass(2 * time.Second)
		wantPower(t, m, Off)
	})
}

func TestShutdownAsksTheGuest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, g := guestT(t)
		mustReset(t, m, ResetOn)
		g.is(t, 1, 0, None)
		mustReset(t, m, GracefulShutdown)
		pass(time.Hour) // the guest ignores the request and stays on
		wantPower(t, m, On)
		g.is(t, 1, 1, None)
		mustReset(t, m, GracefulRestart)
		g.is(t, 1, 2, None)
		g.ends <- GuestPoweredOff // the first half of the restart
		g.is(t, 1, 2, None, None)
		wantPower(t, m, On)
		mustReset(t, m, PushPowerButton)
		g.is(t, 1, 3, None, None)
		g.ends <- GuestPoweredOff
		pass(2 * time.Second)
		wantPower(t, m, Off)
		g.is(t, 0, 3, None, None)
	})
}

func TestGuestIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, g := guestT(t)
		mustReset(t, m, ResetOn)
		g.is(t, 1, 0, None)
		mustReset(t, m, ForceRestart)
		pass(2 * time.Second)
		g.is(t, 1, 0, None, None)
		mustReset(t, m, ForceOff)
		pass(2 * time.Second)
		g.is(t, 0, 0, None, None)
		wantPower(t, m, Off)
	})
}

func TestGuestThatCannotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &fakeGuest{err: errors.New("no space left")}
		var said []string
		m := machineT(t, spec(), Options{Guest: g, OnEvent: func(e Event) {
			if e.Kind == GuestEnded {
				said = append(said, e.Text)
			}
		}})
		mustReset(t, m, ResetOn)
		wantPower(t, m, Off)
		if !reflect.DeepEqual(said, []string{"error: no space left"}) {
			t.Errorf("events %q", said)
		}
	})
}

func TestGuestMedia(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, g := guestT(t)
		if err := m.Insert(VirtualMedia{URL: imageURL, Inserted: true}); err != nil {
			t.Fatal(err)
		}
		if err := m.SetOverride(BootOverride{Target: Cd, Enabled: Once}); err != nil {
			t.Fatal(err)
		}
		mustReset(t, m, ResetOn)
		g.is(t, 1, 0, Cd)
		g.ends <- GuestReset // the one-time override was cleared, but the medium remains
		g.is(t, 1, 0, Cd, None)
		m.Eject()
		if g.ejected != 1 {
			t.Errorf("ejected %d times", g.ejected)
		}
		if err := m.SetOverride(BootOverride{Target: Hdd, Enabled: Continuous}); err != nil {
			t.Fatal(err)
		}
		g.ends <- GuestReset
		g.is(t, 1, 0, Cd, None, Hdd)
		g.ends <- GuestReset
		g.is(t, 1, 0, Cd, None, Hdd, Hdd)
		if want := []string{"the image", "the image", "", ""}; !slices.Equal(g.media, want) {
			t.Errorf("in the drive was %q, want %q", g.media, want)
		}
		// A medium that cannot be fetched is a boot failure, but the guest boots without it.
		if err := m.Insert(VirtualMedia{URL: imageURL + ".gone", Inserted: true}); err != nil {
			t.Fatal(err)
		}
		g.ends <- GuestReset
		g.is(t, 1, 0, Cd, None, Hdd, Hdd, Hdd)
		log := m.Log()
		if !slices.ContainsFunc(log, func(e LogEntry) bool {
			return strings.HasPrefix(e.Text, "boot failed: Cd: ") && strings.Contains(e.Text, "404")
		}) {
			t.Errorf("no failure in %v", log)
		}
		if err := m.SetOverride(BootOverride{Mode: BIOS}); !errors.Is(err, errBoot) {
			t.Errorf("legacy boot: %v", err)
		}
	})
}
