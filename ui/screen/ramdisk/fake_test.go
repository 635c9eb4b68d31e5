package ramdisk_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/ignition/userdata"
	"ironworks/models"
	"ironworks/ui/screen"
	"ironworks/ui/screen/ramdisk"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/theme"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	goleak.VerifyTestMain(m)
}

const ironicURL = "https://ironic.rack7.example:6385"

// maker is an in-memory [screen.Ramdisks] that records calls to its methods.
type maker struct {
	asked  []string
	inputs []prepare.Inputs
	err    error
	text   string // appears in all results
	files  map[string]string
	stamp  int64
	look   prepare.ImageLook
	on     *serving
}

func (m *maker) ask(format string, args ...any) error {
	m.asked = append(m.asked, fmt.Sprintf(format, args...))
	return m.err
}

func (m *maker) IronicURL() string { return ironicURL }

func (m *maker) Build(_ context.Context, in prepare.Inputs) (prepare.Built, error) {
	m.inputs = append(m.inputs, in)
	if m.err != nil {
		return prepare.Built{}, m.err
	}
	agent := "[DEFAULT]\napi_url = " + strings.Join(append(in.IronicURLs, ironicURL)[:1], "") + "\n" + m.text
	return prepare.Built{Preview: prepare.Preview{
		Spec: "3.2.0", Size: 5300, Packed: 2100, Logins: []string{"core: ssh-ed25519 256 me@here SHA256:abc" + m.text},
		Files: []prepare.PreviewFile{
			{Path: "/etc/ironic-python-agent.conf", Mode: 0o644, Size: len(agent), Text: agent},
			{Path: "/etc/authfile.json" + m.text, Mode: 0o600, Size: 200, Secret: true},
		},
		Units: []prepare.PreviewUnit{{Name: "ironic-agent.service", Enabled: true, Text: "[Unit]\nAfter=network-online.target\n"}},
		Notes: []ignition.RamdiskNote{{Field: ignition.FieldImage, Text: "moves: a digest is better" + m.text}},
		Text:  "{\n  \"ignition\": {}\n}",
	}}, nil
}

func (m *maker) Check(_ context.Context, path string, known prepare.FileStamp) (prepare.Checked, error) {
	text, there := m.files[path]
	if !there {
		return prepare.Checked{}, errors.New("open " + path + ": no such file or directory")
	}
	stamp := prepare.FileStamp{Modified: screentest.Began.Add(time.Duration(m.stamp) * time.Second), Size: int64(len(text))}
	if stamp == known {
		return prepare.Checked{Same: true}, nil
	}
	m.asked = append(m.asked, "check "+path)
	report := userdata.Check([]byte(text))
	for i := range report.Summary.Sizes.Limits {
		report.Summary.Sizes.Limits[i].Used = 300 + i // the real size depends on the compression
	}
	return prepare.Checked{Stamp: stamp, Report: report, Source: []byte(text)}, nil
}

func (m *maker) Save(_ context.Context, of prepare.ConfigSource, path string, force bool) (string, error) {
	return "saved " + path, m.ask("save %s%s force=%v", of.File, path, force)
}

func (m *maker) Look(_ context.Context, iso string) (prepare.ImageLook, error) {
	return m.look, m.ask("look %s", iso)
}

func (m *maker) Embed(_ context.Context, _ prepare.ConfigSource, o prepare.EmbedOrder) (string, error) {
	return "embedded", m.ask("embed %s to %q kargs=%v force=%v", o.ISO, o.Output, o.Kargs, o.Force)
}

func (m *maker) Wrap(_ context.Context, _ prepare.ConfigSource, o prepare.WrapOrder) (string, error) {
	return "wrapped", m.ask("wrap %s behind %q force=%v", o.Output, o.Initramfs, o.Force)
}

