package words_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// withoutKey lists messages of the console that may name a command, with the reasons. The usual reason is that no key
// has the same effect.
var withoutKey = map[string]string{
	"ironworks deploy --give-back reverts it":            "no key reverts a deployment without continuing it",
	"The console, ironworks watch and commands":          "says which programs record",
	"The console and ironworks logs record":              "says which programs record",
	"for ironworks deploy -f; keeps":                     "says what reads the file",
	"a plan for ironworks deploy -f; replaces":           "says what the file is",
	": ironworks deploy -f ":                             "says what reads the file",
	"as in ironworks hints match":                        "says what the format is",
	"as a plan: ironworks enroll -f":                     "no key writes the plan",
	"no records in this period; see ironworks journal":   "only a command exports a journal",
	"not a recording made by ironworks journal export":   "says what the file must be",
	"--output FILE && ironworks ignition check FILE":     "the command of a next step that has a key",
	"boot a ramdisk built with ironworks ignition build": "no key pushes a journal",
}

// TestTextsOfTheConsoleNameKeysWhereAKeyDoesIt checks the packages whose messages the console shows. A function that
// names a command of ironworks must also provide a form for the console ([models.OnScreen]).
func TestTextsOfTheConsoleNameKeysWhereAKeyDoesIt(t *testing.T) {
	t.Parallel()
	command := commands(t)
	used := map[string]bool{}
	walk(t, ".go", func(path string) {
		if !shownByConsole(path) {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			texts, screen := namesOf(decl, command)
			screen = screen || receiver(decl) != "" && slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
				return receiver(d) == receiver(decl) && d.(*ast.FuncDecl).Name.Name == "OnScreen" //nolint:forcetypeassert // it has a receiver
			})
			for _, text := range texts {
				known := ""
				for part := range withoutKey {
					if strings.Contains(text.value, part) {
						known = part
					}
				}
				used[known] = true
				if known == "" && (!screen || strings.HasPrefix(path, "ui/")) {
					t.Errorf("%s: the console shows the command in %q: add the key (models.OnScreen)", files.Position(text.pos), text.value)
				}
			}
		}
	})
	for part := range withoutKey {
		if !used[part] {
			t.Errorf("no text has %q any more: remove it from withoutKey", part)
		}
	}
}

// TestScreensShowErrorsForTheConsole checks that screens do not call Error. The messages that Error returns name
// commands, while those of [models.OnScreen] name keys.
func TestScreensShowErrorsForTheConsole(t *testing.T) {
	t.Parallel()
	walk(t, ".go", func(path string) {
		if !strings.HasPrefix(path, "ui/") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/screentest/") {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) > 0 {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Error" {
				t.Errorf("%s: call models.OnScreen instead of Error", files.Position(n.Pos()))
			}
			return true
		})
	})
}

// shownByConsole reports whether the console may show messages from a file. It does not show those of the command
// line, the lab, tests or doctor, which is only a command.
func shownByConsole(path string) bool {
	for _, out := range []string{"cmd/", "lab/", "models/doctor/", "session/checkup/"} {
		if strings.HasPrefix(path, out) {
			return false
		}
	}
	return !strings.HasSuffix(path, "_test.go")
}

// receiver returns the name of the receiver's type if decl is a method, otherwise "".
func receiver(decl ast.Decl) string {
	method, ok := decl.(*ast.FuncDecl)
	if !ok || method.Recv == nil {
		return ""
	}
	switch of := method.Recv.List[0].Type.(type) {
	case *ast.Ident:
		return of.Name
	case *ast.StarExpr:
		if name, ok := of.X.(*ast.Ident); ok {
			return name.Name
		}
	}
	return ""
}

type text struct {
	value string
	pos   token.Pos
}

// namesOf returns the literals of a declaration that name a command, and reports whether the declaration has a form
// for the console. It skips fields called Command and the command in explain's act(key, command, text): Explain shows
// the key of a next step beside its command.
func namesOf(decl ast.Decl, command *regexp.Regexp) (texts []text, screen bool) {
	skipped := map[ast.Node]bool{}
	ast.Inspect(decl, func(n ast.Node) bool {
		if skipped[n] {
			return false
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "act" {
				skipped[n.Args[1]] = true
			}
		case *ast.KeyValueExpr:
			field, ok := n.Key.(*ast.Ident)
			return !ok || field.Name != "Command"
		case *ast.Ident:
			screen = screen || strings.Contains(n.Name, "Screen") || n.Name == "screen" || strings.EqualFold(n.Name, "key")
		case *ast.BasicLit:
			if value, ok := literal(n); ok && command.MatchString(value) {
				texts = append(texts, text{value, n.Pos()})
			}
		}
		return true
	})
	return texts, screen
}

// commands returns a pattern that matches the program's name followed by a command from the reference.
func commands(t *testing.T) *regexp.Regexp {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs/reference/commands.md"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, heading := range regexp.MustCompile(`(?m)^## (\S+)`).FindAllStringSubmatch(string(page), -1) {
		names = append(names, regexp.QuoteMeta(heading[1]))
	}
	names = slices.Compact(names)
	if len(names) < 20 {
		t.Fatalf("only %d commands in the reference", len(names))
	}
	return regexp.MustCompile(`\bironworks (` + strings.Join(names, "|") + `)\b`)
}
