package cloudinit

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"strings"
	"testing"
)

const login = "ssh_authorized_keys: [ssh-ed25519 AAAA a@b]\n"

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

func TestCheck(t *testing.T) {
	t.Parallel()
	part := func(kind, text string) string {
		return "--b\nContent-Type: " + kind + "\n\n" + text + "\n"
	}
	message := func(parts ...string) string {
		return "Content-Type: multipart/mixed; boundary=\"b\"\nMIME-Version: 1.0\n\n" + strings.Join(parts, "") + "--b--\n"
	}
	for name, tt := range map[string]struct {
		data string
		// fails is part of the expected error, and warns is part of the expected warning. They are empty if none is
		// expected.
		fails, warns string
	}{
		"cloud-config":                    {"#cloud-config\n" + login, "", ""},
		"cloud-config with a comment":     {"#cloud-config # of rack 7\n" + login, "", ""},
		"white space before it":           {"\n  #cloud-config\n" + login, "", ""},
		"a byte order mark":               {"\xef\xbb\xbf#cloud-config\n" + login, "byte order mark", ""},
		"another first line":              {"#cloudconfig\n" + login, `starts with "#cloudconfig"`, ""},
		"something joined to the word":    {"#cloud-configs\n" + login, "", ""},
		"no first line":                   {login, "first line must be", ""},
		"base64":                          {base64.StdEncoding.EncodeToString([]byte("#cloud-config\n" + login)), "cloud-init ignores", ""},
		"nothing":                         {" \n", "empty", ""},
		"no keys":                         {"#cloud-config\n", "", "cloud-config is empty"},
		"a list":                          {"#cloud-config\n- a\n", "2:1: the cloud-config must be a mapping", ""},
		"a tab":                           {"#cloud-config\nusers:\n\t- a\n", "not valid YAML", ""},
		"an open bracket":                 {"#cloud-config\nruncmd: [a\n" + login, "not valid YAML", ""},
		"not UTF-8":                       {"#cloud-config\nhostname: \xff\n", "UTF-8", ""},
		"a key twice":                     {"#cloud-config\n" + login + login, "", "3:1: duplicate key \"ssh_authorized_keys\""},
		"a misspelt key":                  {"#cloud-config\nruncdm: [a]\n" + login, "", `(did you mean "runcmd"?)`},
		"an unknown key":                  {"#cloud-config\nquantum: [a]\n" + login, "", ""},
		"commands that are no list":       {"#cloud-config\nruncmd: reboot\n" + login, "", "2:9: runcmd must be a list"},
		"a command that is a mapping":     {"#cloud-config\nruncmd:\n- echo a: b\n" + login, "", "quote text"},
		"a file without path":             {"#cloud-config\nwrite_files:\n- content: a\n" + login, "", "a file without path"},
		"a user without name":             {"#cloud-config\nusers:\n- shell: /bin/bash\n", "", "a user without name"},
		"the default user":                {"#cloud-config\nusers: [default]\n", "", ""},
		"login is impossible":             {"#cloud-config\nhostname: a\n", "", "login is impossible"},
		"a script":                        {"#!/bin/sh\ntrue\n", "", ""},
		"a script of a PATH":              {"#!sh\ntrue\n", "not an absolute path", ""},
		"a script from Windows":           {"#!/bin/sh\r\ntrue\r\n", "CR LF", ""},
		"an include":                      {"#include\nhttp://h/x\n", "", ""},
		"a Jinja template":                {"## template: jinja\n#cloud-config\n{{ x }}\n", "", ""},
		"gzip":                            {zipped("#cloud-config\n" + login), "", ""},
		"gzip of something else":          {zipped("hello"), "cloud-init ignores", ""},
		"broken gzip":                     {"\x1f\x8bgarbage", "gzip", ""},
		"gzip in gzip in gzip in gzip":    {zipped(zipped(zipped(zipped(zipped("#cloud-config\n"))))), "packed more than 4 times", ""},
		"MIME":                            {message(part("text/cloud-config", login), part("text/x-shellscript", "#!/bin/sh\n")), "", ""},
		"MIME with a broken part":         {message(part("text/cloud-config", "a: [")), "part 1 (text/cloud-config)", ""},
		"MIME with an unknown part":       {message(part("image/png", "x")), "", "ignores parts of this type"},
		"MIME without parts":              {message(), "MIME", ""},
		"MIME without boundary":           {"Content-Type: multipart/mixed\n\n", "no boundary", ""},
		"an archive":                      {"#cloud-config-archive\n- |\n  #!/bin/sh\n- type: text/cloud-config\n  content: a\n", "", ""},
		"an archive with a broken script": {"#cloud-config-archive\n- |\n  #!sh\n", "item 1", ""},
		"an archive of numbers":           {"#cloud-config-archive\n- 1\n", "neither text nor", ""},
		"Ignition":                        {`{"ignition": {"version": "3.2.0"}}`, "cloud-init ignores", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var errors, warnings []string
			for _, p := range Check([]byte(tt.data)) {
				if p.Error {
					errors = append(errors, p.String())
				} else {
					warnings = append(warnings, p.String())
				}
			}
			for _, side := range []struct {
				what, want string
				got        []string
			}{{"errors", tt.fails, errors}, {"warnings", tt.warns, warnings}} {
				if joined := strings.Join(side.got, "\n"); side.want == "" && joined != "" || !strings.Contains(joined, side.want) {
					t.Errorf("%s: %q, want %q", side.what, joined, side.want)
				}
			}
		})
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte("#cloud-config\nusers: [default]\n"))
	f.Add([]byte("Content-Type: multipart/mixed; boundary=b\n\n--b\n\n#!/bin/sh\n--b--\n"))
	f.Fuzz(func(_ *testing.T, data []byte) { Check(data) })
}
