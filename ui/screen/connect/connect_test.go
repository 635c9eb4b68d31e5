package connect_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/connect"
	"ironworks/ui/screen/screentest"
)

func TestMain(m *testing.M) { screentest.Main(m) }

func contexts() []screen.Context {
	return []screen.Context{
		{Name: "lab", Source: "/home/op/.config/ironworks/config.yaml:4", Endpoint: "http://127.0.0.1:6385", Auth: "none", Accent: "green"},
		{
			Name: "prod", Source: "/etc/openstack/clouds.yaml:3", Endpoint: "https://keystone.example:5000", Auth: "v3password", Accent: "red", ReadOnly: true,
		},
		{
			Name: "rack7", Source: "/home/op/.config/ironworks/config.yaml:12", Endpoint: "https://ironic.rack7.example:6385",
			Auth: "http_basic", Accent: "cyan", Current: true,
		},
		{
			Name: "staging", Source: "/home/op/.config/ironworks/config.yaml:20", Accent: "#ff8800",
			Err: errors.New("/home/op/.config/ironworks/config.yaml:22:5: contexts.staging.auth: no such way to authenticate \"basic\" (one of none, http_basic, v3password)\n" +
				"/home/op/.config/ironworks/config.yaml:24:5: contexts.staging.url: not a URL: \"ironic\""),
		},
	}
}

func opened(t *testing.T, change func(r *screentest.Rig)) (*screentest.Rig, screen.Screen) {
	t.Helper()
	r := screentest.New(t)
	r.Env.Contexts = contexts()
	r.Env.Session.Context = contexts()[2]
	r.Env.Status = fleet.Status{
		Connected: true, Complete: true, Answered: screentest.Began.Add(-time.Second), AsOf: screentest.Began.Add(-time.Second), Latency: 41 * time.Millisecond,
		Version: models.APIVersion{Minor: 95}, Requests: 48,
	}
	r.Env.Started = screentest.Began.Add(-2 * time.Minute)
	change(r)
	s := connect.New(r.Env)
	r.Open(s)
	return r, s
}

func refused() *models.Fault {
	return &models.Fault{
		Kind: models.FaultRefused, Op: "list nodes", Message: "connection refused by ironic.rack7.example:6385",
		Hint: "is Ironic running there? check the URL and the port", RequestID: "req-77",
	}
}

func TestGoldens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := opened(t, func(r *screentest.Rig) {
			r.API.Lacks = []string{"health", "shard"}
			r.Env.Status.Skew = -3 * time.Hour
		})
		screentest.Golden(t, s, "connected")
		s.Do(action.Bottom)
		screentest.Golden(t, s, "broken")
		s.Do(action.Top)
		screentest.Golden(t, s, "other")

		_, s = opened(t, func(r *screentest.Rig) {
			st := &r.Env.Status
			st.Connected, st.Fault, st.Failures = false, refused(), 4
			st.NextTry = screentest.Began.Add(8 * time.Second)
			st.Answered = screentest.Began.Add(-90 * time.Second)
		})
		screentest.Golden(t, s, "lost")

		_, s = opened(t, func(r *screentest.Rig) {
			r.Env.Contexts = nil
			r.Env.Session.Context = screen.Context{Name: "127.0.0.1:6385", Source: "default", Endpoint: "http://127.0.0.1:6385", Auth: "none"}
			r.Env.Status = fleet.Status{Fault: refused(), Failures: 1, NextTry: screentest.Began.Add(time.Second)}
		})
		screentest.Golden(t, s, "wrong-url")

		_, s = opened(t, func(r *screentest.Rig) { r.Env.Contexts, r.Env.Session = nil, nil })
		screentest.Golden(t, s, "nothing")
	})
}

