package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/filter"
	"ironworks/session"
	"ironworks/spell"
)

// DidYouMean returns a suggestion of the known word that is nearest to word. It returns "" if no known word is near.
func DidYouMean[T ~string](word string, known []T) string {
	if near := spell.Nearest(word, slices.Values(models.Texts(known))); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// UnknownCommand returns the error for an argument that is not a subcommand of cmd.
func UnknownCommand(cmd *cobra.Command, name string) error {
	var known []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			known = append(append(known, sub.Name()), sub.Aliases...)
		}
	}
	return fmt.Errorf("unknown command %q for %q%s", name, cmd.CommandPath(), DidYouMean(name, known))
}

// ParseState parses the name of a provision state, whose words may be separated by spaces, dashes or underscores.
func ParseState(flag, text string) (models.ProvisionState, error) {
	for _, separator := range []string{"_", "-"} {
		if state := models.ProvisionState(strings.ReplaceAll(strings.ReplaceAll(text, "_", " "), separator, " ")); state.Known() {
			return state, nil
		}
	}
	near := DidYouMean(strings.NewReplacer("_", " ", "-", " ").Replace(text), models.States())
	return "", Usagef("%s %q is not a provision state%s; available: %s", flag, text, near, strings.Join(models.Texts(models.States()), ", "))
}

// ParseNodeFilter does the same as [filter.Saved.Parse], and suggests a correction for an unknown key or saved
// filter.
func ParseNodeFilter(saved *filter.Saved, text string) (filter.Filter, error) {
	f, err := saved.Parse(text)
	if wrong, is := errors.AsType[*filter.Error](err); is {
		key, _, hasKey := strings.Cut(strings.TrimPrefix(wrong.Term, "!"), ":")
		if near := DidYouMean(strings.ToLower(key), filter.Keys()); hasKey && !slices.Contains(filter.Keys(), key) && near != "" {
			return f, Usagef("%w%s", err, near)
		}
	}
	return f, err
}

// FindColumn does the same as [explain.FindColumn], and suggests a correction for an unknown key.
func FindColumn(key string) (models.Column, error) {
	c, err := explain.FindColumn(key)
	if err != nil {
		var known []string
		for _, c := range explain.Columns() {
			known = append(known, c.Key)
		}
		return c, Usagef("%w%s", err, DidYouMean(key, known))
	}
	return c, nil
}

// stateHint suggests the nearest provision state for an unknown one in the filter, or returns "".
func stateHint(filter string) string {
	known := []string{"failed", "busy", "stable", "wait", "hold"}
	for _, s := range models.States() {
		known = append(known, strings.ReplaceAll(string(s), " ", "-"))
	}
	for term := range strings.FieldsSeq(filter) {
		value, is := strings.CutPrefix(term, "state:")
		value = strings.TrimPrefix(value, "=")
		if is && !slices.ContainsFunc(known, func(k string) bool { return strings.Contains(k, value) }) {
			if hint := DidYouMean(value, known); hint != "" {
				return hint
			}
		}
	}
	return ""
}

// Group returns a command that only contains other commands. A missing or unknown subcommand is a usage error.
func Group(use string, subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, RunE: func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return Usagef("%w; usage: %s", UnknownCommand(cmd, args[0]), cmd.Use)
		}
		return Usagef("usage: %s", cmd.Use)
	}}
	cmd.AddCommand(subcommands...)
	return cmd
}

// ListFlags select the columns and the order of a node list.
type ListFlags struct {
	Columns []string
	Sort    string
	Watch   bool
}

// Listing returns the listing and the filter that the flags select. The context supplies the defaults for missing
// flags.
func (a *App) Listing(s *session.Session, flags ListFlags, filter string) (session.Listing, string, error) {
	d := s.Context.Defaults
	switch {
	case len(flags.Columns) > 0:
	case a.Wide:
		flags.Columns = wideColumns
	default:
		flags.Columns = d.Columns
	}
	if flags.Sort == "" {
		flags.Sort = d.Sort
	}
	if filter == "" {
		filter = d.Filter
	}
	l, err := newListing(s.Context.Filters, flags, filter)
	return l, filter, err
}

var wideColumns = []string{"name", "uuid", "state", "age", "step", "power", "class", "driver", "instance", "owner", "maintenance", "error"}

func newListing(saved *filter.Saved, flags ListFlags, filter string) (l session.Listing, err error) {
	if l.Filter, err = ParseNodeFilter(saved, filter); err != nil {
		return l, err
	}
	keys := flags.Columns
	if len(keys) == 0 {
		keys = []string{"name", "state", "step", "power", "class"}
	}
	for _, k := range keys {
		c, err := FindColumn(k)
		if err != nil {
			return l, err
		}
		l.Columns = append(l.Columns, c)
	}
	key, descending := strings.CutPrefix(flags.Sort, "-")
	if key == "" {
		key = "name"
	}
	if l.By, err = FindColumn(key); err != nil {
		return l, err
	}
	l.Descending = descending
	return l, nil
}

// NoNodes returns the sentence that replaces an empty list of nodes.
func NoNodes(filter string) string {
	if filter == "" {
		return "No nodes."
	}
	return "No nodes match " + filter + stateHint(filter) + "."
}
