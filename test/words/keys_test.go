package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fixedKey matches a one-character key that a text names. Texts must not contain such keys, because operators can
// bind other keys. Instead, texts of the screens contain {action} and pass through Keymap.Text, and remedies of other
// packages contain :action.
var fixedKey = regexp.MustCompile(`(^|[;,.(] ?)([A-Za-z0-9@+&/]): [a-z]|` +
	`(^|[;,.(] ?)([A-Za-z@+&/]) (searches|enrolls|stops|selects|opens|shows|adds|edits|clears|retries)\b|` +
	`[a-z] \((in )?[A-Za-z@+&/]\)($|[ .;,])`)

// TestTextsNameNoFixedKey checks that the texts of the console name no key, because users can change the keys.
func TestTextsNameNoFixedKey(t *testing.T) {
	t.Parallel()
	for _, text := range []string{" x: override checks.", "no text; / searches", "inspect the node (I)", "use validate (in a); more", " (4: details)"} {
		if !fixedKey.MatchString(strings.TrimSpace(text)) {
			t.Errorf("%q has a key", text)
		}
	}
	walk(t, ".go", func(path string) {
		if !strings.HasPrefix(path, "ui/") && !strings.HasPrefix(path, "provision/") && !strings.HasPrefix(path, "session/") {
			return
		}
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok {
				return true
			}
			if text, ok := literal(lit); ok && fixedKey.MatchString(strings.TrimSpace(text)) {
				t.Errorf("%s: %q names a key that operators can bind to another action: write {action} or :action",
					strings.TrimPrefix(files.Position(n.Pos()).String(), root+"/"), text)
			}
			return true
		})
	})
}
