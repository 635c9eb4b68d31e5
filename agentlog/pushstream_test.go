package agentlog

import (
	"fmt"
	"strings"
	"testing"

	"ironworks/models"
)

// TestEntriesStayWhole checks that all lines of an entry are in the same batch, even if the requested batch is
// smaller than the entry.
func TestEntriesStayWhole(t *testing.T) {
	s := &stream{}
	for _, cursor := range []string{"a", "b", "b", "b", "", "", "c"} {
		s.lines = append(s.lines, models.LogLine{Boot: "1", Cursor: cursor, Text: cursor + "."})
	}
	var got []string
	for next := 0; next < len(s.lines); {
		lines, behind, _ := s.since(next, 2)
		var texts []string
		for i := range lines {
			texts = append(texts, lines[i].Text)
		}
		got, next = append(got, strings.Join(texts, "")), behind
	}
	if fmt.Sprintf("%q", got) != `["a.b.b.b." ".." "c."]` {
		t.Errorf("%q", got)
	}
	if lines, behind, _ := s.since(2, 0); len(lines) != 0 || behind != 2 {
		t.Errorf("without room: %v %d", lines, behind)
	}
}
