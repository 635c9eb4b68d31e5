package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/viper"

	"ironworks/models"
	"ironworks/printable"
)

// loader holds the state of one call of [Load].
type loader struct {
	Options
	ours       *ourFile
	clouds     *cloudFiles
	env, flags settings     // the settings from IRONWORKS_* variables and the command line
	osEnv      *candidate   // the context defined by OS_* variables
	layers     *viper.Viper // top level of the configuration file, env and flags, merged

	searched []Place
	warnings []string
}

func newLoader(o Options) *loader {
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	o.SystemDir = cmp.Or(o.SystemDir, "/etc")
	if dir, err := filepath.Abs(o.WorkDir); err == nil {
		o.WorkDir = dir
	}
	return &loader{Options: o}
}

// maxProblems is the maximum number of problems reported.
const maxProblems = 50

func (l *loader) load() (*Config, error) {
	var errs []error
	l.flags = l.Flags.settings()
	l.flags.expandPaths(l.Home, l.WorkDir)
	if _, err := timeout(l.flags[keyTimeout]); err != nil {
		errs = append(errs, err)
	}
	env, envErrs := l.ownEnvironment()
	l.env, errs = env, append(errs, envErrs...)
	l.osEnv = l.osEnvironment()
	l.lookVariables()
	l.ours = l.readOurs()
	l.clouds = l.readClouds()
	l.layers = layered(l.ours.top, l.env, l.flags)

	if errs = append(errs, l.ours.errs...); len(errs) > 0 {
		for _, c := range l.ours.contexts {
			errs = append(errs, c.errs...)
		}
		if more := len(errs) - maxProblems; more > 0 {
			errs = append(errs[:maxProblems], fmt.Errorf("and %d more problems", more))
		}
		return &Config{}, errors.Join(errs...)
	}
	return l.choose()
}

// choose selects a context, and derives the connections of all contexts.
func (l *loader) choose() (*Config, error) {
	c := &Config{Console: l.ours.console}
	picked, err := l.pick()
	if picked != nil {
		c.Current = l.resolve(picked, true)
		err = c.Current.Err
	}
	for _, name := range l.names() {
		if picked != nil && picked.listed && picked.Name == name {
			c.Contexts = append(c.Contexts, c.Current)
			continue
		}
		candidate := l.find(name)
		ctx := l.resolve(candidate, false)
		// Do not report missing settings, because flags and variables may supply them once the context is selected.
		// Report a mistake in the file, because they cannot fix it.
		if mistake := (*FileError)(nil); l.ours.byName[name] != nil && errors.As(ctx.Err, &mistake) {
			l.warn("context %q cannot be used: %s", name, strings.ReplaceAll(ctx.Err.Error(), "\n", "; "))
		}
		c.Contexts = append(c.Contexts, ctx)
	}
	return c, err
}

// names returns the names of all contexts, sorted.
func (l *loader) names() []string {
	names := l.clouds.names()
	for _, c := range l.ours.contexts {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// find returns the context with the given name from the configuration file or, if there is none, from clouds.yaml. It
// returns nil if neither defines the name.
func (l *loader) find(name string) *candidate {
	if c := l.ours.byName[name]; c != nil {
		return c
	}
	c := l.cloud(name, "")
	if c != nil {
		c.listed = true
	}
	return c
}

// resolve derives the context of c. The credentials and certificates from IRONWORKS_* variables and flags apply only
// if c is the selected context.
func (l *loader) resolve(c *candidate, selected bool) Context {
	s := c.settings
	if name, ok := s[keyCloud]; ok {
		s = l.overItsCloud(c, name)
	}
	s = s.mergedOver(l.ours.top.withKeys(keyTimeout))
	s = l.above(keyTimeout).mergedOver(s)
	if selected {
		s = l.above(keyCACert, keyInsecure).mergedOver(s)
		s = l.login(c, s).mergedOver(s)
	}
	ctx := c.Context
	ctx.Filters, ctx.ReadOnly = l.ours.filters, l.readOnly(c, selected)
	ctx.Connection, ctx.Err = c.connection(s)
	return ctx
}

// overItsCloud merges the settings of c, a context of the configuration file, over the cloud it refers to.
func (l *loader) overItsCloud(c *candidate, name value) settings {
	cloud := l.cloud(name.text, c.settings.text(keyRegion))
	if cloud == nil {
		if l.clouds.err != nil {
			c.errs = append(c.errs, l.clouds.err)
		}
		known := l.clouds.names()
		hint := cmp.Or(didYouMean(name.text, known), "known: "+strings.Join(known, ", "))
		if l.clouds.path == "" {
			hint = "there is no clouds.yaml"
		}
		c.errs = append(c.errs, name.at.fault(fmt.Sprintf("no cloud %q in clouds.yaml", name.text), hint, nil))
		return c.settings
	}
	c.Source += fmt.Sprintf(", cloud %q of %s", name.text, cloud.Source)
	c.hint = cloud.hint
	c.errs = append(c.errs, cloud.errs...)
	return c.settings.mergedOver(cloud.settings)
}

// login returns the user name and the password from IRONWORKS_* variables and --username, if the context's
// authentication method uses them. Credentials in a bare URL take precedence.
func (l *loader) login(c *candidate, s settings) settings {
	kind, _ := kindOf(s)
	if c.urlOnly {
		user, pass := userinfo(s.text(keyURL))
		var keys []string
		if !user {
			keys = append(keys, keyUsername)
		}
		if !pass {
			keys = append(keys, keyPassword)
		}
		return l.above(keys...)
	}
	if kind == models.AuthHTTPBasic || kind == models.AuthPassword {
		return l.above(keyUsername, keyPassword)
	}
	return settings{}
}

// readOnly reports whether the context of c forbids changes. Every source can enable read-only mode. Only an explicit
// --read-only=false disables it, and only for the selected context.
func (l *loader) readOnly(c *candidate, selected bool) bool {
	flag, given := l.flags[keyReadOnly]
	if given && flag.text == "true" {
		return true
	}
	if given && selected {
		return false
	}
	top, _ := parseBool(l.ours.top.text(keyReadOnly))
	env, _ := parseBool(l.env.text(keyReadOnly))
	return c.ReadOnly || top || env
}

// recordPlace adds path to the searched places. err is the result of reading it.
func (l *loader) recordPlace(what, path string, err error) {
	p := Place{What: what, Path: path, Found: err == nil}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.Note = readProblem(err)
	}
	l.searched = append(l.searched, p)
}

// annotatePlace adds a remark to the last searched place.
func (l *loader) annotatePlace(text string) { l.searched[len(l.searched)-1].Note = text }

// lookVariables records the flags and variables that can select a context.
func (l *loader) lookVariables() {
	for _, layer := range []struct {
		s    settings
		name func(string) string
	}{
		{l.flags, func(key string) string { return "--" + key }},
		{l.env, ownName},
	} {
		for _, key := range []string{keyURL, keyContext, keyCloud} {
			l.searched = append(l.searched, Place{What: layer.name(key), Found: layer.s.has(key)})
		}
	}
	for _, name := range []string{"OS_CLOUD", "OS_AUTH_URL", "OS_ENDPOINT"} {
		_, found := l.variable(name)
		l.searched = append(l.searched, Place{What: name, Found: found})
	}
}

func (l *loader) warn(format string, args ...any) {
	l.warnings = append(l.warnings, printable.Line(fmt.Sprintf(format, args...)))
}
