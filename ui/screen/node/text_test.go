package node

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/ui/screen/screentest"
)

func show(changes []change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s%s ", strings.TrimSpace(string(rune(c.op))), c.line)
	}
	return strings.TrimSpace(b.String())
}

func TestDiff(t *testing.T) {
	for _, tc := range []struct{ name, before, after, want string }{
		{"the same", "a b c", "a b c", "a b c"},
		{"nothing before", "", "a b", "+a +b"},
		{"nothing after", "a b", "", "-a -b"},
		{"one changed", "a b c", "a x c", "a -b +x c"},
		{"one put in", "a c", "a b c", "a +b c"},
		{"one taken out", "a b c", "a c", "a -b c"},
		{"a run within", "a b c d e f", "a x c d y f", "a -b +x c d -e +y f"},
		{"repeated lines", "x x x", "x x", "x x -x"},
		{"both ends", "a b c", "z b y", "-a +z b -c +y"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := show(diff(strings.Fields(tc.before), strings.Fields(tc.after))); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestDiffContainsBothTexts checks that both texts can be rebuilt from their diff.
func TestDiffContainsBothTexts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []string {
		lines := make([]string, n)
		for i := range lines {
			lines[i] = string(rune('a' + rnd.IntN(4)))
		}
		return lines
	}
	for range 2000 {
		before, after := text(rnd.IntN(20)), text(rnd.IntN(20))
		checkRebuilds(t, before, after)
	}
}

func checkRebuilds(t *testing.T, before, after []string) {
	t.Helper()
	var old, fresh []string
	for _, c := range diff(before, after) {
		if c.op != added {
			old = append(old, c.line)
		}
		if c.op != removed {
			fresh = append(fresh, c.line)
		}
	}
	if !slices.Equal(old, before) || !slices.Equal(fresh, after) {
		t.Fatalf("%q and %q came out as %q and %q", before, after, old, fresh)
	}
}

func TestDiffIsBounded(t *testing.T) {
	var before, after []string
	for i := range 20_000 {
		before, after = append(before, fmt.Sprint("old", i)), append(after, fmt.Sprint("new", i))
	}
	began := time.Now()
	checkRebuilds(t, append([]string{"head"}, before...), append([]string{"head"}, after...))
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestRawOfInvalidJSON(t *testing.T) {
	var r raw
	r.setObject([]byte("{"), screentest.Began)
	if r.err == nil {
		t.Error("no error")
	}
	r.setObject([]byte(`{"a":1}`), screentest.Began)
	if r.err != nil || r.before != nil || len(r.lines) != 1 {
		t.Errorf("%+v", r)
	}
}
