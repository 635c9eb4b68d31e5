package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// replaced lists phrases that messages and documentation must not contain, with suggested replacements.
var replaced = []struct {
	phrase *regexp.Regexp
	use    string
}{
	{regexp.MustCompile(`(?i)\b(somebody|nobody|whoever|everybody)\b`), "the operator, the user, another node …"},
	{regexp.MustCompile(`(?i)\bcan(not)? be had\b`), "available, not available"},
	{regexp.MustCompile(`(?i)\b(goes|go|went|gone|going) on\b`), "resume, continue, run"},
	{regexp.MustCompile(`(?i)\blet be\b`), "canceled, left unchanged"},
	{regexp.MustCompile(`(?i)\bat rest\b|\bcomes? to rest\b`), "done, stable"},
	{regexp.MustCompile(`(?i)\bunder way\b`), "running"},
	{regexp.MustCompile(`(?i)\bthe way out\b`), "the fix"},
	{regexp.MustCompile(`(?i)\b(is|are|was|were) (not )?told\b`), "reported, unknown"},
	{regexp.MustCompile(`(?i)\bof (its|their|one's|your) own\b`), "own"},
	{regexp.MustCompile(`(?i)\bread just now\b`), "updated, done"},
	{regexp.MustCompile(`(?i)\bnever seen\b`), "unknown"},
	{regexp.MustCompile(`(?i)\bmachines? that do(es)? not exist`), "simulated machine"},
	{regexp.MustCompile(`(?i)\bis so already\b`), "already set"},
	{regexp.MustCompile(`(?i)\b(is|are) none (of|that)\b`), "no …"},
	{regexp.MustCompile(`(?i)\bcontact (is )?lost\b|\blost contact\b`), "connection lost"},
	{regexp.MustCompile(`(?i)\blogins\b`), "credentials"},
	{regexp.MustCompile(`(?i)\bpieces? of work\b`), "operation"},
	{regexp.MustCompile(`(?i)\bbegun\b`), "started"},
	{regexp.MustCompile(`(?i)\b(is|are) there already\b`), "already exists"},
	{regexp.MustCompile(`(?i)\bour (file|program)\b`), "the configuration file, ironworks"},
	{regexp.MustCompile(`(?i)\bshows it again\b`), "to … again, run …"},
	{regexp.MustCompile(`(?i)\bexcludes? each other\b`), "cannot be combined"},
	{regexp.MustCompile(`(?i)\bneeds? each other\b`), "must be given together"},
	{regexp.MustCompile(`(?i)\b(known|those) are %s`), "available: …"},
	{regexp.MustCompile(`(?i)\bis no (URL|number|object|list|string|text|file|node|argument|trait|field|path|key|name)\b`), "is not a …"},
	{regexp.MustCompile(`(?i)\bfrom [01] on\b`), "≥ 0"},
	{regexp.MustCompile(`(?i)\bwhat became of\b`), "the result of"},
	{regexp.MustCompile(`(?i)\bof before\b`), "earlier, replaced"},
	{regexp.MustCompile(`(?i)\bresting state`), "stable state"},
	{regexp.MustCompile(`\blive ≤`), "updated … ago"},
	{regexp.MustCompile(`(?i)\b(errors|warnings) are what\b`), "the things that are wrong"},
	{regexp.MustCompile(`\bthe page [A-Z]`), "the … page"},
	{regexp.MustCompile(`\b(that|those) of --`), "given with --…, read from --…"},
	{regexp.MustCompile(`\bdefault: (that|those) of\b`), "default: the address of, the sources of …"},
	{regexp.MustCompile(`(?i)^ ?(load|read|query|test|wait|validat)ing [^…]* …$`), "no space before the ellipsis"},
	{regexp.MustCompile(`(?i)\bmakes? an? \w+ of (a|an|the)\b`), "build … from …"},
	{regexp.MustCompile(`(?i)\bbehaviour|colour|licence|recognised|catalogue\b`), "US spelling"},
}

// systemd is the prefix of errors from systemd, which the lab's agent repeats.
const systemd = "org.freedesktop.systemd1."

// TestTexts checks the string literals of the program's code.
func TestTexts(t *testing.T) {
	t.Parallel()
	walk(t, ".go", func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Field: // the tag of a field
				return n.Tag == nil
			case *ast.CallExpr:
				if text, ok := errorText(n); ok && strings.HasSuffix(text, ".") && !strings.HasPrefix(text, systemd) {
					t.Errorf("%s: an error ends without a full stop: %q", files.Position(n.Pos()), text)
				}
			case *ast.BasicLit:
				if text, ok := literal(n); ok {
					check(t, files.Position(n.Pos()).String(), text)
				}
			}
			return true
		})
	})
}

// TestPages checks the pages of the documentation.
func TestPages(t *testing.T) {
	t.Parallel()
	walk(t, ".md", func(path string) {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			check(t, path+":"+strconv.Itoa(i+1), line)
		}
	})
}

func check(t *testing.T, where, text string) {
	t.Helper()
	for _, r := range replaced {
		if found := r.phrase.FindString(text); found != "" {
			t.Errorf("%s: %q in %q; use %s", strings.TrimPrefix(where, root+"/"), found, text, r.use)
		}
	}
}

// literal returns the value of a string literal. It also reports whether the value contains a space, because users
// read only such values.
func literal(n *ast.BasicLit) (string, bool) {
	if n.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(n.Value)
	return text, err == nil && strings.Contains(strings.TrimSpace(text), " ")
}

// errorText returns the text of a call that creates an error. It reports false for other calls.
func errorText(n *ast.CallExpr) (string, bool) {
	f, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || len(n.Args) == 0 || f.Sel.Name != "Errorf" && f.Sel.Name != "New" {
		return "", false
	}
	if p, ok := f.X.(*ast.Ident); !ok || p.Name != "fmt" && p.Name != "errors" {
		return "", false
	}
	lit, ok := n.Args[0].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	return literal(lit)
}

// walk visits the files with the extension ext that belong to the program or its documentation. It excludes tests,
// and the folders of the lab and its agent that repeat messages of Ironic and its agent.
func walk(t *testing.T, ext string, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch rel = filepath.ToSlash(rel); {
		case d.IsDir() && (rel == "test" || rel == "bin" || strings.HasPrefix(rel, ".") && rel != "." ||
			rel == "lab/api" || rel == "lab/conductor" || rel == "agent" || rel == "lab/machine"):
			return filepath.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ext:
			visit(rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
