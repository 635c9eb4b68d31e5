package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestFormatsKeepTheValue: whatever Ironic sends comes back from what was printed, and
// a terminal that shows it obeys nothing in it.
func TestFormatsKeepTheValue(t *testing.T) {
	t.Parallel()
	const raw = `{"b": 1, "a": [true, null, 0.5, 12345678901234567890, -3, 1e3, {}, []],
		"emoji": "\ud83d\ude80 ü 日本", "csi": "\u009b31m \u001b[2J \u007f \u0000", "bidi": "\u202e\u2066\udb40\udc01",
		"lines": "a\nb\n", "words": ["true", "null", "~", "1", "0x1f", "1e3", "2020-01-01", "a: b", "# c", "", " x ", "- y", "yes", "="], "<&>": "<&>"}`
	var want any
	if err := json.Unmarshal([]byte(raw), &want); err != nil {
		t.Fatal(err)
	}
	var asJSON, asYAML bytes.Buffer
	if err := writeJSON(&asJSON, json.RawMessage(raw)); err != nil {
		t.Fatal(err)
	}
	if err := writeYAML(&asYAML, json.RawMessage(raw)); err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(asJSON.Bytes(), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("JSON: %v\n%s", err, &asJSON)
	}
	var doc any
	if err := yaml.Unmarshal(asYAML.Bytes(), &doc); err != nil {
		t.Fatalf("YAML: %v\n%s", err, &asYAML)
	}
	again, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(again, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("YAML: %v\n%v\n%v\n%s", err, got, want, &asYAML)
	}
	for name, text := range map[string]string{"JSON": asJSON.String(), "YAML": asYAML.String()} {
		if strings.ContainsAny(text, "\x1b\x00\x7f\u009b") {
			t.Errorf("%s holds what a terminal obeys: %q", name, text)
		}
	}
	if strings.ContainsAny(asJSON.String(), "\u202e\u2066") || !strings.Contains(asJSON.String(), `"<&>": "<&>"`) {
		t.Error(asJSON.String())
	}
	if !strings.HasPrefix(asYAML.String(), "b: 1\na:\n") {
		t.Errorf("the order is lost:\n%s", &asYAML)
	}
}
