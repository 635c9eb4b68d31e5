package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ironworks/ui/action"
)

// bound returns a keymap with the given bindings. It fails the test if a binding is rejected.
func bound(t *testing.T, bindings ...action.Binding) *action.Keymap {
	t.Helper()
	keys, problems := action.Bind(bindings)
	if len(problems) > 0 {
		t.Fatalf("refused: %+v", problems)
	}
	return keys
}

// TestBoundKeys checks that bound keys run their actions, that the built-in keys of these actions no longer do, and
// that the help, menus, hints and messages show the bound keys.
func TestBoundKeys(t *testing.T) {
	keys := bound(t,
		action.Binding{ID: action.Help, Keys: []string{"f1"}},
		action.Binding{ID: action.Wide, Keys: []string{"W", "alt+w"}},
		action.Binding{ID: action.Filter, Keys: []string{"ctrl+f"}},
		action.Binding{ID: action.PageDown, Keys: []string{"pgdown"}},
		action.Binding{ID: "manage", Keys: []string{"I"}},
		action.Binding{ID: "inspect", Keys: []string{"M"}},
		action.Binding{ID: "undeploy"},
		action.Binding{ID: action.GoConnect, Keys: []string{"f4"}},
		action.Binding{ID: action.ReadOnly, Keys: []string{"alt+r"}},
	)
	inBubble(t, rack(), func(_ *rig, o *Options) { o.Keys = keys }, func(r *rig) {
		r.golden("keys-fleet")
		r.press("w", "?", "/")
		r.lacks("╭─")
		r.press("f1")
		r.golden("keys-help")
		r.press("esc", "a")
		r.golden("keys-verbs")
		r.press("esc", "alt+r")
		r.press("I")
		r.shows("manage: read-only mode; alt+r turns it off")
		r.press("alt+r")
		r.choose("r7-n05")
		r.press("U")
		r.lacks("undeploy:")
		r.choose("r7-n06")
		r.press("M")
		r.pass(time.Second)
		r.shows("inspect r7-n06")
	})
}

// TestTextsNameActions checks that every {…} in the console's messages names an action, so that the action's key can
// be shown in its place.
func TestTextsNameActions(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`\{([a-z]+(?:-[a-z]+)*)\}`)
	found := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			text, is := n.(*ast.BasicLit)
			if !is || text.Kind != token.STRING {
				return true
			}
			for _, match := range named.FindAllStringSubmatch(text.Value, -1) {
				id := action.ID(match[1])
				if _, known := action.Find(id); !known && id != "node" { // {node} is a placeholder in the host names of ramdisks
					t.Errorf("%s: %s is not an action", path, id)
				}
				found++
			}
			return true
		})
		return nil
	})
	if err != nil || found < 20 {
		t.Errorf("%d texts name actions: %v", found, err)
	}
}
