package userdata_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ironworks/ignition/userdata"
)

const (
	edKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBzVFAhpvnWyLeHzDtJSVxmXvVQJcMKhoyRWGLmlHZPK admin@lab"
	core  = `"passwd":{"users":[{"name":"core","sshAuthorizedKeys":["` + edKey + `"]}]}`
)

// checkedWith returns a configuration that contains a user who can log in, followed by the given JSON text.
func checkedWith(more string) string {
	return `{"ignition":{"version":"3.4.0"},` + core + more + `}`
}

func gzipped(tb testing.TB, content string) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(content)); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func inBase64(content []byte) string { return base64.StdEncoding.EncodeToString(content) }

func dataURLOf(content string) string { return "data:;base64," + inBase64([]byte(content)) }

func merging(source string) string {
	return `{"ignition":{"version":"3.4.0","config":{"merge":[{"source":"` + source + `"}]}},` + core + `}`
}

// brief returns the parts of a report that the test tables compare: the ID, path and position of each problem.
func brief(r userdata.Report) []string {
	found := []string{}
	for _, p := range r.Problems {
		found = append(found, fmt.Sprintf("%s %s %d:%d", p.ID, p.Path, p.Line, p.Column))
	}
	return found
}

type checkCase struct {
	name, data string
	kind       userdata.Kind
	ok         bool
	want       []string
}

