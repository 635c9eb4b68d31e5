package bmc

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// maxText is the maximum length of a string from a controller, in characters. The longest ones are in log entries.
const maxText = 2000

// scrub removes control characters and credentials, which some controllers log, from every string in found.
func (s *session) scrub(found *models.BMC) { s.scrubValue(reflect.ValueOf(found)) }

func (s *session) scrubValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			s.scrubValue(v.Elem())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			s.scrubValue(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			s.scrubValue(v.Index(i))
		}
	case reflect.String:
		v.SetString(printable.Line(cut(s.mask(v.String()), maxText)))
	default:
	}
}

// amount converts a number to an integer. It returns 0 if the number is missing, negative, or greater than most.
func amount(n *float64, most float64) int64 {
	if n == nil || math.IsNaN(*n) || *n < 0 || *n > most {
		return 0
	}
	return int64(*n)
}

// percent converts a number to a percentage. It returns nil if the number is missing or is not between 0 and 100.
func percent(n *float64) *int {
	if n == nil || !(*n >= 0 && *n <= 100) {
		return nil
	}
	p := int(*n)
	return &p
}

// parseTime parses the first of the given strings that is a valid time on the controller's clock. It returns the zero
// time if there is none. Times in 1970 are ignored, because a clock that was never set often starts there.
func parseTime(texts ...string) time.Time {
	for _, text := range texts {
		for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
			if at, err := time.Parse(form, text); err == nil && at.Year() > 1970 && at.Year() < 9999 {
				return at
			}
		}
	}
	return time.Time{}
}

// orZero returns the value that n points to, or the zero value if n is nil.
func orZero[T any](n *T) T {
	if n == nil {
		return *new(T)
	}
	return *n
}

// ownError is an error whose text is from this package, not from the controller.
type ownError struct{ text string }

func (o *ownError) Error() string { return o.text }

func ownErrorf(format string, args ...any) error { return &ownError{fmt.Sprintf(format, args...)} }
