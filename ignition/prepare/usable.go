package prepare

import (
	"fmt"

	"ironworks/ignition/userdata"
	"ironworks/printable"
)

// UnbootableError reports a configuration that a machine cannot boot with.
type UnbootableError struct {
	// Name is the file's name as given.
	Name string
	Kind userdata.Kind
	// Problems are the errors, without warnings. It may be empty.
	Problems []userdata.Problem
}

// Error returns the first problem with its position.
func (e *UnbootableError) Error() string {
	if len(e.Problems) > 0 {
		return e.Problems[0].In(e.Name)
	}
	return fmt.Sprintf("%s (%s) would not boot", printable.Line(e.Name), e.Kind)
}

// Usable returns the Ignition configuration in data. It translates Butane, and returns Ignition unchanged. If Ignition
// would refuse the configuration, it returns an [UnbootableError].
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
