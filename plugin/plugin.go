// Package plugin runs programs of the operator on nodes: custom commands that the configuration file adds to the
// console.
//
// A command is a list of arguments, never a line for a shell. Fields of the node replace placeholders such as {name},
// and are environment variables such as IRONWORKS_NODE_NAME. Ironic's data is hostile: a value cannot become an option,
// a second command or a control sequence; see [Plugin.Argv].
package plugin

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/printable"
	"ironworks/spell"
)

// Plugin is one command.
type Plugin struct {
	// Name is the plugin's name in the palette; Help is a clause for help and menus.
	Name, Help string
	// Keys run it; without any it is in palette and help only.
	Keys []string
	// Scope is where it runs.
	Scope Scope
	// Args are the program and its arguments, with placeholders.
	Args []string
	// Consent is the required confirmation.
	Consent models.Consent
	// Changes means that read-only mode refuses it.
	Changes bool
	// Background runs the program without the terminal, for up to [AtOnce] nodes at a time. Otherwise the program has
	// the terminal, one node after the other, and Pause waits for enter when it ends.
	Background, Pause bool
}

// Scope is where a plugin runs.
type Scope string

// The scopes.
const (
	OnNodes Scope = "nodes" // every screen with nodes to act on
	OnFleet Scope = "fleet" // the node list
	OnNode  Scope = "node"  // the screen of one node
)

// Scopes returns all scopes.
func Scopes() []Scope { return []Scope{OnNodes, OnFleet, OnNode} }

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// CheckName returns why a name is invalid, or "".
func CheckName(name string) string {
	if !nameForm.MatchString(name) || len(name) > 30 {
		return "a name has up to 30 lower-case letters, digits and dashes, and starts with a letter"
	}
	return ""
}

var placeholder = regexp.MustCompile(`\{([A-Za-z_]+)\}`)

// shells are programs that run a line of text.
var shells = []string{"sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "zsh"}

var commandOption = regexp.MustCompile(`^-[a-zA-Z]*c$`)

// CheckArgs returns the place and the problem of the first invalid argument, with its remedy. problem is "" if all are
// valid.
func CheckArgs(args []string) (at int, problem, hint string) {
	if len(args) == 0 || args[0] == "" {
		return 0, "names no program", "write [PROGRAM, ARGUMENT, …]"
	}
	for i, arg := range args {
		if strings.ContainsFunc(arg, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) {
			return i, "has a control character", ""
		}
		for _, match := range placeholder.FindAllStringSubmatch(arg, -1) {
			if problem, hint := checkField(match[1]); problem != "" {
				return i, problem, hint
			}
		}
	}
	if placeholder.MatchString(args[0]) {
		return 0, "the program cannot be a field of the node", "write its name or path"
	}
	if i := script(args); i > 0 && placeholder.MatchString(args[i]) {
		field := placeholder.FindStringSubmatch(args[i])[1]
		return i, "a shell would run what is in {" + field + "}", `use "$` + Variable(field) + `" in the script`
	}
	return 0, "", ""
}

// script returns the place of a shell's script, or 0.
func script(args []string) int {
	for i := range args {
		if !slices.Contains(shells, path.Base(args[i])) {
			continue
		}
		for j := i + 1; j+1 < len(args) && strings.HasPrefix(args[j], "-"); j++ {
			if commandOption.MatchString(args[j]) {
				return j + 1
			}
		}
	}
	return 0
}

func checkField(name string) (problem, hint string) {
	names := make([]string, len(fields))
	for i, f := range fields {
		if f.name == name {
			return "", ""
		}
		names[i] = f.name
	}
	hint = "fields: " + strings.Join(names, ", ")
	if near := spell.Nearest(name, slices.Values(names)); near != "" {
		hint = "did you mean {" + near + "}?"
	}
	return fmt.Sprintf("unknown field {%s}", printable.Line(name)), hint
}

// ValueError is a field of a node that cannot be given to a program.
type ValueError struct {
	Plugin, Node, Field string
	// Problem describes the problem of the value; Hint is the remedy or "".
	Problem, Hint string
}

// Error returns the problem and the remedy.
func (e *ValueError) Error() string {
	text := fmt.Sprintf("%s %s: nothing was run: %s", e.Plugin, printable.Line(e.Node), e.Why())
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Why returns the problem alone.
func (e *ValueError) Why() string { return fmt.Sprintf("{%s} %s", e.Field, e.Problem) }

// syntax are characters that shells interpret: programs such as ssh give their arguments to one.
const syntax = "`$;&|<>(){}[]*?!#'\"\\"

// Argv returns the program and its arguments for a node, or a [*ValueError]. It refuses
//   - control characters and other invisible ones, in any field, because the environment has all of them
//   - an empty value
//   - characters that shells interpret
//   - a value that starts with - where it would start an argument or a word of one
func (p *Plugin) Argv(n *models.Node) ([]string, error) {
	fail := func(field, problem, hint string) error {
		return &ValueError{Plugin: p.Name, Node: n.Label(), Field: field, Problem: problem, Hint: hint}
	}
	for _, f := range fields {
		if v := f.get(n); printable.Line(v) != v {
			return nil, fail(f.name, "has control or invisible characters", "")
		}
	}
	argv := make([]string, len(p.Args))
	for i, arg := range p.Args {
		var out strings.Builder
		last := 0
		for _, m := range placeholder.FindAllStringSubmatchIndex(arg, -1) {
			name := arg[m[2]:m[3]]
			before := arg[last:m[0]]
			out.WriteString(before)
			v := valueOf(n, name)
			starts := out.Len() == 0 || strings.HasSuffix(out.String(), " ")
			switch at := strings.IndexAny(v, syntax); {
			case v == "":
				return nil, fail(name, "is empty", emptyHint(name))
			case at >= 0:
				return nil, fail(name, fmt.Sprintf("has %q, which shells interpret", v[at]), "read $"+Variable(name)+" in a script instead")
			case starts && strings.HasPrefix(v, "-"):
				return nil, fail(name, "starts with -: the program would read it as an option", "read $"+Variable(name)+" in a script instead")
			}
			out.WriteString(v)
			last = m[1]
		}
		out.WriteString(arg[last:])
		argv[i] = out.String()
	}
	return argv, nil
}

func emptyHint(name string) string {
	if name == "name" {
		return "{node} is the name, or the UUID of a node without a name"
	}
	return ""
}
