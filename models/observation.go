package models

import (
	"fmt"
	"time"

	"ironworks/printable"
)

// Observation is a value on which a check or an explanation is based.
type Observation struct {
	Field string `json:"field"`
	Value string `json:"value"`
	// AgeSeconds is the age of the value. It is zero if the value was read for this check.
	AgeSeconds int64 `json:"age_seconds,omitempty"`
}

// String returns the observation as "field = value". If the value is at least a minute old, its age follows.
func (e Observation) String() string {
	text := printable.Line(e.Field + " = " + e.Value)
	if age := time.Duration(e.AgeSeconds) * time.Second; age >= time.Minute {
		text += " (" + AgeInWords(age) + " old)"
	}
	return text
}

// AgeInWords formats a duration in whole minutes, hours or days, rounded down.
func AgeInWords(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}

// Observed returns an observation of a value that has just been read.
func Observed(field string, value any) Observation {
	return Observation{Field: field, Value: printable.Line(fmt.Sprint(value))}
}
