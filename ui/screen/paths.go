package screen

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ironworks/ignition/prepare"
	"ironworks/printable"
	"ironworks/ui/widget/form"
)

const (
	// pathsRead bounds the entries of a folder that are read, and pathsMost those that are suggested.
	pathsRead = 10_000
	pathsMost = 100
)

// Paths returns the completions of a path as typed: what all have in common, then each. Folders end with a slash. Hidden
// files need their dot. Relative paths are below dir, "" for the current folder. It reads the folder.
func Paths(dir, typed string) []string {
	folder, name := typed[:strings.LastIndexByte(typed, '/')+1], typed[strings.LastIndexByte(typed, '/')+1:]
	var found []string
	for _, entry := range entries(dir, folder) {
		if !strings.HasPrefix(entry, name) || entry[0] == '.' && name == "" || printable.Line(entry) != entry {
			continue
		}
		found = append(found, folder+entry)
	}
	slices.Sort(found)
	if len(found) < 2 {
		return found
	}
	// In sorted texts, the common prefix of the first and the last is common to all.
	first, last := found[0], found[len(found)-1]
	common := 0
	for common < min(len(first), len(last)) && first[common] == last[common] {
		common++
	}
	for common < len(first) && !utf8.RuneStart(first[common]) {
		common--
	}
	found = found[:min(len(found), pathsMost)]
	if common > len(typed) && common < len(first) {
		return append([]string{first[:common]}, found...)
	}
	return found
}

// entries returns the names in a folder as typed; names of folders end with a slash.
func entries(dir, folder string) []string {
	home, _ := os.UserHomeDir() // without a home, ~ is a name
	path := prepare.HomePath(home, folder)
	if !filepath.IsAbs(path) {
		path = filepath.Join(cmp.Or(dir, "."), path)
	}
	file, err := os.Open(path) //nolint:gosec // the operator's own path
	if err != nil {
		return nil
	}
	defer file.Close() //nolint:errcheck // only read
	list, err := file.ReadDir(pathsRead)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	names := make([]string, 0, len(list))
	for _, entry := range list {
		name := entry.Name()
		is := entry.IsDir()
		if entry.Type()&os.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(path, name))
			is = err == nil && info.IsDir()
		}
		if is {
			name += "/"
		}
		names = append(names, name)
	}
	return names
}

// InFolder completes a form's field for a path below dir, "" for the current folder.
func InFolder(dir string) *form.Files {
	return &form.Files{Complete: func(typed string) []string { return Paths(dir, typed) }}
}
