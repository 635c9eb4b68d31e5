package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ironworks/models/explain"
	"ironworks/models/plan"
)

func TestStrictErrors(t *testing.T) {
	t.Parallel()
	const tail = "\ncontexts:\n  x: {url: 'http://h'}\n"
	tests := []struct {
		name, file, want string // want does not contain the file's path
	}{
		{"unknown key at the top", "contxts: {}" + tail, `:1:1: contxts: unknown key (did you mean contexts?)`},
		{"unknown key, nothing near", "zebra: 1" + tail, `:1:1: zebra: unknown key`},
		{"list of keys", "keys: [a, b]" + tail, `:1:7: keys: must be a mapping of keys and values, but is a list`},
		{"binding without a key", "keys:\n  wide:" + tail, `:2:8: keys.wide: must be a key or a list of keys, but is empty (use ctrl+t, [t, f5], or [] for no key)`},
		{"binding to a mapping", "keys:\n  wide: {key: a}" + tail, `:2:9: keys.wide: must be a key or a list of keys, but is a mapping (use ctrl+t, [t, f5], or [] for no key)`},
		{"binding to a list in a list", "keys:\n  wide: [a, [b]]" + tail, `:2:13: keys.wide: key 2 must be the name of a key, but is a list (quote the name)`},
		{"bound twice", "keys:\n  wide: a\n  wide: b" + tail, `:3:3: keys.wide: duplicate key, first given in line 2`},
		{"unknown key in a context", "contexts:\n  x:\n    url: http://h\n    pasword: p", `:4:5: contexts.x.pasword: unknown key (did you mean password?)`},
		{"name of another file", "contexts:\n  x: {endpoint: 'http://h'}", `:2:7: contexts.x.endpoint: unknown key (did you mean url?)`},
		{"insecure", "contexts:\n  x: {url: 'http://h', insecure: true}", `:2:24: contexts.x.insecure: unknown key (use verify: false)`},
		{"unknown key in defaults", "contexts:\n  x:\n    url: http://h\n    defaults:\n      colums: [a]", `:5:7: contexts.x.defaults.colums: unknown key (did you mean columns?)`},
		{"number for text", "contexts:\n  x:\n    url: http://h\n    password: 12345", `:4:15: contexts.x.password: must be text, but is a number (quote the value)`},
		{"list for text", "contexts:\n  x:\n    url: [http://h]", `:3:10: contexts.x.url: must be text, but is a list`},
		{"mapping for text", "contexts:\n  x:\n    url: {a: b}", `:3:10: contexts.x.url: must be text, but is a mapping`},
		{"tag for text", "contexts:\n  x:\n    url: http://h\n    password: !hunter2", `:4:15: contexts.x.password: must be text, but is a value with a tag (quote the value)`},
		{"no value", "contexts:\n  x:\n    url:", `:3:9: contexts.x.url: has no value (set a value, in quotes if it starts with #, or remove the key)`},
		{"text for boolean", "contexts:\n  x:\n    url: http://h\n    read_only: 'yes'", `:4:16: contexts.x.read_only: must be true or false, but is text`},
		{"lying tag for boolean", "contexts:\n  x:\n    url: http://h\n    read_only: !!bool sure", `:4:16: contexts.x.read_only: must be true or false, but is true or false`},
		{"list for time", "timeout: [1]" + tail, `:1:10: timeout: must be a time such as 30s, but is a list`},
		{"bad time", "timeout: soon" + tail, `:1:10: timeout: "soon" is not a positive duration (use 30s, 2m or a number of seconds)`},
		{"whole number for version", "contexts:\n  x: {url: 'http://h', api_version: 82}", `:2:37: contexts.x.api_version: must be an API version such as "1.82", but is a number`},
		{"text for columns", "contexts:\n  x:\n    url: http://h\n    defaults: {columns: name}", `:4:25: contexts.x.defaults.columns: must be a list of strings, but is text (use [a, b])`},
		{"unknown column", "contexts:\n  x:\n    url: http://h\n    defaults: {columns: [name, colour]}", `:4:32: contexts.x.defaults.columns: unknown column "colour"; available: ` + columnKeys()},
		{"unknown sort column", "contexts:\n  x:\n    url: http://h\n    defaults: {sort: -size}", `:4:22: contexts.x.defaults.sort: unknown column "size"; available: ` + columnKeys()},
		{"filter that cannot be read", "contexts:\n  x:\n    url: http://h\n    defaults: {filter: 'x \"y'}", `:4:24: contexts.x.defaults.filter: filter "x \"y", column 3: unclosed quote`},
		{"policy of no check", "contexts:\n  x:\n    url: http://h\n    checks: {singl-disk: refuse}", `:4:14: contexts.x.checks.singl-disk: unknown check "singl-disk" (did you mean single-disk?)`},
		{"policy that is none", "contexts:\n  x:\n    url: http://h\n    checks: {single-disk: no}", `:4:14: contexts.x.checks.single-disk: check single-disk: invalid policy "no": must be refuse, warn or off`},
		{"policy of what cannot end well", "contexts:\n  x:\n    url: http://h\n    checks: {data-disk: off}", `:4:14: contexts.x.checks.data-disk: check data-disk cannot be turned off: a deployment that does not pass it always fails`},
		{"number for a policy", "contexts:\n  x:\n    url: http://h\n    checks: {single-disk: 1}", `:4:27: contexts.x.checks.single-disk: must be text, but is a number (quote the value)`},
		{"list of checks", "contexts:\n  x:\n    url: http://h\n    checks: [single-disk]", `:4:13: contexts.x.checks: must be a mapping of keys and values, but is a list`},
		{"number among columns", "contexts:\n  x:\n    url: http://h\n    defaults: {columns: [name, 1]}", `:4:32: contexts.x.defaults.columns[1]: must be text, but is a number (quote the value)`},
		{"unknown key in logs", "contexts:\n  x:\n    url: http://h\n    logs: {ssh: {usr: core}}", `:4:18: contexts.x.logs.ssh.usr: unknown key (did you mean user?)`},
		{"port that is none", "contexts:\n  x:\n    url: http://h\n    logs: {ssh: {port: 70000}}", `:4:24: contexts.x.logs.ssh.port: must be a port, 1 to 65535, but is a number`},
		{"archive without a path", "contexts:\n  x:\n    url: http://h\n    logs: {archive: 'ssh://conductor'}", `:4:21: contexts.x.logs.archive: has no path (use ssh://[user@]host[:port]/path)`},
		{"size of a journal", "contexts:\n  x:\n    url: http://h\n    journal: {max_size: 1 gig}", `:4:25: contexts.x.journal.max_size: invalid size "1 gig": must be a number with a unit, such as 500MiB or 2GiB`},
		{"small journal", "contexts:\n  x:\n    url: http://h\n    journal: {max_size: 1000}", `:4:25: contexts.x.journal.max_size: 1000 is too small for a log (use 1MiB or more, for example 1GiB)`},
		{"size that is none", "contexts:\n  x:\n    url: http://h\n    journal: {max_size: [1]}", `:4:25: contexts.x.journal.max_size: must be a size such as 1GiB, but is a list`},
		{"age of a journal", "contexts:\n  x:\n    url: http://h\n    journal: {max_age: 90}", `:4:24: contexts.x.journal.max_age: invalid duration "90": must be a number with a unit, such as 30d, 2w or 12h`},
		{"short journal", "contexts:\n  x:\n    url: http://h\n    journal: {max_age: 5m}", `:4:24: contexts.x.journal.max_age: 5m is too short (use 1h or more, for example 90d)`},
		{"unknown key in bmc", "contexts:\n  x:\n    url: http://h\n    bmc: {user: root}", `:4:11: contexts.x.bmc.user: unknown key (did you mean username?)`},
		{"fingerprint that is none", "contexts:\n  x:\n    url: http://h\n    bmc: {fingerprints: {https://b: F3}}", `:4:37: contexts.x.bmc.fingerprints.https://b: is not a SHA-256 fingerprint (use 32 bytes in hexadecimal, as shown when a certificate is rejected)`},
		{"BMC host that is none", "contexts:\n  x:\n    url: http://h\n    bmc: {hosts: [10.0.0.0/8, https://b]}", `:4:31: contexts.x.bmc.hosts[1]: "https://b" is not a host: use an address, a network such as 10.0.0.0/8, a name, or *.NAME`},
		{"two passwords of BMCs", "contexts:\n  x:\n    url: http://h\n    bmc: {password: a, password_file: b}", `:4:39: contexts.x.bmc.password_file: cannot be combined with password (keep only one)`},
		{"no such password file", "contexts:\n  x:\n    url: http://h\n    bmc: {password_file: nowhere}", `:4:26: contexts.x.bmc.password_file: home/.config/ironworks/nowhere: the file does not exist`},
		{"listening nowhere", "contexts:\n  x:\n    url: http://h\n    logs: {listen: '6387'}", `:4:20: contexts.x.logs.listen: is not a listen address (use HOST:PORT, or :PORT for all interfaces)`},
		{"unknown source", "contexts:\n  x:\n    url: http://h\n    logs: {sources: [ssh, archiv]}", `:4:27: contexts.x.logs.sources[1]: no source "archiv" (did you mean archive?)`},
		{"source that is not for this", "contexts:\n  x:\n    url: http://h\n    logs: {sources: [serial]}", `:4:22: contexts.x.logs.sources[0]: no source "serial" (one of ssh, push, archive, status)`},
		{"list for contexts", "contexts: []", `:1:11: contexts: must be a mapping of keys and values, but is a list`},
		{"list at the top", "- a", `:1:1: must be a mapping of keys and values, but is a list`},
		{"text at the top", "hello", `:1:1: must be a mapping of keys and values, but is text`},
		{"text for a context", "contexts:\n  x: http://h", `:2:6: contexts.x: must be a mapping of keys and values, but is text`},
		{"context without a name", "contexts:\n  '': {url: 'http://h'}", `:2:3: contexts: a context needs a name`},
		{"colour", "contexts:\n  x: {url: 'http://h', accent: grean}", `:2:32: contexts.x.accent: not a color (did you mean green?)`},
		{"hex colour", "contexts:\n  x: {url: 'http://h', accent: '#12345g'}", `:2:32: contexts.x.accent: not a color (one of black, red, green, yellow, blue, magenta, cyan, white, gray, orange, pink, purple, or "#rrggbb")`},
		{"two passwords", "contexts:\n  x: {url: 'http://h', username: u, password: p, password_file: config.yaml}", `:2:65: contexts.x.password_file: cannot be combined with password (keep only one)`},
		{"duplicate key", "contexts:\n  x:\n    url: http://h\n    url: http://i", `:4:5: contexts.x.url: duplicate key, first given in line 3`},
		{"duplicate context", "contexts:\n  x: {url: 'http://h'}\n  x: {url: 'http://i'}", `:3:3: contexts.x: duplicate key, first given in line 2`},
		{"key that is no text", "? [a]\n: b" + tail, `:1:3: a key must be text`},
		{"second document", "contexts:\n  x: {url: 'http://h'}\n---\na: b", `:3:1: the file contains more than one YAML document (remove the --- line)`},
		{"value in itself", "contexts: &c\n  x: *c", `:2:6: contexts.x: the value contains itself`},
		{"merge of a text", "contexts:\n  x:\n    <<: a\n    url: http://h", `:3:9: contexts.x.<<: only a mapping, or a list of mappings, can be merged`},
		{"tab", "contexts:\n\tx: {url: 'http://h'}", `:2: not valid YAML: found character that cannot start any token (indent YAML with spaces, not tabs)`},
		{"open bracket", "contexts: [", `:1: not valid YAML: did not find expected node content`},
		{"two colons", "contexts:\n  x:\n    url: http://h\n    username: a: b", `:4: not valid YAML: mapping values are not allowed in this context`},
		{"unquoted at", "contexts:\n  x:\n    password: @bc", `:3: not valid YAML: found character that cannot start any token (quote values that start with @, % or ` + "`" + `)`},
		{"unquoted star", "contexts:\n  x:\n    password: *hunter2", `:3: not valid YAML: a value starts with * but refers to no anchor (quote the value)`},
		{"invalid UTF-8", "contexts:\n  x:\n    url: \xff\xfe", `:3: not valid YAML: invalid leading UTF-8 octet (the line contains binary characters)`},
		{"control character", "contexts:\n  x: \x1b[31m", `:2: not valid YAML: control characters are not allowed (the line contains binary characters)`},
		{"unknown context", "context: y" + tail, `:1:10: context: no context "y" (did you mean x? known: x)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := box{files: ours(tt.file)}
			got, found := strings.CutPrefix(b.mustFail(t), oursPath)
			if first, _, _ := strings.Cut(got, "\n"); !found || first != tt.want {
				t.Errorf("error\n got %s\nwant %s", got, tt.want)
			}
			if strings.Contains(got, "hunter2") || strings.Contains(got, "12345 ") {
				t.Error("the error shows a password")
			}
		})
	}
}

func TestFileErrorIsTyped(t *testing.T) {
	t.Parallel()
	b := box{files: ours("contexts:\n  x:\n    url: http://h\n    acent: red\n    verify: 7\nfoo: 1\n")}
	_, err := b.load(t)
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 3 {
		t.Fatalf("want three joined errors, got %v", err)
	}
	got := make([]FileError, 0, 3)
	for _, e := range joined.Unwrap() {
		var fe *FileError
		if !errors.As(e, &fe) {
			t.Fatalf("%v is a %T", e, e)
		}
		fe.File = filepath.Base(fe.File)
		got = append(got, *fe)
	}
	want := []FileError{
		{File: "config.yaml", Line: 6, Column: 1, Key: "foo", Problem: "unknown key"},
		{File: "config.yaml", Line: 4, Column: 5, Key: "contexts.x.acent", Problem: "unknown key", Hint: "did you mean accent?"},
		{File: "config.yaml", Line: 5, Column: 13, Key: "contexts.x.verify", Problem: "must be true or false, but is a number"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestStrangeButRight(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, file, wantURL string }{
		{"empty", "", defaultURL},
		{"only comments", "# nothing\n# here\n", defaultURL},
		{"only a document start", "---\n", defaultURL},
		{"null", "~\n", defaultURL},
		{"contexts without any", "contexts:\n  # none yet\n", defaultURL},
		{"byte order mark", "\ufeffcontexts: {x: {url: 'http://h'}}", "http://h"},
		{"JSON", `{"context": "x", "contexts": {"x": {"url": "http://h"}, "y": {"url": "http://i"}}}`, "http://h"},
		{"CRLF", "contexts:\r\n  x:\r\n    url: http://h\r\n", "http://h"},
		{"anchor and alias", "context: y\ncontexts:\n  x: &x {url: 'http://h'}\n  y: *x\n", "http://h"},
		{"merge", "context: y\ncontexts:\n  x: &x {url: 'http://h', read_only: true}\n  y: {<<: *x, url: 'http://i'}\n", "http://i"},
		{"merge of a list", "context: z\ncontexts:\n  x: &x {url: 'http://h'}\n  y: &y {url: 'http://i', read_only: true}\n  z: {<<: [*x, *y]}\n", "http://h"},
		{"number as a name", "context: '7'\ncontexts:\n  7: {url: 'http://h'}\n  8: {url: 'http://i'}\n", "http://h"},
		{"dots and capitals in a name", "context: Rack.7\ncontexts:\n  Rack.7: {url: 'http://h'}\n  rack.7: {url: 'http://i'}\n", "http://h"},
		{"quoted star", "contexts:\n  x: {url: 'http://h', username: u, password: '*p'}\n", "http://h"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := box{files: ours(tt.file)}
			c := b.mustLoad(t)
			if got := c.Current.Connection.Endpoint; got != tt.wantURL {
				t.Errorf("endpoint %q, want %q", got, tt.wantURL)
			}
			if c.Current.Guessed != (tt.wantURL == defaultURL) {
				t.Errorf("guessed is %v", c.Current.Guessed)
			}
		})
	}
}

func TestWholeContext(t *testing.T) {
	t.Parallel()
	b := box{files: map[string]string{
		oursPath: `
timeout: 5s
contexts:
  rack7:
    url: https://iron:6385/
    auth: http_basic
    username: admin
    password: pw
    cacert: ca.pem
    cert: ~/client.pem
    key: ROOT/etc/client.key
    api_version: "1.82"
    timeout: 90
    accent: '#FF8800'
    read_only: true
    defaults:
      columns: [name, state]
      sort: name
      filter: maintenance:no
    checks: {single-disk: refuse, same-disk: off}
    logs:
      ssh: {user: me, port: 2222, keys: [~/.ssh/lab, keys/ramdisk], jump: bastion, config: none}
      archive: deploy-logs
      listen: 10.0.0.2:6387
      sources: [ssh, archive]
    journal: {max_size: 200MiB, max_age: 2w}
  rack8:
    url: https://iron8:6385
    accent: Grey
`,
		"home/.config/ironworks/ca.pem": "x", "home/client.pem": "x", "etc/client.key": "x",
	}, flags: Flags{Context: "rack7"}}
	c := b.mustLoad(t)
	cur := c.Current
	if got := b.short(fmt.Sprintf("%+v", cur.Connection.TLS)); got !=
		"{CACert:home/.config/ironworks/ca.pem Cert:home/client.pem Key:etc/client.key Insecure:false}" {
		t.Errorf("TLS %s", got)
	}
	if cur.Connection.MaxMinor != 82 || cur.Connection.Timeout != 90*time.Second {
		t.Errorf("limits %+v", cur.Connection)
	}
	if want := (Defaults{Columns: []string{"name", "state"}, Sort: "name", Filter: "maintenance:no"}); !reflect.DeepEqual(cur.Defaults, want) {
		t.Errorf("defaults %+v", cur.Defaults)
	}
	if want := (map[plan.CheckID]plan.CheckPolicy{"single-disk": "refuse", "same-disk": "off"}); !reflect.DeepEqual(cur.Checks, want) {
		t.Errorf("checks %v", cur.Checks)
	}
	if got := b.short(fmt.Sprintf("%+v", cur.Logs)); got !=
		"{SSH:{User:me Port:2222 Keys:[home/.ssh/lab home/.config/ironworks/keys/ramdisk] Jump:bastion Config:none} Archive:home/.config/ironworks/deploy-logs Listen:10.0.0.2:6387 Sources:[ssh archive]}" {
		t.Errorf("logs %s", got)
	}
	if want := (Journal{MaxSize: "200MiB", MaxAge: "2w", Size: 200 << 20, Age: 14 * 24 * time.Hour}); cur.Journal != want {
		t.Errorf("journal %+v", cur.Journal)
	}
	if cur.Accent != "#ff8800" || !cur.ReadOnly || cur.Name != "rack7" || b.short(cur.Source) != oursPath+":4" {
		t.Errorf("context %+v", cur)
	}
	other := c.Contexts[1]
	if other.Name != "rack8" || other.Accent != "gray" || other.Connection.Timeout != 5*time.Second || other.ReadOnly {
		t.Errorf("other %+v", other)
	}
}

func TestBigAndHostileFiles(t *testing.T) {
	t.Parallel()
	var big strings.Builder
	big.WriteString("context: c9999\ncontexts:\n")
	for i := range 10_000 {
		fmt.Fprintf(&big, "  c%d: {url: 'http://host%d'} # %s\n", i, i, strings.Repeat("x", 80))
	}
	var bomb, merges strings.Builder
	bomb.WriteString("contexts: {x: {url: 'http://h', sort: &a0 [1]}}\n")
	for i := range 40 {
		fmt.Fprintf(&bomb, "k%d: &a%d [*a%d, *a%d, *a%d]\n", i, i+1, i, i, i)
	}
	merges.WriteString("a: &a\n")
	for i := range 3000 {
		fmt.Fprintf(&merges, "  k%d: 1\n", i)
	}
	merges.WriteString("contexts:\n")
	for i := range 3000 {
		fmt.Fprintf(&merges, "  c%d: {<<: *a}\n", i)
	}
	tests := []struct{ name, file, want string }{
		{"a megabyte", big.String(), ""},
		{"alias bomb", bomb.String(), "unknown key"},
		{"merge bomb", merges.String(), "too many merged keys in one file"},
		{"deep flow", strings.Repeat("[", 500_000), "exceeded max depth"},
		{"deep block", strings.Repeat("- ", 500_000), "exceeded max depth"},
		{"too large", strings.Repeat("#\n", maxFile/2+1), "larger than 16 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{oursPath, cloudsPath} {
				b := box{files: map[string]string{path: tt.file}}
				c, err := b.load(t)
				if path == cloudsPath {
					continue // must not panic
				}
				if tt.want != "" {
					if err == nil || !strings.Contains(err.Error(), tt.want) {
						t.Errorf("error %.200v, want %q", err, tt.want)
					}
					continue
				}
				if err != nil || c.Current.Connection.Endpoint != "http://host9999" || len(c.Contexts) != 10_000 {
					t.Errorf("error %v, current %+v, %d contexts", err, c.Current, len(c.Contexts))
				}
			}
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	t.Run("a folder", func(t *testing.T) {
		t.Parallel()
		b := box{files: map[string]string{oursPath + "/file": ""}}
		if got := b.mustFail(t); got != oursPath+": cannot read the file: is a directory" {
			t.Error(got)
		}
	})
	t.Run("named by --config", func(t *testing.T) {
		t.Parallel()
		b := box{flags: Flags{ConfigFile: "gone.yaml"}}
		if got := b.mustFail(t); got != "work/gone.yaml: the file does not exist (set by --config)" {
			t.Error(got)
		}
	})
	t.Run("named by IRONWORKS_CONFIG", func(t *testing.T) {
		t.Parallel()
		b := box{env: map[string]string{"IRONWORKS_CONFIG": "~/gone.yaml"}}
		if got := b.mustFail(t); got != "home/gone.yaml: the file does not exist (set by IRONWORKS_CONFIG)" {
			t.Error(got)
		}
	})
}

func TestReadableSecretsAreWarnedOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, context string
		want          int
	}{
		{"password", "{url: 'http://h', username: u, password: p}", 1},
		{"password in the URL", "{url: 'http://u:p@h'}", 1},
		{"no secret", "{url: 'http://h'}", 0},
		{"password file", "{url: 'http://h', username: u, password_file: pw}", 1},
		{"password for BMCs", "{url: 'http://h', bmc: {password: p}}", 1},
		{"password file for BMCs", "{url: 'http://h', bmc: {password_file: pw}}", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := box{files: ours("contexts:\n  x: " + tt.context)}
			b.files["home/.config/ironworks/pw"] = "p"
			b.mustLoad(t)
			for _, f := range []string{oursPath, "home/.config/ironworks/pw"} {
				if err := os.Chmod(filepath.Join(b.root, f), 0o644); err != nil { //nolint:gosec // the point
					t.Fatal(err)
				}
			}
			c, err := Load(b.options())
			if err != nil || len(c.Warnings) != tt.want {
				t.Fatalf("error %v, warnings %q", err, c.Warnings)
			}
			if tt.want > 0 && !strings.Contains(c.Warnings[0], "contains a secret and other users can read it (mode 0644): run chmod 600 ") {
				t.Error(c.Warnings[0])
			}
		})
	}
}

func columnKeys() string {
	var keys []string
	for _, c := range explain.Columns() {
		keys = append(keys, c.Key)
	}
	return strings.Join(keys, ", ")
}
