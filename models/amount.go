package models

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"ironworks/printable"
)

// ParseBytes parses a size in bytes, such as 500MiB, 1.5GiB, 2GB or 4096.
func ParseBytes(text string) (int64, error) {
	number := strings.TrimRight(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	unit := strings.ToLower(text[len(number):])
	size, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	factor, known := map[string]float64{
		"": 1, "b": 1, "k": 1 << 10, "kib": 1 << 10, "m": 1 << 20, "mib": 1 << 20, "g": 1 << 30, "gib": 1 << 30, "t": 1 << 40, "tib": 1 << 40,
		"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	}[unit]
	if bytes := size * factor; err == nil && known && bytes >= 0 && bytes < math.MaxInt64 {
		return int64(bytes), nil
	}
	return 0, fmt.Errorf("invalid size %q: must be a number with a unit, such as 500MiB or 2GiB", printable.Line(text))
}

// FormatBytes formats a size in bytes with three significant digits and a binary unit, such as 1.50 GiB.
func FormatBytes(size int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	value, unit := float64(size), 0
	for value >= 999.5 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	return fmt.Sprintf("%.*f %s", decimals(value, unit), value, units[unit])
}

func decimals(value float64, unit int) int {
	switch {
	case unit == 0 || value >= 100:
		return 0
	case value >= 10:
		return 1
	}
	return 2
}

// ParseAge parses a duration such as 12h, 90d, 2w or 1d12h: Go's units, and also d for days and w for weeks.
func ParseAge(text string) (time.Duration, error) {
	var age time.Duration
	rest := text
	for _, unit := range []struct {
		name   string
		length time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}} {
		number, after, found := strings.Cut(rest, unit.name)
		if !found {
			continue
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > 100_000 {
			return 0, ageError(text)
		}
		age, rest = age+time.Duration(n)*unit.length, after
	}
	if rest == "" && text != "" {
		return age, nil
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 || rest != text && strings.HasPrefix(rest, "+") {
		return 0, ageError(text)
	}
	return age + d, nil
}

func ageError(text string) error {
	return fmt.Errorf("invalid duration %q: must be a number with a unit, such as 30d, 2w or 12h", printable.Line(text))
}

// ParseWhen parses a point in time. The text is either an age, which is subtracted from now (see [ParseAge]), or a
// timestamp, which is in local time unless it includes a time zone.
func ParseWhen(text string, now time.Time) (time.Time, error) {
	if age, err := ParseAge(text); err == nil {
		return now.Add(-age), nil
	}
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if at, err := time.ParseInLocation(form, text, time.Local); err == nil {
			return at, nil
		}
	}
	return time.Time{}, errors.New("want 10m, 2h or a time such as 2026-03-14T14:00:00Z")
}
