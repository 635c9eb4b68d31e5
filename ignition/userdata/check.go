// Package userdata checks user data from the point of view of Ignition on the machine that will read it. It detects
// the format, translates Butane and MachineConfigs, and reports content that would make the boot end in the emergency
// shell or prevent every login. It also builds the user data that is sent for an installation.
package userdata

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ironworks/ignition/firstboot"
)

const (
	// maxUserData is Ironic's limit for user data, [api]max_json_body_size_provision, in bytes.
	maxUserData = 64 << 20
	// maxYAML limits the input of the YAML parser, in bytes. The parser needs a hundred times as much memory.
	maxYAML = 2 << 20
	// maxProblems limits the number of problems in a report.
	maxProblems = 1000
	// maxLayers limits how deeply user data may be packed, for example as gzip in base64 in gzip.
	maxLayers = 4
	// maxChildDepth limits the depth of nested configurations, and maxChildren limits their number.
	maxChildDepth = 8
	maxChildren   = 100
	// maxInside limits the total number of bytes that are unpacked and decoded.
	maxInside = 64 << 20
)

// Option configures [Check].
type Option func(*settings)

type settings struct {
	maxSpec      Spec
	maxSpecGiven bool
	filesDir     string
	images       []*firstboot.Image
}

// MaxSpec sets the highest spec version that the image to be installed supports. For example, OpenShift 4.22 supports
// up to 3.5. By default, all known versions are accepted, but the newest one causes a warning.
func MaxSpec(spec Spec) Option {
	return func(o *settings) { o.maxSpec, o.maxSpecGiven = min(spec, NewestSpec), true }
}

// FilesDir sets the folder that contains the "local:" files of a Butane configuration. Without this option,
// configurations that refer to local files are rejected.
func FilesDir(dir string) Option {
	return func(o *settings) { o.filesDir = dir }
}

type checker struct {
	options          settings
	problems         []Problem
	seen             map[Problem]struct{}
	omitted          int // the number of problems that are not in the report
	errors           int
	summary          Summary
	logins           map[string]*loginState
	places           map[entryKey]entryPlace
	loginWithoutUser bool  // users may be able to log in although passwd lists none
	remote           bool  // at least one part of the configuration is remote
	hasInvalidPart   bool  // at least one part of the configuration is invalid
	readable         bool  // at least one part has a known spec version
	spec             Spec  // the highest spec version of any part
	unpackLeft       int64 // the number of bytes that may still be unpacked
	children         int
	specs            map[Spec]*shape
	config           []byte
	sent             []byte
}

type scope struct {
	spec  Spec
	depth int
	// locate converts a path in the document to a path and a position in the original file. If key is true, it
	// returns the position of the key instead of that of the value.
	locate func(path elementPath, key bool) (string, place)
	// own reports whether the document is the original file, or a part of it that needs no translation.
	own bool
}

// atElement returns a scope that already knows the position of e. This avoids searching for e in a large document.
func (s *scope) atElement(e *element) *scope {
	if !s.own {
		return s
	}
	known := *s
	known.locate = func(path elementPath, key bool) (string, place) {
		at := e.at
		if key {
			at = e.keyAt
		}
		shown, _ := s.locate(nil, false)
		return shown + strings.TrimPrefix(path.String(), "$"), at
	}
	return &known
}

func (c *checker) full() bool { return len(c.problems) >= maxProblems }

// documentScope returns the scope of the user's own document. If root is nil, the positions are unknown.
func documentScope(root *element) *scope {
	return &scope{own: true, locate: func(path elementPath, key bool) (string, place) {
		return path.String(), placeIn(root, path, key)
	}}
}

func placeIn(root *element, path elementPath, key bool) place {
	e, steps := root.follow(path)
	switch {
	case e == nil:
		return place{}
	case key && steps == len(path) && e.keyAt != (place{}):
		return e.keyAt
	}
	return e.at
}

// Check detects the format of user data for an installed system and translates it to Ignition if possible. It reports
// content that Ignition would reject, or accept without the intended effect. It does no I/O except for reading the
// files in [FilesDir]. Its time and memory are limited for any input.
func Check(data []byte, options ...Option) Report {
	c := &checker{
		options:    settings{maxSpec: NewestSpec},
		seen:       map[Problem]struct{}{},
		logins:     map[string]*loginState{},
		places:     map[entryKey]entryPlace{},
		unpackLeft: maxInside,
		specs:      map[Spec]*shape{},
	}
	for _, option := range options {
		option(&c.options)
	}
	kind := c.document(data, nil)
	c.finish(data)
	return Report{Kind: kind, Problems: c.problems, Summary: c.summary, config: c.config, sent: c.sent, errors: c.errors}
}

