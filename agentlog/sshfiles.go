package agentlog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kevinburke/ssh_config"
)

const (
	// systemSSH is the folder of the system's ssh_config and its includes.
	systemSSH = "/etc/ssh"
	// maxConfig is the maximum size of an ssh_config file, in bytes.
	maxConfig = 1 << 20
	// maxIncludes is the maximum depth of nested Include directives, as in OpenSSH (readconf.c, READCONF_MAX_DEPTH).
	maxIncludes = 16
)

// sshFiles holds the parsed ssh_config files, the user's before the system's.
type sshFiles struct {
	home  string
	parts []sshPart
}

// sshPart is a part of an ssh_config file without Include, for hosts that match all blocks that include the file.
type sshPart struct {
	includedIn []*ssh_config.Config
	config     *ssh_config.Config
}

// probe is a key that is looked up in a block to test whether it matches a host.
const probe = "Port"

func (p *sshPart) applies(alias string) bool {
	return !slices.ContainsFunc(p.includedIn, func(c *ssh_config.Config) bool {
		v, err := c.Get(alias, probe)
		return err != nil || v == ""
	})
}

// readSSHFiles reads the ssh_config files that apply. Missing files are empty, unless o.Config names the file.
func readSSHFiles(o *SSHOptions) (*sshFiles, error) { return readSSHFilesOf(o, systemSSH) }

func readSSHFilesOf(o *SSHOptions, system string) (*sshFiles, error) {
	f := &sshFiles{home: o.Home}
	user := filepath.Join(o.Home, ".ssh")
	switch {
	case o.Config == noneWord, o.Config == "" && o.Home == "":
		return f, nil
	case o.Config != "":
		return f, f.read(o.Config, user, nil, 0)
	}
	for _, dir := range []struct{ dir, name string }{{user, "config"}, {system, "ssh_config"}} {
		if err := f.read(filepath.Join(dir.dir, dir.name), dir.dir, nil, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return f, nil
}

// read reads a file and the files that it includes. Relative Include paths start at dir, which is ~/.ssh for the
// user's files and /etc/ssh for the system's files. The ssh_config library itself would use ~/.ssh for both, and
// would fail for unknown conditions.
func (f *sshFiles) read(path, dir string, within []*ssh_config.Config, depth int) error {
	if depth > maxIncludes {
		return fmt.Errorf("reading ssh_config %s: more than %d levels of Include", path, maxIncludes)
	}
	text, err := readSome(path, maxConfig)
	if err != nil {
		return fmt.Errorf("reading ssh_config: %w", err)
	}
	block, lines := "", []string{}
	flush := func() error {
		config, err := ssh_config.DecodeBytes([]byte(strings.Join(lines, "")))
		if err != nil {
			return fmt.Errorf("reading ssh_config %s: %w", path, err)
		}
		f.parts = append(f.parts, sshPart{within, config})
		lines = []string{block}
		return nil
	}
	for _, line := range strings.SplitAfter(withoutMatch(text), "\n") {
		switch words := configWords(line); {
		case len(words) > 0 && (words[0] == "host" || words[0] == "match"):
			block = strings.TrimRight(line, "\r\n") + "\n"
			lines = append(lines, block)
		case len(words) > 0 && words[0] == "include":
			if err := flush(); err != nil {
				return err
			}
			inner := within
			if block != "" {
				condition, err := ssh_config.DecodeBytes([]byte(block + "  " + probe + " 1\n"))
				if err != nil {
					return fmt.Errorf("reading ssh_config %s: %w", path, err)
				}
				inner = append(slices.Clone(within), condition)
			}
			for _, pattern := range words[1:] {
				if err := f.include(pattern, dir, inner, depth+1); err != nil {
					return err
				}
			}
		default:
			lines = append(lines, line)
		}
	}
	return flush()
}

// include reads the files that match pattern. Like ssh, it skips missing and unreadable files.
func (f *sshFiles) include(pattern, dir string, within []*ssh_config.Config, depth int) error {
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		pattern = filepath.Join(f.home, rest)
	}
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(dir, pattern)
	}
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return fmt.Errorf("reading ssh_config: Include %s: %w", pattern, err)
	}
	for _, path := range paths {
		err := f.read(path, dir, within, depth)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// configWords returns the words of a line, the keyword in lower case, or nil for a comment or an empty line.
func configWords(line string) []string {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return nil
	}
	end := strings.IndexAny(line, " \t=")
	if end < 0 {
		return []string{strings.ToLower(line)}
	}
	words := []string{strings.ToLower(line[:end])}
	rest := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line[end:]), "="))
	for rest != "" {
		var word string
		if rest[0] == '"' {
			word, rest, _ = strings.Cut(rest[1:], "\"")
		} else {
			space := strings.IndexAny(rest+" ", " \t")
			word, rest = rest[:space], rest[space:]
		}
		words, rest = append(words, word), strings.TrimSpace(rest)
	}
	return words
}

// withoutMatch removes blocks with unsupported conditions (final, canonical, exec, user, or several).
func withoutMatch(text []byte) string {
	lines := strings.SplitAfter(string(text), "\n")
	skipping := false
	for i, line := range lines {
		switch words := configWords(line); {
		case len(words) == 0:
		case words[0] == "host":
			skipping = false
		case words[0] == "match":
			what := strings.ToLower(strings.Join(words[1:min(len(words), 2)], ""))
			skipping = what != "all" && (what != "host" || len(words) != 3)
		}
		if skipping {
			lines[i] = "\n"
		}
	}
	return strings.Join(lines, "")
}

func (f *sshFiles) get(alias, key string) string {
	var first string
	for i := range f.parts {
		if p := &f.parts[i]; first == "" && p.applies(alias) {
			v, err := p.config.Get(alias, key)
			if err == nil {
				first = cmp.Or(first, v)
			}
		}
	}
	return first
}

func (f *sshFiles) all(alias, key string) []string {
	var out []string
	for i := range f.parts {
		if p := &f.parts[i]; p.applies(alias) {
			values, _ := p.config.GetAll(alias, key) // fails only for a node type that the library itself does not know
			out = append(out, values...)
		}
	}
	return out
}
