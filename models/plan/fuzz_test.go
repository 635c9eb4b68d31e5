package plan

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzDecode checks that an invalid plan is rejected with a list of problems, that an unchanged plan is written
// exactly as it was read, and that decoding an encoded plan yields the same plan.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"", "{}", "nodes: [n1, n2]\n", "# a comment\nkind: image\nnodes:\n  - n1\n", "kind: 5\n", "polices: x\n", "nodes: {n1: {}}\n",
		"nodes: &a [*a]\n", "a: &a [1]\nb: *a\n", "hints: {size: '> 1'}\n", "---\n---\n", "\xff", "nodes:\n  - n1: {hints: {wwn: '0x5'}}\n", "steps: [{interface: deploy, step: x, args: {}, priority: 9}]\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Decode(data)
		var refused *Error
		if err != nil {
			if p != nil || !errors.As(err, &refused) || len(refused.Problems) == 0 || len(refused.Problems) > maxPlanProblems {
				t.Errorf("plan %v with error %#v", p, err)
			}
			return
		}
		same, err := p.Encode()
		if err != nil || !bytes.Equal(same, data) {
			t.Errorf("an unchanged plan is written as %q, error %v", same, err)
		}
		p.file = nil
		text, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(text)
		if err != nil || !again.equal(p) {
			t.Errorf("%q is read from what was written, error %v", text, err)
		}
	})
}
