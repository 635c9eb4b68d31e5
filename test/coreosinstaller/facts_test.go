package coreosinstaller_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ironworks/test/coreosinstaller"
	"ironworks/test/ironic"
)

var update = flag.Bool("update", false, "rewrite testdata/facts.json")

// TestRecordedFacts checks that there are as many recorded facts as cases.
func TestRecordedFacts(t *testing.T) {
	want, err := coreosinstaller.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	if cases := coreosinstaller.Cases(); !*update && (len(cases.Kargs) != len(want.Kargs) || len(cases.Areas) != len(want.Areas)) {
		t.Fatal("the cases have changed: go test ./test/coreosinstaller -update")
	}
}

// TestFacts checks that the real program still produces the recorded facts.
func TestFacts(t *testing.T) {
	if !ironic.Long() && !*update {
		t.Skip("make test-long builds the real coreos-installer")
	}
	want, err := coreosinstaller.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	got := record(t, coreosinstaller.Program(t))
	if *update {
		text, err := json.MarshalIndent(got, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("testdata", "facts.json"), append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, fact := range got.Kargs {
		if !reflect.DeepEqual(fact, want.Kargs[i]) {
			t.Errorf("%+v, recorded %+v", fact, want.Kargs[i])
		}
	}
	for i, fact := range got.Areas {
		if !reflect.DeepEqual(fact, want.Areas[i]) {
			t.Errorf("%+v, recorded %+v", fact, want.Areas[i])
		}
	}
	if !bytes.Equal(got.Wrapped, want.Wrapped) {
		t.Errorf("wrapped %x, recorded %x", got.Wrapped, want.Wrapped)
	}
}

// real is the real program, with a folder for images.
type real struct {
	program, folder string
}

func (r real) run(ctx context.Context, t *testing.T, stdin string, arguments ...string) string {
	t.Helper()
	out, err := coreosinstaller.Run(ctx, r.program, []byte(stdin), arguments...)
	if err != nil {
		t.Fatalf("%q: %v", arguments, err)
	}
	return string(out)
}

func (r real) write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(r.folder, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// record runs the real program on all cases and returns the facts.
func record(t *testing.T, program string) coreosinstaller.Facts {
	t.Helper()
	facts := coreosinstaller.Cases()
	images := coreosinstaller.Images()
	r := real{program: program, folder: t.TempDir()}
	for i := range facts.Kargs {
		fact := &facts.Kargs[i]
		path := r.write(t, "kargs.iso", images[fact.Image].Image)
		if len(fact.Prepared) > 0 {
			r.run(t.Context(), t, "", slices.Concat([]string{"iso", "kargs", "modify"}, fact.Prepared, []string{path})...)
		}
		arguments := slices.Concat([]string{"iso", "kargs", "modify"}, fact.Arguments, []string{path})
		if fact.Reset {
			arguments = []string{"iso", "kargs", "reset", path}
		}
		_, err := coreosinstaller.Run(t.Context(), program, nil, arguments...)
		switch {
		case errors.Is(err, coreosinstaller.ErrRefused):
			fact.Refused = true
			continue
		case err != nil:
			t.Fatal(err)
		}
		fact.Kargs = strings.TrimSuffix(r.run(t.Context(), t, "", "iso", "kargs", "show", path), "\n")
		fact.SHA256 = digest(read(t, path))
	}
	for i := range facts.Areas {
		fact := &facts.Areas[i]
		live := images[fact.Image]
		path := r.write(t, "area.iso", live.Image)
		if fact.Keyfiles != nil {
			arguments := []string{"iso", "network", "embed"}
			for _, name := range slices.Sorted(maps.Keys(fact.Keyfiles)) {
				arguments = append(arguments, "-k", r.write(t, name, []byte(fact.Keyfiles[name])))
			}
			r.run(t.Context(), t, "", append(arguments, path)...)
		}
		if fact.Config != "" {
			r.run(t.Context(), t, fact.Config, "iso", "ignition", "embed", path)
		}
		area := read(t, path)[live.Area:][:coreosinstaller.AreaSize]
		fact.Area = bytes.TrimRight(area, "\x00")
	}
	facts.Wrapped = []byte(r.run(t.Context(), t, facts.Config, "pxe", "ignition", "wrap"))
	return facts
}
