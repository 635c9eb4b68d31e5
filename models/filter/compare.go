package filter

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"ironworks/models"
)

// operators lists the comparison operators, the longer ones first because they may begin with another operator.
var operators = []string{">=", "<=", "!=", "=", ">", "<"}

// splitOperator splits text into the operator at its beginning, which may be "", and the rest.
func splitOperator(text string) (op, rest string) {
	for _, op := range operators {
		if rest, ok := strings.CutPrefix(text, op); ok {
			return op, rest
		}
	}
	return "", text
}

// ordered reports whether comparison, a result of [cmp.Compare], satisfies the operator op.
func ordered(op string, comparison int) bool {
	switch op {
	case ">":
		return comparison > 0
	case ">=":
		return comparison >= 0
	case "<":
		return comparison < 0
	case "<=":
		return comparison <= 0
	case "!=":
		return comparison != 0
	}
	return comparison == 0
}

type quantity struct {
	// of returns the node's value. known is No if the node has no value, and Unknown if the value was not read.
	of    func(r *models.Row, now time.Time) (value float64, known models.Answer)
	parse func(text string) (float64, error)
	// field is the API field from which the value is read, or "" if no additional field is needed. hardware means
	// that the value may also come from the inventory.
	field    string
	hardware bool
}

// quantities holds the filter keys whose values are numbers. The map is never modified.
var quantities = map[string]quantity{
	"age":   {of: ageOf, parse: parseAgeValue},
	"ram":   {of: property("memory_mb", 1<<20, ramOf), parse: parseRAM, field: "properties", hardware: true},
	"cpus":  {of: property("cpus", 1, cpusOf), parse: parseCount, field: "properties", hardware: true},
	"disks": {of: disksOf, parse: parseCount, hardware: true},
}

func quantityKeys() []string { return slices.Sorted(maps.Keys(quantities)) }

// quantityTerm parses a term such as ram:>64GiB, which consists of a key, an operator and a value. The operator
// starts at w.text[at]. If nothing follows the key, the term matches nodes that have no value.
func quantityTerm(w word, key string, at int) (term, error) {
	q := quantities[key]
	t := term{hardware: q.hardware, fields: []string{q.field}}
	if at == len(w.text) {
		t.test = func(r *models.Row, now time.Time) models.Answer {
			if _, known := q.of(r, now); known != models.Unknown {
				return models.Yes - known
			}
			return models.Unknown
		}
		return t, nil
	}
	op, text := splitOperator(w.text[at:])
	if key == "age" && (op == "" || op == "=" || op == "!=") {
		return t, errors.New("must be a comparison, such as age:>10m")
	}
	want, err := q.parse(text)
	if err != nil {
		return t, err
	}
	t.test = func(r *models.Row, now time.Time) models.Answer {
		have, known := q.of(r, now)
		if known != models.Yes {
			return known
		}
		return answer(ordered(op, cmp.Compare(have, want)))
	}
	return t, nil
}

// ageOf returns how many seconds the node has been in its state, as shown in the IN STATE column. The true value may
// be larger.
func ageOf(r *models.Row, now time.Time) (float64, models.Answer) {
	since, _ := r.InState()
	if since.IsZero() || now.IsZero() {
		return 0, models.No
	}
	return max(now.Sub(since), 0).Seconds(), models.Yes
}

func parseAgeValue(text string) (float64, error) {
	age, err := models.ParseAge(text)
	return age.Seconds(), err
}

func parseRAM(text string) (float64, error) {
	size, err := models.ParseBytes(text)
	if strings.TrimRight(text, "0123456789.") == "" {
		err = errors.New("needs a unit, such as ram:>=64g")
	}
	return float64(size), err
}

func parseCount(text string) (float64, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a number, such as 8", text)
	}
	return float64(n), nil
}

func ramOf(h *models.Hardware) float64 { return float64(h.RAM) }

func cpusOf(h *models.Hardware) float64 { return float64(h.CPUs) }

func disksOf(r *models.Row, _ time.Time) (float64, models.Answer) {
	if r.Hardware == nil {
		return 0, models.Unknown
	}
	return float64(r.Hardware.Disks), answer(r.Hardware.Inspected)
}

// property returns a function that returns the named property of a node, multiplied by unit. If the property is not a
// positive number, it returns the value from the inventory. The answer is Unknown if the properties or the inventory
// have not been read.
func property(name string, unit float64, inventory func(*models.Hardware) float64) func(*models.Row, time.Time) (float64, models.Answer) {
	return func(r *models.Row, _ time.Time) (float64, models.Answer) {
		if v, is := models.Number(r.Node.Properties[name]); is && v > 0 {
			return v * unit, models.Yes
		}
		if r.Node.Properties == nil || r.Hardware == nil {
			return 0, models.Unknown
		}
		v := inventory(r.Hardware)
		return v, answer(v > 0)
	}
}
