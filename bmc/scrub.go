package bmc

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"

	"ironworks/models"
)

// mostText is how long a text may be: entries of logs are the longest honest ones.
const mostText = 2000

// scrub makes every text safe to show: without control characters, and without the
// credentials, which some controllers repeat in their logs.
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
		v.SetString(models.Printable(cut(s.mask(v.String()), mostText)))
	default:
	}
}

// amount is a number that counts something; what is not told, negative or beyond all
// machines is none.
func amount(n *float64, most float64) int64 {
	if n == nil || math.IsNaN(*n) || *n < 0 || *n > most {
		return 0
	}
	return int64(*n)
}

// percent is one, or nil.
func percent(n *float64) *int {
	if n == nil || !(*n >= 0 && *n <= 100) {
		return nil
	}
	p := int(*n)
	return &p
}

// when is a time of the controller's clock. One that was never set starts in 1970, or when
// the firmware was built; the first is no time.
func when(texts ...string) time.Time {
	for _, text := range texts {
		for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
			if at, err := time.Parse(form, text); err == nil && at.Year() > 1970 && at.Year() < 9999 {
				return at
			}
		}
	}
	return time.Time{}
}

// of is a number that may not be told.
func of[T any](n *T) T {
	if n == nil {
		return *new(T)
	}
	return *n
}

// ours are errors that are said in our own words already.
type ours struct{ text string }

func (o *ours) Error() string { return o.text }

func say(format string, args ...any) error { return &ours{fmt.Sprintf(format, args...)} }

func isOurs(err error) bool {
	var o *ours
	return errors.As(err, &o)
}
