package plugin_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/plugin"
)

func node() *models.Node {
	return &models.Node{
		UUID: "11111111-0000-4000-8000-000000000000", Name: "r7-n01", ProvisionState: models.StateCleanWait, Driver: "redfish",
		ResourceClass: "gp-1x", Owner: "team-blue",
		DriverInfo: map[string]any{"redfish_address": "https://root:hunter2@10.0.7.1:8443/redfish", "redfish_password": "hunter2"},
		Internal:   &models.Internal{AgentURL: "https://[fd00::1]:9999"},
	}
}

func TestCheckArgs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		// want is the expected "problem (hint)", or "" if all arguments are valid. at is the index of the invalid
		// argument.
		want string
		at   int
	}{
		"plain":                 {[]string{"ping", "-c", "3", "{bmc}"}, "", 0},
		"in an argument":        {[]string{"ssh", "core@{address}", "--", "uptime"}, "", 0},
		"braces of other tools": {[]string{"curl", "-d", `{"a": 1}`, "{}", "awk { print }"}, "", 0},
		"nothing":               {nil, "names no program (use [PROGRAM, ARGUMENT, …])", 0},
		"no program":            {[]string{"", "x"}, "names no program (use [PROGRAM, ARGUMENT, …])", 0},
		"a field as program":    {[]string{"{name}"}, "the program cannot be a field of the node (give its name or path)", 0},
		"unknown field":         {[]string{"echo", "{namee}"}, "unknown field {namee} (did you mean {name}?)", 1},
		"upper case":            {[]string{"echo", "x", "{Name}"}, "unknown field {Name} (did you mean {name}?)", 2},
		"escape sequence":       {[]string{"echo", "\x1b[2J"}, "has a control character", 1},
		"script of a shell":     {[]string{"/bin/bash", "-euc", "ping {bmc}"}, "a shell would run the contents of {bmc} (use \"$IRONWORKS_NODE_BMC\" in the script)", 2},
		"shell behind a tool":   {[]string{"sudo", "-u", "me", "sh", "-c", "ping {bmc}"}, "a shell would run the contents of {bmc} (use \"$IRONWORKS_NODE_BMC\" in the script)", 5},
		"argument of a script":  {[]string{"sh", "-c", `ping "$1"`, "sh", "{bmc}"}, "", 0},
		"environment of script": {[]string{"sh", "-c", `ping "$IRONWORKS_NODE_BMC"`}, "", 0},
	} {
		at, problem, hint := plugin.CheckArgs(test.args)
		if hint != "" {
			problem += " (" + hint + ")"
		}
		if problem != test.want || at != test.at {
			t.Errorf("%s: %d %q, want %d %q", name, at, problem, test.at, test.want)
		}
	}
}

// TestArgv checks that hostile values from Ironic never become options, shell commands or control sequences.
func TestArgv(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args   []string
		change func(n *models.Node)
		want   []string
		// err is text that the expected error contains.
		err string
	}{
		"fields":               {[]string{"x", "{name}", "{uuid}", "{state}", "core@{address}", "{bmc}", "{bmc_url}"}, nil, []string{"x", "r7-n01", "11111111-0000-4000-8000-000000000000", "clean wait", "core@fd00::1", "10.0.7.1", "https://10.0.7.1:8443/redfish"}, ""},
		"twice in one":         {[]string{"x", "{name}={name}"}, nil, []string{"x", "r7-n01=r7-n01"}, ""},
		"unnamed":              {[]string{"x", "{node}"}, func(n *models.Node) { n.Name = "" }, []string{"x", "11111111-0000-4000-8000-000000000000"}, ""},
		"empty":                {[]string{"x", "{name}"}, func(n *models.Node) { n.Name = "" }, nil, "x 11111111-0000-4000-8000-000000000000: nothing was run: {name} is empty ({node} is the name, or the UUID of a node without a name)"},
		"no BMC":               {[]string{"x", "{bmc}"}, func(n *models.Node) { n.DriverInfo = nil }, nil, "{bmc} is empty"},
		"an option":            {[]string{"x", "{name}"}, func(n *models.Node) { n.Name = "--output=/etc/passwd" }, nil, "x --output=/etc/passwd: nothing was run: {name} starts with -: the program would read it as an option"},
		"an option in a word":  {[]string{"x", "run {name}"}, func(n *models.Node) { n.Name = "-rf" }, nil, "starts with -"},
		"joined to an option":  {[]string{"x", "--name={name}"}, func(n *models.Node) { n.Name = "-rf" }, []string{"x", "--name=-rf"}, ""},
		"first of two":         {[]string{"x", "{owner}{name}"}, func(n *models.Node) { n.Owner = "-o" }, nil, "{owner} starts with -"},
		"a command":            {[]string{"ssh", "host", "echo {name}"}, func(n *models.Node) { n.Name = "a;reboot" }, nil, `{name} has ';', which shells interpret (read $IRONWORKS_NODE_NAME in a script instead)`},
		"a substitution":       {[]string{"x", "{owner}"}, func(n *models.Node) { n.Owner = "$(reboot)" }, nil, "{owner} has '$'"},
		"a quote":              {[]string{"x", "{owner}"}, func(n *models.Node) { n.Owner = "it's" }, nil, `{owner} has '\''`},
		"a line break":         {[]string{"x", "{name}"}, func(n *models.Node) { n.Name = "a\nb" }, nil, "{node} has control or invisible characters"},
		"an escape, unused":    {[]string{"x"}, func(n *models.Node) { n.Lessee = "\x1b]0;x\a" }, nil, "{lessee} has control or invisible characters"},
		"a zero byte":          {[]string{"x"}, func(n *models.Node) { n.Owner = "a\x00b" }, nil, "{owner} has control or invisible characters"},
		"a bidi override":      {[]string{"x", "{name}"}, func(n *models.Node) { n.Name = "a\u202eb" }, nil, "{node} has control or invisible characters"},
		"a field that names":   {[]string{"x", "{owner}"}, func(n *models.Node) { n.Owner = "{name}" }, nil, "{owner} has '{'"},
		"of Metal3":            {[]string{"x", "{name}"}, func(n *models.Node) { n.Name = "ns~host-1" }, []string{"x", "ns~host-1"}, ""},
		"words of other lands": {[]string{"x", "{owner}"}, func(n *models.Node) { n.Owner = "équipe 7" }, []string{"x", "équipe 7"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := node()
			if test.change != nil {
				test.change(n)
			}
			p := plugin.Plugin{Name: "x", Args: test.args}
			got, err := p.Argv(n)
			switch {
			case test.err == "" && err == nil:
				if !slices.Equal(got, test.want) {
					t.Errorf("%q, want %q", got, test.want)
				}
			case err == nil || test.err == "" || !strings.Contains(err.Error(), test.err):
				t.Errorf("%q %v, want %q", got, err, test.err)
			case strings.ContainsAny(err.Error(), "\x1b\x00\n\u202e"):
				t.Errorf("the error has control characters: %q", err)
			}
		})
	}
}

