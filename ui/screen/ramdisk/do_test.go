package ramdisk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition/image"
	"ironworks/ignition/prepare"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/ramdisk"
	"ironworks/ui/screen/screentest"
)

// dialog returns the dialog from the first screen.Ask message among the wishes. It fails the test if there is none.
func dialog(t *testing.T, wishes []tea.Msg) screen.Overlay {
	t.Helper()
	for _, w := range wishes {
		if ask, ok := w.(screen.Ask); ok {
			return ask.Overlay
		}
	}
	t.Fatalf("nothing is asked: %v", wishes)
	return nil
}

// answer enters the given texts in the fields of a dialog, in order, and submits the dialog. It returns the messages
// that follow. "-" skips a field, and "+" selects its next choice.
func answer(t *testing.T, r *screentest.Rig, s *ramdisk.Screen, o screen.Overlay, texts ...string) []tea.Msg {
	t.Helper()
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
	if !done {
		return nil
	}
	return r.Do(s, cmd)
}

// agree answers a question with yes, as soon as the dialog accepts keys.
func agree(t *testing.T, r *screentest.Rig, s *ramdisk.Screen, o screen.Overlay) {
	t.Helper()
	starter, ok := o.(interface{ Start() tea.Cmd })
	if !ok {
		t.Fatalf("%T asks nothing", o)
	}
	cmd := starter.Start()
	r.Pass(2 * time.Second)
	for _, msg := range screentest.Run(cmd) {
		o.Update(msg)
	}
	done, yes := o.Update(screentest.Press("y"))
	if !done {
		t.Fatal("y is no answer")
	}
	r.Do(s, yes)
}

func said(wishes []tea.Msg) string {
	var texts []string
	for _, w := range wishes {
		if say, ok := w.(screen.Say); ok {
			texts = append(texts, say.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func TestSave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, m := opened(t, nil)
		got := answer(t, r, s, dialog(t, r.Do(s, s.Do(action.IgnitionSave))), "out.ign", "+")
		if !slices.Contains(m.asked, "save out.ign force=true") || said(got) != "saved out.ign" {
			t.Errorf("%q: %q", m.asked, said(got))
		}
		// The dialog remembers the file name, but not the permission to replace the file.
		m.err = fmt.Errorf("writing out.ign: %w", fs.ErrExist)
		got = answer(t, r, s, dialog(t, r.Do(s, s.Do(action.IgnitionSave))))
		if m.asked[len(m.asked)-1] != "save out.ign force=false" || !strings.Contains(said(got), "set Replace to overwrite it") {
			t.Errorf("%q: %q", m.asked, said(got))
		}
	})
}

func TestSaveOfAFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, m := opened(t, func(r *screentest.Rig, _ *maker) { r.Env.Bench.File = "right.bu" })
		answer(t, r, s, dialog(t, r.Do(s, s.Do(action.IgnitionSave))), "out.ign")
		if !slices.Contains(m.asked, "save right.buout.ign force=false") {
			t.Errorf("%q", m.asked)
		}
		_, s, _ = opened(t, func(r *screentest.Rig, _ *maker) { r.Env.Bench.File = "broken.bu" })
		if why := s.DisabledReason(action.IgnitionSave); !strings.Contains(why, "would not boot") {
			t.Errorf("%q", why)
		}
		if s.Do(action.IgnitionSave) != nil {
			t.Error("what would not boot is saved")
		}
	})
}

