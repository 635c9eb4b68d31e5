package models

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestDecodeNode(t *testing.T) {
	t.Parallel()
	const data = `{"uuid":"u1","name":"n1","provision_state":"deploying","power_state":null,"maintenance":false,
		"automated_clean":null,"traits":["A"],"deploy_step":{"interface":"deploy","step":"write","priority":80,"args":{}},
		"clean_step":{},"service_step":null,"properties":{"cpus":8},"new_field":{"x":1},
		"provision_updated_at":"2026-11-21T02:28:01+00:00",
		"driver_internal_info":{"agent_url":"https://a","agent_last_heartbeat":"2026-11-21T02:28:01.5","deploy_step_index":0,
			"deploy_steps":[{"interface":"deploy","step":"write","priority":"80"}]}}`
	n, err := DecodeNode([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	step, kind := n.CurrentStep()
	steps, i := n.Internal.Progress(kind)
	switch {
	case n.Label() != "n1" || n.ProvisionState != StateDeploying || n.PowerState != "" || n.AutomatedClean != nil:
		t.Errorf("%+v", n)
	case step.Label() != "deploy.write" || kind != DeploySteps || *step.Priority != 80:
		t.Errorf("step %+v %s", step, kind)
	case len(steps) != 1 || i != 0 || *steps[0].Priority != 80:
		t.Errorf("steps %+v %d", steps, i)
	case n.Internal.LastHeartbeat.Nanosecond() != 500_000_000 || n.ProvisionUpdatedAt.Unix() != n.Internal.LastHeartbeat.Unix():
		t.Errorf("times %v %v", n.Internal.LastHeartbeat, n.ProvisionUpdatedAt)
	case string(n.Raw) != data:
		t.Error("the raw object is not what was sent")
	}
}

func TestDecodeStrangeNodes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		json  string
		check func(n *Node) bool
	}{
		"redacted by an object":   {`"last_error":{"message":"** Redacted **"}`, func(n *Node) bool { return strings.Contains(n.LastError, "Redacted") }},
		"redacted driver_info":    {`"driver_info":"** Redacted - requires baremetal:node:get:driver_info **"`, func(n *Node) bool { return n.DriverInfo == nil }},
		"number for a text":       {`"owner":17`, func(n *Node) bool { return n.Owner == "17" }},
		"list for a text":         {`"reservation":["a"]`, func(n *Node) bool { return n.Reservation == `["a"]` }},
		"text for a truth":        {`"maintenance":"yes"`, func(n *Node) bool { return !n.Maintenance }},
		"text for a list":         {`"traits":"A"`, func(n *Node) bool { return n.Traits == nil }},
		"number in a list":        {`"traits":["A",5]`, func(n *Node) bool { return len(n.Traits) > 0 && n.Traits[0] == "A" }},
		"text for a step":         {`"deploy_step":"write"`, func(n *Node) bool { s, _ := n.CurrentStep(); return s == nil }},
		"strange step in a list":  {`"driver_internal_info":{"agent_url":"a","deploy_steps":[5]}`, func(n *Node) bool { return n.Internal != nil }},
		"strange internal field":  {`"driver_internal_info":{"agent_url":"a","deploy_step_index":"two"}`, func(n *Node) bool { return n.Internal.AgentURL == "a" }},
		"strange time":            {`"created_at":"yesterday"`, func(n *Node) bool { return n.CreatedAt.IsZero() }},
		"time that is a number":   {`"created_at":5`, func(n *Node) bool { return n.CreatedAt.IsZero() }},
		"all null":                {`"provision_state":null,"traits":null,"driver_internal_info":null,"maintenance":null`, func(n *Node) bool { return n.ProvisionState == "" }},
		"text with broken escape": {`"owner":"\ud800"`, func(n *Node) bool { return n.Owner == "\ufffd" }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := []byte(`{"uuid":"u","name":"x",` + tt.json + `}`)
			n, err := DecodeNode(data)
			if err != nil {
				t.Fatal(err)
			}
			if n.UUID != "u" || !tt.check(n) {
				t.Errorf("%+v", n)
			}
			list, err := DecodeNodes(fmt.Appendf(nil, `{"nodes":[{"uuid":"other"},%s]}`, data), false)
			if err != nil || len(list) != 2 || !tt.check(&list[1]) || list[1].Raw != nil {
				t.Errorf("in a list: %+v %v", list, err)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"nothing": "", "null": "null", "a list": "[]", "a text": `"x"`, "truncated": `{"uuid":"u","na`, "no uuid": `{"name":"x"}`,
		"HTML": "<html>", "null uuid": `{"uuid":null}`, "more behind it": `{"uuid":"u"} x`,
	} {
		if n, err := DecodeNode([]byte(data)); err == nil {
			t.Errorf("node: %s: %+v", name, n)
		}
	}
	for name, data := range map[string]string{
		"nothing": "", "no nodes": `{}`, "nodes null": `{"nodes":null}`, "an object": `{"nodes":{}}`, "a list": "[]",
		"truncated": `{"nodes":[{"uuid":"u"},{"uu`, "null node": `{"nodes":[null]}`, "no uuid": `{"nodes":[{"uuid":"u"},{"name":"x"}]}`,
		"a text": `{"nodes":["u"]}`, "strange and no uuid": `{"nodes":[{"uuid":"u"},{"owner":5}]}`,
	} {
		for _, raw := range []bool{false, true} {
			if n, err := DecodeNodes([]byte(data), raw); err == nil {
				t.Errorf("nodes (raw %v): %s: %+v", raw, name, n)
			}
		}
	}
}

func TestDecodeNodesKeepsRaw(t *testing.T) {
	t.Parallel()
	list, err := DecodeNodes([]byte(`{"nodes":[{"uuid":"u","x":1}, {"uuid":"v","owner":5}]}`), true)
	if err != nil || len(list) != 2 || string(list[0].Raw) != `{"uuid":"u","x":1}` || string(list[1].Raw) != `{"uuid":"v","owner":5}` {
		t.Errorf("%+v %v", list, err)
	}
	if none, err := DecodeNodes([]byte(`{"nodes":[]}`), false); err != nil || len(none) != 0 {
		t.Errorf("an empty list is no error: %v", err)
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 11, 21, 2, 28, 1, 0, time.UTC)
	for text, at := range map[string]time.Time{
		`"2026-11-21T02:28:01+00:00"`:        want,
		`"2026-11-21T04:28:01+02:00"`:        want,
		`"2026-11-21T02:28:01Z"`:             want,
		`"2026-11-21T02:28:01"`:              want,
		`"2026-11-21T02:28:01.250000"`:       want.Add(250 * time.Millisecond),
		`"2026-11-21T02:28:01.250000+00:00"`: want.Add(250 * time.Millisecond),
		`"2026-11-21 02:28:01.250000"`:       want.Add(250 * time.Millisecond),
		`"2026-11-21 02:28:01+00:00"`:        want,
		`"2026-11-21 02:28:01"`:              want,
		`null`:                               {}, `""`: {}, `"soon"`: {}, `5`: {}, `{"a":1}`: {},
	} {
		got := Time{Time: time.Unix(1, 0)}
		if err := json.Unmarshal([]byte(text), &got); err != nil || !got.Equal(at) || got.Location() != time.UTC {
			t.Errorf("%s: %v (%v), want %v", text, got, err, at)
		}
	}
}

func TestStep(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		json     string
		label    string
		priority int
	}{
		"number":      {`{"interface":"deploy","step":"write","priority":80}`, "deploy.write", 80},
		"digit text":  {`{"interface":"deploy","step":"write","priority":"80"}`, "deploy.write", 80},
		"zero":        {`{"interface":"raid","step":"x","priority":0}`, "raid.x", 0},
		"no priority": {`{"interface":"raid","step":"x"}`, "raid.x", -1},
		"null":        {`{"interface":"raid","step":"x","priority":null}`, "raid.x", -1},
		"strange":     {`{"interface":"raid","step":"x","priority":[1]}`, "raid.x", -1},
		"empty":       {`{}`, "", -1},
	}
	for name, tt := range tests {
		s := Step{Priority: new(int), Abortable: true}
		if err := json.Unmarshal([]byte(tt.json), &s); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := -1
		if s.Priority != nil {
			got = *s.Priority
		}
		if s.Label() != tt.label || got != tt.priority || s.Abortable {
			t.Errorf("%s: %+v", name, s)
		}
	}
	var none *Step
	if !none.IsZero() || none.Label() != "" {
		t.Error("no step has no label")
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	steps := []Step{{Step: "a"}, {Step: "b"}}
	at := func(i int) *int { return &i }
	tests := map[string]struct {
		internal *Internal
		kind     StepKind
		steps    int
		index    int
	}{
		"nothing was read":   {nil, DeploySteps, 0, -1},
		"before the first":   {&Internal{DeploySteps: steps}, DeploySteps, 2, -1},
		"second deploy step": {&Internal{DeploySteps: steps, DeployIndex: at(1)}, DeploySteps, 2, 1},
		"beyond the end":     {&Internal{CleanSteps: steps, CleanIndex: at(2)}, CleanSteps, 2, -1},
		"below zero":         {&Internal{ServiceSteps: steps, ServiceIndex: at(-1)}, ServiceSteps, 2, -1},
		"another kind":       {&Internal{DeploySteps: steps}, CleanSteps, 0, -1},
		"no kind":            {&Internal{DeploySteps: steps}, "", 0, -1},
	}
	for name, tt := range tests {
		if got, i := tt.internal.Progress(tt.kind); len(got) != tt.steps || i != tt.index {
			t.Errorf("%s: %d steps at %d", name, len(got), i)
		}
	}
	clean := &Node{CleanStep: &Step{Step: "c"}, ServiceStep: &Step{Step: "s"}, DeployStep: &Step{}}
	if s, kind := clean.CurrentStep(); s.Step != "c" || kind != CleanSteps {
		t.Errorf("%v %s", s, kind)
	}
	service := &Node{ServiceStep: &Step{Step: "s"}}
	if s, kind := service.CurrentStep(); s.Step != "s" || kind != ServiceSteps {
		t.Errorf("%v %s", s, kind)
	}
}

func FuzzDecodeNodes(f *testing.F) {
	for _, seed := range []string{
		`{"nodes":[]}`, `{"nodes":[{"uuid":"u","deploy_step":{"priority":"1"}}]}`, `{"nodes":[{"uuid":5}]}`, `{"nodes":null}`,
		`{"nodes":[{"uuid":"u","driver_internal_info":[1]}]}`, `{"nodes":[{"UUID":"u","created_at":{}}]}`, `[`, `{"nodes":[{}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := DecodeNodes(data, false)
		withRaw, rawErr := DecodeNodes(data, true)
		if (err == nil) != (rawErr == nil) || (err == nil && len(list) != len(withRaw)) {
			t.Errorf("with and without raw differ: %v, %v", err, rawErr)
		}
		for i := range list {
			if list[i].UUID == "" {
				t.Error("a node without uuid")
			}
		}
	})
}
