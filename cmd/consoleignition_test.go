package cmd

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ironworks/config"
	"ironworks/ignition/image"
	"ironworks/ignition/prepare"
	"ironworks/test/fetch"
	"ironworks/ui/screen"
)

// ramdisksAt is what the console makes ramdisks with, on a desk and without an Ironic.
func ramdisksAt(t *testing.T, d *desk) *consoleRamdisks {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := &cobra.Command{}
	cmd.SetContext(ctx)
	host := &consoleHost{app: &app{process: process{options: config.Options{Home: d.home}}}, cmd: cmd}
	t.Cleanup(func() {
		host.stopServing()
		cancel()
	})
	return &consoleRamdisks{host: host}
}

// byHand is a ramdisk whose Ironic is given.
func byHand() screen.RamdiskSource {
	return screen.RamdiskSource{Inputs: prepare.Inputs{IronicURLs: []string{"http://192.0.2.5:6385"}}}
}

func TestConsoleSaves(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := ramdisksAt(t, d)
	if _, err := c.Save(t.Context(), byHand(), "~/ramdisk.ign", false); err != nil {
		t.Fatal(err)
	}
	saved := d.get("ramdisk.ign")
	if !bytes.Contains(saved, []byte(publicKey)) {
		t.Errorf("%s", saved)
	}
	if _, err := c.Save(t.Context(), byHand(), "~/ramdisk.ign", false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	if _, err := c.Save(t.Context(), screen.RamdiskSource{}, "~/none.ign", false); err == nil {
		t.Error("saved without knowing where Ironic is")
	}
	// What the screen saves is what the command builds.
	d.want(exitOK, "", "build", "--host", "http://192.0.2.5:6385", "-o", "/built.ign")
	if !bytes.Equal(saved, d.get("built.ign")) {
		t.Error("the command makes something else of the same inputs")
	}
}

func TestConsoleEmbedsAndLooks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := ramdisksAt(t, d)
	look, err := c.Look(t.Context(), "~/live.iso")
	if err != nil || look.Embedded || look.Capacity == 0 {
		t.Fatalf("%+v, %v", look, err)
	}
	if said, err := c.Embed(t.Context(), byHand(), screen.EmbedOrder{ISO: "~/live.iso", Kargs: []string{"quiet"}}); err != nil || !strings.Contains(said, "embedded into") {
		t.Fatalf("%q, %v", said, err)
	}
	look, err = c.Look(t.Context(), "~/live.iso")
	if err != nil || !look.Embedded || !strings.Contains(look.Holds, "ironic-agent.service") || !strings.Contains(look.Kargs, "quiet") || look.Used == 0 {
		t.Errorf("%+v, %v", look, err)
	}
	if _, err := c.Embed(t.Context(), byHand(), screen.EmbedOrder{ISO: "~/live.iso"}); !errors.Is(err, image.ErrInUse) {
		t.Errorf("%v", err)
	}
	if _, err := c.Embed(t.Context(), byHand(), screen.EmbedOrder{ISO: "~/live.iso", Output: "~/new.iso", Force: true}); err != nil {
		t.Error(err)
	}
	d.want(exitOK, "", "show", "/new.iso")
}

func TestConsoleWraps(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := ramdisksAt(t, d)
	d.put("right.bu", []byte("variant: fcos\nversion: 1.5.0\npasswd:\n  users:\n    - name: core\n      ssh_authorized_keys: [\""+publicKey+"\"]\n"))
	if _, err := c.Wrap(t.Context(), screen.RamdiskSource{File: "~/right.bu"}, screen.WrapOrder{Output: "~/alone.img"}); err != nil {
		t.Fatal(err)
	}
	config, err := image.Unwrap(bytes.NewReader(d.get("alone.img")))
	if err != nil || !bytes.Contains(config, []byte(publicKey)) {
		t.Errorf("%s, %v", config, err)
	}
	live, err := image.Pack(image.Member{Name: "etc/coreos-live-initramfs"})
	if err != nil {
		t.Fatal(err)
	}
	d.put("live.img", live)
	if _, err := c.Wrap(t.Context(), byHand(), screen.WrapOrder{Output: "~/both.img", Initramfs: "~/live.img"}); err != nil {
		t.Fatal(err)
	}
	if both := d.get("both.img"); len(both) <= len(live) || !bytes.HasPrefix(both, live) {
		t.Error("the initramfs does not stand in front")
	}
	d.put("broken.bu", []byte("variant: fcos\nversion: 1.5.0\nstorrage: {}\n"))
	if _, err := c.Wrap(t.Context(), screen.RamdiskSource{File: "~/broken.bu"}, screen.WrapOrder{Output: "~/no.img"}); err == nil || !strings.Contains(err.Error(), "broken.bu:3:1") {
		t.Errorf("%v", err)
	}
}

