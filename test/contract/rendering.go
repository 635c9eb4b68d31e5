package contract

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// render renders what see selects from a response, on one line. An error is
// rendered as its text, whatever values see selects.
//
//	provision_state    a value by its path, as JSON
//	nodes.#.name       the value in each element of a list
//	nodes.len          the number of elements
//	hosts.sorted       a list of texts whose order does not matter
//	body.keys          the names in an object, sorted; body is the whole body
//	created_at?        "set" or null, for values that differ each time
//	header:Location    a header
//	order              the names in the response, in their original order;
//	                   order:nodes.0 for those in the object at this path
//	text               the text of an error; nothing for other responses
//	shape              the format of an error, see [refusal]
//
// A missing value is "absent".
func (c *session) render(a answer, see string) string {
	parts := []string{strconv.Itoa(a.status)}
	refused := a.status >= http.StatusBadRequest
	if refused && !strings.Contains(see, "shape") && !strings.Contains(see, "text") {
		see += " text"
	}
	for _, what := range strings.Fields(see) {
		switch {
		case refused != (what == "text" || what == "shape") && !strings.HasPrefix(what, "header:"):
		case what == "text":
			parts = append(parts, c.unfill(fault(a).text))
		case what == "shape":
			parts = append(parts, fault(a).shape)
		case what == "order" || strings.HasPrefix(what, "order:"):
			parts = append(parts, what+"="+strings.Join(keyOrder(a.raw, strings.TrimPrefix(strings.TrimPrefix(what, "order"), ":")), ","))
		case strings.HasPrefix(what, "header:"):
			name := strings.TrimPrefix(what, "header:")
			parts = append(parts, name+"="+c.unfill(a.header.Get(name)))
		default:
			parts = append(parts, c.unfill(renderValue(a.body, what)))
		}
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

func renderValue(body any, what string) string {
	path, isSet := strings.CutSuffix(what, "?")
	value := lookUp(body, strings.TrimPrefix(path, "body."))
	if path == "body" {
		value = body
	}
	text := "absent"
	switch {
	case isSet && value != nil && value != missing{}:
		text = "set"
	case value != missing{}:
		raw, _ := json.Marshal(value)
		text = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(raw))
	}
	return strings.TrimPrefix(path, "body.") + "=" + text
}

// missing is the value of a path that does not exist.
type missing struct{}

// lookUp returns the value at path in a decoded JSON value; see [session.render].
func lookUp(value any, path string) any {
	name, rest, more := strings.Cut(path, ".")
	var found any = missing{}
	switch v := value.(type) {
	case map[string]any:
		if inner, ok := v[name]; ok {
			found = inner
			break
		}
		switch name {
		case "keys":
			return append([]string{}, slices.Sorted(maps.Keys(v))...) // not nil
		case "len":
			return len(v)
		}
	case []any:
		switch name {
		case "len":
			return len(v)
		case "sorted":
			sorted := slices.Clone(v)
			slices.SortFunc(sorted, func(a, b any) int { return strings.Compare(textOf(a), textOf(b)) })
			return sorted
		}
		if name == "#" {
			each := make([]any, len(v))
			for i := range v {
				if each[i] = v[i]; more {
					each[i] = lookUp(v[i], rest)
				}
				if (each[i] == missing{}) {
					each[i] = "absent"
				}
			}
			return each
		}
		if i, err := strconv.Atoi(name); err == nil && i < len(v) {
			found = v[i]
		}
	}
	if !more {
		return found
	}
	return lookUp(found, rest)
}

// keyOrder returns the names in the JSON object at path in raw, in their original order.
func keyOrder(raw, path string) []string {
	if path != "" {
		name, rest, _ := strings.Cut(path, ".")
		var object map[string]json.RawMessage
		var list []json.RawMessage
		if i, err := strconv.Atoi(name); err == nil && json.Unmarshal([]byte(raw), &list) == nil && i < len(list) {
			return keyOrder(string(list[i]), rest)
		}
		if json.Unmarshal([]byte(raw), &object) != nil {
			return nil
		}
		return keyOrder(string(object[name]), rest)
	}
	var keys []string
	decoder := json.NewDecoder(strings.NewReader(raw))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	for decoder.More() {
		key, err := decoder.Token()
		var value json.RawMessage
		name, ok := key.(string)
		if err != nil || !ok || decoder.Decode(&value) != nil {
			return keys
		}
		keys = append(keys, name)
	}
	return keys
}

// refusal is an error response (status 400 and above).
type refusal struct {
	// shape is the format of the error. It is "fault" if error_message is a JSON text with faultcode and faultstring,
	// "pecan" if error_message is a JSON text with code or status, title and description, and "error_message text" if
	// error_message is plain text. It is "bare fault" for a fault without error_message, "other" for another JSON
	// object, and "text" for everything else.
	shape string
	text  string
}

func fault(a answer) refusal {
	outer, ok := a.body.(map[string]any)
	if !ok {
		return refusal{shape: "text", text: strings.TrimSpace(a.raw)}
	}
	if _, ok := outer["faultstring"]; ok {
		return refusal{shape: "bare fault " + names(outer), text: textOf(outer["faultstring"])}
	}
	message, ok := outer["error_message"].(string)
	if !ok {
		return refusal{shape: "other", text: strings.TrimSpace(a.raw)}
	}
	var inner map[string]any
	if json.Unmarshal([]byte(message), &inner) != nil {
		return refusal{shape: "error_message text", text: message}
	}
	if _, ok := inner["faultstring"]; ok {
		return refusal{shape: "fault " + names(inner) + " " + textOf(inner["faultcode"]), text: textOf(inner["faultstring"])}
	}
	return refusal{shape: "pecan " + names(inner), text: textOf(inner["title"]) + ": " + textOf(inner["description"])}
}

func names(object map[string]any) string {
	return strings.Join(slices.Sorted(maps.Keys(object)), ",")
}

// textOf returns the first line of an error text. If more lines follow, such as a schema printed by a Python library,
// it appends "…".
func textOf(value any) string {
	text, _ := value.(string)
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if rest != "" {
		first += " …"
	}
	return first
}
