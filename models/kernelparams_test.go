package models_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/test/ironic"
)

func TestCheckKernelParameters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, line string
		column     int
		why        string
	}{
		{"a live boot", "coreos.live.rootfs_url=http://[fd00::1]:8080/rootfs.img ignition.firstboot ignition.platform.id=metal ip=10.0.0.5::10.0.0.1:255.255.255.0:n1:eth0:none:10.0.0.2", 0, ""},
		{"nothing", " ", 0, ""},
		{"quotes", `a="b c" d`, 0, ""},
		{"init", "a -- x:y", 0, ""},
		{"no value", "a b= c", 5, "' ' where a value should be"},
		{"no value at the end", "a b=", 5, "a value is missing at the end"},
		{"a key with a colon", "a:b", 2, "':' where a space should be"},
		{"a key with a slash", "a /b", 3, "'/' where a key of letters, digits, _, - and . should be"},
		{"a quote in a value", `a=b"c`, 4, `'"' where a space should be`},
		{"an open quote", `a="b c`, 7, "a closing quote is missing at the end"},
		{"a second line", "a\nb", 2, `'\n' where a space should be`},
		{"not ASCII", "a=1 b=ü", 7, "'ü' where a value should be"},
		{"Ironic's default as it is", "%default% a", 1, "'%' where a key of letters, digits, _, - and . should be"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := models.CheckKernelParameters(test.line)
			if test.why == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var refused *models.KernelParametersError
			if !errors.As(err, &refused) || refused.Column != test.column || refused.Why != test.why {
				t.Errorf("%v", err)
			}
		})
	}
	if err := models.CheckKernelAppendParams("%default% a=1", "nofb vga=normal"); err != nil {
		t.Error(err)
	}
	if err := models.CheckKernelAppendParams("%default% a=1", "nofb=:\""); err == nil {
		t.Error("a default that Ironic refuses is taken")
	}
}

// The real Ironic's parser takes what is taken here, and nothing else.
func TestKernelParametersAsIronicReadsThem(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"a", "b.c-d", "-", "--", "--", " ", " ", " ", "  ", "=", "=", `"`, `"`, "x y", "%default%", ":", "/", "1", "a=1", `k="v w"`, `k="v"`,
		" -- ", "\n", "\t", "\x1c", "\u00a0", "ü", "\x00", "!", "#", `\`, "[", "~", "\x7f", "'", "ip=a::b:c", "$(x)",
	}
	lines := []string{"", `a="x"b=1 c`, `c a="x"b=1`, `a="x"-- -- :`, `a -- b="c" -- :`, "a -- --:", `a -- x"`, `a=""`}
	random := rand.New(rand.NewPCG(37, 1)) //nolint:gosec // the same lines in every run
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
		t.Fatalf("%d answers to %d lines: %v", len(taken), len(lines), err)
	}
	both := map[bool]int{}
	for i, line := range lines {
		both[taken[i]]++
		if err := models.CheckKernelParameters(line); (err == nil) != taken[i] {
			t.Errorf("%q: Ironic takes it: %v, here: %v", line, taken[i], err)
		}
	}
	if both[true] < 500 || both[false] < 500 {
		t.Errorf("too few lines of a kind: %v", both)
	}
}
