package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// cloudFiles holds the clouds of clouds.yaml, with secure.yaml merged over them, and the public profiles to merge
// under them.
//
// The rules follow openstacksdk's config loader
// (https://docs.openstack.org/openstacksdk/latest/user/config/configuration.html). gophercloud's clouds.Parse is not
// used, because it panics on a cloud with auth_type none and no auth, and loses endpoint, system_scope, regions and
// the difference between the user's and the project's domain.
type cloudFiles struct {
	path   string           // the path of clouds.yaml, or ""
	clouds map[string]*node // the clouds, with secure.yaml merged in
	at     map[string]int   // the line number of each cloud
	public *node            // the public-clouds mapping of clouds-public.yaml
	secure string           // the path of secure.yaml, or ""
	// err is set if one of the files is unusable. It matters only if a cloud is requested.
	err error
}

func (c *cloudFiles) names() []string {
	return slices.Sorted(maps.Keys(c.clouds))
}

// readClouds finds and parses clouds.yaml, secure.yaml and clouds-public.yaml.
func (l *loader) readClouds() *cloudFiles {
	c := &cloudFiles{clouds: map[string]*node{}, at: map[string]int{}}
	explicit := l.Env("OS_CLIENT_CONFIG_FILE")
	places := l.cloudPlaces("clouds")
	if explicit != "" {
		places = []string{l.fromWorkDir(explicit)}
	}
	path, root, err := l.firstFile("clouds.yaml", places)
	if err == nil && root == nil && explicit != "" {
		err = &FileError{
			File: places[0], Problem: "the file does not exist", Hint: "set by OS_CLIENT_CONFIG_FILE", Err: fs.ErrNotExist,
		}
	}
	if c.path, c.err = path, err; err != nil || root == nil {
		return c
	}
	c.add(root)
	if len(c.clouds) == 0 {
		l.annotatePlace("no clouds")
	}

	places = append(yamlNames(filepath.Dir(path), "secure"), l.cloudPlaces("secure")...)
	if explicit := l.Env("OS_CLIENT_SECURE_FILE"); explicit != "" {
		places = []string{l.fromWorkDir(explicit)}
	}
	path, root, err = l.firstFile("secure.yaml", places)
	c.secure = path
	c.err = errors.Join(c.err, err)
	c.mergeSecure(root)

	places = append(yamlNames(filepath.Dir(c.path), "clouds-public"), l.cloudPlaces("clouds-public")...)
	_, root, err = l.firstFile("clouds-public.yaml", places)
	c.err = errors.Join(c.err, err)
	c.public = root.get("public-clouds")
	return c
}

func (c *cloudFiles) add(root *node) {
	clouds := root.get("clouds")
	if clouds == nil || clouds.kind == kindEmpty {
		return
	}
	if clouds.kind != kindMapping {
		c.err = errors.Join(c.err, clouds.fault("clouds", "must be a mapping of clouds, but is "+clouds.describe(), ""))
		return
	}
	for _, e := range clouds.entries {
		c.clouds[e.name], c.at[e.name] = e.value, e.line
	}
}

func (c *cloudFiles) mergeSecure(root *node) {
	secure := root.get("clouds")
	if secure == nil || secure.kind != kindMapping {
		return
	}
	for _, e := range secure.entries {
		if cloud, ok := c.clouds[e.name]; ok {
			c.clouds[e.name] = merge(cloud, e.value, mergeDepth)
		}
	}
}

// mergeDepth is the number of levels at which clouds are merged key by key. The two levels are the cloud and its auth
// mapping.
const mergeDepth = 2

// merge merges two mappings, key by key down to the given depth, and returns the result. Values in over take
// precedence over values in under. Dashes in names become underscores, because OpenStack's clients treat the two
// alike.
func merge(under, over *node, depth int) *node {
	if over == nil || over.kind == kindEmpty {
		over, under = under, nil
	}
	if over == nil || over.kind != kindMapping || depth == 0 {
		return over
	}
	out := &node{kind: kindMapping, file: over.file, line: over.line, column: over.column}
	layers := []*node{over}
	if under != nil && under.kind == kindMapping {
		layers = []*node{under, over}
	}
	for _, n := range layers {
		for _, e := range n.entries {
			e.name = strings.ReplaceAll(e.name, "-", "_")
			e.value = merge(out.get(e.name), e.value, depth-1)
			out.put(e)
		}
	}
	return out
}

// cloudPlaces returns the paths where openstacksdk searches for the file with the given stem (its name without .yaml
// or .yml).
func (l *loader) cloudPlaces(stem string) []string {
	var places []string
	for _, dir := range []string{l.WorkDir, l.xdg("XDG_CONFIG_HOME", ".config", "openstack"), filepath.Join(l.SystemDir, "openstack")} {
		if dir != "" {
			places = append(places, yamlNames(dir, stem)...)
		}
	}
	return places
}

func yamlNames(dir, stem string) []string {
	return []string{filepath.Join(dir, stem+".yaml"), filepath.Join(dir, stem+".yml")}
}

// firstFile reads and parses the first existing file in places. If none exists, root and err are nil.
func (l *loader) firstFile(what string, places []string) (path string, root *node, err error) {
	seen := map[string]bool{}
	for _, p := range places {
		if seen[p] {
			continue
		}
		seen[p] = true
		data, _, err := readFile(p)
		if what == "clouds.yaml" || err == nil {
			l.recordPlace(what, p, err)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return p, nil, &FileError{File: p, Problem: readProblem(err), Err: err}
		}
		root, _, err := parse(p, data) // non-fatal problems in OpenStack's files are ignored
		return p, root, err
	}
	return "", nil, nil
}

// cloud returns the named cloud from clouds.yaml, or nil if there is none. If region is "", the cloud's default
// region is used.
func (l *loader) cloud(name, region string) *candidate {
	n, ok := l.clouds.clouds[name]
	if !ok {
		return nil
	}
	c := &candidate{
		Context:  Context{Name: name, Source: fmt.Sprintf("%s:%d", l.clouds.path, l.clouds.at[name])},
		settings: settings{}, names: cloudName,
	}
	if l.clouds.err != nil {
		c.errs = append(c.errs, l.clouds.err) // the unreadable file may define parts of the cloud
	}
	path := join("clouds", name)
	if n.kind != kindMapping && n.kind != kindEmpty {
		c.errs = append(c.errs, n.fault(path, "must be a mapping, but is "+n.describe(), ""))
		return c
	}
	n, c.hint = l.clouds.withProfile(n)
	r := &cloudReader{cloud: merge(nil, n, mergeDepth), path: path}
	r.pickRegion(region)
	c.settings = r.settings()
	c.settings.expandPaths(l.Home, l.WorkDir)
	c.errs = append(c.errs, r.errs...)
	return c
}

// withProfile merges a cloud over its public profile. The profiles built into openstacksdk are not supported: if the
// cloud's profile is in no clouds-public.yaml, withProfile returns a hint that says so.
func (c *cloudFiles) withProfile(cloud *node) (_ *node, hint string) {
	name := cloud.get("profile")
	if name == nil {
		name = cloud.get("cloud")
	}
	if name == nil || name.kind != kindScalar {
		return cloud, ""
	}
	profile := c.public.get(name.text)
	if profile == nil {
		return cloud, fmt.Sprintf("its profile %q is not in any clouds-public.yaml", name.text)
	}
	return merge(profile, cloud, mergeDepth), ""
}
