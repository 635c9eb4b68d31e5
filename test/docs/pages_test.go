package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

const root = "../.."

// maxWidth is the maximum length of a line in characters. Table rows and code may be longer.
const maxWidth = 120

var (
	linkPattern    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headingPattern = regexp.MustCompile(`(?m)^#+ (.+)$`)
	codePattern    = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
)

// pages returns the texts of the README and of all pages below docs, keyed by path.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{"README.md": ""}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			found[filepath.ToSlash(rel)] = ""
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range found {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		found[name] = string(text)
	}
	return found
}

// anchors returns the link anchors of a page's headings.
func anchors(text string) map[string]bool {
	found := map[string]bool{"": true}
	for _, m := range headingPattern.FindAllStringSubmatch(text, -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z':
				return r
			}
			return -1
		}, strings.ToLower(m[1]))
		found[name] = true
	}
	return found
}

func TestNoDeadLinks(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for name, text := range all {
		for _, m := range linkPattern.FindAllStringSubmatch(codePattern.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if path != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), path))
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: dead link %s", name, m[1])
				continue
			}
			if page, ok := all[target]; ok && !anchors(page)[anchor] {
				t.Errorf("%s: no heading for %s", name, m[1])
			}
		}
	}
}

func TestPicturesAreReferenced(t *testing.T) {
	t.Parallel()
	shown := ""
	for _, text := range pages(t) {
		shown += text
	}
	pictures, err := os.ReadDir(filepath.Join(root, "docs", "pictures"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pictures {
		if !strings.Contains(shown, "pictures/"+p.Name()+")") {
			t.Errorf("no page shows docs/pictures/%s", p.Name())
		}
	}
}

func TestLinesAreShort(t *testing.T) {
	t.Parallel()
	for name, text := range pages(t) {
		code := false
		for i, line := range strings.Split(text, "\n") {
			trimmed := strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(trimmed, "```"):
				code = !code
			case code || strings.HasPrefix(trimmed, "|"):
			case utf8.RuneCountInString(line) > maxWidth:
				t.Errorf("%s:%d: more than %d characters", name, i+1, maxWidth)
			}
		}
	}
}

// TestEveryPageIsListed checks that the index lists all pages.
func TestEveryPageIsListed(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for name := range all {
		if name == "README.md" || name == "docs/README.md" {
			continue
		}
		if !strings.Contains(all["docs/README.md"], "("+strings.TrimPrefix(name, "docs/")+")") {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}
