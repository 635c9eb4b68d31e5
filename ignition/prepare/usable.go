package prepare

import (
	"fmt"

	"ironworks/ignition/userdata"
	"ironworks/printable"
)

// UnbootableError is a configuration that a machine would not boot with.
type UnbootableError struct {
	// Name is the file's, as it was given.
	Name string
	Kind userdata.Kind
	// Problems are the errors of it, none of the warnings; they may be none.
	Problems []userdata.Problem
}

// Error is the first of the problems with its place.
func (e *UnbootableError) Error() string {
	if len(e.Problems) > 0 {
		return e.Problems[0].In(e.Name)
	}
	return fmt.Sprintf("%s (%s) would not boot", printable.Line(e.Name), e.Kind)
}

// Usable is the Ignition in a configuration that is to be booted with: Butane is
// translated, and what Ignition would refuse is refused here already, with an
// [UnbootableError]. What is Ignition stays as it is, to the byte.
func Usable(data []byte, name string, options ...userdata.Option) ([]byte, error) {
	report := userdata.Check(data, options...)
	if !report.OK() {
		e := &UnbootableError{Name: name, Kind: report.Kind}
		for _, p := range report.Problems {
			if p.Severity == userdata.SeverityError {
				e.Problems = append(e.Problems, p)
			}
		}
		return nil, e
	}
	if report.Kind == userdata.KindIgnition {
		return data, nil
	}
	return report.Ignition(), nil
}
