package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/filter"
	"ironworks/models/plan"
	"ironworks/printable"
)

// maxFile is the maximum size of a file, in bytes. It guards against reading a device or a log.
const maxFile = 16 << 20

// candidate is a context whose connection has not been derived yet. Its ReadOnly is only the context's own setting, to
// which [loader.readOnly] adds the others.
type candidate struct {
	Context
	settings  settings
	names     func(key string) string // returns a setting's name in the source of the candidate
	hint      string                  // the hint for a missing setting, specific to the source
	bmcSecret bool                    // the configuration file itself contains the BMC's password
	errs      []error                 // problems found while reading

	listed  bool // the candidate is in Config.Contexts
	urlOnly bool // the candidate consists only of a URL
}

// ourFile holds the parsed configuration file.
type ourFile struct {
	path     string
	top      settings     // context, timeout and read_only
	contexts []*candidate // in the order of the file
	byName   map[string]*candidate
	filters  *filter.Saved
	console  ConsoleSettings
	errs     []error // errors outside of contexts
}

// parseOurs reads and parses the configuration file. root is nil if there is no file, or if f has an error. A missing
// file is an error only if the user named it. problems are the problems that are not fatal.
func (l *loader) parseOurs() (f *ourFile, mode fs.FileMode, root *node, problems []*FileError) {
	path, named := l.configPath()
	f = &ourFile{path: path, top: settings{}, byName: map[string]*candidate{}}
	if path == "" {
		return f, 0, nil, nil
	}
	data, mode, err := readFile(path)
	l.recordPlace("config file", path, err)
	switch {
	case errors.Is(err, fs.ErrNotExist) && named == "":
		return f, 0, nil, nil
	case err != nil:
		err = &FileError{File: path, Problem: readProblem(err), Hint: named, Err: err}
	default:
		root, problems, err = parse(path, data)
	}
	if err != nil {
		f.errs = append(f.errs, err)
	}
	return f, mode, root, problems
}

// readOurs reads the configuration file.
func (l *loader) readOurs() *ourFile {
	f, mode, root, problems := l.parseOurs()
	if root == nil {
		return f
	}
	for _, p := range problems {
		f.errs = append(f.errs, p)
	}
	l.readTop(f, root)
	if len(f.contexts) == 0 {
		l.annotatePlace("no contexts")
	}
	if mode&0o044 != 0 && slices.ContainsFunc(f.contexts, holdsSecret) {
		l.warnReadable(f.path, mode)
	}
	return f
}

func (l *loader) readTop(f *ourFile, root *node) {
	good, errs := check(root, "", fileKeys)
	f.errs = append(f.errs, errs...)
	for _, k := range []string{keyContext, keyTimeout, keyReadOnly} {
		if n := good[k]; n != nil && n.text != "" {
			f.top[k] = n.value(k)
		}
	}
	if _, err := timeout(f.top[keyTimeout]); err != nil {
		f.errs = append(f.errs, err)
	}
	f.readFilters(good["filters"])
	l.readHands(f, func(name string) *node { return good[name] })
	contexts := good["contexts"]
	if contexts == nil {
		return
	}
	for _, e := range contexts.entries {
		if e.name == "" {
			f.errs = append(f.errs, &FileError{
				File: f.path, Line: e.line, Column: e.column, Key: "contexts", Problem: "a context needs a name",
			})
			continue
		}
		c := l.readContext(f, e)
		f.contexts, f.byName[c.Name] = append(f.contexts, c), c
	}
}

// readFilters parses n, the saved filters.
func (f *ourFile) readFilters(n *node) {
	if n == nil {
		return
	}
	texts := map[string]string{}
	for _, e := range n.entries {
		if err := wantText.check(e.value, join("filters", e.name)); err != nil {
			f.errs = append(f.errs, err)
			continue
		}
		texts[e.name] = e.value.text
	}
	saved, wrong := filter.NewSaved(texts)
	for _, e := range n.entries {
		if err := wrong[e.name]; err != nil {
			f.errs = append(f.errs, e.value.fault(join("filters", e.name), err.Error(), ""))
		}
	}
	f.filters = saved
}

