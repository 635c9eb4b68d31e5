package upstream_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"ironworks/models"
	"ironworks/models/steps"
	"ironworks/test/ironic"
)

// releaseStep is a step that testdata/steps.py found in the sources of a release.
type releaseStep struct {
	Interface string          `json:"interface"`
	Driver    string          `json:"driver"`
	Step      string          `json:"step"`
	Kind      models.StepKind `json:"kind"`
	Priority  int             `json:"priority"`
	Arguments map[string]bool `json:"arguments"` // whether each argument is required
}

func stepsOf(t *testing.T, environment string, arguments ...string) []releaseStep {
	t.Helper()
	python := filepath.Join(ironic.Environment(t, environment), "bin", "python")
	cmd := exec.CommandContext(t.Context(), python, append([]string{filepath.Join("testdata", "steps.py")}, arguments...)...) //nolint:gosec // our own program
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	var list []releaseStep
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatalf("no steps in %s", environment)
	}
	return list
}

// TestStepsOfReleases checks that the table of steps and the sources of both releases contain the same steps.
func TestStepsOfReleases(t *testing.T) {
	t.Parallel()
	for _, release := range []ironic.Release{ironic.Newest, ironic.Old} {
		t.Run(release.Version(), func(t *testing.T) {
			t.Parallel()
			found := stepsOf(t, release.Name())
			found = append(found, stepsOf(t, "agent-"+release.Name(), "agent")...)
			drivers := map[string]bool{}
			for _, f := range found {
				drivers[f.Interface+"/"+f.Driver] = true
				if !isKnown(f, release.Version()) {
					t.Errorf("the table lacks the %s step %s.%s of %s with priority %d and arguments %v", f.Kind, f.Interface, f.Step, f.Driver, f.Priority, f.Arguments)
				}
			}
			for _, k := range steps.All() {
				if k.Image != "" || k.Release != "" && k.Release != release.Version() {
					continue
				}
				for _, driver := range k.Drivers {
					if drivers[k.Interface+"/"+driver] {
						compareKinds(t, &k, driver, release, found)
					}
				}
			}
		})
	}
}

func compareKinds(t *testing.T, k *steps.Known, driver string, release ironic.Release, found []releaseStep) {
	t.Helper()
	for _, kind := range k.Kinds {
		if kind == models.ServiceSteps && release == ironic.Old {
			continue // Ironic has this step since API 1.87
		}
		is := func(f releaseStep) bool {
			return f.Interface == k.Interface && f.Driver == driver && f.Step == k.Name && f.Kind == kind
		}
		if !slices.ContainsFunc(found, is) {
			t.Errorf("%s of %s is no %s step of %s", k.Label(), driver, kind, release.Version())
		}
	}
}

// isKnown reports whether the table contains the step, with the same arguments, for the given release.
func isKnown(f releaseStep, release string) bool {
	return slices.ContainsFunc(steps.Named(f.Interface, f.Step), func(k *steps.Known) bool {
		arguments := map[string]bool{}
		for _, a := range k.Args {
			arguments[a.Name] = a.Required
		}
		return (k.Release == "" || k.Release == release) && slices.Contains(k.Drivers, f.Driver) &&
			slices.Contains(k.Kinds, f.Kind) && maps.Equal(arguments, f.Arguments) && (f.Kind != models.CleanSteps || k.Automated == f.Priority)
	})
}
