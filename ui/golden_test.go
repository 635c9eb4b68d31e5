package ui

import (
	"fmt"
	"image/color"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ironworks/models"
	"ironworks/test/golden"
)

// rack returns the example nodes, which are in different states.
func rack() []models.Node {
	step := func(name string) *models.Step { return &models.Step{Interface: "deploy", Step: name} }
	index := 2
	at := func(i int, name string, state models.ProvisionState, n models.Node) models.Node {
		n.UUID, n.Name, n.ProvisionState = fmt.Sprintf("%08d-0000-4000-8000-000000000000", i), name, state
		n.Driver, n.BootInterface, n.DeployInterface = "redfish", "redfish-virtual-media", "custom-agent"
		n.DriverInfo = map[string]any{"redfish_address": fmt.Sprintf("https://10.0.7.%d", i), "redfish_password": "******"}
		return n
	}
	return []models.Node{
		at(1, "r7-n01", models.StateDeploying, models.Node{
			TargetProvisionState: models.StateActive, PowerState: models.PowerOn, ResourceClass: "gp-2x",
			DeployStep: step("install_coreos"), Reservation: "conductor-1",
			Internal: &models.Internal{
				AgentURL: "https://10.0.0.31:9999", AgentVersion: "13.0.0", DeployIndex: &index,
				DeploySteps: []models.Step{*step("deploy"), *step("prepare"), *step("install_coreos"), *step("configdrive"), *step("tear_down_agent"), *step("boot_instance")},
			},
		}),
		at(2, "r7-n02", models.StateDeployFailed, models.Node{
			TargetProvisionState: models.StateActive, PowerState: models.PowerOff, ResourceClass: "gp-2x",
			LastError: "Deploy step deploy.install_coreos failed: No suitable device was found for deployment using these hints",
		}),
		at(3, "r7-n03", models.StateDeployWait, models.Node{TargetProvisionState: models.StateActive, PowerState: models.PowerOn, ResourceClass: "gp-1x"}),
		at(4, "r7-n04", models.StateAvailable, models.Node{PowerState: models.PowerOff, ResourceClass: "gp-1x"}),
		at(5, "r7-n05", models.StateActive, models.Node{PowerState: models.PowerOn, ResourceClass: "gp-1x", InstanceUUID: "7b0f6f0e-5a3c-4d55-8d0f-8f6a1c0a7a11", Owner: "team-blue"}),
		at(6, "r7-n06", models.StateManageable, models.Node{PowerState: models.PowerOff, Maintenance: true, MaintenanceReason: "fan 3 is being replaced"}),
		at(7, "r7-n07", models.StateCleanHold, models.Node{PowerState: models.PowerOn, ResourceClass: "gp-1x"}),
		at(8, "", models.StateEnroll, models.Node{}),
		at(9, "r7-n09", models.StateEnroll, models.Node{LastError: "Failed to get power state for node: 401 Unauthorized"}),
	}
}

