package deploy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/ui/action"
	"ironworks/ui/screen/screentest"
)

func TestUserData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(4)
		w.write("testdata/host.bu")
		screentest.Golden(t, w.s, "boot-butane")
		w.shows("core", "/etc/motd", "hello.service")
		// Errors are shown with their line and column.
		w.do(action.ResetField)
		w.write("testdata/broken.bu")
		screentest.Golden(t, w.s, "boot-broken")
		w.shows("butane, invalid", "5:13 path not absolute")
		// A corrected file is noticed without a key press.
		path := filepath.Join(t.TempDir(), "own.bu")
		put := func(from string) {
			text, err := os.ReadFile(from) //nolint:gosec // the test's own file
			if err == nil {
				err = os.WriteFile(path, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			w.Deliver(w.s, w.Pass(time.Second))
		}
		put("testdata/broken.bu")
		w.do(action.ResetField)
		w.write(path)
		w.shows("butane, invalid", "✖ user-data")
		put("testdata/host.bu")
		w.shows("hello.service", "✓ 3 passed")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		w.Deliver(w.s, w.Pass(time.Second))
		w.shows("user data cannot be read", "no such file")
	})
}

func TestImageOfCoreOS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(2)
		w.do(action.Open)
		w.page(1)
		w.shows("Source       included in the live ISO")
		w.do(action.Bottom, action.Up)
		w.write("http://10.0.0.2/metal.img")
		w.page(5)
		w.shows(`"path":"/instance_info/image_source","value":"http://10.0.0.2/metal.img"`)
	})
}

func TestKernelArgumentsAndNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := opened(t, machine(t, 1, "r7-n01", ""))
		w.page(4)
		w.do(action.Down, action.ScrollRight) // sets the reader to Ignition
		w.do(action.Down)
		w.write("console=ttyS0 quiet")
		w.shows("meta-data coreos_append_karg has more than one")
		w.do(action.Down, action.ScrollRight)
		want := "  reader: ignition\n  meta_data:\n    coreos_append_karg:\n      - console=ttyS0\n      - quiet\n    coreos_copy_network: true\n"
		if !strings.Contains(w.plan(), want) {
			t.Errorf("%s", w.plan())
		}
		w.do(action.ScrollRight)
		if !strings.Contains(w.plan(), "coreos_copy_network: false") {
			t.Errorf("%s", w.plan())
		}
		w.do(action.ScrollRight, action.Up, action.ResetField)
		if strings.Contains(w.plan(), "meta_data") {
			t.Errorf("%s", w.plan())
		}
	})
}
