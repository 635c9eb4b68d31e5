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

// unclear lists phrases that make comments hard to read, with suggested replacements.
var unclear = []struct {
	phrase *regexp.Regexp
	use    string
}{
	{regexp.MustCompile(`(?i)\b(somebody|nobody|whoever)\b`), "the operator, the user, another node …"},
	{regexp.MustCompile(`^\w+ (is|are) what\b`), "a noun"},
	{regexp.MustCompile(`\bis how (many|long|often)\b`), "the number of, the time that, the interval of"},
	{regexp.MustCompile(`\bis after how long\b`), "the time after which"},
	{regexp.MustCompile(`\bonce more\b`), "again, repeats"},
	{regexp.MustCompile(`\bis (for|after) how\b`), "the time for which, the number after which"},
	{regexp.MustCompile(`\b(has|have) not([.,;]|$)`), "lacks"},
	{regexp.MustCompile(`^\w+ (finds|starts|creates) one\b( by| with|\.)`), "a noun"},
	{regexp.MustCompile(`^\w+ (counts|lists|places) those (of|that)\b`), "a noun"},
	{regexp.MustCompile(`^\w+ is (GET|POST|PUT|PATCH|DELETE) of\b`), "implements GET /v1/…"},
	{regexp.MustCompile(`\banswers itself\b`), "writes the response"},
	{regexp.MustCompile(`^Test\w+ (has|have|are)\b`), "covers, checks"},
	{regexp.MustCompile(`\b(follows|shown|cached|open) or not\.$`), "whether"},
	{regexp.MustCompile(`\bat rest\b`), "in a stable state"},
	{regexp.MustCompile(`(?i)\b(behaviour|licence|catalogue|for ever)\b`), "US spelling"},
}

// TestComments checks the comments of the whole tree, including those of the tests and the lab.
func TestComments(t *testing.T) {
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
		for _, group := range file.Comments {
			checkComment(t, files.Position(group.Pos()).String(), group)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkComment(t *testing.T, where string, group *ast.CommentGroup) {
	t.Helper()
	text := strings.Join(strings.Fields(group.Text()), " ")
	for _, u := range unclear {
		if found := u.phrase.FindString(text); found != "" {
			t.Errorf("%s: %q in %q; use %s", strings.TrimPrefix(where, root+"/"), found, text, u.use)
		}
	}
}