// TestScreens compares every screen and dialog with its golden files.
func TestScreens(t *testing.T) {
	tests := map[string]func(r *rig){
		"fleet":         func(*rig) {},
		"fleet-wide":    func(r *rig) { r.press("w") },
		"enroll":        func(r *rig) { r.enrolls(1, "r7-n09") },
		"fleet-marks":   func(r *rig) { r.press("space", "down", "space") },
		"fleet-filter":  func(r *rig) { r.press("/"); r.write("state:failed,wait") },
		"fleet-wrong":   func(r *rig) { r.press("/"); r.write("color:red") },
		"fleet-nothing": func(r *rig) { r.press("/"); r.write("zebra"); r.press("enter") },
		"fleet-sorted":  func(r *rig) { r.press("s"); r.write("class"); r.press("enter") },
		"fleet-groups":  func(r *rig) { r.press(":"); r.write("group class"); r.press("enter", "home", "space", "home", "enter") },
		"group":         func(r *rig) { r.press("b") },
		"sort":          func(r *rig) { r.press("s") },
		"help":          func(r *rig) { r.press("?") },
		"explain":       func(r *rig) { r.choose("r7-n02"); r.press("e") },
		"palette":       func(r *rig) { r.press(":") },
		"palette-node":  func(r *rig) { r.press(":"); r.write("n05") },
		"verbs":         func(r *rig) { r.press("a") },
		"copy":          func(r *rig) { r.press("y") },
		"messages":      func(r *rig) { r.press("P"); r.pass(time.Second); r.press("!") },
		"toast":         func(r *rig) { r.press("P") },
		"lost": func(r *rig) {
			r.resize(200, 50) // a preview that is first drawn after the connection was lost would request the fields it needs, and so retry immediately
			r.shows("r7-n02")
			r.settle()
			r.ironic.change(func() {
				r.ironic.fault = &models.Fault{Kind: models.FaultTimeout, Op: "list nodes", Message: "no answer for 12s", Hint: "is the API overloaded?"}
			})
			r.pass(12 * time.Second)
			// The time of the next attempt is random; a fixed delay makes the screen reproducible.
			r.c.env.Status.NextTry = time.Now().Add(3 * time.Second)
		},
		"form-deploy":   func(r *rig) { r.choose("r7-n04"); r.press("D") },
		"card-provide":  func(r *rig) { r.choose("r7-n06"); r.press("P"); r.pass(time.Second) },
		"card-undeploy": func(r *rig) { r.choose("r7-n05"); r.press("U"); r.pass(time.Second) },
		"card-several": func(r *rig) {
			r.choose("r7-n05")
			r.press("space")
			r.choose("r7-n02")
			r.press("space")
			r.choose("r7-n04")
			r.press("space", "U")
			r.pass(time.Second)
		},
		"node":         func(r *rig) { r.choose("r7-n01"); r.press("enter") },
		"node-failed":  func(r *rig) { r.choose("r7-n02"); r.press("enter") },
		"node-steps":   func(r *rig) { r.choose("r7-n01"); r.press("enter"); r.tab("Steps") },
		"node-network": func(r *rig) { r.choose("r7-n01"); r.press("enter"); r.tab("Network") },
		"node-history": func(r *rig) { r.choose("r7-n02"); r.press("enter"); r.tab("History") },
		"node-timeline": func(r *rig) {
			r.choose("r7-n01")
			r.press("enter")
			r.tab("Timeline")
			r.pass(4 * time.Second)
		},
		"watch": func(r *rig) {
			r.choose("r7-n01")
			r.press("space")
			r.choose("r7-n03")
			r.press("space", "7")
			r.someEvents()
			r.pass(9 * time.Second)
		},
		"empty-watch": func(r *rig) { r.press("2", "7") },
		"node-raw":    func(r *rig) { r.choose("r7-n01"); r.press("enter", "shift+tab") },
		"events":      func(r *rig) { r.someEvents(); r.press("2") },
		"conductors":  func(r *rig) { r.press("3") },
		"drivers":     func(r *rig) { r.press("3", "tab") },
		"connect":     func(r *rig) { r.press("4") },
		"validate":    func(r *rig) { r.press(":"); r.write("validate"); r.press("enter") },
		"tasks":       func(r *rig) { r.someTasks(); r.press("5") },
		"task":        func(r *rig) { r.someTasks(); r.press("5", "enter") },
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, rack(), nil, func(r *rig) {
				prepare(r)
				r.golden(name)
			})
		})
	}
}

// TestEmptyScreens checks the screens of a first start, when there are no nodes, tasks or events.
func TestEmptyScreens(t *testing.T) {
	tests := map[string]func(r *rig){
		"empty-fleet":  func(*rig) {},
		"empty-events": func(r *rig) { r.press("2") },
		"empty-tasks":  func(r *rig) { r.press("5") },
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, nil, func(r *rig) {
				prepare(r)
				r.golden(name)
			})
		})
	}
	t.Run("nothing answers", func(t *testing.T) {
		refused := &models.Fault{
			Kind: models.FaultRefused, Op: "list nodes", Message: "connection refused by 127.0.0.1:6385",
			Hint: "check the port, and that the API is running",
		}
		inBubble(t, nil, func(r *rig, _ *Options) { r.ironic.fault = refused }, func(r *rig) {
			r.golden("connect-refused")
			r.ironic.change(func() { r.ironic.fault = nil })
			r.pass(20 * time.Second)
			r.shows("› fleet", "updated ≤")
		})
	})
}

