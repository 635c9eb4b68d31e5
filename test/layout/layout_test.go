// Package layout_test compares the table of packages in docs/development.md with the code. It also compares the table
// with the linter's rules, which are generated from the table.
package layout_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the linter's rules")

const (
	module = "ironworks"
	docs   = "../../docs/development.md"
	linter = "../../.golangci.yml"
	// The rules are between these lines of the linter's configuration.
	begin = "      # Made from docs/development.md: go test ./test/layout -update\n      rules:\n"
	end   = "  exclusions:\n"
)

// row holds the import rules from one row of the table.
type row struct {
	// everything marks packages that may import all others.
	everything bool
	// quiet marks packages that do no I/O.
	quiet bool
	// may lists the folders that may be imported; x/* is everything below x.
	may []string
}

// has reports whether may contains the folder, either itself or as part of an x/* entry.
func (r *row) has(folder string) bool {
	return slices.ContainsFunc(r.may, func(may string) bool {
		above, all := strings.CutSuffix(may, "/*")
		return may == folder || all && strings.HasPrefix(folder, above+"/")
	})
}

// pkg is a package of the module. ours and others list the packages that it imports from the module and from other
// modules, except in tests.
type pkg struct {
	folder       string
	ours, others []string
}

func table(t *testing.T) map[string]row {
	t.Helper()
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]row{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 3 || !strings.HasPrefix(line, "| `") {
			if len(rows) > 0 {
				break // only the first table counts
			}
			continue
		}
		var r row
		for word := range strings.SplitSeq(strings.TrimSpace(cells[2]), ", ") {
			switch word {
			case "–":
			case "everything":
				r.everything = true
			case "no I/O":
				r.quiet = true
			default:
				r.may = append(r.may, word)
			}
		}
		for name := range strings.SplitSeq(cells[0], ",") {
			rows[strings.Trim(strings.TrimSpace(name), "`")] = r
		}
	}
	if len(rows) < 20 {
		t.Fatalf("%s: table of only %d rows", docs, len(rows))
	}
	return rows
}

// readFolders reads every folder, so that Go's test cache notices new files. The cache does not notice what go list
// reads.
func readFolders(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2:
			return fs.SkipDir
		case d.IsDir():
			_, err = os.ReadDir(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func packages(t *testing.T) []pkg {
	t.Helper()
	readFolders(t)
	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		p := pkg{folder: strings.TrimPrefix(words[0], module+"/")}
		if strings.HasPrefix(p.folder, "test/") {
			continue // tests may import everything
		}
		for _, imported := range words[1:] {
			switch first, _, _ := strings.Cut(imported, "/"); {
			case first == module:
				p.ours = append(p.ours, strings.TrimPrefix(imported, module+"/"))
			case strings.Contains(first, "."):
				p.others = append(p.others, imported)
			}
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b pkg) int { return cmp.Compare(a.folder, b.folder) })
	return all
}

// rowOf returns the name of the row for a folder. It is the folder's own row or, if there is none, the row of the
// nearest folder above it.
func rowOf(rows map[string]row, folder string) (name string, found bool) {
	for name = folder; name != ""; {
		if _, found = rows[name]; found {
			return name, true
		}
		i := strings.LastIndex(name, "/")
		name = name[:max(i, 0)]
	}
	return "", false
}

// TestTableMatchesTheCode checks that every package has a row and imports only the folders that the row allows, and
// that every allowed folder is needed.
func TestTableMatchesTheCode(t *testing.T) {
	rows := table(t)
	needed := map[string]map[string]bool{}
	for _, p := range packages(t) {
		name, found := rowOf(rows, p.folder)
		if !found {
			t.Errorf("%s has no row in %s", p.folder, docs)
			continue
		}
		if needed[name] == nil {
			needed[name] = map[string]bool{}
		}
		for _, imported := range p.ours {
			needed[name][imported] = true
			if r := rows[name]; !r.everything && !r.has(imported) && !below(imported, name) {
				t.Errorf("%s imports %s, which the row of %s does not allow", p.folder, imported, name)
			}
		}
	}
	for name, r := range rows {
		for _, may := range r.may {
			one := row{may: []string{may}}
			used := slices.ContainsFunc(slices.Collect(maps.Keys(needed[name])), one.has)
			if !used && !strings.HasPrefix(name, "test/") {
				t.Errorf("the row of %s allows %s, which it does not import", name, may)
			}
		}
	}
}

// below reports whether the first folder is the second one or lies below it. The parts of a screen, for example, lie
// below the screen.
func below(folder, of string) bool { return strings.HasPrefix(folder, of+"/") || folder == of }

// TestLinterMatchesTheTable checks that the linter's configuration contains the rules that follow from the table.
func TestLinterMatchesTheTable(t *testing.T) {
	rows := table(t)
	var rules bytes.Buffer
	for _, p := range packages(t) {
		name, _ := rowOf(rows, p.folder)
		r := rows[name]
		if r.everything || p.folder == "cmd/ironworks" {
			continue
		}
		allowed := map[string]bool{}
		for _, may := range r.may {
			above, all := strings.CutSuffix(may, "/*")
			allowed[module+"/"+above+map[bool]string{true: "/", false: "$"}[all]] = true
		}
		for _, imported := range p.ours {
			if below(imported, name) {
				allowed[module+"/"+imported+"$"] = true
			}
		}
		for _, other := range p.others {
			allowed[other+"$"] = true
		}
		fmt.Fprintf(&rules, "        %s:\n          list-mode: strict\n          files: [\"${base-path}/%s/*.go\", \"!$test\"]\n          allow: [%s]\n",
			strings.ReplaceAll(p.folder, "/", "-"), p.folder, strings.Join(append([]string{"$gostd"}, slices.Sorted(maps.Keys(allowed))...), ", "))
		if r.quiet {
			rules.WriteString("          deny: [{pkg: net$, desc: no I/O}, {pkg: net/http$, desc: no I/O}, {pkg: os$, desc: no I/O}, {pkg: os/exec$, desc: no I/O}]\n")
		}
	}
	text, err := os.ReadFile(linter)
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(text), begin)
	_, after, ends := strings.Cut(after, end)
	if !found || !ends {
		t.Fatalf("%s has no place for the rules", linter)
	}
	want := before + begin + rules.String() + end + after
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s differs from the table in %s: go test ./test/layout -update rewrites it", linter, docs)
	}
	if err := os.WriteFile(linter, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}
