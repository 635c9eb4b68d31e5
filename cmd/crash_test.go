package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/ironicclient"
)

// crashing runs a command that connects and then panics. The function value returns the value of the panic.
func crashing(t *testing.T, value func(cur config.Context, c *ironicclient.Client) any) (code int, home, stdout, stderr string) {
	t.Helper()
	home = t.TempDir()
	env := map[string]string{"IRONWORKS_USERNAME": "admin", "IRONWORKS_PASSWORD": "pass-9f3a", "IRONWORKS_URL": "http://127.0.0.1:1"}
	var out, errs bytes.Buffer
	a := newApp(cli.Process{
		Args: []string{"boom", "--password-of-mine=pass-9f3a"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Options: config.Options{Env: func(name string) string { return env[name] }, Home: home, WorkDir: home, SystemDir: home},
	})
	root := a.rootCommand()
	root.AddCommand(&cobra.Command{Use: "boom", RunE: func(cmd *cobra.Command, _ []string) error {
		s, err := a.Connect(cmd)
		if err != nil {
			return err
		}
		defer s.Close()
		panic(value(s.Context, s.Client))
	}})
	root.SetArgs([]string{"boom"})
	code = a.guard(t.Context(), root.ExecuteContext)
	return code, home, out.String(), errs.String()
}

func TestCrash(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]func(config.Context, *ironicclient.Client) any{
		"a text": func(cur config.Context, _ *ironicclient.Client) any {
			return "bad thing with " + cur.Connection.Password.Reveal()
		},
		"an error": func(cur config.Context, _ *ironicclient.Client) any {
			return fmt.Errorf("bad thing: %w", fmt.Errorf("token %s", cur.Connection.Password.Reveal()))
		},
		"a connection": func(cur config.Context, _ *ironicclient.Client) any {
			return fmt.Sprintf("bad thing: %+v %#v", cur.Connection, cur.Connection)
		},
		"a client": func(_ config.Context, c *ironicclient.Client) any { return fmt.Sprintf("bad thing: %+v", c) },
		"an escape sequence": func(config.Context, *ironicclient.Client) any {
			return "bad thing \x1b[2J"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, home, stdout, stderr := crashing(t, value)
			if code != cli.ExitFailed {
				t.Errorf("exit code %d", code)
			}
			if stdout != "" || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "goroutine") ||
				strings.Contains(stderr, "pass-9f3a") || strings.ContainsRune(stderr, 0x1b) {
				t.Errorf("printed %q %q", stdout, stderr)
			}
			found, err := filepath.Glob(filepath.Join(home, ".local/state/ironworks/crashes/*"))
			if err != nil || len(found) != 1 || !strings.Contains(stderr, found[0]) {
				t.Fatalf("crash files %q, told: %s", found, stderr)
			}
			info, err := os.Stat(found[0])
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v %v", info, err)
			}
			text, err := os.ReadFile(found[0])
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "pass-9f3a") {
				t.Errorf("the file holds the password:\n%s", text)
			}
			for _, want := range []string{"bad thing", "goroutine ", "crash_test.go", "command: boom\n", "ironworks "} {
				if !strings.Contains(string(text), want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
		})
	}
}

func TestCrashWithoutAStateDirectory(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := newApp(cli.Process{Args: []string{"nodes"}, Stderr: &errs})
	a.Files.Crashes = filepath.Join(file, "crashes")
	a.Mask("pass-9f3a")
	a.crashed("bad thing with pass-9f3a", debug.Stack())
	if text := errs.String(); !strings.Contains(text, "bad thing") || strings.Contains(text, "pass-9f3a") || strings.Contains(text, "goroutine") {
		t.Errorf("%q", text)
	}
}

// TestCrashFileFollowsNoLinks checks that writing a crash file does not follow a symlink. In a world-writable folder
// such as /tmp, another user may have created symlinks with possible names of crash files.
func TestCrashFileFollowsNoLinks(t *testing.T) {
	temp, target := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	t.Setenv("TMPDIR", temp)
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for at, end := time.Now().UTC(), time.Now().Add(10*time.Second); at.Before(end); at = at.Add(time.Millisecond) {
		if err := os.Symlink(target, filepath.Join(temp, "crash-"+at.Format("20060102T150405.000")+".txt")); err != nil {
			t.Fatal(err)
		}
	}
	path, err := writeCrash("", "bad thing")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "precious" {
		t.Errorf("the file that a link points to holds %q, %v", text, err)
	}
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 || filepath.Dir(path) != temp {
		t.Errorf("%s: %v, %v", path, info, err)
	}
	if second, err := writeCrash("", "bad thing"); err != nil || second == path {
		t.Errorf("%s twice, %v", second, err)
	}
}
