package choose

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ironworks/ui/cell"
)

// searchText holds an item's text in lower case, for comparison with queries.
type searchText struct{ title, rest string }

// index computes the searchable text of each item and the widths of the columns.
func (l *List) index() {
	l.searchTexts = make([]searchText, len(l.items))
	l.keyWidth, l.titleWidth = 0, 0
	for i, item := range l.items {
		l.searchTexts[i] = searchText{
			title: strings.ToLower(item.Title),
			rest:  strings.ToLower(item.Detail + "\n" + item.Note + "\n" + item.ID + "\n" + item.Key),
		}
		l.keyWidth = max(l.keyWidth, cell.Width(item.Key))
		if !item.Heading {
			l.titleWidth = max(l.titleWidth, cell.Width(item.Title))
		}
	}
}

// The ranks of a match; a lower rank is better. letters means that the letters of the query occur in the same order,
// but with others in between. The number of bytes that they span is added to this rank.
const (
	isKey = iota
	isTitle
	startsTitle
	startsWord
	inTitle
	inRest
	allWords
	letters
	noMatch = 1 << 30
)

// filter returns the indexes of the items that match query, best match first. Equal matches keep their order.
func (l *List) filter(query string) []int {
	query = strings.ToLower(strings.TrimSpace(query))
	shown := make([]int, 0, len(l.items))
	if query == "" {
		for i := range l.items {
			shown = append(shown, i)
		}
		return shown
	}
	words := strings.Fields(query)
	rank := make([]int, len(l.items))
	for i := range l.items {
		if l.items[i].Heading {
			continue
		}
		if rank[i] = l.searchTexts[i].rank(query, words); slices.Contains(l.items[i].Keys, query) {
			rank[i] = isKey
		}
		if rank[i] < noMatch {
			shown = append(shown, i)
		}
	}
	slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	return shown
}

func (h searchText) rank(query string, words []string) int {
	switch at := strings.Index(h.title, query); {
	case at == 0 && len(h.title) == len(query):
		return isTitle
	case at == 0:
		return startsTitle
	case at > 0 && wordStarts(h.title, query):
		return startsWord
	case at > 0:
		return inTitle
	case strings.Contains(h.rest, query):
		return inRest
	}
	missing := func(word string) bool { return !strings.Contains(h.title, word) && !strings.Contains(h.rest, word) }
	if len(words) > 1 && !slices.ContainsFunc(words, missing) {
		return allWords
	}
	if span := inOrder(h.title, query); span >= 0 {
		return letters + span
	}
	return noMatch
}

// wordStarts reports whether text occurs in s at the start of a word.
func wordStarts(s, text string) bool {
	for from := 0; ; {
		at := strings.Index(s[from:], text)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		if !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return true
		}
		from = at + 1
	}
}

// inOrder looks for the letters of text in s, in the same order but not necessarily adjacent. It returns the number
// of bytes that they span, or -1 if they do not all occur.
func inOrder(s, text string) int {
	first, at := -1, 0
	for _, r := range text {
		if r == ' ' {
			continue
		}
		i := strings.IndexRune(s[at:], r)
		if i < 0 {
			return -1
		}
		if first < 0 {
			first = at + i
		}
		at += i + utf8.RuneLen(r)
	}
	return at - max(first, 0)
}
