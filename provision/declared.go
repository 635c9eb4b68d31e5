package provision

import (
	"context"
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"ironworks/models"
	"ironworks/models/request"
)

// DeclaredVerb is the kind of change that an object in a file requires.
type DeclaredVerb string

// The kinds of changes that an object may require.
const (
	DeclaredCreate DeclaredVerb = "create"
	DeclaredChange DeclaredVerb = "change"
	DeclaredSame   DeclaredVerb = "unchanged"
	// DeclaredHidden means that all comparable fields are unchanged, but that other fields are hidden.
	DeclaredHidden DeclaredVerb = "hidden"
	DeclaredDelete DeclaredVerb = "delete"
)

// Declared is a rule, deploy template or runbook that a file declares, compared with the one in Ironic.
type Declared struct {
	Verb DeclaredVerb
	// Noun is the type of the object, and Label identifies the object.
	Noun, Label string
	// UUID is the UUID of the existing object or, for a new object, the UUID given in the file.
	UUID string
	// Fields lists the fields that differ. Hidden is a phrase for the fields that cannot be compared, if any.
	Fields []string
	Hidden string
	// Before and After are the object before and after the change, in the format of a file. Before is empty if the
	// object is new; After is empty if the object is deleted.
	Before, After string
	// Requests lists the requests in the order in which they are sent. It is empty if there is nothing to do.
	Requests []request.Request
}

// DeclaredCounts sums up a plan, such as "change 1 inspection rule", or returns "" if nothing has to be sent.
func DeclaredCounts(list []Declared) string {
	var parts []string
	for _, verb := range []DeclaredVerb{DeclaredCreate, DeclaredChange, DeclaredDelete} {
		n, noun := 0, ""
		for i := range list {
			if list[i].Verb == verb {
				n, noun = n+1, list[i].Noun
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", verb, models.Counted(n, noun)))
		}
	}
	return strings.Join(parts, ", ")
}

// Difference describes the change, and shows a diff of the object's file or, for a new object, the whole file.
func (d *Declared) Difference() string {
	head := fmt.Sprintf("%s %s\n", d.Verb, d.Label)
	if d.Before == "" {
		return head + d.After
	}
	after := d.After
	if d.Verb == DeclaredDelete {
		after = ""
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(d.Before), B: difflib.SplitLines(after), FromFile: "now", ToFile: "then", Context: 1,
	})
	if err != nil {
		text = err.Error() + "\n"
	}
	return head + text
}

// SendDeclared sends the requests of a plan one after another and records each of them in the audit log. After an
// error, it skips the other requests for the same object and continues with the next object. errs has one element per
// object in list. The element is nil if the object's requests succeeded.
func (r *Runner) SendDeclared(ctx context.Context, list []Declared) (errs []error) {
	errs = make([]error, len(list))
	for i := range list {
		errs[i] = r.sendDeclared(ctx, &list[i])
	}
	return errs
}

func (r *Runner) sendDeclared(ctx context.Context, d *Declared) error {
	verb := string(d.Verb) + " " + d.Noun
	if r.ReadOnly && len(d.Requests) > 0 {
		return readOnly(verb, d.Label)
	}
	for _, q := range d.Requests {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, _, err := r.audited(ctx, entry{Request: q, verb: verb, object: d.Noun + " " + d.Label}, &models.Node{}); err != nil {
			return err
		}
	}
	return nil
}