func TestEmbedShowsTheISOAndAsks(t *testing.T) {
	for name, test := range map[string]struct {
		look   prepare.ImageLook
		output string
		shows  []string
		want   string
	}{
		"empty": {
			prepare.ImageLook{Look: image.Look{Volume: "fedora-coreos", Capacity: 256 << 10}},
			"",
			[]string{"fedora-coreos", "no configuration", "Change live.iso itself?"},
			`embed live.iso to "" kargs=[] force=false`,
		},
		"in use": {
			prepare.ImageLook{Look: image.Look{Capacity: 300 << 10, Used: 4096, Kargs: "quiet", Others: []string{"eth0.nmconnection"}}, Embedded: true, Holds: "ignition 3.1.0"},
			"",
			[]string{"ignition 3.1.0", "4.0 KiB of 300.0 KiB", "quiet", "eth0.nmconnection", "Replace the configuration"},
			`embed live.iso to "" kargs=[] force=true`,
		},
		"a copy": {
			prepare.ImageLook{Look: image.Look{Capacity: 256 << 10}}, "new.iso", []string{"Write a copy to new.iso?"}, `embed live.iso to "new.iso" kargs=[] force=false`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, s, m := opened(t, func(_ *screentest.Rig, m *maker) { m.look = test.look })
				question := dialog(t, answer(t, r, s, dialog(t, r.Do(s, s.Do(action.IgnitionEmbed))), "live.iso", test.output))
				shown := question.Draw(themed(), 80, 20)
				for _, text := range test.shows {
					if !strings.Contains(shown, text) {
						t.Errorf("no %q in:\n%s", text, shown)
					}
				}
				if last := m.asked[len(m.asked)-1]; last != "look live.iso" {
					t.Errorf("%q before anybody agreed", last)
				}
				agree(t, r, s, question)
				if last := m.asked[len(m.asked)-1]; last != test.want {
					t.Errorf("%q", last)
				}
				s.Do(action.NextTab)
				screentest.Shows(t, s, 80, 20, "area of live.iso")
			})
		})
	}
}

func TestWrap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, m := opened(t, nil)
		got := answer(t, r, s, dialog(t, r.Do(s, s.Do(action.IgnitionWrap))), "out.img", "initramfs.img")
		if !slices.Contains(m.asked, `wrap out.img behind "initramfs.img" force=false`) || said(got) != "wrapped" {
			t.Errorf("%q: %q", m.asked, said(got))
		}
		m.err = errors.New("no initramfs")
		if got := answer(t, r, s, dialog(t, r.Do(s, s.Do(action.IgnitionWrap)))); said(got) != "initrd: no initramfs" {
			t.Errorf("%q", said(got))
		}
	})
}

func TestServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, m := opened(t, func(r *screentest.Rig, _ *maker) {
			r.Env.Chosen = func() []models.NodeRef { return []models.NodeRef{{UUID: screentest.UUID(1), Name: "r7-n01"}} }
		})
		if why := s.DisabledReason(action.IgnitionStop); why == "" {
			t.Error("what is not served can be stopped")
		}
		ask := dialog(t, r.Do(s, s.Do(action.IgnitionServe)))
		if !slices.Contains(m.asked, "addresses for [r7-n01]") {
			t.Errorf("%q", m.asked)
		}
		got := answer(t, r, s, ask, "-", "live.iso", "-", "-", "-", "-", "+", "+", "8080")
		if want := "serve live.iso pxe=false at 10.0.0.2:8080 for [r7-n01] each=true"; !slices.Contains(m.asked, want) {
			t.Errorf("%q, want %q", m.asked, want)
		}
		if !strings.Contains(said(got), "serving at 10.0.0.2:8080") {
			t.Errorf("%q", said(got))
		}
		screentest.Shows(t, s, 100, 20, "r7-n01's BMC fetched 61 %", "12.0 MiB/s", "deploy_iso", "192.0.2.9", "kernel_append_params")
		if why := s.DisabledReason(action.IgnitionServe); !strings.Contains(why, "x stops it") {
			t.Errorf("%q", why)
		}
		names := map[string]string{}
		for _, c := range s.Copies() {
			names[c.Name] = c.Text
		}
		if !strings.HasSuffix(names["r7-n01 deploy_iso"], "r7-n01.iso") || !strings.Contains(names["r7-n02 kernel_append_params"], "rootfs_url") {
			t.Errorf("%v", names)
		}
		// The server keeps running while another screen is shown.
		s.Close()
		again := ramdisk.New(r.Env)
		r.Open(again)
		again.Do(action.PrevTab)
		screentest.Shows(t, again, 100, 20, "serving at 10.0.0.2:8080")
		m.on.active = 1
		agree(t, r, again, dialog(t, r.Do(again, again.Do(action.IgnitionStop))))
		if !m.on.ended {
			t.Error("still serving")
		}
		screentest.Shows(t, again, 100, 20, "Serving stopped")
	})
}

