// Package plugin runs custom commands for nodes. The operator adds them to the console in the configuration file.
//
// A command is a list of arguments, never a line for a shell. The fields of the node replace placeholders such as
// {name}, and are set as environment variables such as IRONWORKS_NODE_NAME. Data from Ironic is considered hostile: a
// value cannot become an option, a second command or a control sequence; see [Plugin.Argv].
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

// Plugin is a custom command.
type Plugin struct {
	// Name is the plugin's name in the command palette. Help is a short phrase that describes the plugin in the help
	// and in menus.
	Name, Help string
	// Keys lists the keys that run the plugin. A plugin without keys appears only in the palette and the help.
	Keys []string
	// Scope determines where the plugin can be run.
	Scope Scope
	// Args holds the program and its arguments, which may contain placeholders.
	Args []string
	// Consent is the confirmation that the operator must give.
	Consent models.Consent
	// Changes means that the plugin may change something. Read-only mode therefore refuses the plugin.
	Changes bool
	// Background means that the program runs without the terminal, for up to [AtOnce] nodes at a time. Otherwise, the
	// program runs in the terminal, for one node after another. Pause then makes the console wait for the enter key
	// after each run.
	Background, Pause bool
}

// Scope names the screens on which a plugin can be run.
type Scope string

// The groups of screens on which a plugin can be run.
const (
	OnNodes Scope = "nodes" // every screen with nodes to act on
	OnFleet Scope = "fleet" // the node list
	OnNode  Scope = "node"  // the screen of one node
)

// Scopes returns all scopes.
func Scopes() []Scope { return []Scope{OnNodes, OnFleet, OnNode} }

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// CheckName returns the reason why name is not a valid plugin name, or "" if it is valid.
func CheckName(name string) string {
	if !nameForm.MatchString(name) || len(name) > 30 {
		return "a name has up to 30 lower-case letters, digits and dashes, and starts with a letter"
	}
	return ""
}

var placeholder = regexp.MustCompile(`\{([A-Za-z_]+)\}`)

// shells lists the programs that run a script given as an argument.
var shells = []string{"sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "zsh"}

var commandOption = regexp.MustCompile(`^-[a-zA-Z]*c$`)

// CheckArgs returns the index of the first invalid argument, its problem, and a hint that may be empty. problem is ""
// if all arguments are valid.
func CheckArgs(args []string) (at int, problem, hint string) {
	if len(args) == 0 || args[0] == "" {
		return 0, "names no program", "use [PROGRAM, ARGUMENT, …]"
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
		return 0, "the program cannot be a field of the node", "give its name or path"
	}
	if i := script(args); i > 0 && placeholder.MatchString(args[i]) {
		field := placeholder.FindStringSubmatch(args[i])[1]
		return i, "a shell would run the contents of {" + field + "}", `use "$` + Variable(field) + `" in the script`
	}
	return 0, "", ""
}

// script returns the index of the argument that a shell in args runs as a script, or 0 if no argument is a script.
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

// ValueError reports that a node's field cannot be passed to a program.
type ValueError struct {
	Plugin, Node, Field string
	// Problem describes what is wrong with the value. Hint is the remedy, or "".
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

// Why returns the field and its problem, without the plugin, the node and the remedy.
func (e *ValueError) Why() string { return fmt.Sprintf("{%s} %s", e.Field, e.Problem) }

// syntax contains the characters that shells interpret. Programs such as ssh pass their arguments to a shell.
const syntax = "`$;&|<>(){}[]*?!#'\"\\"

// Argv returns the program and its arguments for node n, or a [*ValueError]. It refuses
//   - control and other invisible characters in any field, because all fields are also environment variables
//   - an empty value
//   - characters that shells interpret
//   - a value that starts with - at the start of an argument, or of a word in an argument
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
