package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ironworks/models/hints"
)

// jsonFault returns the error message of Python's JSON decoder for raw. Ironic includes the message in its response.
// If Python accepts raw, the message is about extra data.
func jsonFault(raw []byte) string {
	if _, err := hints.ParsePythonJSON(string(raw)); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("Extra data: line 1 column %d (char %d)", len(raw)+1, len(raw))
}

// Python's JSON decoder accepts these numbers in addition to the standard ones.
var pythonNumbers = []string{"NaN", "-Infinity", "Infinity"}

// numberMark is the prefix by which withNumbersOfPython recognizes the numbers that numbersOfPython quoted.
const numberMark = "\ufffdpython\ufffd"

// numbersOfPython quotes and marks the numbers in raw that pythonNumbers lists, so that Go's decoder accepts them as
// strings. found reports whether there were any.
func numbersOfPython(raw []byte) (text []byte, found bool) {
	if !bytes.Contains(raw, []byte("NaN")) && !bytes.Contains(raw, []byte("Infinity")) {
		return raw, false
	}
	inText := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if inText && c == '\\' && i+1 < len(raw) {
			text = append(text, c, raw[i+1])
			i++
			continue
		}
		if c == '"' {
			inText = !inText
		}
		number := slices.IndexFunc(pythonNumbers, func(n string) bool { return bytes.HasPrefix(raw[i:], []byte(n)) })
		if inText || number < 0 {
			text = append(text, c)
			continue
		}
		text = append(text, `"`+numberMark+pythonNumbers[number]+`"`...)
		i += len(pythonNumbers[number]) - 1
		found = true
	}
	return text, found
}

// withNumbersOfPython converts the strings that numbersOfPython quoted back to numbers.
func withNumbersOfPython(value any) any {
	switch v := value.(type) {
	case string:
		if number, ok := strings.CutPrefix(v, numberMark); ok {
			return json.Number(number)
		}
	case []any:
		for i := range v {
			v[i] = withNumbersOfPython(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = withNumbersOfPython(v[key])
		}
	}
	return value
}
