package stepform_test

import (
	"encoding/json"
	"testing"

	"ironworks/ui/screen/stepform"
)

// TestInjectForm checks that the form supports every argument for a file, and that it can show a file again unless
// the content came from a local file.
func TestInjectForm(t *testing.T) {
	t.Parallel()
	n, k := offered(t, "deploy.inject_files", "")
	for name, c := range map[string]struct {
		values    map[string]string
		args, bad string
	}{
		"URL":       {map[string]string{"path": "/etc/motd", "file": "http://h/motd", "mode": "0644", "dirmode": "755", "owner": "0", "group": "5", "partition": "2", "verify_ca": "false"}, `{"files":[{"content":"http://h/motd","dirmode":493,"group":5,"mode":420,"owner":0,"partition":"2","path":"/etc/motd"}],"verify_ca":false}`, ""},
		"delete":    {map[string]string{"path": "/etc/motd", "deleted": "true"}, `{"files":[{"deleted":true,"path":"/etc/motd"}]}`, ""},
		"both":      {map[string]string{"path": "/etc/motd", "file": "f", "deleted": "true"}, "", "file"},
		"neither":   {map[string]string{"path": "/etc/motd", "deleted": "false"}, "", "file"},
		"relative":  {map[string]string{"path": "motd", "file": "f"}, "", "path"},
		"in a root": {map[string]string{"path": "/motd", "file": "f"}, "", "partition"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args, field, err := stepform.Arguments(k, c.values, n)
			if c.bad != "" {
				if err == nil || field != c.bad {
					t.Errorf("field %q, %v; want an error of %s", field, err, c.bad)
				}
				return
			}
			if err == nil {
				args, err = stepform.ReadFiles(k, args)
			}
			got, _ := json.Marshal(args)
			if err != nil || string(got) != c.args {
				t.Fatalf("%s, %v, want %s", got, err, c.args)
			}
			values, ok := stepform.Values(k, args)
			again, _, err := stepform.Arguments(k, values, n)
			if text, _ := json.Marshal(again); !ok || err != nil || string(text) != c.args {
				t.Errorf("shown as %v and read as %s, %v", values, text, err)
			}
		})
	}
	if _, ok := stepform.Values(k, map[string]any{"files": []any{map[string]any{"path": "/etc/motd", "content": "aGVsbG8="}}}); ok {
		t.Error("the form shows content as if it came from a file")
	}
}
