package models

import (
	"fmt"
	"time"
)

// Observation is one value that a check or an explanation goes by.
type CheckEvidence struct {
	Field string `json:"field"`
	Value string `json:"value"`
	// AgeSeconds is how old the knowledge is; zero when it was read for this check.
	AgeSeconds int64 `json:"age_seconds,omitempty"`
}

// String gives field = value, and its age where it is old.
func (e CheckEvidence) String() string {
	text := Printable(e.Field + " = " + e.Value)
	if age := time.Duration(e.AgeSeconds) * time.Second; age >= time.Minute {
		text += " (" + howOld(age) + " old)"
	}
	return text
}

func howOld(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}

// saw is evidence that was read just now.
func saw(field string, value any) CheckEvidence {
	return CheckEvidence{Field: field, Value: Printable(fmt.Sprint(value))}
}
