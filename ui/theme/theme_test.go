package theme_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

var roles = []theme.Role{
	theme.Plain, theme.Muted, theme.Strong, theme.Accent, theme.Good, theme.Busy, theme.Wait, theme.Warn,
	theme.Bad, theme.Hold, theme.Key, theme.Added, theme.Removed, theme.Danger, theme.Match,
}

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// codes returns the SGR codes with which text of the given role starts. It checks that the text is otherwise
// unchanged and that its style ends.
func codes(t *testing.T, th *theme.Theme, role theme.Role) []string {
	t.Helper()
	painted := th.Paint(role, "text")
	if ansi.Strip(painted) != "text" {
		t.Errorf("role %d: the text became %q", role, painted)
	}
	var all []string
	for _, m := range sgr.FindAllStringSubmatch(painted, -1) {
		all = append(all, m[1])
	}
	switch {
	case len(all) == 0:
		return nil
	case len(all) != 2 || all[1] != "" || !strings.HasSuffix(painted, "\x1b[m"):
		t.Errorf("role %d does not end its style: %q", role, painted)
	}
	return strings.Split(all[0], ";")
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	attribute := map[string]bool{"1": true, "2": true, "7": true}
	for _, tc := range []struct {
		profile colorprofile.Profile
		colour  *regexp.Regexp // matches the codes other than attributes; nil if there must be none
	}{
		{colorprofile.NoTTY, nil},
		{colorprofile.ASCII, nil}, // the profile selected by NO_COLOR
		{colorprofile.ANSI, regexp.MustCompile(`^(3[0-7]|9[0-7])$`)},
		{colorprofile.ANSI256, regexp.MustCompile(`^38;2;\d+;\d+;\d+$`)}, // the terminal's writer chooses the nearest available color
		{colorprofile.TrueColor, regexp.MustCompile(`^38;2;\d+;\d+;\d+$`)},
		{colorprofile.Unknown, regexp.MustCompile(`^38;2;\d+;\d+;\d+$`)},
	} {
		for _, light := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, light %v", tc.profile, light), func(t *testing.T) {
				t.Parallel()
				th := theme.New(theme.Options{Profile: tc.profile, Light: light})
				coloured := 0
				for _, role := range roles {
					rest := codes(t, th, role)
					for len(rest) > 0 && attribute[rest[0]] {
						rest = rest[1:]
					}
					if len(rest) == 0 {
						continue
					}
					coloured++
					if tc.colour == nil || !tc.colour.MatchString(strings.Join(rest, ";")) {
						t.Errorf("role %d: colour %v", role, rest)
					}
				}
				if tc.colour != nil && coloured < 8 {
					t.Errorf("only %d roles have a colour", coloured)
				}
			})
		}
	}
}

func TestWithoutColorsImportantRolesAreBold(t *testing.T) {
	t.Parallel()
	th := theme.New(theme.Options{Profile: colorprofile.ASCII})
	for _, tc := range []struct {
		role theme.Role
		want string
	}{
		{theme.Plain, ""},
		{theme.Muted, "2"},
		{theme.Strong, "1"},
		{theme.Accent, "1"},
		{theme.Bad, "1"},
		{theme.Key, "1"},
		{theme.Danger, "1"},
		{theme.Match, "7"},
		{theme.Good, ""},
	} {
		if got := strings.Join(codes(t, th, tc.role), ";"); got != tc.want {
			t.Errorf("role %d: %q, want %q", tc.role, got, tc.want)
		}
	}
}

func TestLightAndDarkDiffer(t *testing.T) {
	t.Parallel()
	dark, light := theme.New(theme.Options{}), theme.New(theme.Options{Light: true})
	for _, role := range []theme.Role{theme.Muted, theme.Accent, theme.Good, theme.Busy, theme.Wait, theme.Warn, theme.Bad, theme.Hold} {
		if dark.Paint(role, "x") == light.Paint(role, "x") {
			t.Errorf("role %d is the same", role)
		}
	}
}

func TestAccents(t *testing.T) {
	t.Parallel()
	none := theme.New(theme.Options{}).Paint(theme.Accent, "x")
	for _, accent := range []string{"red", "orange", "yellow", "green", "cyan", "blue", "magenta", "purple", "pink", "white", "gray", "black", "#12ab9f"} {
		for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI, colorprofile.ASCII} {
			painted := theme.New(theme.Options{Accent: accent, Profile: profile}).Paint(theme.Accent, "x")
			if profile == colorprofile.TrueColor && painted == none {
				t.Errorf("%s looks as no accent does", accent)
			}
			if ansi.Strip(painted) != "x" {
				t.Errorf("%s: %q", accent, painted)
			}
		}
	}
}

