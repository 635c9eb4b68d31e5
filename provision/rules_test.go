package provision_test

import (
	"fmt"
	"strings"
	"testing"

	"ironworks/models/request"
	"ironworks/provision"
	"ironworks/rules"
)

const (
	ruleA = "0f7a1f0a-6b3e-4a57-9d5c-0a2f6f6c1d11"
	ruleB = "1f7a1f0a-6b3e-4a57-9d5c-0a2f6f6c1d11"
)

func ruleList(t *testing.T, text string) []*rules.Rule {
	t.Helper()
	if text == "" {
		return nil
	}
	list, _, err := rules.Parse([]byte(text), "rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestPlanRules checks the plans for several combinations of a file and the rules in Ironic.
func TestPlanRules(t *testing.T) {
	t.Parallel()
	const logs = "actions: [{op: log, args: {msg: m, level: info}}]"
	now := "- {uuid: " + ruleA + ", description: a, priority: 1, " + logs + "}\n- {uuid: " + ruleB + ", description: b, " + logs + "}\n"
	for _, test := range []struct {
		name, now, wanted string
		hidden, rewrite   bool
		want              string
	}{
		{name: "a new rule", wanted: "- {description: a, " + logs + "}", want: "create a POST"},
		{name: "the same description", now: now, wanted: "- {description: a, priority: 1, " + logs + "}", want: "unchanged a " + ruleA},
		{name: "the order of keys does not count", now: now, wanted: "- {description: b, actions: [{args: {level: info, msg: m}, op: log}]}", want: "unchanged b " + ruleB},
		{name: "another priority", now: now, wanted: "- {description: a, priority: 2, " + logs + "}", want: "change a " + ruleA + " priority PATCH"},
		{name: "the UUID decides", now: now, wanted: "- {uuid: " + ruleB + ", description: a, " + logs + "}", want: "change a " + ruleB + " description PATCH"},
		{name: "an unknown UUID is new", now: now, wanted: "- {uuid: 2f7a1f0a-6b3e-4a57-9d5c-0a2f6f6c1d11, description: a, " + logs + "}", want: "create a 2f7a1f0a-6b3e-4a57-9d5c-0a2f6f6c1d11 POST"},
		{name: "no description and no UUID", now: "- {uuid: " + ruleA + ", " + logs + "}", wanted: "- {" + logs + "}", want: "unchanged " + ruleA + " " + ruleA},
		{
			name: "a description twice in Ironic", now: "- {uuid: " + ruleA + ", description: a, " + logs + "}\n- {uuid: " + ruleB + ", description: a, " + logs + "}",
			wanted: "- {description: a, " + logs + "}",
			want:   `2 rules in Ironic have the description "a": set the rule's uuid in the file to one of ` + ruleA + ", " + ruleB,
		},
		{
			name: "a description twice in the file", now: now, wanted: "- {description: a, " + logs + "}\n- {description: a, priority: 5, " + logs + "}",
			want: "change a " + ruleA + " priority PATCH\n" + `the rules "a" and "a" in the file both match the rule ` + ruleA,
		},
		{name: "hidden is not compared", now: now, hidden: true, wanted: "- {description: a, priority: 1, sensitive: true, actions: [{op: fail, args: {msg: m}}]}", want: "hidden a " + ruleA},
		{
			name: "hidden is rewritten", now: now, hidden: true, rewrite: true, wanted: "- {description: a, priority: 1, sensitive: true, actions: [{op: fail, args: {msg: m}}]}",
			want: "change a " + ruleA + " actions PATCH",
		},
		{
			name: "sensitive is for good", now: now, hidden: true, wanted: "- {description: a, priority: 1, " + logs + "}",
			want: `rule "a" is sensitive, and Ironic cannot make it readable again: delete it and create another`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			existing := ruleList(t, test.now)
			if test.hidden {
				for _, r := range existing {
					r.Sensitive, r.Hidden, r.Conditions, r.Actions = true, true, nil, nil
				}
			}
			steps, err := provision.PlanRules(existing, ruleList(t, test.wanted), test.rewrite)
			var lines []string
			for _, s := range steps {
				lines = append(lines, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s %s", s.Verb, s.Label, s.UUID, strings.Join(s.Fields, ","), methods(s.Requests))), " "))
			}
			if err != nil {
				lines = append(lines, err.Error())
			}
			if got := strings.Join(lines, "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func methods(list []request.Request) string {
	var words []string
	for _, r := range list {
		words = append(words, r.Method)
	}
	return strings.Join(words, ",")
}

func TestFindRules(t *testing.T) {
	t.Parallel()
	const logs = "actions: [{op: log, args: {msg: m}}]"
	all := ruleList(t, "- {uuid: "+ruleA+", description: a, "+logs+"}\n- {uuid: "+ruleB+", description: a, "+logs+"}\n")
	found, err := provision.FindRules(all, []string{ruleA, ruleA})
	if err != nil || len(found) != 1 || found[0] != all[0] {
		t.Errorf("%v %v", found, err)
	}
	_, err = provision.FindRules(all, []string{"a", "b"})
	const want = "2 inspection rules have the description \"a\": use a UUID: " + ruleA + ", " + ruleB + "\nno inspection rule has the UUID or description \"b\""
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
