package deploy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/deploy"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/theme"
)

func TestMain(m *testing.M) { screentest.Main(m) }

// ironic is a fake Ironic API that answers the requests that the checks and the wizard send. It does not implement
// changes.
type ironic struct {
	provision.API // nil, because the screen sends no changes
	api           *screentest.API

	mu    sync.Mutex
	disks map[string]string // inventories by UUID
	// templates and noTemplates are the results of DeployTemplates.
	templates   []models.DeployTemplate
	noTemplates error
	asked       map[string]int
	err         error
}

func (f *ironic) ask(what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked[what]++
	return f.err
}

func (f *ironic) count(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[what]
}

func (f *ironic) Node(_ context.Context, id string, _ ...string) (*models.Node, error) {
	if err := f.ask("node"); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.api.Node(context.Background(), id)
}

func (f *ironic) Version() (models.APIVersion, bool) { return f.api.Version() }

func (f *ironic) Inventory(_ context.Context, node string) (json.RawMessage, error) {
	if err := f.ask("inventory"); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if text, there := f.disks[node]; there {
		return json.RawMessage(text), nil
	}
	return nil, &models.Fault{Kind: models.FaultNotFound, Status: 404}
}

func (f *ironic) Validate(context.Context, string) ([]models.Validation, error) {
	yes := true
	var all []models.Validation
	for _, name := range []string{"power", "management", "boot", "deploy", "network"} {
		all = append(all, models.Validation{Interface: name, Result: &yes})
	}
	return all, f.ask("validate")
}

func (f *ironic) Drivers(context.Context) ([]models.Driver, error) {
	return []models.Driver{{Name: "redfish", Hosts: []string{"c1"}, Enabled: map[string][]string{"deploy": {"custom-agent", "direct", "ramdisk"}}}}, f.ask("drivers")
}

func (f *ironic) Conductors(context.Context) ([]models.Conductor, error) {
	return []models.Conductor{{Hostname: "c1", Alive: true, Drivers: []string{"redfish"}}}, f.ask("conductors")
}

// DeployTemplates returns f.templates, and an error if f.noTemplates or f.err is set.
func (f *ironic) DeployTemplates(context.Context) ([]models.DeployTemplate, error) {
	return f.templates, errors.Join(f.ask("templates"), f.noTemplates)
}

// EachPage calls yield once, with a page that contains all nodes.
func (f *ironic) EachPage(ctx context.Context, q ironicclient.NodeQuery, yield func(*ironicclient.NodePage) error) error {
	if err := f.ask("list"); err != nil {
		return err
	}
	page, err := f.api.NodePage(ctx, q)
	if err != nil {
		return err
	}
	return yield(page)
}

// files is a fake [screen.Ramdisks] that implements only Check, which checks a user data file.
type files struct{ screen.Ramdisks }

func (*files) Check(_ context.Context, path string, known prepare.FileStamp) (prepare.Checked, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the test's own file
	if err != nil {
		return prepare.Checked{}, err
	}
	stamp := prepare.FileStamp{Size: int64(len(text)), Modified: screentest.Began}
	if stamp == known {
		return prepare.Checked{Same: true}, nil
	}
	return prepare.Checked{Stamp: stamp, Report: userdata.Check(text), Source: text}, nil
}

// machine returns a deployable node. The JSON object in fields replaces default values of the node.
func machine(tb testing.TB, n int, name string, fields string) models.Node {
	tb.Helper()
	usual := map[string]any{
		"uuid": screentest.UUID(n), "name": name, "provision_state": "available", "power_state": "power off", "driver": "redfish",
		"deploy_interface": "custom-agent", "boot_interface": "redfish-virtual-media", "inspection_finished_at": "2026-03-13T12:00:00+00:00",
		"driver_info": map[string]any{"redfish_address": fmt.Sprintf("https://10.0.0.%d", n), "deploy_iso": "http://10.0.0.2/ramdisk.iso"},
		"properties":  map[string]any{}, "instance_info": map[string]any{}, "extra": map[string]any{}, "resource_class": "gp-2x",
	}
	if fields != "" {
		if err := json.Unmarshal([]byte(fields), &usual); err != nil {
			tb.Fatal(err)
		}
	}
	raw, err := json.Marshal(usual)
	if err != nil {
		tb.Fatal(err)
	}
	node, err := models.DecodeNode(raw)
	if err != nil {
		tb.Fatal(err)
	}
	return *node
}

// disk returns a disk of an inventory as JSON. gib is the size of the disk in GiB.
func disk(name string, gib int, serial string) string {
	return fmt.Sprintf(`{"name": %q, "size": %d, "model": "SAMSUNG MZ7LH480", "vendor": "ATA", "serial": %q, "wwn": "0x5002538e%s",
		"rotational": false, "tran": "sata", "hctl": "0:0:0:0", "by_path": "/dev/disk/by-path/%s"}`, name, gib<<30, serial, strings.ToLower(serial), serial)
}

func inventory(disks ...string) string {
	return `{"inventory": {"disks": [` + strings.Join(disks, ",") + `], "system_vendor": {"manufacturer": "Dell", "product_name": "R640", "serial_number": "7XQ"}}}`
}

func threeDisks() string {
	return inventory(disk("/dev/sda", 447, "S1A0"), disk("/dev/sdb", 894, "S1A1"), disk("/dev/nvme0n1", 3726, "S1A2"))
}