func TestServeAsksForMissingInput(t *testing.T) {
	for name, test := range map[string]struct {
		texts []string
		says  string
	}{
		"nothing":  {nil, "Enter an ISO file."},
		"no nodes": {[]string{"-", "live.iso", "-", "-", "-", "-", "+"}, "Enter at least one node."},
		"port":     {[]string{"-", "live.iso", "-", "-", "-", "-", "-", "-", "many"}, "Not a valid port."},
		"host":     {[]string{"-", "live.iso", "-", "-", "-", "-", "-", "-", "-", "boot.example:80"}, "without a port."},
		"defaults": {[]string{"-", "live.iso", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "+"}, "Not possible with an ISO"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, s, m := opened(t, nil)
				ask := dialog(t, r.Do(s, s.Do(action.IgnitionServe)))
				answer(t, r, s, ask, test.texts...)
				if shown := ask.Draw(themed(), 90, 30); !strings.Contains(shown, test.says) {
					t.Errorf("no %q in:\n%s", test.says, shown)
				}
				if m.on != nil {
					t.Error("served")
				}
			})
		})
	}
}

// wished returns the message that asks the root to apply ramdisks.
func wished(t *testing.T, wishes []tea.Msg) screen.StartAction {
	t.Helper()
	for _, w := range wishes {
		if apply, ok := w.(screen.StartAction); ok {
			return apply
		}
	}
	t.Fatalf("nothing is applied: %v", wishes)
	return screen.StartAction{}
}

// newest is an Ironic of which only the version is known.
type newest struct{ provision.API }

func (newest) Version() (models.APIVersion, bool) { return models.APIVersion{Minor: 100}, true }

// sent returns the bodies of the requests that the action would send to a node, or the reason why it is refused.
func sent(t *testing.T, msg screen.StartAction, uuid string) string {
	t.Helper()
	node, err := models.DecodeNode([]byte(`{"uuid": "` + uuid + `", "driver_info": {}}`))
	if err != nil {
		t.Fatal(err)
	}
	runner := provision.Runner{API: newest{}}
	preview := runner.Plan(msg.Action, []models.Node{*node}).Preview()[0]
	if preview.Refusal != nil {
		return "refused: " + preview.Refusal.Why
	}
	text := ""
	for _, request := range preview.Requests {
		text += string(request.Payload())
	}
	return text
}

func TestApplyServedFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, serves)
		apply := wished(t, answer(t, r, s, dialog(t, r.Do(s, s.Do(action.IgnitionApply)))))
		if len(apply.Nodes) != 2 || apply.Nodes[0].Name != "r7-n01" {
			t.Errorf("%v", apply.Nodes)
		}
		if sent := sent(t, apply, screentest.UUID(1)); !strings.Contains(sent, `r7-n01.iso"`) {
			t.Error(sent)
		}
		if sent := sent(t, apply, screentest.UUID(3)); !strings.Contains(sent, "refused") {
			t.Errorf("a node that no image is served for: %s", sent)
		}
	})
}

func TestApplyURLs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, nil)
		apply := wished(t, answer(t, r, s, dialog(t, r.Do(s, s.Do(action.IgnitionApply))), "r7-n01, r7-n02", "+", "-", "http://h/k", "http://h/i", "quiet", "+"))
		for _, want := range []string{`"http://h/k"`, `"http://h/i"`, `"%default% quiet"`} {
			if sent := sent(t, apply, screentest.UUID(1)); !strings.Contains(sent, want) {
				t.Errorf("no %s in %s", want, sent)
			}
		}
		if want := "ignition apply r7-n01 r7-n02 --kernel http://h/k --initrd http://h/i --kernel-params quiet --with-defaults"; strings.Join(apply.CommandLine, " ") != want {
			t.Errorf("%q", apply.CommandLine)
		}
		ask := dialog(t, r.Do(s, s.Do(action.IgnitionApply)))
		answer(t, r, s, ask, "r7-n01", "-", "-", "-", "-", "bad'quote")
		if shown := ask.Draw(themed(), 100, 30); !strings.Contains(shown, "instead of a space") {
			t.Errorf("nothing is wrong in:\n%s", shown)
		}
	})
}