// choose moves the cursor of a list to the node with the given name. It fails the test if the node is not among the
// first 20 rows.
func (r *rig) choose(name string) {
	r.t.Helper()
	r.press("home")
	for range 20 {
		if targets := r.cursor(); targets == name {
			return
		}
		r.press("down")
	}
	r.t.Fatalf("no node %s in:\n%s", name, r.text())
}

// cursor returns the name of the node at the cursor.
func (r *rig) cursor() string {
	for _, item := range r.c.history.front().Copies() {
		if item.Name == "name" {
			return item.Text
		}
	}
	return ""
}

// tab presses tab until the node's tab with the given name is open.
func (r *rig) tab(name string) {
	r.t.Helper()
	for range 20 {
		if strings.Contains(r.text(), "["+name+"]") {
			return
		}
		r.press("tab")
	}
	r.t.Fatalf("no tab %s in:\n%s", name, r.text())
}

// someEvents changes a few nodes, so that the Events screen has rows.
func (r *rig) someEvents() {
	r.ironic.change(func() {
		r.ironic.nodes[2].ProvisionState = models.StateDeployFailed
		r.ironic.nodes[2].LastError = "Timeout reached while waiting for callback"
		r.ironic.nodes[3].PowerState = models.PowerOn
	})
	r.pass(2 * time.Second)
	r.ironic.change(func() { r.ironic.nodes[4].Maintenance, r.ironic.nodes[4].MaintenanceReason = true, "moving" })
	r.pass(2 * time.Second)
}

// someTasks runs two tasks: managing r7-n04 succeeds, and managing r7-n09 fails.
func (r *rig) someTasks() {
	r.choose("r7-n04")
	r.press("M")
	r.pass(3 * time.Second)
	r.ironic.change(func() { r.ironic.nodes[8].fails = "Failed to get power state for node r7-n09: 401 Unauthorized" })
	r.choose("r7-n09")
	r.press("M")
	r.pass(3 * time.Second)
}

// TestThemes compares the styles of a screen with a golden file for each color profile and background.
func TestThemes(t *testing.T) {
	dark, light := color.RGBA{A: 255}, color.RGBA{R: 255, G: 255, B: 255, A: 255}
	tests := map[string]struct {
		profile    colorprofile.Profile
		background color.Color
		lost       bool
	}{
		"dark":        {colorprofile.TrueColor, dark, false},
		"light":       {colorprofile.TrueColor, light, false},
		"16-colours":  {colorprofile.ANSI, dark, false},
		"no-colour":   {colorprofile.ASCII, dark, false},
		"dark-dimmed": {colorprofile.TrueColor, dark, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, rack(), nil, func(r *rig) {
				r.deliver(tea.ColorProfileMsg{Profile: tt.profile})
				r.deliver(tea.BackgroundColorMsg{Color: tt.background})
				r.press("space")
				if tt.lost {
					r.ironic.change(func() { r.ironic.fault = &models.Fault{Kind: models.FaultReset, Op: "list nodes"} })
					r.pass(6 * time.Second)
					r.c.env.Status.NextTry = time.Now().Add(3 * time.Second)
				}
				got := r.c.View().Content
				golden.Compare(t, filepath.Join("testdata", "theme-"+name+".80x24.ansi"), strings.ReplaceAll(got, "\x1b", "␛")+"\n")
				if coloured := strings.Contains(got, "\x1b[38;") || strings.Contains(got, "\x1b[3"); coloured == (tt.profile == colorprofile.ASCII) {
					t.Errorf("coloured: %v", coloured)
				}
			})
		})
	}
}
