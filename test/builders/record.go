package builders

import (
	"fmt"

	"ironworks/ignition"
)

// The files in testdata.
const (
	ClassicFile = "classic.json"
	Metal3File  = "metal3.json"
)

// Record is what an original made of the cases.
type Record struct {
	// Source names the original, exactly.
	Source string            `json:"source"`
	Cases  map[string]Digest `json:"cases"`
}

// Compare says where ours differs from what an original made, beyond the
// deviation that is meant, or nothing.
func Compare(want Digest, deviation Deviation, build func() (ignition.Document, error)) string {
	doc, err := build()
	got := Digest{Outcome: Failed}
	if err == nil {
		got = DigestOf(doc.JSON)
	}
	switch deviation {
	case Same:
		if text := Difference(want, got); text != "" {
			if err != nil {
				text += fmt.Sprintf(" (%v)", err)
			}
			return text
		}
	case Refused:
		if err == nil && Difference(want, got) == "" {
			return "ours is the same, but was to be refused"
		}
	case Mended:
		if want.Outcome != Failed || err != nil {
			return fmt.Sprintf("was to be mended: outcome %s, ours %v", want.Outcome, err)
		}
	}
	return ""
}