func TestConsoleChecksWhatHasChanged(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := ramdisksAt(t, d)
	d.put("x.bu", []byte("variant: fcos\nversion: 1.5.0\n"))
	first, err := c.Check(t.Context(), "~/x.bu", screen.FileStamp{})
	if err != nil || first.Same || len(first.Source) == 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, err := c.Check(t.Context(), "~/x.bu", first.Stamp); err != nil || !again.Same {
		t.Errorf("%+v, %v", again, err)
	}
	d.put("x.bu", []byte("variant: fcos\nversion: 1.5.0\nstorrage: {}\n"))
	if again, err := c.Check(t.Context(), "~/x.bu", first.Stamp); err != nil || again.Same || again.Report.OK() {
		t.Errorf("%+v, %v", again, err)
	}
	for _, path := range []string{"~/nowhere", "~/.ssh"} {
		if _, err := c.Check(t.Context(), path, screen.FileStamp{}); err == nil {
			t.Errorf("%s can be checked", path)
		}
	}
}

func TestConsoleServes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := ramdisksAt(t, d)
	for name, test := range map[string]struct {
		order screen.ServeOrder
		https bool
	}{
		"http":  {order: screen.ServeOrder{ISO: "~/live.iso", Listen: "127.0.0.1:0"}},
		"https": {order: screen.ServeOrder{ISO: "~/live.iso", Listen: "127.0.0.1:0", TLS: true}, https: true},
		"as is": {order: screen.ServeOrder{ISO: "~/live.iso", Listen: "127.0.0.1:0", AsIs: true}},
	} {
		t.Run(name, func(t *testing.T) {
			serving, err := c.Serve(t.Context(), byHand(), test.order)
			if err != nil {
				t.Fatal(err)
			}
			url := serving.Targets()[0].Ramdisk.ISO
			if got := strings.HasPrefix(url, "https://"); got != test.https || (serving.Fingerprint() != "") != test.https {
				t.Errorf("%s, fingerprint %q", url, serving.Fingerprint())
			}
			if !test.https {
				iso := fetch.Content(t, url)
				if same := bytes.Equal(iso, d.get("live.iso")); same != test.order.AsIs {
					t.Errorf("the file itself is served: %v", same)
				}
				if f := serving.Fetches(); len(f) != 1 || f[0].Percent() != 100 {
					t.Errorf("%v", f)
				}
			}
			serving.Stop()
			if ended, why := serving.Ended(); !ended || why != nil {
				t.Errorf("ended %v, %v", ended, why)
			}
		})
	}
	if _, err := c.Serve(t.Context(), byHand(), screen.ServeOrder{ISO: "~/nowhere.iso", Listen: "127.0.0.1:0"}); err == nil {
		t.Error("what is not there is served")
	}
	if _, err := c.Serve(t.Context(), byHand(), screen.ServeOrder{ISO: "~/live.iso", Listen: "127.0.0.1:0", Nodes: []string{"r7-n01"}}); err == nil {
		t.Error("a node is found without an Ironic")
	}
}

func TestTheConsoleTakesAFile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("x.bu", []byte("variant: fcos\n"))
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"a file":          {[]string{d.path("x.bu")}, "the console needs a terminal"},
		"two files":       {[]string{d.path("x.bu"), d.path("x.bu")}, "want one file"},
		"a folder":        {[]string{d.home}, "is a folder"},
		"no file":         {[]string{"./nowhere.bu"}, "no such file"},
		"no command":      {[]string{"frobnicate"}, "unknown command"},
		"a file and more": {[]string{d.path("x.bu"), "frobnicate"}, "want one file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if code, _, stderr := offline(t, tt.args...); code != exitUsage || !strings.Contains(stderr, tt.says) {
				t.Errorf("exit code %d, want %q:\n%s", code, tt.says, stderr)
			}
		})
	}
}