// readContext parses the context in e. It skips invalid parts and records their errors in the candidate.
func (l *loader) readContext(f *ourFile, e entry) *candidate {
	file, path := f.path, join("contexts", e.name)
	c := &candidate{
		Context: Context{Name: e.name, Source: fmt.Sprintf("%s:%d", file, e.line)}, settings: settings{}, listed: true,
		names: func(key string) string {
			if key == keyInsecure {
				return "verify"
			}
			return key
		},
	}
	good, errs := check(e.value, path, contextKeys())
	c.errs = errs
	for _, written := range e.value.entries {
		key, n := written.name, good[written.name]
		if n == nil {
			continue
		}
		v := n.value(join(path, key))
		switch key {
		case keyReadOnly:
			c.ReadOnly, _ = parseBool(n.text)
		case "verify":
			verify, _ := parseBool(n.text)
			v.text = strconv.FormatBool(!verify)
			c.settings[keyInsecure] = v
		case "accent":
			colour, problem, hint := accent(n.text)
			if problem != "" {
				c.errs = append(c.errs, v.at.fault(problem, hint, nil))
			}
			c.Accent = colour
		case "defaults":
			c.readDefaults(n, v.at.key, f.filters)
		case "checks":
			c.readChecks(n, v.at.key)
		case "journal":
			c.readJournal(n, v.at.key)
		case "bmc":
			c.readBMC(n, v.at.key, l.Home, filepath.Dir(file))
			if word := n.get(keyPasswordFile); word != nil && word.text != "" {
				l.warnOfFile(expandPath(word.text, l.Home, filepath.Dir(file)))
			}
			c.bmcSecret = n.get(keyPassword) != nil
		case "logs":
			c.readLogs(n, v.at.key, l.Home, filepath.Dir(file))
		default:
			c.settings[key] = v
		}
	}
	if c.settings.has(keyPassword) && c.settings.has(keyPasswordFile) {
		c.errs = append(c.errs, c.settings[keyPasswordFile].at.fault("cannot be combined with password", "keep only one", nil))
	}
	c.settings.expandPaths(l.Home, filepath.Dir(file))
	if pw := c.settings.text(keyPasswordFile); pw != "" {
		l.warnOfFile(pw)
	}
	return c
}

func (c *candidate) readDefaults(n *node, path string, saved *filter.Saved) {
	s := sectionOf(n, path, map[string]valueType{
		"columns": wantTextList, "sort": wantText, "filter": wantText,
	}, "", "", &c.errs)
	checked := func(n *node, key string, err error) {
		if err != nil {
			s.fail(n, key, err.Error(), "")
		}
	}
	for _, item := range s.items("columns") {
		c.Defaults.Columns = append(c.Defaults.Columns, item.text)
		_, err := explain.FindColumn(item.text)
		checked(item, "columns", err)
	}
	if n := s.good["sort"]; n != nil {
		c.Defaults.Sort = n.text
		_, err := explain.FindColumn(strings.TrimPrefix(n.text, "-"))
		checked(n, "sort", err)
	}
	if n := s.good["filter"]; n != nil {
		c.Defaults.Filter = n.text
		_, err := saved.Parse(n.text)
		checked(n, "filter", err)
	}
}

