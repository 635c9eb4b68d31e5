package upstream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
)

// TestKernelParametersMatchIronic checks that CheckKernelParameters accepts exactly the input that Ironic's parser
// accepts.
func TestKernelParametersMatchIronic(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"a", "b.c-d", "-", "--", "--", " ", " ", " ", "  ", "=", "=", `"`, `"`, "x y", "%default%", ":", "/", "1", "a=1", `k="v w"`, `k="v"`,
		" -- ", "\n", "\t", "\x1c", "\u00a0", "ü", "\x00", "!", "#", `\`, "[", "~", "\x7f", "'", "ip=a::b:c", "$(x)",
	}
	lines := []string{"", `a="x"b=1 c`, `c a="x"b=1`, `a="x"-- -- :`, `a -- b="c" -- :`, "a -- --:", `a -- x"`, `a=""`}
	random := rand.New(rand.NewPCG(37, 1)) //nolint:gosec // must be the same in every run
	for range 6000 {
		var line strings.Builder
		for range 1 + random.IntN(9) {
			line.WriteString(pieces[random.IntN(len(pieces))])
		}
		lines = append(lines, line.String())
	}
	input, err := json.Marshal(lines)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, ironic.Program(t, "python"), filepath.Join("testdata", "kernelparams.py"))
	var complaints bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	var taken []bool
	if err := json.Unmarshal(out, &taken); err != nil || len(taken) != len(lines) {
		t.Fatalf("%d results for %d lines: %v", len(taken), len(lines), err)
	}
	both := map[bool]int{}
	for i, line := range lines {
		both[taken[i]]++
		if err := models.CheckKernelParameters(line); (err == nil) != taken[i] {
			t.Errorf("%q: accepted by Ironic: %v, here: %v", line, taken[i], err)
		}
	}
	if both[true] < 500 || both[false] < 500 {
		t.Errorf("too few lines of a kind: %v", both)
	}
}