func runCheckCases(t *testing.T, cases []checkCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			r := userdata.Check([]byte(tt.data))
			if r.Kind != tt.kind || r.OK() != tt.ok {
				t.Errorf("%v, ok %v, want %v, %v", r.Kind, r.OK(), tt.kind, tt.ok)
			}
			if got := brief(r); !slices.Equal(got, tt.want) {
				t.Errorf("problems\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(tt.want, "\n  "))
				for _, p := range r.Problems {
					t.Log(p)
				}
			}
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCheckKinds(t *testing.T) {
	t.Parallel()
	good := checkedWith("")
	runCheckCases(t, []checkCase{
		{"nothing", "", userdata.KindEmpty, false, []string{"empty $ 0:0"}},
		{"white space", " \n\t ", userdata.KindEmpty, false, []string{"empty $ 0:0"}},
		{"Ignition", good, userdata.KindIgnition, true, nil},
		{"spec 2", `{"ignition":{"version":"2.3.0"}}`, userdata.KindIgnition2, false, []string{"spec-2 $ 1:1"}},
		{"spec 1", `{"ignitionVersion":1}`, userdata.KindIgnition1, false, []string{"spec-1 $ 1:1"}},
		{"gzip", string(gzipped(t, good)), userdata.KindGzip, true, []string{"packed $ 0:0"}},
		{"gzip cut off", string(gzipped(t, good)[:60]), userdata.KindGzip, false, []string{"packed-broken $ 0:0"}},
		{"base64", inBase64([]byte(good)), userdata.KindBase64, true, []string{"packed $ 0:0"}},
		{"base64 of gzip", inBase64(gzipped(t, good)), userdata.KindBase64, true, []string{"packed $ 0:0"}},
		{"base64 of something else", inBase64(bytes.Repeat([]byte("hello "), 20)), userdata.KindBase64, false, []string{"not-ignition $ 0:0", "packed $ 0:0"}},
		{"a JSON string", asJSON(good), userdata.KindJSONString, true, []string{"packed $ 0:0"}},
		{"a JSON string that does not end", `"{\"ignition\"`, userdata.KindJSON, false, []string{"syntax $ 0:0"}},
		{"Butane", "variant: fcos\nversion: 1.5.0\npasswd:\n  users:\n    - name: core\n      ssh_authorized_keys: [\"" + edKey + "\"]\n", userdata.KindButane, true, nil},
		{"Butane in JSON", `{"variant":"fcos","version":"1.5.0"}`, userdata.KindButane, true, []string{"no-login $.passwd.users 0:0"}},
		{"Butane in flow style", `{variant: fcos, version: 1.5.0}`, userdata.KindButane, true, []string{"no-login $.passwd.users 0:0"}},
		{"Butane without variant", "storage:\n  files: []\n", userdata.KindButane, false, []string{"no-variant $ 1:1"}},
		{"Ignition as YAML", "ignition:\n  version: 3.4.0\n", userdata.KindYAML, false, []string{"not-ignition $ 1:1"}},
		{"cloud-config", "#cloud-config\nusers: []\n", userdata.KindCloudConfig, false, []string{"cloud-config $ 0:0"}},
		{"cloud-config without its line", "users:\n- name: x\nruncmd: []\n", userdata.KindCloudConfig, false, []string{"cloud-config $ 1:1"}},
		{"cloud-init's include", "#include\nhttp://x/\n", userdata.KindCloudInit, false, []string{"cloud-init $ 0:0"}},
		{"cloud-init's template", "## template: jinja\n#cloud-config\n", userdata.KindCloudInit, false, []string{"cloud-init $ 0:0"}},
		{"script", "#!/bin/sh\necho\n", userdata.KindShellScript, false, []string{"shell-script $ 0:0"}},
		{"MIME", "Content-Type: multipart/mixed; boundary=x\nMIME-Version: 1.0\n", userdata.KindMIME, false, []string{"mime $ 0:0"}},
		{"configdrive", `{"meta_data":{},"user_data":{}}`, userdata.KindConfigDrive, false, []string{"configdrive $ 1:1"}},
		{"other JSON", `{"a":1}`, userdata.KindJSON, false, []string{"not-ignition $ 0:0"}},
		{"a list", `[1]`, userdata.KindJSON, false, []string{"not-ignition $ 0:0"}},
		{"a Secret", "apiVersion: v1\nkind: Secret\n", userdata.KindJSON, false, []string{"not-ignition $ 1:1"}},
		{"other YAML", "a: b\n", userdata.KindYAML, false, []string{"not-ignition $ 1:1"}},
		{"text", "hello world\n", userdata.KindText, false, []string{"not-ignition $ 0:0"}},
		{"a program", "\x7fELF\x02\x01", userdata.KindBinary, false, []string{"not-ignition $ 0:0"}},
		{"UTF-16", "\xff\xfe{\x00}\x00", userdata.KindBinary, false, []string{"encoding $ 0:0"}},
		{"byte order mark", "\xef\xbb\xbf" + good, userdata.KindIgnition, false, []string{"byte-order-mark $ 0:0"}},
		{"zeros", string(make([]byte, 100)), userdata.KindBinary, false, []string{"not-ignition $ 0:0"}},
		{"Latin-1", "a: \xe9\n", userdata.KindText, false, []string{"encoding $ 0:0"}},
	})
}

func asJSON(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestCheckWriting(t *testing.T) {
	t.Parallel()
	runCheckCases(t, []checkCase{
		{"cut off", "{\"ignition\":{\"version\":\"3.4.0\"},\n  \"storage\":{", userdata.KindIgnition, false, []string{"syntax $.storage 2:14"}},
		{"junk behind", "{\"ignition\":{\"version\":\"3.4.0\"}}\n}", userdata.KindIgnition, false, []string{"syntax $ 2:1"}},
		{"a comma too many", "{\"ignition\":{\"version\":\"3.4.0\",}}", userdata.KindIgnition, false, []string{"syntax $.ignition 1:32"}},
		{"octal", "{\"ignition\":{\"version\":\"3.4.0\"},\"a\":0644}", userdata.KindIgnition, false, []string{"syntax $.a 1:38"}},
		{"duplicate key", "{\"ignition\":{\"version\":\"3.4.0\",\n\"version\":\"3.3.0\"}," + core + "}", userdata.KindIgnition, false, []string{"duplicate-key $.ignition.version 2:1"}},
		{"wrong case", checkedWith(",\n  \"Storage\":{}"), userdata.KindIgnition, false, []string{"wrong-case-key $.Storage 2:3"}},
		{"wrong case of ignition", `{"Ignition":{"version":"3.4.0"}}`, userdata.KindIgnition, false, []string{"no-version $.ignition.version 1:1", "wrong-case-key $.Ignition 1:2"}},
		{"unknown key", checkedWith(",\n  \"storage\":{\"filez\":[]}"), userdata.KindIgnition, false, []string{"unknown-key $.storage.filez 2:14"}},
		{"a key of a newer spec", `{"ignition":{"version":"3.2.0"},` + core + `,"kernelArguments":{}}`, userdata.KindIgnition, false, []string{fmt.Sprintf("unknown-key $.kernelArguments 1:%d", 34+len(core))}},
		{"mode as a string", checkedWith(",\"storage\":{\"files\":[{\"path\":\"/etc/x\",\n\"mode\":\"0644\"}]}"), userdata.KindIgnition, false, []string{"wrong-type $.storage.files.0.mode 2:8"}},
		{"a fraction", checkedWith(",\"storage\":{\"files\":[{\"path\":\"/etc/x\",\n\"mode\":420.0}]}"), userdata.KindIgnition, false, []string{"wrong-type $.storage.files.0.mode 2:8"}},
		{"an object for a list", checkedWith(",\n\"storage\":{\"files\":{}}"), userdata.KindIgnition, false, []string{"wrong-type $.storage.files 2:20"}},
		{"no version", `{"ignition":{},` + core + `}`, userdata.KindIgnition, false, []string{"no-version $.ignition.version 1:13"}},
		{"a version that is none", `{"ignition":{"version":"latest"}}`, userdata.KindIgnition, false, []string{"bad-version $.ignition.version 1:24"}},
		{"3.4.1", `{"ignition":{"version":"3.4.1"}}`, userdata.KindIgnition, false, []string{"bad-version $.ignition.version 1:24"}},
		{"experimental", `{"ignition":{"version":"3.7.0-experimental"}}`, userdata.KindIgnition, false, []string{"experimental-spec $.ignition.version 1:24"}},
		{"too new", `{"ignition":{"version":"3.9.0"}}`, userdata.KindIgnition, false, []string{"spec-too-new $.ignition.version 1:24"}},
		{"the newest", strings.Replace(checkedWith(""), "3.4.0", "3.6.0", 1), userdata.KindIgnition, true, []string{"spec-new $.ignition.version 1:24"}},
		{"columns are characters", "{\"ignition\":{\"version\":\"3.4.0\"},\"ä€𝄞\":1,\"b\":2," + core + "}", userdata.KindIgnition, false, []string{"unknown-key $.ä€𝄞 1:33", "unknown-key $.b 1:41"}},
		{"invalid UTF-8", checkedWith(",\n\"storage\":{\"links\":[{\"path\":\"/etc/a\",\"target\":\"\xff\"}]}"), userdata.KindIgnition, false, []string{"encoding $.storage.links.0.target 2:47"}},
		{"half a character", checkedWith(",\n\"storage\":{\"links\":[{\"path\":\"/etc/a\",\"target\":\"\\ud800x\"}]}"), userdata.KindIgnition, false, []string{"lone-surrogate $.storage.links.0.target 2:47"}},
		{"a whole one", checkedWith(",\n\"storage\":{\"links\":[{\"path\":\"/etc/a\",\"target\":\"\\ud834\\udd1e\\ufffd\"}]}"), userdata.KindIgnition, true, nil},
		{"control character in a path", checkedWith(",\n\"storage\":{\"links\":[{\"path\":\"/etc/\\u001b[2J\",\"target\":\"/x\"}]}"), userdata.KindIgnition, false, []string{"control-character $.storage.links.0.path 2:29"}},
		{"too deep", `{"ignition":` + strings.Repeat(`{"a":`, 30), userdata.KindIgnition, false, []string{"too-deep $.ignition" + strings.Repeat(".a", 24) + " 1:133"}},
	})
}