// readChecks parses n, the policies for deployment checks.
func (c *candidate) readChecks(n *node, path string) {
	for _, e := range n.entries {
		key := join(path, e.name)
		if err := wantText.check(e.value, key); err != nil {
			c.errs = append(c.errs, err)
			continue
		}
		id := plan.CheckID(e.name)
		policy, err := plan.ParseCheckPolicy(id, e.value.text)
		if err != nil {
			wrong := &FileError{File: e.value.file, Line: e.line, Column: e.column, Key: key, Problem: err.Error(), Err: err}
			if meant := meantCheck(e.name); meant != "" {
				wrong.Problem, wrong.Hint = fmt.Sprintf("unknown check %q", printable.Line(e.name)), meant
			}
			c.errs = append(c.errs, wrong)
			continue
		}
		if c.Checks == nil {
			c.Checks = map[plan.CheckID]plan.CheckPolicy{}
		}
		c.Checks[id] = policy
	}
}

// meantCheck returns a hint that suggests a check ID similar to name, or "" if name is a known ID or no ID is
// similar.
func meantCheck(name string) string {
	var known []string
	for _, rule := range plan.CheckRules() {
		known = append(known, string(rule.ID))
	}
	if slices.Contains(known, name) {
		return ""
	}
	return didYouMean(name, known)
}

func (n *node) value(key string) value {
	return value{n.text, origin{file: n.file, line: n.line, column: n.column, key: key}}
}

func holdsSecret(c *candidate) bool {
	return c.bmcSecret || c.settings.has(keyPassword, keyToken, keyCredentialSecret) || hasUserinfo(c.settings.text(keyURL))
}

// warnOfFile adds a warning if other users can read the file at path, which contains a password.
func (l *loader) warnOfFile(path string) {
	if info, err := os.Stat(path); err == nil && info.Mode()&0o044 != 0 {
		l.warnReadable(path, info.Mode())
	}
}

func (l *loader) warnReadable(path string, mode fs.FileMode) {
	l.warn("%s contains a secret and other users can read it (mode %04o): run chmod 600 %s", path, mode.Perm(), path)
}

// readFile returns the content and the mode of the file at path. It fails if the file is larger than maxFile.
func readFile(path string) ([]byte, fs.FileMode, error) {
	f, err := os.Open(path) //nolint:gosec // the user names these files
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("larger than %d MiB", maxFile>>20)
	}
	return data, info.Mode(), err
}

// readProblem returns the reason why a file cannot be read, without the file's name.
func readProblem(err error) string {
	switch pathErr := (*fs.PathError)(nil); {
	case errors.Is(err, fs.ErrNotExist):
		return "the file does not exist"
	case errors.As(err, &pathErr):
		return "cannot read the file: " + pathErr.Err.Error()
	default:
		return "cannot read the file: " + err.Error()
	}
}

// readPassword reads a file that contains a password on one line. If it fails, problem describes the error, including
// the name of the file.
func readPassword(name string) (password models.Secret, problem string, err error) {
	data, _, err := readFile(name)
	text := strings.TrimRight(string(data), "\r\n")
	switch {
	case err != nil:
		return "", name + ": " + readProblem(err), err
	case text == "" || strings.ContainsAny(text, "\r\n"):
		return "", name + ": must contain exactly one line, the password", nil
	}
	return models.Secret(text), "", nil
}

// ReadPassword reads a file that contains a password on one line. The error names the file.
func ReadPassword(name string) (models.Secret, error) {
	password, problem, _ := readPassword(name) // the problem includes the error
	if problem != "" {
		return "", errors.New(problem)
	}
	return password, nil
}

// accents lists the color names accepted as the accent of a context. An accent can also have the form #rrggbb.
var accents = []string{
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	"gray", "orange", "pink", "purple",
}

// accent returns text in lower case if it is a valid accent color, and otherwise a problem and a hint for the error
// message.
func accent(text string) (colour, problem, hint string) {
	c := strings.ToLower(text)
	if c == "grey" {
		c = "gray"
	}
	isHex := len(c) == 7 && c[0] == '#' && strings.Trim(c[1:], "0123456789abcdef") == ""
	if slices.Contains(accents, c) || isHex {
		return c, "", ""
	}
	return "", "not a color", cmp.Or(didYouMean(c, accents), "one of "+strings.Join(accents, ", ")+", or \"#rrggbb\"")
}