func TestDimmedIsOnlyFaint(t *testing.T) {
	t.Parallel()
	dim := theme.New(theme.Options{}).Dimmed()
	for _, role := range roles {
		if got := dim.Paint(role, "x"); got != "\x1b[2mx\x1b[m" {
			t.Errorf("role %d: %q", role, got)
		}
	}
	if got := dim.Paint(theme.Bad, ""); got != "" {
		t.Errorf("nothing became %q", got)
	}
}

func TestRule(t *testing.T) {
	t.Parallel()
	th := theme.New(theme.Options{})
	for _, w := range []int{-1, 0, 1, 40} {
		if got := cell.Width(th.Rule(w)); got != max(w, 0) {
			t.Errorf("%d cells, want %d", got, w)
		}
	}
}

// isASCII reports whether s consists of ASCII characters only.
func isASCII(s string) bool {
	for _, r := range s {
		if r > 0x7e {
			return false
		}
	}
	return true
}

// TestPlainKnowsAllGlyphs reads all string literals of the console, and checks that each character beyond ASCII in
// them has an ASCII replacement of the same width.
func TestPlainKnowsAllGlyphs(t *testing.T) {
	t.Parallel()
	plain := theme.New(theme.Options{ASCII: true})
	glyphs := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasSuffix(path, "test") {
			return fs.SkipDir // test data never appears on the screen
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Error(err)
			}
			for _, r := range text {
				if r <= 0x7e {
					continue
				}
				glyphs++
				if got := plain.Plain(string(r)); !isASCII(got) || cell.Width(got) != cell.Width(string(r)) {
					t.Errorf("%s: %q has the stand-in %q", path, r, got)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || glyphs < 16 {
		t.Errorf("%d glyphs, %v", glyphs, err)
	}
}

func TestPlainKeepsOtherCharacters(t *testing.T) {
	t.Parallel()
	const screen = "● 机架 \x1b[1mé\x1b[m …"
	if got := theme.New(theme.Options{}).Plain(screen); got != screen {
		t.Errorf("got %q", got)
	}
	if got := theme.New(theme.Options{ASCII: true}).Plain(screen); got != "* 机架 \x1b[1mé\x1b[m ." {
		t.Errorf("got %q", got)
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	type look struct {
		glyph string
		role  theme.Role
	}
	byClass := map[models.StateClass]look{
		models.ClassFailed: {theme.GlyphFailed, theme.Bad}, models.ClassHold: {theme.GlyphHold, theme.Hold},
		models.ClassWait: {theme.GlyphWaiting, theme.Wait}, models.ClassTransitional: {theme.GlyphWorking, theme.Busy},
		models.ClassUnknown: {theme.GlyphUnknown, theme.Warn}, models.ClassStable: {theme.GlyphIdle, theme.Plain},
	}
	inUse := look{theme.GlyphActive, theme.Good}
	for _, s := range append(models.States(), "made by a newer Ironic", "") {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			want := byClass[s.Class()]
			if s == models.StateActive || s == models.StateRescue {
				want = inUse
			}
			glyph, role := theme.State(s)
			if (look{glyph, role}) != want || cell.Width(glyph) != 1 {
				t.Errorf("got %q %d, want %q %d", glyph, role, want.glyph, want.role)
			}
		})
	}
}

func TestNode(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		node  models.Node
		glyph string
		role  theme.Role
	}{
		{"at rest", models.Node{ProvisionState: models.StateAvailable}, theme.GlyphIdle, theme.Plain},
		{"in maintenance", models.Node{ProvisionState: models.StateActive, Maintenance: true}, theme.GlyphMaint, theme.Warn},
		{"failed, in maintenance", models.Node{ProvisionState: models.StateDeployFailed, Maintenance: true}, theme.GlyphFailed, theme.Bad},
		{"with a fault", models.Node{ProvisionState: models.StateActive, Fault: "power failure"}, theme.GlyphActive, theme.Bad},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if glyph, role := theme.Node(&tc.node); glyph != tc.glyph || role != tc.role {
				t.Errorf("got %q %d, want %q %d", glyph, role, tc.glyph, tc.role)
			}
		})
	}
}
