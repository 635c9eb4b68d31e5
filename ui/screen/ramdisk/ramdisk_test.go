package ramdisk_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition"
	"ironworks/printable"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/ramdisk"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/theme"
)

func TestGoldens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s, _ := opened(t, nil)
		screentest.Golden(t, s, "form")
		s.Do(action.NextTab)
		screentest.Golden(t, s, "preview")
		s.Do(action.NextTab)
		screentest.Golden(t, s, "no-file")
		s.Do(action.NextTab)
		screentest.Golden(t, s, "nothing-served")

		_, s, _ = opened(t, func(_ *screentest.Rig, m *maker) { m.err = wrong() })
		screentest.Golden(t, s, "wrong")
		_, s, _ = opened(t, func(r *screentest.Rig, _ *maker) { r.Env.Bench.File = "broken.bu" })
		screentest.Golden(t, s, "broken")
		_, s, _ = opened(t, func(r *screentest.Rig, _ *maker) { r.Env.Bench.File = "right.bu" })
		screentest.Golden(t, s, "right")
		_, s, _ = opened(t, serves)
		s.Do(action.PrevTab)
		screentest.Golden(t, s, "serving")
	})
}

// wrong returns the errors of a build that lacks the URL of Ironic and has two invalid inputs.
func wrong() error {
	return errors.Join(
		&ignition.InputError{Field: ignition.FieldIronicURL, Why: "is needed", Hint: "where is Ironic?"},
		&ignition.InputError{Field: ignition.FieldProxy, Value: "http:/x", Why: "is no URL"},
		&ignition.InputError{Field: ignition.FieldSSHKey, Value: "id.pub", Why: "unreadable", Cause: errors.New("no such file")},
	)
}

func serves(r *screentest.Rig, _ *maker) {
	r.Env.Bench.Serving, r.Env.Bench.Since = &serving{active: 1}, screentest.Began
}

// to moves the form's cursor to the field with the given label.
func to(t *testing.T, s *ramdisk.Screen, label string) {
	t.Helper()
	s.Do(action.Top)
	for range 60 {
		for line := range strings.Lines(screentest.Text(s, 80, 20)) {
			if strings.HasPrefix(strings.TrimSpace(line)+" ", theme.GlyphCursor+" "+label+" ") {
				return
			}
		}
		s.Do(action.Down)
	}
	t.Fatalf("no field %q:\n%s", label, screentest.Text(s, 80, 50))
}

// fill enters text in the field with the given label.
func fill(t *testing.T, r *screentest.Rig, s *ramdisk.Screen, label, text string) {
	t.Helper()
	to(t, s, label)
	r.Do(s, s.Do(action.EditField))
	r.Deliver(s, tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
	r.Deliver(s, tea.PasteMsg{Content: text})
	r.Deliver(s, screentest.Press("enter"))
	if s.Typing() {
		t.Fatal("enter does not end writing")
	}
}

func TestEnterSavesAndEscDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, m := opened(t, nil)
		to(t, s, "Hostname")
		r.Do(s, s.Do(action.EditField))
		if !s.Typing() {
			t.Fatal("not typing")
		}
		r.Type(s, "s1")
		screentest.Shows(t, s, 80, 20, "s1")
		if got := m.inputs[len(m.inputs)-1].Hostname; got != "s1" {
			t.Errorf("made with hostname %q while it is written", got)
		}
		r.Deliver(s, screentest.Press("esc"))
		if s.Typing() || r.Env.Bench.Values["hostname"] != "" {
			t.Errorf("esc leaves %q", r.Env.Bench.Values["hostname"])
		}
		r.Do(s, s.Do(action.EditField))
		r.Type(s, "s2")
		r.Deliver(s, screentest.Press("tab"))
		r.Type(s, "x")
		r.Deliver(s, screentest.Press("enter"))
		if got := m.inputs[len(m.inputs)-1]; got.Hostname != "s2" || !slices.Equal(got.KeyFiles, []string{"x"}) {
			t.Errorf("made with %q and %q", got.Hostname, got.KeyFiles)
		}
		if _, did := s.Widen(); did {
			t.Error("back has something to drop, though nothing is narrowed")
		}
	})
}

