package prepare_test

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ironworks/ignition/image"
	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/lab"
	"ironworks/models"
	"ironworks/test/fetch"
)

// published serves images and returns their targets. The server runs until the test ends.
func published(t *testing.T, images *prepare.Images) []prepare.Target {
	t.Helper()
	server, err := serve.Listen(t.Context(), serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	targets, err := images.Publish(server, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		images.Close()
	})
	return targets
}

func put(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func configOf(node string) []byte {
	return fmt.Appendf(nil, `{"ignition":{"version":"3.2.0"},"node":%q}`, node)
}

func TestStreamsOfAnISO(t *testing.T) {
	t.Parallel()
	live, err := lab.LiveISO(nil)
	if err != nil {
		t.Fatal(err)
	}
	images, err := prepare.Source{ISO: put(t, "live.iso", live)}.Images()
	if err != nil {
		t.Fatal(err)
	}
	if config, err := images.Embedded(); config != nil || err != nil {
		t.Errorf("%s, %v", config, err)
	}
	nodes := []models.Node{{UUID: "1", Name: "n1"}, {UUID: "2", Name: "n 2"}}
	if err := images.AddEach(t.Context(), nodes, func(node string) ([]byte, error) { return configOf(node), nil }, false); err != nil {
		t.Fatal(err)
	}
	if err := images.AddEach(t.Context(), nil, func(string) ([]byte, error) { return nil, nil }, false); err != nil {
		t.Fatal(err)
	}
	targets := published(t, images)
	for i, node := range []string{"n1", "n 2"} {
		iso := fetch.Content(t, targets[i].ISO)
		if got, err := image.Embedded(bytes.NewReader(iso), int64(len(iso))); err != nil || !bytes.Equal(got, configOf(node)) || targets[i].Node != nodes[i].Ref() {
			t.Errorf("%+v: %s, %v", targets[i], got, err)
		}
	}
	if !strings.HasSuffix(targets[1].ISO, "/n-2.iso") || !bytes.Equal(fetch.Content(t, targets[2].ISO), live) {
		t.Errorf("%+v", targets)
	}
}

func TestStreamsOfAnInitramfs(t *testing.T) {
	t.Parallel()
	base, err := image.Pack(image.Member{Name: "etc/coreos-live-initramfs"})
	if err != nil {
		t.Fatal(err)
	}
	for _, byURL := range []bool{false, true} {
		source := prepare.Source{Kernel: put(t, "k", []byte("kernel")), Initrd: put(t, "i", base), Rootfs: put(t, "r", []byte("root")), ConfigURL: byURL, Kargs: []string{"a=b"}}
		images, err := source.Images()
		if err != nil {
			t.Fatal(err)
		}
		nodes := []models.Node{{UUID: "1", Name: "n1"}, {UUID: "2", Name: "n2"}}
		if err := images.AddEach(t.Context(), nodes, func(node string) ([]byte, error) { return configOf(node), nil }, false); err != nil {
			t.Fatal(err)
		}
		targets := published(t, images)
		for _, target := range targets {
			words := map[string]string{}
			for word := range strings.FieldsSeq(target.KernelParams) {
				key, value, _ := strings.Cut(word, "=")
				words[key] = value
			}
			initrd := fetch.Content(t, target.Initrd)
			var config []byte
			if byURL {
				config = fetch.Content(t, words["ignition.config.url"])
			} else if config, err = image.Unwrap(bytes.NewReader(initrd)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(config, configOf(target.Node.Label())) || !bytes.HasPrefix(initrd, base) || byURL != (len(initrd) == len(base)) {
				t.Errorf("%s: %s in %d bytes", target.Node, config, len(initrd))
			}
			if string(fetch.Content(t, target.Kernel)) != "kernel" || string(fetch.Content(t, words["coreos.live.rootfs_url"])) != "root" || words["a"] != "b" {
				t.Errorf("%+v", target)
			}
		}
	}
}

func TestImagesThatCannotBeServed(t *testing.T) {
	t.Parallel()
	there := put(t, "there", []byte("x"))
	for name, source := range map[string]prepare.Source{
		"no ISO":         {ISO: "nowhere"},
		"not an ISO":     {ISO: there},
		"no kernel":      {Kernel: "nowhere", Initrd: there},
		"no initramfs":   {Kernel: there, Initrd: "nowhere"},
		"no root system": {Kernel: there, Initrd: there, Rootfs: "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := source.Images(); err == nil {
				t.Error("it is opened")
			}
		})
	}
}

func TestWhoIs(t *testing.T) {
	t.Parallel()
	bmc := func(name, address string) models.Node {
		return models.Node{Name: name, DriverInfo: map[string]any{"redfish_address": address}}
	}
	nodes := []models.Node{bmc("n1", "https://192.0.2.1"), bmc("n2", "https://192.0.2.2"), bmc("n3", "192.0.2.2:8443")}
	who := prepare.WhoIs(t.Context(), "http://192.0.2.9:6385/v1", nodes)
	for address, want := range map[string]string{"192.0.2.1": "n1's BMC", "192.0.2.2": "", "192.0.2.9": "Ironic", "192.0.2.8": ""} {
		if got := who(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is %q, want %q", address, got, want)
		}
	}
	if got := prepare.Clients("http://192.0.2.9:6385", nodes); !slices.Equal(got, []string{"192.0.2.1", "192.0.2.2", "http://192.0.2.9:6385"}) {
		t.Errorf("%q", got)
	}
}

func TestBMCHosts(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://192.0.2.1:8443/redfish": "192.0.2.1", "192.0.2.1": "192.0.2.1", "192.0.2.1:623": "192.0.2.1",
		"https://[2001:db8::1]": "2001:db8::1", "bmc.example": "bmc.example", "2001:db8::1": "2001:db8::1", "[2001:db8::1]": "2001:db8::1",
	} {
		n := &models.Node{DriverInfo: map[string]any{"redfish_address": address, "redfish_password": models.Mask}}
		if got := prepare.BMCHosts(n); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q", address, got)
		}
	}
}