// document checks data, which may be packed in several layers, and returns the format of the outermost layer.
func (c *checker) document(data []byte, layers []Kind) Kind {
	d := detect(data)
	layers = append(slices.Clone(layers), d.kind)
	c.summary.Layers = layers
	if len(data) > maxUserData {
		c.add(documentScope(nil), IDTooLarge, nil, fmt.Sprintf("%d bytes exceed Ironic's limit of %d for a deployment: host large files elsewhere and refer to them", len(data), maxUserData))
		return d.kind
	}
	switch {
	case d.id != "" && d.kind != KindButane:
		c.add(documentScope(d.root), d.id, nil, d.what+": "+d.hint)
	case d.kind == KindGzip, d.kind == KindBase64, d.kind == KindJSONString:
		c.packed(data, d, layers)
	case d.kind == KindButane:
		c.butane(data, d)
	case d.kind == KindMachineConfig:
		c.machineConfig(d)
	default:
		s := documentScope(d.root)
		c.findings(s, d.findings)
		if d.root != nil {
			c.effective(s, data, d.root)
			c.config = data
		}
	}
	return d.kind
}

func (c *checker) packed(data []byte, d detected, layers []Kind) {
	if len(layers) > maxLayers {
		c.add(documentScope(nil), IDNested, nil, fmt.Sprintf("packed more than %d times: unpack it first", maxLayers))
		return
	}
	content, err := d.content, error(nil)
	if d.kind == KindGzip {
		content, err = gunzip(data, c.unpackLeft)
	}
	c.unpackLeft -= int64(len(content))
	if err != nil {
		c.add(documentScope(nil), IDPackedBroken, nil, fmt.Sprintf("%s that cannot be unpacked: %v; pack it again, or use the plain file", d.kind, err))
		return
	}
	c.add(documentScope(nil), IDPacked, nil, fmt.Sprintf("packed as %s: the install_coreos step requires plain JSON, so the content is checked and sent unpacked", d.kind))
	c.document(content, layers)
}

func (c *checker) findings(s *scope, findings []jsonFinding) {
	for _, f := range findings {
		shown, at := s.locate(f.path, false)
		if s.depth == 0 {
			shown, at = f.path.String(), f.at
		} else if f.at.line > 0 {
			f.message += fmt.Sprintf(" (line %d, column %d inside)", f.at.line, f.at.column)
		}
		c.report(f.id, shown, at, f.message)
	}
}

func (c *checker) add(s *scope, id ProblemID, path elementPath, message string) {
	shown, at := s.locate(path, false)
	c.report(id, shown, at, message)
}

func (c *checker) addKey(s *scope, id ProblemID, path elementPath, message string) {
	shown, at := s.locate(path, true)
	c.report(id, shown, at, message)
}

func (c *checker) report(id ProblemID, path string, at place, message string) {
	p := Problem{
		Severity: id.Severity(), ID: id, Path: short(path, maxPath),
		Line: int(at.line), Column: int(at.column), Message: short(message, maxMessage),
	}
	if p.Severity == SeverityError {
		c.errors++
	}
	same := p
	same.Message = ""
	switch id {
	case IDButane, IDIgnitionRule:
		same.ID, same.Message = IDIgnitionRule, p.Message
	case IDButaneWarning, IDIgnitionWarning: // both libraries may report the problem
		same.ID, same.Message = IDIgnitionWarning, p.Message
	default:
	}
	if _, known := c.seen[same]; known {
		return
	}
	if c.full() {
		c.omitted++
		return
	}
	c.seen[same] = struct{}{}
	c.problems = append(c.problems, p)
}

func (c *checker) finish(raw []byte) {
	c.summary.Users = c.users()
	if c.readable {
		c.summary.Spec = c.spec.String()
		c.checkLogins()
	}
	c.sizes(raw)
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		if (a.Line == 0) != (b.Line == 0) {
			return b.Line - a.Line // problems without a position last
		}
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, int(b.Severity-a.Severity), cmp.Compare(a.ID, b.ID))
	})
	if c.omitted > 0 {
		c.problems = append(c.problems, Problem{
			Severity: SeverityInfo, ID: IDMoreProblems, Path: "$",
			Message: fmt.Sprintf("%d more problems not listed: fix these first", c.omitted),
		})
	}
}
