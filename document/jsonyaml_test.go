package document_test

import (
	"testing"

	"ironworks/document"
)

func TestJSONToYAML(t *testing.T) {
	t.Parallel()
	got, err := document.JSONToYAML([]byte(`{"b":12345678901234567890,"a":"yes","list":[1,{"k":null}],"empty":{},"none":[],`+
		`"text":"two\nlines","esc":"\u001b[2J","bidi":"a\u202eb","num":"12","f":1.50,"t":true,"key: odd":"x"}`), true)
	if err != nil {
		t.Fatal(err)
	}
	want := `a: "yes"
b: 12345678901234567890
bidi: a` + "\u202e" + `b
empty: {}
esc: "\e[2J"
f: 1.50
'key: odd': x
list:
  - 1
  - k: null
none: []
num: "12"
t: true
text: |-
  two
  lines
`
	if string(got) != want {
		t.Errorf("got:\n%s", got)
	}
	if _, err := document.JSONToYAML([]byte("{"), true); err == nil {
		t.Error("broken JSON is YAML")
	}
}
