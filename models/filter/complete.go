package filter

import (
	"slices"
	"strings"

	"ironworks/models"
)

// mostCompletions limits how many values from nodes are offered as completions.
const mostCompletions = 20

// Complete returns the possible completions of word, the last word of a filter. It completes the filter's keys and
// their values, the names of saved filters, and the names and values of the nodes in rows.
func (s *Saved) Complete(word string, rows []*models.Row) []string {
	not, term := "", word
	if rest, is := strings.CutPrefix(word, "!"); is {
		not, term = "!", rest
	}
	var out []string
	key, value, hasKey := strings.Cut(term, ":")
	switch {
	case strings.HasPrefix(term, "@"):
		for _, name := range s.Names() {
			out = append(out, "@"+name)
		}
	case !hasKey:
		for _, k := range Keys() {
			out = append(out, k+":")
		}
		if term != "" {
			out = append(out, valuesOf(rows, term, func(n *models.Node) []string { return []string{n.Label()} })...)
		}
	case key == "field":
		for _, f := range apiFields {
			out = append(out, "field:"+f)
		}
	default:
		exact := value[:len(value)-len(strings.TrimPrefix(value, "="))]
		values := filterValues(key)
		if k := keys[key]; k.kind == filterText && k.values != nil {
			values = valuesOf(rows, value[len(exact):], k.values)
		}
		for _, v := range values {
			out = append(out, key+":"+exact+v)
		}
	}
	out = slices.DeleteFunc(out, func(c string) bool { return !strings.HasPrefix(c, term) || strings.ContainsAny(c, " \"|") })
	for i := range out {
		out[i] = not + out[i]
	}
	return out
}

// valuesOf returns the nodes' distinct values that begin with prefix, sorted. It calls of to get the values of each
// node, and stops after a node if it has found at least mostCompletions values.
func valuesOf(rows []*models.Row, prefix string, of func(*models.Node) []string) []string {
	var values []string
	for _, r := range rows {
		for _, v := range of(&r.Node) {
			if v != "" && strings.HasPrefix(v, prefix) && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) >= mostCompletions {
			break
		}
	}
	slices.Sort(values)
	return values
}

// filterValues returns the values of a filter key that has a fixed set of values, and nil for other keys.
func filterValues(key string) []string {
	switch key {
	case "state":
		return append([]string{"failed", "busy", "stable", "wait", "hold"}, stateWords()...)
	case "target":
		return stateWords()
	case "power":
		return []string{"on", "off", "error", "unknown"}
	case "maintenance", "protected", "retired":
		return []string{"yes", "no"}
	case "is":
		return isKeys
	}
	return nil
}

func stateWords() []string {
	words := make([]string, len(models.States()))
	for i, s := range models.States() {
		words[i] = strings.ReplaceAll(string(s), " ", "-")
	}
	return words
}
