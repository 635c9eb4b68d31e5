package prepare

import (
	"fmt"

	"ironworks/ignition/userdata"
	"ironworks/printable"
)

// UnbootableError reports that a machine cannot boot with a configuration.
type UnbootableError struct {
	// Name is the name of the file, as the user gave it.
	Name string
	Kind userdata.Kind
	// Problems lists the errors without the warnings. It may be empty.
	Problems []userdata.Problem
}

// Error describes the first problem with its position in the file.
func (e *UnbootableError) Error() string {
	if len(e.Problems) > 0 {
		return e.Problems[0].In(e.Name)
	}
	return fmt.Sprintf("%s (%s) would not boot", printable.Line(e.Name), e.Kind)
}

// Usable returns the Ignition configuration in data. It returns Ignition unchanged and converts Butane and other
// supported forms. It returns an [UnbootableError] if Ignition would reject the configuration.
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
