package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/config"
)

// completed returns the completions of the last argument, and cobra's directive.
func completed(t *testing.T, args ...string) (words []string, directive string) {
	t.Helper()
	home := t.TempDir()
	files := map[string]string{
		".config/ironworks/config.yaml": "contexts:\n  rack7:\n    url: http://127.0.0.1:1\n  rack8:\n    url: http://127.0.0.1:2\n",
		".config/openstack/clouds.yaml": "clouds:\n  prod:\n    auth_type: none\n    baremetal_endpoint_override: http://127.0.0.1:3\n",
	}
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, complaints bytes.Buffer
	code := run(context.Background(), cli.Process{
		Args: append([]string{"__complete"}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaints,
		Options: config.Options{Home: home, WorkDir: t.TempDir(), SystemDir: t.TempDir()},
	})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if code != cli.ExitOK {
		t.Fatalf("exit code %d: %s", code, complaints.String())
	}
	for _, line := range lines[:len(lines)-1] {
		word, _, _ := strings.Cut(line, "\t")
		words = append(words, word)
	}
	return words, lines[len(lines)-1]
}

func TestFlagValuesComplete(t *testing.T) {
	t.Parallel()
	const noFiles, noSpace = ":4", ":6"
	for name, tt := range map[string]struct {
		args      []string
		want      []string
		directive string
	}{
		"contexts":               {[]string{"nodes", "--context", ""}, []string{"prod", "rack7", "rack8"}, noFiles},
		"a context":              {[]string{"nodes", "-c", "rack8"}, []string{"rack8"}, noFiles},
		"clouds":                 {[]string{"nodes", "--cloud", ""}, []string{"prod"}, noFiles},
		"formats":                {[]string{"nodes", "-o", ""}, []string{"table", "wide", "json", "yaml", "name"}, noFiles},
		"formats of export":      {[]string{"export", "-o", ""}, []string{"baremetal", "bifrost", "csv", "bmh"}, noFiles},
		"files, not formats":     {[]string{"ignition", "build", "-o", ""}, nil, ":0"},
		"a column":               {[]string{"nodes", "--columns", "st"}, []string{"state", "step"}, noFiles},
		"a second column":        {[]string{"nodes", "--columns", "state,st"}, []string{"state,step"}, noFiles},
		"reverse order":          {[]string{"nodes", "--sort=-own"}, []string{"-owner"}, noFiles},
		"states":                 {[]string{"watch", "--until", "deploy-f"}, []string{"deploy-failed"}, noFiles},
		"state of an error":      {[]string{"explain", "--error", "x", "--state", "clean-f"}, []string{"clean-failed"}, noFiles},
		"overridable checks":     {[]string{"deploy", "n1", "--override", "console"}, []string{"console-lock"}, noFiles},
		"checks with a policy":   {[]string{"deploy", "n1", "--policy", "prot"}, []string{"protected="}, noSpace},
		"policies":               {[]string{"deploy", "n1", "--policy", "inventory="}, []string{"inventory=refuse", "inventory=warn", "inventory=off"}, noFiles},
		"goals":                  {[]string{"enroll", "--to", "in"}, []string{"inspected"}, noFiles},
		"fields of a column":     {[]string{"enroll", "--column", "BMC IP=bmc."}, []string{"BMC IP=bmc.username", "BMC IP=bmc.password", "BMC IP=bmc.port", "BMC IP=bmc.system"}, noFiles},
		"objects of a column":    {[]string{"enroll", "--column", "x=ext"}, []string{"x=extra."}, noSpace},
		"default drivers":        {[]string{"enroll", "--driver", "i"}, []string{"idrac", "ilo", "ilo5", "ipmi", "irmc"}, noFiles},
		"two log sources":        {[]string{"logs", "n1", "--source", "ssh,s"}, []string{"ssh,status", "ssh,serial"}, noFiles},
		"filter keys":            {[]string{"nodes", "st"}, []string{"state:", "step:"}, noSpace},
		"states of a filter":     {[]string{"nodes", "state:failed", "!state:=deploy-f"}, []string{"!state:=deploy-failed"}, noFiles},
		"power of a filter":      {[]string{"nodes", "power:"}, []string{"power:on", "power:off", "power:error", "power:unknown"}, noFiles},
		"boot devices":           {[]string{"boot-device", "p"}, []string{"pxe"}, noFiles},
		"unknown words of ours":  {[]string{"nodes", "--columns", "zzz"}, nil, noFiles},
		"a file for a plan":      {[]string{"deploy", "-f", ""}, nil, ":0"},
		"themes of the console":  {[]string{"--theme", "d"}, []string{"dark"}, noFiles},
		"instances without base": {[]string{"hints", "set", "n1", "--to", "i"}, []string{"instance_info"}, noFiles},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			words, directive := completed(t, tt.args...)
			if !slices.Equal(words, tt.want) || directive != tt.directive {
				t.Errorf("%q with %s, want %q with %s", words, directive, tt.want, tt.directive)
			}
		})
	}
}

// TestChoicesBelongToFlags checks that every entry of flagChoices belongs to an existing flag.
func TestChoicesBelongToFlags(t *testing.T) {
	t.Parallel()
	a := newApp(cli.Process{})
	there := map[string]bool{}
	for _, cmd := range everyCommand(a.rootCommand()) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			there["--"+f.Name], there[cmd.CommandPath()+" --"+f.Name] = true, true
		})
	}
	for name := range a.flagChoices() {
		if !there[name] {
			t.Errorf("no command has the flag %s", name)
		}
	}
}

// TestManPages checks that every command has a page with its name, flags and examples, and that no line of text can
// be taken for a roff request.
func TestManPages(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new", "man1")
	if code, stdout, stderr := offline(t, "man", folder); code != cli.ExitOK || stdout != "" {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	for _, cmd := range everyCommand(newApp(cli.Process{}).rootCommand()) {
		text, err := os.ReadFile(filepath.Join(folder, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		checkManPage(t, cmd, string(text))
	}
	set, err := os.ReadFile(filepath.Join(folder, "ironworks-set.1"))
	if want := ".nf\n  KEY=VALUE     set; under"; err != nil || !strings.Contains(string(set), want) {
		t.Errorf("%v: no %q in\n%s", err, want, set)
	}
}

func checkManPage(t *testing.T, cmd *cobra.Command, text string) {
	t.Helper()
	requests := []string{"TH", "SH", "PP", "TP", "B", "nf", "fi"}
	for line := range strings.Lines(text) {
		request, is := strings.CutPrefix(strings.Fields(line + " x")[0], ".")
		if is && strings.HasPrefix(line, ".") && !slices.Contains(requests, request) || strings.HasPrefix(line, "'") {
			t.Errorf("%s: a line is read as a request: %q", cmd.CommandPath(), line)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
			t.Errorf("%s: not ASCII: %q", cmd.CommandPath(), line)
		}
	}
	want := []string{".SH NAME\n", ".SH SYNOPSIS\n", ".SH DESCRIPTION\n", ".SH EXAMPLES\n", ".SH SEE ALSO\n", roff(cmd.Short)}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			want = append(want, `\fB`+roff("--"+f.Name)+`\fR`)
		}
	})
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%s: no %q", cmd.CommandPath(), w)
		}
	}
}