func TestApplyNeedsAnIronic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s, _ := opened(t, func(r *screentest.Rig, m *maker) { r.Env.Session, r.Env.Ramdisks = nil, m })
		if why := s.DisabledReason(action.IgnitionApply); !strings.Contains(why, "no context is open") {
			t.Errorf("%q", why)
		}
		if a, _ := action.Find(action.IgnitionApply); !a.Changes {
			t.Error("a read-only context lets ramdisks be applied")
		}
	})
}

func TestCheckGoesThroughTheProblems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, m := opened(t, nil)
		if s.Copies() == nil || s.DisabledReason(action.IgnitionCheck) != "" {
			t.Error("nothing to copy, or no check")
		}
		answer(t, r, s, dialog(t, r.Do(s, s.Do(action.IgnitionCheck))), "broken.bu")
		screentest.Shows(t, s, 80, 20, "broken.bu", "error 1 of 2", "line 11, column 7", "✖ 11       moode: 0644")
		s.Do(action.NextMatch)
		screentest.Shows(t, s, 80, 20, "error 2 of 2", "line 14", "etc/relative")
		s.Do(action.NextMatch)
		screentest.Shows(t, s, 80, 20, "error 1 of 2")
		s.Do(action.PrevMatch)
		screentest.Shows(t, s, 80, 20, "error 2 of 2")
		// The file is not checked again until it has changed.
		asked := len(m.asked)
		r.Deliver(s, r.Pass(time.Second))
		if len(m.asked) != asked {
			t.Errorf("%q", m.asked[asked:])
		}
		m.files["broken.bu"], m.stamp = right, 5
		r.Deliver(s, r.Pass(time.Second))
		screentest.Shows(t, s, 80, 20, ", valid", "user     core")
		if why := s.DisabledReason(action.NextMatch); why == "" {
			t.Error("there is a problem to go to")
		}
		delete(m.files, "broken.bu")
		r.Deliver(s, r.Pass(time.Second))
		screentest.Shows(t, s, 80, 20, "unreadable", "no such file", "1 variant: fcos")
	})
}

func TestSearchComesBeforeProblems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, func(r *screentest.Rig, _ *maker) { r.Env.Bench.File = "broken.bu" })
		r.Do(s, s.Do(action.Search))
		r.Type(s, "inline")
		r.Deliver(s, screentest.Press("enter"))
		s.Do(action.NextMatch)
		screentest.Shows(t, s, 80, 20, "inline: hello", "error 1 of 2")
		if _, did := s.Widen(); !did {
			t.Error("esc does not end the search")
		}
		s.Do(action.NextMatch)
		screentest.Shows(t, s, 80, 20, "error 2 of 2")
	})
}

func TestLongLineIsShownAroundItsProblem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := `{"ignition":{"version":"3.2.0"},"systemd":{"units":[{"name":"a.service","contents":"` + strings.Repeat("x", 5000) + `"}]},"wrong":1}`
		_, s, _ := opened(t, func(r *screentest.Rig, m *maker) {
			m.files["long.ign"] = line
			r.Env.Bench.File = "long.ign"
		})
		screentest.Shows(t, s, 80, 30, "line 1, column", `"wrong":1}`)
		screentest.CheckSizes(t, s)
	})
}

func TestCommandOfTheForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, nil)
		fill(t, r, s, "Hostname", "s 1")
		fill(t, r, s, "Key files", "a.pub, b.pub")
		for _, c := range s.Copies() {
			if c.Name == "command" && !strings.HasPrefix(c.Text, "ironworks ignition build --ssh-key a.pub --ssh-key b.pub --hostname 's 1'") {
				t.Errorf("%q", c.Text)
			}
		}
	})
}
