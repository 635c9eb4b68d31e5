package screen

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ironworks/ignition/prepare"
	"ironworks/printable"
	"ironworks/ui/widget/form"
)

const (
	// The maximum numbers of folder entries that are read, and of paths that are suggested.
	pathsRead = 10_000
	pathsMost = 100
)

// Paths returns the possible completions of a typed path. If there are several, and their common prefix is longer
// than the typed path, the prefix comes first. Folders end with a slash. Hidden files are returned only if the last
// element of the typed path starts with a dot. Relative paths are relative to dir, or to the current folder if dir is
// "". Paths reads the folder.
func Paths(dir, typed string) []string {
	folder, name := path.Split(typed)
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
	// In a sorted list, the common prefix of the first and the last path is common to all paths.
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

// entries returns the names of the files in a folder, or nil if the folder cannot be read. folder is the path of the
// folder as the operator typed it. The names of subfolders end with a slash.
func entries(dir, folder string) []string {
	home, _ := os.UserHomeDir() // if the home directory is unknown, ~ is an ordinary name
	place := prepare.HomePath(home, folder)
	if !filepath.IsAbs(place) {
		place = filepath.Join(cmp.Or(dir, "."), place)
	}
	file, err := os.Open(place) //nolint:gosec // the operator's own path
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
			info, err := os.Stat(filepath.Join(place, name))
			is = err == nil && info.IsDir()
		}
		if is {
			name += "/"
		}
		names = append(names, name)
	}
	return names
}

// InFolder returns the path completion for a form field. Relative paths are relative to dir; see [Paths].
func InFolder(dir string) *form.Files {
	return &form.Files{Complete: func(typed string) []string { return Paths(dir, typed) }}
}
