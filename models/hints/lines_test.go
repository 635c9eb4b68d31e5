package hints_test

import (
	"errors"
	"strings"
	"testing"

	"ironworks/models/hints"
)

func TestJudgeLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	good := `{"hints": {"wwn": "0X2"}, "disks": [{"name": "/dev/sda\u202e", "wwn": "0x2"}]}` + "\n\n"
	if err := hints.JudgeLines(strings.NewReader(good), &out, hints.GenerationNewest); err != nil {
		t.Fatal(err)
	}
	want := `{"valid":true,"invalid_because":null,"agent":{"picks":"/dev/sda\u202e","error":null}}` + "\n"
	if out.String() != want {
		t.Errorf("%s, want %s", out.String(), want)
	}
	out.Reset()
	err := hints.JudgeLines(strings.NewReader(good+"{"), &out, hints.GenerationNewest)
	if bad, is := errors.AsType[*hints.CaseError](err); !is || bad.Line != 3 || out.String() != want {
		t.Errorf("%v after %s", err, out.String())
	}
}
