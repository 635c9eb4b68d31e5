package userdata

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ironworks/ignition/firstboot"
)

const (
	// maxUserData is what Ironic takes with a provision request:
	// [api]max_json_body_size_provision.
	maxUserData = 64 << 20
	// maxYAML bounds what is given to the YAML parser, which takes a hundred
	// times as much memory.
	maxYAML = 2 << 20
	// maxProblems bounds a report.
	maxProblems = 1000
	// maxLayers bounds gzip in base64 in gzip …
	maxLayers = 4
	// maxChildDepth and maxChildren bound configurations in configurations.
	maxChildDepth = 8
	maxChildren   = 100
	// maxInside bounds all that is unpacked and decoded on the way.
	maxInside = 64 << 20
)

// Option changes what [Check] takes for right.
type Option func(*settings)

type settings struct {
	maxSpec      Spec
	maxSpecGiven bool
	filesDir     string
	images       []*firstboot.Image
}

// MaxSpec is the highest specification that the image to be installed
// takes: OpenShift 4.22's takes 3.5. Without it everything that is known here
// is taken, with a warning for the newest.
func MaxSpec(spec Spec) Option {
	return func(o *settings) { o.maxSpec, o.maxSpecGiven = min(spec, NewestSpec), true }
}

// FilesDir is where "local:" in Butane finds its files. Without it
// configurations that have local files are refused.
func FilesDir(dir string) Option {
	return func(o *settings) { o.filesDir = dir }
}

// checker is one run of [Check].
type checker struct {
	options  settings
	problems []Problem
	seen     map[Problem]struct{}
	left     int // out of the report
	errors   int
	summary  Summary
	logins   map[string]*loginState
	places   map[entryKey]entryPlace
	otherWay bool // somebody gets in by other ways than users
	remote   bool // a part of the configuration is elsewhere
	unread   bool // a part of the configuration is broken
	readable bool // the configuration has a specification that is known
	spec     Spec // the highest of all parts
	inside   int64
	children int
	specs    map[Spec]*shape
	config   []byte
	sent     []byte
}

// scope is the document that is being looked at.
type scope struct {
	spec  Spec
	depth int
	// locate says where something stands in the file that was given: the
	// value, or its key.
	locate func(path elementPath, key bool) (string, place)
	// own says that the document is the file that was given, or a part of it.
	own bool
}

// knowing is the scope for one element that is at hand: looking for it again
// would take long in a large document.
func (s *scope) knowing(e *element) *scope {
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

// full says that the report has as many problems as it may have.
func (c *checker) full() bool { return len(c.problems) >= maxProblems }

// rootScope is for what has no document.
func rootScope() *scope {
	return &scope{locate: func(elementPath, bool) (string, place) { return "$", place{} }}
}

// documentScope is for a document whose paths are the user's.
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

// Check says what user data for the installed system is, translates it to
// Ignition where that can be done, and finds what is wrong with it: everything
// that Ignition itself refuses, and what it takes and then boots into a
// machine that is not what was meant. It does no I/O but for [FilesDir],
// and time and memory are bounded whatever it is given.
func Check(data []byte, options ...Option) Report {
	c := &checker{
		options: settings{maxSpec: NewestSpec},
		seen:    map[Problem]struct{}{},
		logins:  map[string]*loginState{},
		inside:  maxInside,
		specs:   map[Spec]*shape{},
	}
	for _, option := range options {
		option(&c.options)
	}
	kind := c.document(data, nil)
	c.finish(data)
	return Report{Kind: kind, Problems: c.problems, Summary: c.summary, config: c.config, sent: c.sent, errors: c.errors}
}

// document checks what data is, and what is packed in it.
func (c *checker) document(data []byte, layers []Kind) Kind {
	d := detect(data)
	layers = append(slices.Clone(layers), d.kind)
	c.summary.Layers = layers
	if len(data) > maxUserData {
		c.add(rootScope(), IDTooLarge, nil, fmt.Sprintf("%d bytes exceed Ironic's limit of %d for a deployment: host large files elsewhere and refer to them", len(data), maxUserData))
		return d.kind
	}
	switch {
	case d.id != "" && d.kind != KindButane:
		c.refuse(d)
	case d.kind == KindGzip, d.kind == KindBase64, d.kind == KindJSONString:
		c.packed(data, d, layers)
	case d.kind == KindButane:
		c.butane(data, d)
	case d.kind == KindMachineConfig:
		c.machineConfig(d)
	default:
		c.ignition(data, d)
	}
	return d.kind
}

// packed looks into gzip, base64 and JSON strings.
func (c *checker) packed(data []byte, d detected, layers []Kind) {
	if len(layers) > maxLayers {
		c.add(rootScope(), IDNested, nil, fmt.Sprintf("packed more than %d times: unpack it first", maxLayers))
		return
	}
	content, err := c.unpackLayer(data, d)
	if err != nil {
		c.add(rootScope(), IDPackedBroken, nil, fmt.Sprintf("%s that cannot be unpacked: %v; pack it again, or use the plain file", d.kind, err))
		return
	}
	c.add(rootScope(), IDPacked, nil, fmt.Sprintf("packed as %s: the step install_coreos requires plain JSON, so the content is checked and sent unpacked", d.kind))
	c.document(content, layers)
}

func (c *checker) unpackLayer(data []byte, d detected) ([]byte, error) {
	if d.kind != KindGzip {
		c.inside -= int64(len(d.content))
		return d.content, nil
	}
	content, err := gunzip(data, c.inside)
	c.inside -= int64(len(content))
	return content, err
}

// ignition checks a document that is to be Ignition in JSON.
func (c *checker) ignition(data []byte, d detected) {
	s := documentScope(d.root)
	c.findings(s, d.findings)
	if d.root == nil {
		return
	}
	c.effective(s, data, d.root)
	c.config = data
}

// findings turns what the reader saw into problems.
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

// add reports a problem of a value.
func (c *checker) add(s *scope, id ProblemID, path elementPath, message string) {
	shown, at := s.locate(path, false)
	c.report(id, shown, at, message)
}

// addKey reports a problem of a key.
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
	case IDButaneWarning, IDIgnitionWarning: // both may say it
		same.ID, same.Message = IDIgnitionWarning, p.Message
	default:
	}
	if _, known := c.seen[same]; known {
		return
	}
	if c.full() {
		c.left++
		return
	}
	c.seen[same] = struct{}{}
	c.problems = append(c.problems, p)
}

// finish adds what only the whole can tell, and sorts the problems by place.
func (c *checker) finish(raw []byte) {
	c.summary.Users = c.users()
	if c.readable {
		c.summary.Spec = c.spec.String()
		c.checkLogins()
	}
	c.sizes(raw)
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		switch {
		case (a.Line == 0) != (b.Line == 0):
			return b.Line - a.Line // what has no place comes last
		case a.Line != b.Line:
			return a.Line - b.Line
		case a.Column != b.Column:
			return a.Column - b.Column
		case a.Severity != b.Severity:
			return int(b.Severity - a.Severity)
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	if c.left > 0 {
		c.problems = append(c.problems, Problem{
			Severity: SeverityInfo, ID: IDMoreProblems, Path: "$",
			Message: fmt.Sprintf("%d more problems not listed: fix these first", c.left),
		})
	}
}

// trimmed is what counts of a text.
func trimmed(data []byte) []byte { return bytes.TrimSpace(data) }