func TestStates(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(r *screentest.Rig)
		want   []string
	}{
		{"connecting", func(r *screentest.Rig) { r.Env.Status = fleet.Status{} }, []string{"◐ connecting", "Connecting for 2m00: no response yet"}},
		{"stale", func(r *screentest.Rig) {
			r.Env.Status.AsOf, r.Env.Status.Answered = screentest.Began.Add(-time.Minute), screentest.Began.Add(-time.Minute)
		}, []string{"slow", "1m00 ago"}},
		{"trying now", func(r *screentest.Rig) {
			r.Env.Status.Connected, r.Env.Status.Fault = false, refused()
		}, []string{"retrying now", "req-77", "check the URL"}},
		{"ahead", func(r *screentest.Rig) { r.Env.Status.Skew = time.Minute }, []string{"1m00 ahead of this machine's"}},
		{"as good as equal", func(r *screentest.Rig) { r.Env.Status.Skew = 2 * time.Second }, []string{"41ms"}},
		{"read-only now", func(r *screentest.Rig) { r.Env.ReadOnly = true }, []string{"read-only"}},
		{"no session", func(r *screentest.Rig) { r.Env.Session = nil }, []string{"open failed"}},
		{"service catalogue", func(r *screentest.Rig) {
			r.Env.Session.Context.Endpoint = "https://keystone.example"
			r.Env.Contexts[2].Endpoint = "https://keystone.example"
		}, []string{"Ironic         https://ironic.rack7.example:6385"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, s := opened(t, tc.change)
				if r.Env.Session == nil {
					s.Do(action.Bottom)
				}
				screentest.Shows(t, s, 120, 24, tc.want...)
				screentest.CheckSizes(t, s)
			})
		})
	}
}

func TestSmallSkewIsHidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := opened(t, func(r *screentest.Rig) { r.Env.Status.Skew = 2 * time.Second })
		screentest.Lacks(t, s, 80, 20, "clock")
	})
}

func TestSwitch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := opened(t, func(*screentest.Rig) {})
		if why := s.DisabledReason(action.Open); !strings.Contains(why, "current context") {
			t.Errorf("current: %q", why)
		}
		if s.Do(action.Open) != nil {
			t.Error("went to where we are")
		}
		s.Do(action.Down)
		if why := s.DisabledReason(action.Open); !strings.Contains(why, "unusable") {
			t.Errorf("broken: %q", why)
		}
		if s.Do(action.Open) != nil {
			t.Error("went to a broken one")
		}
		s.Do(action.Top)
		if why := s.DisabledReason(action.Open); why != "" {
			t.Error(why)
		}
		wishes := r.Do(s, s.Do(action.Open))
		if len(wishes) != 1 || wishes[0] != (screen.Switch{Context: "lab"}) {
			t.Errorf("%v", wishes)
		}
	})
}

func TestCopies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := opened(t, func(r *screentest.Rig) { r.Env.Status.Fault = refused() })
		names := map[string]string{}
		for _, c := range s.Copies() {
			names[c.Name] = c.Text
		}
		for _, want := range []string{"name", "endpoint", "source", "request", "fault", "command"} {
			if names[want] == "" {
				t.Errorf("no %q in %v", want, names)
			}
		}
		s.Do(action.Bottom)
		if got := s.Copies(); !strings.Contains(got[len(got)-2].Text, "no such way") {
			t.Errorf("%v", got)
		}
		_, s = opened(t, func(r *screentest.Rig) { r.Env.Contexts, r.Env.Session = nil, nil })
		if s.Copies() != nil || s.DisabledReason(action.Open) == "" {
			t.Error("something where there is nothing")
		}
	})
}

func TestHostileNames(t *testing.T) {
	for name, text := range screentest.Hostile() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, s := opened(t, func(r *screentest.Rig) {
					c := screen.Context{Name: text, Source: text, Endpoint: text, Auth: text, Accent: text, Err: errors.New(text + "\n" + text)}
					r.Env.Contexts = append(r.Env.Contexts, c)
					r.API.Lacks = []string{text}
					r.Env.Status.Fault = &models.Fault{Kind: "x", Op: text, Message: text, Hint: text, RequestID: text}
					r.Env.Status.Connected = false
				})
				screentest.CheckSizes(t, s)
				s.Do(action.Bottom)
				screentest.CheckSizes(t, s)
			})
		})
	}
}
