package plan

import (
	"os"
	"strings"
	"testing"

	"ironworks/printable"
)

func TestChoices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		id      CheckID
		node    string
		choices CheckChoices
		want    CheckSeverity
	}{
		"refuses":                {CheckRetired, `"retired": true`, CheckChoices{}, CheckRefuse},
		"warns by policy":        {CheckRetired, `"retired": true`, CheckChoices{Policy: map[CheckID]CheckPolicy{CheckRetired: PolicyWarn}}, CheckWarn},
		"is off":                 {CheckRetired, `"retired": true`, CheckChoices{Policy: map[CheckID]CheckPolicy{CheckRetired: PolicyOff}}, notDone},
		"is overridden":          {CheckRetired, `"retired": true`, CheckChoices{Override: []CheckID{CheckRetired}}, CheckWarn},
		"another is overridden":  {CheckRetired, `"retired": true`, CheckChoices{Override: []CheckID{CheckReserved}}, CheckRefuse},
		"refuses by policy":      {CheckFault, `"fault": "x"`, CheckChoices{Policy: map[CheckID]CheckPolicy{CheckFault: PolicyRefuse}}, CheckRefuse},
		"cannot be overridden":   {CheckMaintenance, `"maintenance": true`, CheckChoices{Override: []CheckID{CheckMaintenance}}, CheckRefuse},
		"cannot be switched off": {CheckMaintenance, `"maintenance": true`, CheckChoices{Policy: map[CheckID]CheckPolicy{CheckMaintenance: PolicyOff}}, CheckRefuse},
		"ok stays ok":            {CheckRetired, "", CheckChoices{Policy: map[CheckID]CheckPolicy{CheckRetired: PolicyRefuse}}, CheckOK},
	} {
		f := goodFacts(t, c.node)
		if err := f.Resolve(); err != nil {
			t.Fatal(err)
		}
		got := notDone
		for _, check := range Checks(f, c.choices) {
			if check.ID == c.id {
				got = check.Severity
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	for _, bad := range [][2]string{{"maintenance", "off"}, {"retired", "loud"}, {"nonsense", "off"}} {
		if p, err := ParseCheckPolicy(CheckID(bad[0]), bad[1]); err == nil {
			t.Errorf("%q: %s", bad, p)
		}
	}
}

func TestCheckEvidenceIsHarmless(t *testing.T) {
	t.Parallel()
	f := goodFacts(t, `"name": "evil\u001b[2J", "fault": "a\u202eb", "retired": true, "retired_reason": "\u001b]0;x\u0007"`)
	if err := f.Resolve(); err != nil {
		t.Fatal(err)
	}
	for _, c := range Checks(f, CheckChoices{}) {
		text := c.String()
		for _, e := range c.Evidence {
			text += e.String()
		}
		if text != printable.Line(text) {
			t.Errorf("%q", text)
		}
	}
}

func TestEveryCheckIsInTheDocumentation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/reference/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range CheckRules() {
		override := "no"
		if r.Override {
			override = "yes"
		}
		line := "| `" + string(r.ID) + "` | " + string(r.Worst) + " | " + override + " | " + r.About + " |"
		if !strings.Contains(string(text), line) {
			t.Errorf("docs/reference/deploy.md lacks\n%s", line)
		}
	}
}
