package python

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ReprJSON shows a JSON document, with its keys in their order. What is no
// JSON is shown as a string.
func ReprJSON(raw []byte) string {
	if len(raw) == 0 {
		return "None"
	}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	var b strings.Builder
	if err := reprTokens(decoder, &b); err != nil {
		return Quote(string(raw))
	}
	return b.String()
}

func reprTokens(decoder *json.Decoder, b *strings.Builder) error {
	token, err := decoder.Token()
	if err != nil {
		return fmt.Errorf("reading JSON: %w", err)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		b.WriteString(Repr(token))
		return nil
	}
	b.WriteString(delim.String())
	for i := 0; decoder.More(); i++ {
		if i > 0 {
			b.WriteString(", ")
		}
		if delim == '{' {
			if err := reprTokens(decoder, b); err != nil {
				return err
			}
			b.WriteString(": ")
		}
		if err := reprTokens(decoder, b); err != nil {
			return err
		}
	}
	end, err := decoder.Token()
	if err != nil {
		return fmt.Errorf("reading JSON: %w", err)
	}
	fmt.Fprint(b, end)
	return nil
}
