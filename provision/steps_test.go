package provision_test

import (
	"slices"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
)

func prio(n int) *int { return &n }

func TestParseStep(t *testing.T) {
	for text, want := range map[string]string{
		"deploy.install_coreos":    "deploy.install_coreos",
		"deploy.install_coreos@80": "deploy.install_coreos@80",
		"bios.factory_reset@0":     "bios.factory_reset@0",
		"deploy":                   "!INTERFACE.STEP",
		"":                         "!INTERFACE.STEP",
		"console.x":                "!has no steps",
		"deploy.x@":                "!not a number",
		"deploy.x@-1":              "!not a number",
		"deploy.x@8x":              "!not a number",
		"deploy.x@08":              "!not a number",
	} {
		s, err := provision.ParseStep(text)
		checkStep(t, text, []models.Step{s}, err, want)
	}
}

func checkStep(t *testing.T, text string, steps []models.Step, err error, want string) {
	t.Helper()
	if why, bad := strings.CutPrefix(want, "!"); bad {
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", text, err, why)
		}
		return
	}
	if err != nil {
		t.Errorf("%q: %v", text, err)
		return
	}
	if got := labels(steps); got != want {
		t.Errorf("%q is %s, want %s", text, got, want)
	}
}

func labels(steps []models.Step) string {
	var list []string
	for _, s := range steps {
		label := s.Label()
		if s.Priority != nil {
			label += "@" + string(rune('0'+*s.Priority/10)) + string(rune('0'+*s.Priority%10))
			label = strings.Replace(label, "@0", "@", 1)
		}
		list = append(list, label)
	}
	return strings.Join(list, " ")
}

func TestParseSteps(t *testing.T) {
	for text, want := range map[string]string{
		`[{"interface":"deploy","step":"install_coreos","args":{},"priority":80}]`:           "deploy.install_coreos@80",
		`[{"interface":"deploy","step":"a","priority":"7"},{"interface":"raid","step":"b"}]`: "deploy.a@7 raid.b",
		`[{"interface":"deploy","step":"a","priority":null,"order":1}]`:                      "deploy.a",
		`[]`:                                "",
		`{"interface":"deploy","step":"a"}`: "!JSON list",
		`[{"interface":"deploy","step":"a"}] and more`:       "!JSON list",
		`[{"interface":"deploy","step":"a","prioity":80}]`:   `!step 1: unknown field "prioity"`,
		`[{"interface":"deploy","step":"a","priority":-1}]`:  "!not a number",
		`[{"interface":"deploy","step":"a","priority":1.5}]`: "!not a number",
		`[{"interface":"deploy","step":"a","args":[1]}]`:     "!step 1",
		`[{"interface":"deploy"}]`:                           "!no step name",
		`[{"step":"a"}]`:                                     "!has no steps",
		`[{"interface":"deploy","step":"a"},null]`:           "!step 2",
		``: "!JSON list",
	} {
		steps, err := provision.ParseSteps([]byte(text))
		checkStep(t, text, steps, err, want)
	}
}

func TestWithPriorities(t *testing.T) {
	for name, c := range map[string]struct{ given, want []int }{
		"none":          {[]int{-1}, []int{80}},
		"order is kept": {[]int{-1, -1, -1}, []int{80, 79, 78}},
		"after one":     {[]int{90, -1, -1}, []int{90, 89, 88}},
		"before one":    {[]int{-1, 60, -1}, []int{80, 60, 59}},
		"switched off":  {[]int{0, -1}, []int{0, 80}},
		"off between":   {[]int{-1, 0, -1}, []int{80, 0, 79}},
		"last":          {[]int{1, -1}, []int{1, 1}},
	} {
		var steps []models.Step
		for _, p := range c.given {
			s := models.Step{Interface: "deploy", Step: "x"}
			if p >= 0 {
				s.Priority = prio(p)
			}
			steps = append(steps, s)
		}
		var got []int
		for _, s := range plan.WithPriorities(steps) {
			got = append(got, *s.Priority)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if steps[len(steps)-1].Priority != nil && c.given[len(c.given)-1] < 0 {
			t.Errorf("%s: the argument was changed", name)
		}
	}
}