// table is a test rig with a session for the wizard. wishes holds the messages that the last action sent to the root.
type table struct {
	*screentest.Rig
	t      testing.TB
	ironic *ironic
	s      *deploy.Screen
	wishes []tea.Msg
}

// set returns a rig with the given nodes. The wizard is not open yet.
func set(tb testing.TB, nodes ...models.Node) *table {
	tb.Helper()
	r := screentest.New(tb, nodes...)
	f := &ironic{api: r.API, disks: map[string]string{}, asked: map[string]int{}}
	w := &table{Rig: r, t: tb, ironic: f}
	for i := range nodes {
		f.disks[nodes[i].UUID] = inventory(disk("/dev/sda", 447, fmt.Sprintf("N%dA0", i)), disk("/dev/sdb", 894, fmt.Sprintf("N%dA1", i)))
	}
	r.Env.Session.Checks = &provision.Preflighter{Reader: f}
	r.Env.Session.Runner = provision.Runner{API: f, Context: "rack7"}
	r.Env.Ramdisks = &files{}
	r.Env.Drafts = &screen.Drafts{}
	r.Sync()
	return w
}

// opened returns a rig in which the wizard is open for all given nodes.
func opened(tb testing.TB, nodes ...models.Node) *table {
	tb.Helper()
	w := set(tb, nodes...)
	w.open()
	return w
}

func (w *table) open() {
	w.t.Helper()
	refs := make([]models.NodeRef, len(w.API.Nodes))
	for i := range w.API.Nodes {
		refs[i] = w.API.Nodes[i].Ref()
	}
	w.s = deploy.New(w.Env, deploy.ID(refs))
	w.wishes = w.Open(w.s)
}

// do runs the actions and returns the messages that the last one sent to the root.
func (w *table) do(ids ...action.ID) []tea.Msg {
	w.t.Helper()
	for _, id := range ids {
		w.wishes = w.Do(w.s, w.s.Do(id))
	}
	return w.wishes
}

// page switches to page n, counted from 1.
func (w *table) page(n int) {
	w.t.Helper()
	for range 5 {
		if slices.Contains(pages(w.s), n) {
			return
		}
		w.do(action.NextTab)
	}
	w.t.Fatalf("page %d is not there:\n%s", n, screentest.Text(w.s, 200, 46))
}

// pages returns a slice with the number of the current page, counted from 1, or nil if the screen does not show it.
func pages(s *deploy.Screen) []int {
	for i, title := range []string{"Ramdisk", "Root disk", "Steps", "First boot", "Review"} {
		if strings.Contains(strings.Split(screentest.Text(s, 200, 46), "\n")[1], title+"]") {
			return []int{i + 1}
		}
	}
	return nil
}

// write types text into the field at the cursor and saves the field.
func (w *table) write(text string) {
	w.t.Helper()
	w.do(action.EditField)
	if !w.s.Typing() {
		w.t.Fatal("it is no text")
	}
	w.Deliver(w.s, tea.PasteMsg{Content: text})
	w.Deliver(w.s, screentest.Press("enter"))
}

// dialog returns the dialog that the last action opened.
func (w *table) dialog() screen.Overlay {
	w.t.Helper()
	for _, msg := range w.wishes {
		if ask, is := msg.(screen.Ask); is {
			return ask.Overlay
		}
	}
	w.t.Fatalf("nothing is asked: %v", w.wishes)
	return nil
}

// answer fills in the dialog's fields in order and submits it. The text "-" skips a field; "+" selects a field's next
// choice.
func (w *table) answer(texts ...string) (done bool) {
	w.t.Helper()
	o := w.dialog()
	for _, text := range texts {
		switch text {
		case "-":
		case "+":
			o.Update(screentest.Press("right"))
		default:
			o.Update(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
			o.Update(tea.PasteMsg{Content: text})
		}
		o.Update(screentest.Press("down"))
	}
	done, cmd := o.Update(screentest.Press("enter"))
	if done {
		w.wishes = w.Do(w.s, cmd)
	}
	return done
}

// confirm waits until the question accepts keys, and then types text as the answer.
func (w *table) confirm(text string) {
	w.t.Helper()
	o := w.dialog()
	starter, ok := o.(interface{ Start() tea.Cmd })
	if !ok {
		w.t.Fatalf("%T asks nothing", o)
	}
	cmd := starter.Start()
	<-time.After(2 * time.Second)
	for _, msg := range screentest.Run(cmd) {
		o.Update(msg)
	}
	o.Update(tea.PasteMsg{Content: text})
	done, yes := o.Update(screentest.Press("enter"))
	if done {
		w.wishes = w.Do(w.s, yes)
	}
}

// said returns the messages of all toasts in wishes, one per line.
func said(wishes []tea.Msg) string {
	var texts []string
	for _, msg := range wishes {
		if say, is := msg.(screen.Say); is {
			texts = append(texts, say.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// plan returns the draft's plan as YAML.
func (w *table) plan() string {
	for _, c := range w.s.Copies() {
		if c.Name == "plan" {
			return c.Text
		}
	}
	return ""
}

func (w *table) shows(texts ...string) {
	w.t.Helper()
	if t, is := w.t.(*testing.T); is {
		screentest.Shows(t, w.s, 200, 46, texts...)
	}
}

func themed() *theme.Theme { return theme.New(theme.Options{}) }
