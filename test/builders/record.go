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

// Record holds the digests of an original program's configurations.
type Record struct {
	// Source identifies the original and its version.
	Source string            `json:"source"`
	Cases  map[string]Digest `json:"cases"`
}

// Compare describes how the configuration differs from the original's, beyond the intended deviation. It returns "" if
// it does not.
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
