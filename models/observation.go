package models

import (
	"fmt"
	"time"
)

// Observation is one value that a check or an explanation goes by.
type Observation struct {
	Field string `json:"field"`
	Value string `json:"value"`
	// AgeSeconds is how old the knowledge is; zero when it was read for this check.
	AgeSeconds int64 `json:"age_seconds,omitempty"`
}

// String gives field = value, and its age where it is old.
func (e Observation) String() string {
	text := Printable(e.Field + " = " + e.Value)
	if age := time.Duration(e.AgeSeconds) * time.Second; age >= time.Minute {
		text += " (" + AgeInWords(age) + " old)"
	}
	return text
}

// AgeInWords is a duration in whole minutes, hours or days.
func AgeInWords(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}

// Observed is evidence that was read just now.
func Observed(field string, value any) Observation {
	return Observation{Field: field, Value: Printable(fmt.Sprint(value))}
}