func TestFieldsBecomeInputs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, m := opened(t, nil)
		fill(t, r, s, "Ironic", "http://a:6385, https://b")
		fill(t, r, s, "Registries", "quay.io=verified,reg:5000=ca:/etc/reg.pem")
		fill(t, r, s, "Options", `debug=True, "collectors=a,b"`)
		fill(t, r, s, "Keys", "ssh-ed25519 AAAA a,b, ssh-rsa BBBB c")
		fill(t, r, s, "ip= options", "ip=dhcp6 bond=bond0:eth0,eth1")
		to(t, s, "TLS")
		r.Do(s, s.Do(action.ScrollRight))
		to(t, s, "No login")
		r.Do(s, s.Do(action.EditField))
		fill(t, r, s, "Journal push", "https://192.0.2.9:6387")
		to(t, s, "Host key")
		r.Do(s, s.Do(action.EditField))
		in := m.inputs[len(m.inputs)-1]
		for name, pair := range map[string][2][]string{
			"urls":         {in.IronicURLs, {"http://a:6385", "https://b"}},
			"registry tls": {in.Registries, {"quay.io=verified", "reg:5000=ca:/etc/reg.pem"}},
			"options":      {in.Options, {"debug=True", "collectors=a,b"}},
			"keys":         {in.SSHKeys, {"ssh-ed25519 AAAA a,b", "ssh-rsa BBBB c"}},
			"ip":           {in.IPOptions, {"ip=dhcp6", "bond=bond0:eth0,eth1"}},
		} {
			if !slices.Equal(pair[0], pair[1]) {
				t.Errorf("%s: %q, want %q", name, pair[0], pair[1])
			}
		}
		if in.TLS != "off" || !in.NoLogin || in.JournalPush != "https://192.0.2.9:6387" || !in.SSHHostKey {
			t.Errorf("tls %q, no login %v, journal to %q, host key %v", in.TLS, in.NoLogin, in.JournalPush, in.SSHHostKey)
		}
	})
}

func TestProfilesHaveTheirOwnFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, m := opened(t, nil)
		fill(t, r, s, "Hostname", "s1")
		to(t, s, "Profile")
		r.Do(s, s.Do(action.ScrollRight))
		screentest.Shows(t, s, 80, 40, "Registry", "Insecure")
		screentest.Lacks(t, s, 80, 50, "Hostname", "VLANs", "nmstate", "Journal push", "Host key")
		fill(t, r, s, "Registry", "quay.io/lab")
		if in := m.inputs[len(m.inputs)-1]; in.Profile != "classic" || in.Registry != "quay.io/lab" || in.Hostname != "" {
			t.Errorf("%+v", in)
		}
		to(t, s, "Profile")
		r.Do(s, s.Do(action.ScrollRight))
		screentest.Shows(t, s, 80, 60, "nmstate", "registries.conf", "s1")
		if in := m.inputs[len(m.inputs)-1]; in.Profile != "metal3" || in.Registry != "" || in.Hostname != "s1" {
			t.Errorf("%+v", in)
		}
	})
}

func TestAgentsHaveTheirOwnFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, m := opened(t, nil)
		fill(t, r, s, "Image", "quay.io/lab/agent:1")
		screentest.Lacks(t, s, 80, 60, "Program", "Embed")
		to(t, s, "Agent")
		r.Do(s, s.Do(action.ScrollRight))
		screentest.Shows(t, s, 80, 60, "Program", "Program URL", "Embed")
		screentest.Lacks(t, s, 80, 60, "Image", "Registries", "Pull secret")
		fill(t, r, s, "Program URL", "http://192.0.2.9/ironworks-agent")
		if in := m.inputs[len(m.inputs)-1]; in.Agent != "builtin" || in.AgentURL != "http://192.0.2.9/ironworks-agent" || in.Image != "" {
			t.Errorf("%+v", in)
		}
		for _, c := range s.Copies() {
			if want := "ironworks ignition build --agent builtin --agent-url http://192.0.2.9/ironworks-agent"; c.Name == "command" && c.Text != want {
				t.Errorf("%q, want %q", c.Text, want)
			}
		}
	})
}

func TestProblemsAreShownAtTheirFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, m := opened(t, nil)
		fill(t, r, s, "HTTPS proxy", "http:/x")
		m.err = wrong()
		r.Deliver(s, screen.Reload{})
		rows := strings.Split(screentest.Text(s, 80, 60), "\n")
		for _, pair := range [][2]string{{"Ironic ", "is needed; where is Ironic?"}, {"HTTPS proxy", `"http:/x" is no URL`}, {"Key files", "unreadable: no such file"}} {
			at := slices.IndexFunc(rows, func(row string) bool {
				_, rest, _ := strings.Cut(row, " ")
				return strings.HasPrefix(rest, pair[0])
			})
			if at < 0 || !strings.Contains(rows[at+1], pair[1]) {
				t.Errorf("%q is not below %q:\n%s", pair[1], pair[0], strings.Join(rows, "\n"))
			}
		}
		if why := s.DisabledReason(action.IgnitionSave); !strings.Contains(why, "3 errors") {
			t.Errorf("save: %q", why)
		}
		m.err = nil
		r.Deliver(s, screen.Reload{})
		if why := s.DisabledReason(action.IgnitionSave); why != "" {
			t.Errorf("save: %q", why)
		}
	})
}

// TestStaleBuildsAreDropped checks that only the result of the last of several builds is used, in whatever order the
// results arrive.
func TestStaleBuildsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, m := opened(t, nil)
		first := s.Update(screen.Reload{})
		second := s.Update(screen.Reload{})
		m.err = wrong()
		late := screentest.Run(second)
		m.err = nil
		if got := screentest.Run(first); len(got) != 0 {
			t.Errorf("a build that was given up answers: %v", got)
		}
		for _, msg := range late {
			r.Deliver(s, msg)
		}
		screentest.Shows(t, s, 80, 20, "3 problems")
	})
}

func TestFormSurvivesLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, nil)
		fill(t, r, s, "Hostname", "half wr")
		s.Close()
		again := ramdisk.New(r.Env)
		r.Open(again)
		to(t, again, "Hostname")
		screentest.Shows(t, again, 80, 20, "half wr")
		r.Do(again, again.Do(action.ResetField))
		screentest.Lacks(t, again, 80, 20, "half wr")
	})
}

func TestSizes(t *testing.T) {
	for name, change := range map[string]func(*screentest.Rig, *maker){
		"right":      func(r *screentest.Rig, _ *maker) { r.Env.Bench.File = "right.bu" },
		"broken":     func(r *screentest.Rig, _ *maker) { r.Env.Bench.File = "broken.bu" },
		"gone":       func(r *screentest.Rig, _ *maker) { r.Env.Bench.File = "gone.bu" },
		"wrong":      func(_ *screentest.Rig, m *maker) { m.err = wrong() },
		"serving":    serves,
		"no session": func(r *screentest.Rig, m *maker) { r.Env.Session, r.Env.Ramdisks = nil, m },
		"no maker":   func(r *screentest.Rig, _ *maker) { r.Env.Session = nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, s, _ := opened(t, change)
				for range 4 {
					screentest.CheckSizes(t, s)
					s.Do(action.NextTab)
				}
			})
		})
	}
}

func TestHostileTexts(t *testing.T) {
	for name, text := range screentest.Hostile() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, s, m := opened(t, func(r *screentest.Rig, m *maker) {
					m.text = text
					m.files["hostile"] = "variant: fcos\n" + text + ": " + text + "\n" + strings.Repeat(text, 3)
					r.Env.Bench.File = "hostile"
					r.Env.Bench.Serving = &serving{text: text}
				})
				fill := func() {
					for range 4 {
						screentest.CheckSizes(t, s)
						s.Do(action.NextTab)
					}
				}
				fill()
				m.err = &ignition.InputError{Field: ignition.FieldImage, Value: text, Why: text, Hint: text, Cause: errors.New(text)}
				r.Deliver(s, screen.Reload{})
				fill()
				delete(m.files, "hostile")
				r.Env.Bench.File = text
				r.Deliver(s, r.Pass(time.Second))
				fill()
				for _, c := range s.Copies() {
					if printable.Lines(c.Printable()) != c.Printable() && c.Name != "configuration, secrets masked" {
						t.Errorf("%s: %q", c.Name, c.Text)
					}
				}
			})
		})
	}
}