func (m *maker) Addresses(_ context.Context, nodes []string) ([]serve.Candidate, error) {
	return []serve.Candidate{
		{Addr: netip.MustParseAddr("10.0.0.2"), Interface: "eth0", For: []string{"https://10.0.7.1"}},
		{Addr: netip.MustParseAddr("127.0.0.1")},
	}, m.ask("addresses for %v", nodes)
}

func (m *maker) Serve(_ context.Context, _ prepare.ConfigSource, o prepare.ServeOrder) (screen.Serving, error) {
	if err := m.ask("serve %s pxe=%v at %s for %v each=%v", o.ISO, o.PXE, o.Listen, o.Nodes, o.PerNode); err != nil {
		return nil, err
	}
	m.on = &serving{text: m.text}
	return m.on, nil
}

// serving simulates a running server.
type serving struct {
	ended  bool
	active int
	text   string
}

func (v *serving) Address() string     { return "10.0.0.2:8080" }
func (v *serving) Fingerprint() string { return "" }
func (v *serving) Ended() (bool, error) {
	return v.ended, nil
}
func (v *serving) Stop() { v.ended = true }

func (v *serving) Targets() []prepare.Target {
	return []prepare.Target{
		{Node: models.NodeRef{Name: "r7-n01" + v.text, UUID: screentest.UUID(1)}, ISO: "http://10.0.0.2:8080/s3cret/r7-n01.iso"},
		{
			Node: models.NodeRef{Name: "r7-n02", UUID: screentest.UUID(2)}, Kernel: "http://10.0.0.2:8080/k/vmlinuz", Initrd: "http://10.0.0.2:8080/i/initrd.img",
			KernelParams: "ignition.firstboot ignition.platform.id=metal coreos.live.rootfs_url=http://10.0.0.2:8080/r/rootfs.img",
		},
	}
}

func (v *serving) Fetches() []serve.Fetch {
	return []serve.Fetch{{
		Item: serve.Served{Node: "r7-n01", Name: "r7-n01.iso", Kind: serve.ISO}, Who: "r7-n01's BMC" + v.text, Size: 1000, Sent: 610, Covered: 610,
		Rate: 12 << 20, Began: screentest.Began, Last: screentest.Began.Add(9 * time.Second), Requests: 1, Active: v.active, State: serve.Fetching,
	}}
}

func (v *serving) Failures() []serve.Event {
	return []serve.Event{{
		Time: screentest.Began, Kind: serve.EventRefused, Count: 3,
		Fetch: serve.Fetch{Remote: netip.MustParseAddr("192.0.2.9")}, Text: v.text,
	}}
}

const broken = `variant: fcos
version: 1.5.0
passwd:
  users:
    - name: core
      ssh_authorized_keys:
        - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDK7CZyr9ueDwdMXbauPAUQJutH28y4Og3Ltic3CUcWx me@here
storage:
  files:
    - path: /etc/motd
      moode: 0644
      contents:
        inline: hello
    - path: etc/relative
`

const right = `variant: fcos
version: 1.5.0
passwd:
  users:
    - name: core
      ssh_authorized_keys:
        - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDK7CZyr9ueDwdMXbauPAUQJutH28y4Og3Ltic3CUcWx me@here
`

// opened opens the screen with a maker and two nodes. change, if not nil, is called before the screen is created.
func opened(t *testing.T, change func(*screentest.Rig, *maker)) (*screentest.Rig, *ramdisk.Screen, *maker) {
	t.Helper()
	r := screentest.New(t, models.Node{UUID: screentest.UUID(1), Name: "r7-n01"}, models.Node{UUID: screentest.UUID(2), Name: "r7-n02"})
	m := &maker{files: map[string]string{"broken.bu": broken, "right.bu": right}}
	r.Env.Session.Ramdisks = m
	if change != nil {
		change(r, m)
	}
	s := ramdisk.New(r.Env)
	r.Open(s)
	return r, s, m
}

func themed() *theme.Theme { return theme.New(theme.Options{}) }
