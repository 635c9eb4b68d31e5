package agentlog

import (
	"encoding/json"
	"errors"
	"testing"

	"ironworks/printable"
)

// FuzzPush checks that a push of random input is either refused as a whole or results in lines that belong to the
// right boot, respect the limits, and are safe to show and to write.
func FuzzPush(f *testing.F) {
	const boot = "0123456789abcdef0123456789abcdef"
	cursor := `{"__CURSOR":"s=0f9d;i=5f3;b=0a1b;m=1;t=2;x=3","_BOOT_ID":"` + boot + `"`
	for _, s := range []string{
		"", "\n\n", "{}", "no JSON", cursor + `,"MESSAGE":"x"}`, cursor + `,"MESSAGE":[1,2,300]}` + "\n" + cursor + `}`,
		cursor + `,"MESSAGE":"password=hunter2 \u001b[2J"}`, `{"__CURSOR":"s=1;i=2","_BOOT_ID":"ffffffffffffffffffffffffffffffff","MESSAGE":"of another boot"}`,
		`{"__CURSOR":"../../etc/passwd"}`, `{"__CURSOR":{}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r := &Receiver{options: PushOptions{Limits: PushLimits{Lines: 20, Text: 200}}}
		entries, last, err := r.entries(body, boot)
		if err != nil {
			if !errors.Is(err, errLines) || entries != nil || last != "" {
				t.Errorf("%d entries, cursor %q, error %v", len(entries), last, err)
			}
			return
		}
		if len(entries) > 20 || last != "" && !cursorForm.MatchString(last) {
			t.Errorf("%d entries, cursor %q", len(entries), last)
		}
		for _, l := range r.lines(testParser(), entries, boot) {
			if printable.Line(l.Text) != l.Text || printable.Line(l.Unit) != l.Unit || len(l.Text) > 200+64 || l.Boot != boot {
				t.Errorf("line %+v", l)
			}
			if _, err := json.Marshal(l); err != nil {
				t.Errorf("cannot be written: %v", err)
			}
		}
	})
}
