package session_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/ignition/image"
	"ironworks/ignition/prepare"
	"ironworks/session"
	"ironworks/test/coreosinstaller"
	"ironworks/test/fetch"
)

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDK7CZyr9ueDwdMXbauPAUQJutH28y4Og3Ltic3CUcWx me@here"

// desk is a home folder with an SSH key and a live ISO.
type desk struct {
	t    *testing.T
	home string
}

func (d *desk) put(name string, content []byte) {
	d.t.Helper()
	path := filepath.Join(d.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) get(name string) []byte {
	d.t.Helper()
	content, err := os.ReadFile(filepath.Join(d.home, name))
	if err != nil {
		d.t.Fatal(err)
	}
	return content
}

// ramdisksAt returns Ramdisks that use the files of a new desk, and no Ironic.
func ramdisksAt(t *testing.T) (*session.Ramdisks, *desk) {
	t.Helper()
	d := &desk{t: t, home: t.TempDir()}
	d.put(".ssh/id_ed25519.pub", []byte(publicKey+"\n"))
	d.put("live.iso", coreosinstaller.X86().Image)
	return &session.Ramdisks{Host: session.Host{Home: d.home}}, d
}

// byHand returns a configuration source with a fixed Ironic URL.
func byHand() prepare.ConfigSource {
	return prepare.ConfigSource{Inputs: prepare.Inputs{IronicURLs: []string{"http://192.0.2.5:6385"}}}
}

func TestConsoleSaves(t *testing.T) {
	t.Parallel()
	c, d := ramdisksAt(t)
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
	if _, err := c.Save(t.Context(), prepare.ConfigSource{}, "~/none.ign", false); err == nil {
		t.Error("saved without knowing where Ironic is")
	}
}

func TestConsoleEmbedsAndInspects(t *testing.T) {
	t.Parallel()
	c, _ := ramdisksAt(t)
	look, err := c.Look(t.Context(), "~/live.iso")
	if err != nil || look.Embedded || look.Capacity == 0 {
		t.Fatalf("%+v, %v", look, err)
	}
	if said, err := c.Embed(t.Context(), byHand(), prepare.EmbedOrder{ISO: "~/live.iso", Kargs: []string{"quiet"}}); err != nil || !strings.Contains(said, "embedded in") {
		t.Fatalf("%q, %v", said, err)
	}
	look, err = c.Look(t.Context(), "~/live.iso")
	if err != nil || !look.Embedded || !strings.Contains(look.Holds, "ironic-agent.service") || !strings.Contains(look.Kargs, "quiet") || look.Used == 0 {
		t.Errorf("%+v, %v", look, err)
	}
	if _, err := c.Embed(t.Context(), byHand(), prepare.EmbedOrder{ISO: "~/live.iso"}); !errors.Is(err, image.ErrInUse) {
		t.Errorf("%v", err)
	}
	if _, err := c.Embed(t.Context(), byHand(), prepare.EmbedOrder{ISO: "~/live.iso", Output: "~/new.iso", Force: true}); err != nil {
		t.Error(err)
	}
	if look, err := c.Look(t.Context(), "~/new.iso"); err != nil || !look.Embedded {
		t.Errorf("%+v, %v", look, err)
	}
}

func TestConsoleWraps(t *testing.T) {
	t.Parallel()
	c, d := ramdisksAt(t)
	d.put("right.bu", []byte("variant: fcos\nversion: 1.5.0\npasswd:\n  users:\n    - name: core\n      ssh_authorized_keys: [\""+publicKey+"\"]\n"))
	if _, err := c.Wrap(t.Context(), prepare.ConfigSource{File: "~/right.bu"}, prepare.WrapOrder{Output: "~/alone.img"}); err != nil {
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
	if _, err := c.Wrap(t.Context(), byHand(), prepare.WrapOrder{Output: "~/both.img", Initramfs: "~/live.img"}); err != nil {
		t.Fatal(err)
	}
	if both := d.get("both.img"); len(both) <= len(live) || !bytes.HasPrefix(both, live) {
		t.Error("the initramfs does not stand in front")
	}
	d.put("broken.bu", []byte("variant: fcos\nversion: 1.5.0\nstorrage: {}\n"))
	if _, err := c.Wrap(t.Context(), prepare.ConfigSource{File: "~/broken.bu"}, prepare.WrapOrder{Output: "~/no.img"}); err == nil || !strings.Contains(err.Error(), "broken.bu:3:1") {
		t.Errorf("%v", err)
	}
}

func TestConsoleChecksChangedFiles(t *testing.T) {
	t.Parallel()
	c, d := ramdisksAt(t)
	d.put("x.bu", []byte("variant: fcos\nversion: 1.5.0\n"))
	first, err := c.Check(t.Context(), "~/x.bu", prepare.FileStamp{})
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
		if _, err := c.Check(t.Context(), path, prepare.FileStamp{}); err == nil {
			t.Errorf("%s can be checked", path)
		}
	}
}

func TestConsoleServes(t *testing.T) {
	t.Parallel()
	c, d := ramdisksAt(t)
	for name, test := range map[string]struct {
		order prepare.ServeOrder
		https bool
	}{
		"http":  {order: prepare.ServeOrder{Source: prepare.Source{ISO: "~/live.iso"}, Listen: "127.0.0.1:0"}},
		"https": {order: prepare.ServeOrder{Source: prepare.Source{ISO: "~/live.iso"}, Listen: "127.0.0.1:0", TLS: true}, https: true},
		"as is": {order: prepare.ServeOrder{Source: prepare.Source{ISO: "~/live.iso"}, Listen: "127.0.0.1:0", AsIs: true}},
	} {
		t.Run(name, func(t *testing.T) {
			serving, err := c.Serve(t.Context(), byHand(), test.order)
			if err != nil {
				t.Fatal(err)
			}
			url := serving.Targets()[0].ISO
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
	if _, err := c.Serve(t.Context(), byHand(), prepare.ServeOrder{Source: prepare.Source{ISO: "~/nowhere.iso"}, Listen: "127.0.0.1:0"}); err == nil {
		t.Error("what is not there is served")
	}
	if _, err := c.Serve(t.Context(), byHand(), prepare.ServeOrder{Source: prepare.Source{ISO: "~/live.iso"}, Listen: "127.0.0.1:0", Nodes: []string{"r7-n01"}}); err == nil {
		t.Error("a node is found without an Ironic")
	}
}
