package userdata

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Spec is the minor version number of Ignition's spec 3. For example, 4 means 3.4.0.
type Spec int

// NewestSpec is the newest stable spec version that ironworks knows. Ignition 2.26 introduced it in February 2026.
const NewestSpec Spec = 6

// widelySupportedSpec is the newest spec version that OpenShift's Machine Config Operator and most images support.
const widelySupportedSpec Spec = 5

// String returns the version in the form used in configurations, such as "3.4.0".
func (s Spec) String() string { return fmt.Sprintf("3.%d.0", int(s)) }

func (s Spec) ignitionRelease() string {
	releases := []string{"2.0", "2.3.0", "2.7.0", "2.11.0", "2.15.0", "2.20.0", "2.26.0"}
	if int(s) < len(releases) {
		return releases[s]
	}
	return "a newer one"
}

// specVersion matches version numbers as defined by go-semver and https://semver.org.
var specVersion = regexp.MustCompile(`^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

func (c *checker) version(s *scope, root *element) bool {
	path := elementPath{"ignition", "version"}
	version := root.down("ignition", "version")
	if version == nil || version.kind == elementNull || version.kind == elementString && version.text == "" {
		c.add(s, IDNoVersion, path, "ignition.version is missing: add \"3.2.0\", or the version that the configuration was written for")
		return false
	}
	if version.kind != elementString {
		c.add(s, IDBadVersion, path, "ignition.version must be a string, such as \"3.2.0\"")
		return false
	}
	parts := specVersion.FindStringSubmatch(version.text)
	if parts == nil {
		c.add(s, IDBadVersion, path, fmt.Sprintf("invalid version %s: must be three numbers, such as \"3.2.0\"", quoted(version.text)))
		return false
	}
	major := parts[1]
	n, _ := strconv.Atoi(parts[2]) // cannot fail, because specVersion limits the digits
	switch {
	case major == "2":
		c.add(s, IDSpec2, path, fmt.Sprintf("current CoreOS does not support spec %s: convert it to spec 3 (ign-converter), or rewrite it as Butane", quoted(version.text)))
	case major == "1" || major == "0":
		c.add(s, IDSpec1, path, fmt.Sprintf("spec %s is from 2015, and no current system supports it: rewrite it as Butane", quoted(version.text)))
	case major != "3":
		c.add(s, IDBadVersion, path, fmt.Sprintf("unknown spec %s: use 3.0.0 to %s", quoted(version.text), NewestSpec))
	case strings.HasPrefix(parts[4], "-experimental"):
		c.add(s, IDExperimentalSpec, path, fmt.Sprintf("%s is experimental: the next release of Ignition rejects it, and the machine would not boot; use %s", quoted(version.text), NewestSpec))
	case n > int(NewestSpec):
		c.add(s, IDSpecTooNew, path, fmt.Sprintf("spec %s is newer than %s, the newest known spec", quoted(version.text), NewestSpec))
	case version.text != Spec(n).String():
		c.add(s, IDBadVersion, path, fmt.Sprintf("unknown spec %s: did you mean %s?", quoted(version.text), Spec(n)))
	default:
		s.spec = Spec(n)
		c.checkSpecSupport(s, path)
		return true
	}
	return false
}

// checkSpecSupport adds a problem if the image to be installed does not, or may not, support the spec version.
func (c *checker) checkSpecSupport(s *scope, path elementPath) {
	c.spec = max(c.spec, s.spec)
	switch {
	case s.spec > c.options.maxSpec:
		c.add(s, IDSpecTooNew, path, fmt.Sprintf("spec %s is newer than %s, the newest the image supports; it needs Ignition %s: lower ignition.version, or install a newer image", s.spec, c.options.maxSpec, s.spec.ignitionRelease()))
	case s.spec > widelySupportedSpec && !c.options.maxSpecGiven:
		c.add(s, IDSpecNew, path, fmt.Sprintf("spec %s needs Ignition %s (February 2026) in the installed image; OpenShift 4.22 and older images support up to %s: use that if possible", s.spec, s.spec.ignitionRelease(), widelySupportedSpec))
	}
}
