package rules

import (
	"embed"
	"strings"
)

//go:embed examples/*.yaml
var exampleFiles embed.FS

// Examples returns the sorted names of the example files, without the extension.
func Examples() []string {
	entries, _ := exampleFiles.ReadDir("examples") // the folder is embedded, so reading cannot fail
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = strings.TrimSuffix(entry.Name(), ".yaml")
	}
	return names
}

// Example returns the content of the example file with the given name. ok is false if there is none.
func Example(name string) (text string, ok bool) {
	data, err := exampleFiles.ReadFile("examples/" + name + ".yaml")
	return string(data), err == nil
}

// Purpose returns the first sentence of the comment at the start of an example file.
func Purpose(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(strings.TrimSpace(line), "# ")
		if !ok {
			break
		}
		before, _, ends := strings.Cut(comment+" ", ". ")
		words = append(words, strings.TrimSpace(before))
		if ends {
			break
		}
	}
	return strings.Join(words, " ")
}
