package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docStart matches a doc comment that starts with an unexported name, which is a word in lower case followed by a
// verb.
var docStart = regexp.MustCompile(`^([a-z]\w*) [a-z]+s `)

// TestDocCommentsStartWithTheName finds doc comments that still contain the old name of a renamed function.
func TestDocCommentsStartWithTheName(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			function, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if start := docStart.FindStringSubmatch(function.Doc.Text()); start != nil && start[1] != function.Name.Name {
				t.Errorf("%s: the comment of %s starts with %q", strings.TrimPrefix(files.Position(function.Pos()).String(), root+"/"),
					function.Name.Name, start[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