// TestEnvironment checks that the fields and the context are set, and that no credentials are passed on.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	base := []string{
		"PATH=/bin", "OS_CLOUD=prod", "OS_PASSWORD=hunter2", "OS_APPLICATION_CREDENTIAL_SECRET=hunter2", "OS_TOKEN=hunter2", "OS_AUTH_TOKEN=hunter2",
		"IRONWORKS_PASSWORD=hunter2", "IRONWORKS_BMC_PASSWORD=hunter2", "IRONWORKS_URL=http://other", "IRONWORKS_NODE_NAME=old", "OWN_SECRET=mine",
	}
	for name, test := range map[string]struct {
		place   []string
		has     []string
		hasNone []string
	}{
		"a context":          {[]string{"--context", "rack 7"}, []string{"IRONWORKS_CONTEXT=rack 7"}, []string{"IRONWORKS_URL="}},
		"a URL":              {[]string{"--url", "http://here"}, []string{"IRONWORKS_URL=http://here"}, nil},
		"a URL with a login": {[]string{"--url", "http://me:hunter2@here"}, nil, []string{"IRONWORKS_URL=http://me"}},
		"by the environment": {nil, []string{"IRONWORKS_URL=http://other"}, nil},
	} {
		env := plugin.Environment(base, node(), test.place)
		all := strings.Join(env, "\n")
		if strings.Contains(all, "hunter2") {
			t.Errorf("%s: a credential is passed on:\n%s", name, all)
		}
		for _, want := range append(test.has, "PATH=/bin", "OS_CLOUD=prod", "OWN_SECRET=mine", "IRONWORKS_NODE_NAME=r7-n01", "IRONWORKS_NODE_BMC=10.0.7.1", "IRONWORKS_NODE_INSTANCE=") {
			if !slices.Contains(env, want) {
				t.Errorf("%s: no %s in\n%s", name, want, all)
			}
		}
		for _, bad := range append(test.hasNone, "IRONWORKS_NODE_NAME=old") {
			if strings.Contains(all, bad) {
				t.Errorf("%s: %s is in\n%s", name, bad, all)
			}
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"+`
case $1 in
ok) echo first; echo "last $IRONWORKS_NODE_NAME"; echo; echo noise >&2 ;;
fail) echo out; printf 'no\nwhy \033[31mred' >&2; exit 7 ;;
quiet) echo only out; exit 3 ;;
input) cat; echo done ;;
behind) sleep 60 >/dev/null & exit 0 ;;
esac
`), 0o700); err != nil { //nolint:gosec // it has to be run
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args     []string
		want     string
		wantCode int
	}{
		"done":                {[]string{script, "ok"}, "last r7-n01", 0},
		"failed":              {[]string{script, "fail"}, `p r7-n01: exit code 7: why \x1b[31mred`, 7},
		"failed without word": {[]string{script, "quiet"}, "p r7-n01: exit code 3: only out", 3},
		"no input":            {[]string{script, "input"}, "done", 0},
		"missing":             {[]string{filepath.Join(dir, "none")}, "p r7-n01: cannot start " + filepath.Join(dir, "none"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plugin.Plugin{Name: "p", Args: test.args}
			said, err := p.Run(t.Context(), node(), os.Environ(), nil, nil)
			if err != nil {
				said = err.Error()
			}
			exit, is := errors.AsType[*plugin.ExitError](err)
			if !strings.HasPrefix(said, test.want) || is != (test.wantCode > 0) || is && exit.Code != test.wantCode {
				t.Errorf("%q, want %q", said, test.want)
			}
		})
	}
}

// TestCanceled checks that a program's whole process group ends when its context is canceled.
func TestCanceled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	up, down := filepath.Join(dir, "up"), filepath.Join(dir, "down")
	p := plugin.Plugin{Name: "p", Args: []string{"sh", "-c", `trap 'touch "$2"; exit 1' TERM; sleep 600 & touch "$1"; wait`, "sh", up, down}}
	ctx, cancel := contextOf(t)
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run(ctx, node(), os.Environ(), nil, nil)
		ended <- err
	}()
	until(t, up)
	cancel()
	select {
	case err := <-ended:
		exit, is := errors.AsType[*plugin.ExitError](err)
		if !is || exit.Code != -1 || !strings.Contains(err.Error(), "canceled") {
			t.Errorf("%v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the program runs on")
	}
	until(t, down)
}

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}

// until waits until the file at path exists.
func until(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(10 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Fatalf("%s never came", path)
}
