package filter

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// Saved holds the named filters from the configuration. Other filters can refer to them as @name. A nil pointer holds
// no filters.
type Saved struct {
	texts map[string]string
	good  map[string]Filter
}

// NewSaved parses named filters, which may refer to each other. It omits invalid filters and returns an error for each.
func NewSaved(texts map[string]string) (*Saved, map[string]error) {
	s := &Saved{texts: texts, good: map[string]Filter{}}
	failed := map[string]error{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if strings.Trim(name, savedNameRunes) != "" || name == "" {
			failed[name] = errors.New("a name can contain only letters, digits, - and _")
			continue
		}
		if _, err := s.resolve(name, nil); err != nil {
			failed[name] = err
		}
	}
	return s, failed
}

const savedNameRunes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// resolve parses the named filter. via lists the filters that led to it, so that cycles are detected.
func (s *Saved) resolve(name string, via []string) (Filter, error) {
	if f, done := s.good[name]; done {
		return f, nil
	}
	text, there := s.texts[name]
	if !there {
		return Filter{}, s.unknown(name)
	}
	via = append(slices.Clone(via), name)
	if i := slices.Index(via, name); i < len(via)-1 {
		return Filter{}, fmt.Errorf("saved filters refer to each other in a loop: @%s", strings.Join(via[i:], ", @"))
	}
	f, err := parseFilter(text, func(name string) (Filter, error) { return s.resolve(name, via) })
	if err == nil {
		s.good[name] = f
	}
	return f, err
}

func (s *Saved) unknown(name string) error {
	if names := s.Names(); len(names) > 0 {
		return fmt.Errorf("no saved filter %q; available: @%s", name, strings.Join(names, ", @"))
	}
	return fmt.Errorf("no saved filter %q: the configuration file has none (filters:); quote the text to search for @", name)
}

// Names returns the names of the valid filters, sorted.
func (s *Saved) Names() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.good))
}

// Text returns the definition of the saved filter with the given name.
func (s *Saved) Text(name string) string { return s.texts[name] }

// Parse parses a filter that may refer to saved filters. An empty line matches every node.
func (s *Saved) Parse(line string) (Filter, error) {
	return parseFilter(line, func(name string) (Filter, error) {
		if s != nil {
			if f, there := s.good[name]; there {
				return f, nil
			}
		}
		return Filter{}, s.unknown(name)
	})
}

// savedTerm returns a term that matches the saved filter with the given name.
func savedTerm(name string, saved func(name string) (Filter, error)) (term, error) {
	f, err := saved(name)
	if err != nil {
		return term{}, err
	}
	return term{
		fields: f.Fields(), hardware: f.NeedsHardware(),
		test: func(r *models.Row, now time.Time) models.Answer { return f.At(now).Match(r) },
	}, nil
}
