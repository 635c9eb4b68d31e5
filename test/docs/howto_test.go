package docs_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"ironworks/cmd"
	"ironworks/test/coreosinstaller"
	"ironworks/test/program"
)

func TestMain(m *testing.M) {
	program.TestMain(func() { os.Exit(cmd.Main()) }, m.Run)
}

// guided lists the pages whose commands are tested, in addition to all how-to guides.
var guided = []string{
	"docs/tutorial/first-deployment.md", "docs/tutorial/rack.md", "docs/reference/filters.md", "docs/reference/output.md",
	"docs/reference/explain.md", "docs/reference/doctor.md", "docs/reference/journal.md", "docs/reference/bmc.md",
	"docs/reference/ramdisk.md",
}

var (
	blockPattern = regexp.MustCompile("(?ms)^ *```(\\w+)\n(.*?)^ *```$")
	exitPattern  = regexp.MustCompile(`# exit code (\d)`)
)

// command is a command line from a console block, with the exit code that its comment announces.
type command struct {
	line string
	code int
}

// commands returns the commands in a page's console blocks. It also returns the yaml blocks that start with "# NAME",
// keyed by that name.
func commands(page string) (list []command, files map[string]string) {
	files = map[string]string{}
	for _, m := range blockPattern.FindAllStringSubmatch(page, -1) {
		first, _, _ := strings.Cut(m[2], "\n")
		if name, ok := strings.CutPrefix(first, "# "); m[1] == "yaml" && ok && !strings.ContainsAny(name, "/ ~") {
			files[name] = m[2]
		}
		if m[1] != "console" {
			continue
		}
		for line := range strings.Lines(m[2]) {
			text, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
			if !ok {
				continue
			}
			c := command{line: text}
			if m := exitPattern.FindStringSubmatch(text); m != nil {
				c.code, _ = strconv.Atoi(m[1])
			}
			list = append(list, c)
		}
	}
	return list, files
}

// TestCommandsOfThePages runs the commands of each page, in order, against a separate lab and checks their exit
// codes.
func TestCommandsOfThePages(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for name := range all {
		if strings.HasPrefix(name, "docs/howto/") {
			guided = append(guided, name)
		}
	}
	for _, name := range guided {
		list, files := commands(all[name])
		if len(list) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			files["fedora-coreos-live.iso"] = string(coreosinstaller.X86().Image)
			files["disks.json"] = `{"inventory": {"disks": [{"name": "/dev/sda", "size": 480103981056, "rotational": false, "serial": "S1"}]}}`
			for file, text := range files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			env := append(os.Environ(), program.Env(
				"HOME="+dir, "PATH="+filepath.Dir(program.Path())+string(os.PathListSeparator)+os.Getenv("PATH"), "XDG_STATE_HOME="+filepath.Join(dir, "state"),
				"XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "IRONWORKS_BMC_HOSTS=*", "IRONWORKS_URL="+lab(t, dir))...)
			for _, c := range list {
				ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
				run := exec.CommandContext(ctx, "bash", "-c", c.line)
				run.Dir, run.Env = dir, env
				out, err := run.CombinedOutput()
				stop()
				var exit *exec.ExitError
				if err != nil && !errors.As(err, &exit) || run.ProcessState.ExitCode() != c.code {
					t.Fatalf("%s: %v, want exit code %d\n%s", c.line, err, c.code, out)
				}
			}
		})
	}
}

// lab starts a lab of machines with an embedded Ironic, and returns Ironic's URL. The lab runs until the test ends.
func lab(t *testing.T, dir string) string {
	t.Helper()
	up := exec.CommandContext(t.Context(), program.Path(), "lab", "up", "--lab-speed", "40", "--listen", "127.0.0.1:0")
	up.Env = append(os.Environ(), program.Env("HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "labstate"))...)
	up.Cancel = func() error { return up.Process.Signal(os.Interrupt) }
	up.WaitDelay = 10 * time.Second
	out, err := up.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = up.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, url, last := strings.Cut(lines.Text(), "ironworks --url "); last {
			return url
		}
	}
	t.Fatalf("the lab did not start: %v", lines.Err())
	return ""
}
