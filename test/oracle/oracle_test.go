//go:build linux

package oracle

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/ignition/v2/config/v3_6"

	"ironworks/ignition/firstboot"
	"ironworks/ignition/userdata"
	"ironworks/test/seeds"
)

func newOracle(t *testing.T) (*Oracle, *firstboot.Image) {
	t.Helper()
	o, err := New(t.Context(), t.TempDir())
	if errors.Is(err, ErrNotHere) && os.Getenv("CI") == "" {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	image, err := firstboot.FromFolder(o.Root)
	if err != nil {
		t.Fatal(err)
	}
	return o, image
}

// failureLine returns the line of Ignition's log that describes the failure, or the whole log if there is no such
// line.
func failureLine(output string) string {
	for line := range strings.Lines(output) {
		if strings.Contains(line, "CRITICAL") || strings.Contains(line, "Ignition failed") {
			return strings.TrimSpace(line)
		}
	}
	return output
}

func TestPredictionsMatchIgnition(t *testing.T) {
	t.Parallel()
	o, image := newOracle(t)
	for _, text := range cases() {
		config := `{"ignition": {"version": "3.4.0"}, ` + text + `}`
		parsed, report, err := v3_6.ParseCompatibleVersion([]byte(config))
		if err != nil {
			t.Errorf("%s: %v %s", config, err, report)
			continue
		}
		began := time.Now()
		boots, output, err := o.Run(t.Context(), []byte(config))
		if err != nil {
			t.Fatal(err)
		}
		failures := firstboot.Run(parsed, image)
		switch {
		case boots && len(failures) > 0:
			t.Errorf("%s\n\tboots, predicted: %+v", text, failures)
		case !boots && len(failures) == 0:
			t.Errorf("%s\n\tdoes not boot, predicted: boots\n\t%s", text, failureLine(output))
		case testing.Verbose():
			t.Logf("%s %v %v %.80s", text, boots, failures, time.Since(began))
		}
	}
}

// TestCheckAgainstIgnition compares the user data check with Ignition on generated configurations. No configuration
// that ends in the emergency shell may pass the check, and none that boots as intended may be refused.
func TestCheckAgainstIgnition(t *testing.T) {
	t.Parallel()
	o, image := newOracle(t)
	n, seed := 250, seeds.First(t, 1)
	if os.Getenv("IRONWORKS_TEST_LONG") != "" {
		n = 5000
	}
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	var valid, shells int
	for range n {
		config := g.config()
		report := userdata.Check(config, userdata.ForImage(image))
		boots, output, err := o.Run(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := v3_6.ParseCompatibleVersion(config); err == nil {
			valid++
			if !boots {
				shells++
			}
		}
		switch refused := errorsOf(report); {
		case !boots && report.OK():
			t.Errorf("passes the check but ends in the emergency shell: %s\n\t%s", config, failureLine(output))
		case boots && slices.ContainsFunc(refused, func(p userdata.Problem) bool { return !bootsDifferently(p.ID) }):
			t.Errorf("refused but boots: %s\n\t%v", config, refused)
		}
	}
	t.Logf("%d configurations, %d valid, of those %d end in the emergency shell", n, valid, shells)
	if shells < n/10 {
		t.Errorf("only %d of %d configurations end in the emergency shell", shells, n)
	}
}

// bootsDifferently reports whether a configuration with the given problem boots, but certainly not as intended.
func bootsDifferently(id userdata.ProblemID) bool {
	switch id {
	case userdata.IDPasswordNotHashed, userdata.IDSSHKey, userdata.IDDecimalMode, userdata.IDNoName:
		return true
	default:
		return false
	}
}

func errorsOf(r userdata.Report) (found []userdata.Problem) {
	for _, p := range r.Problems {
		if p.Severity == userdata.SeverityError {
			found = append(found, p)
		}
	}
	return found
}
