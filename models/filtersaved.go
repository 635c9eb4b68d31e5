package models

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// SavedFilters are the named filters of the configuration, which other filters use as @name. A nil pointer has no
// filters.
type SavedFilters struct {
	texts map[string]string
	good  map[string]Filter
}

// NewSavedFilters parses named filters, which may use each other. Invalid filters are omitted, with an error for each.
func NewSavedFilters(texts map[string]string) (*SavedFilters, map[string]error) {
	s := &SavedFilters{texts: texts, good: map[string]Filter{}}
	failed := map[string]error{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if strings.Trim(name, savedNameRunes) != "" || name == "" {
			failed[name] = errors.New("a name consists of letters, digits, - and _")
			continue
		}
		if _, err := s.resolve(name, nil); err != nil {
			failed[name] = err
		}
	}
	return s, failed
}

const savedNameRunes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// resolve parses a saved filter. via has the names of the filters that led to it, to detect cycles.
func (s *SavedFilters) resolve(name string, via []string) (Filter, error) {
	if f, done := s.good[name]; done {
		return f, nil
	}
	text, there := s.texts[name]
	if !there {
		return Filter{}, s.unknown(name)
	}
	via = append(slices.Clone(via), name)
	if i := slices.Index(via, name); i < len(via)-1 {
		return Filter{}, fmt.Errorf("saved filters use each other: @%s", strings.Join(via[i:], ", @"))
	}
	f, err := parseFilter(text, func(name string) (Filter, error) { return s.resolve(name, via) })
	if err == nil {
		s.good[name] = f
	}
	return f, err
}

func (s *SavedFilters) unknown(name string) error {
	if names := s.Names(); len(names) > 0 {
		return fmt.Errorf("no saved filter %q; available: @%s", name, strings.Join(names, ", @"))
	}
	return fmt.Errorf("no saved filter %q: the configuration file has none (filters:); quote the text to search for @", name)
}

// Names returns the names of the valid filters, sorted.
func (s *SavedFilters) Names() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.good))
}

// Text returns the text of a saved filter.
func (s *SavedFilters) Text(name string) string { return s.texts[name] }

// Parse parses a filter that may use the saved ones; an empty line matches every node.
func (s *SavedFilters) Parse(line string) (Filter, error) {
	return parseFilter(line, func(name string) (Filter, error) {
		if s != nil {
			if f, there := s.good[name]; there {
				return f, nil
			}
		}
		return Filter{}, s.unknown(name)
	})
}

// savedTerm returns a reference to a saved filter.
func savedTerm(name string, saved func(name string) (Filter, error)) (term, error) {
	f, err := saved(name)
	if err != nil {
		return term{}, err
	}
	return term{
		fields: f.Fields(), hardware: f.NeedsHardware(),
		test: func(r *Row, now time.Time) Answer { return f.At(now).Match(r) },
	}, nil
}
