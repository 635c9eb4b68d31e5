package builders

import (
	"fmt"

	"ironworks/ignition"
)

// The names of the files in testdata.
const (
	ClassicFile = "classic.json"
	Metal3File  = "metal3.json"
)

// Record holds digests of the configurations that an original program creates.
type Record struct {
	// Source identifies the original and its version.
	Source string            `json:"source"`
	Cases  map[string]Digest `json:"cases"`
}

// Compare describes how the configuration that build creates differs from the original's, apart from the intended
// deviation. It returns "" if there is no other difference.
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
			return "the configuration is the same but should be refused"
		}
	case Mended:
		if want.Outcome != Failed || err != nil {
			return fmt.Sprintf("should be mended: original's outcome %s, error %v", want.Outcome, err)
		}
	}
	return ""
}
