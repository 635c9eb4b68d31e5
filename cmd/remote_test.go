package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/presence"
	"ironworks/session"
	"ironworks/sshserver/access"
)

// remoteApp returns the commands as a user with the given role sees them. There is no server behind them.
func remoteApp(role access.Role, stdin string) (a *app, root *cobra.Command, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	a = newApp(cli.Process{
		Stdin: strings.NewReader(stdin), Stdout: stdout, Stderr: stderr,
		Remote: &cli.RemoteUser{Cfg: &config.Config{}, Member: &session.Member{}, Role: role, Room: presence.NewRoom()},
	})
	return a, a.rootCommand(), stdout, stderr
}

// eachCommand calls visit for every runnable command below cmd.
func eachCommand(cmd *cobra.Command, visit func(cmd *cobra.Command)) {
	for _, sub := range cmd.Commands() {
		eachCommand(sub, visit)
	}
	if cmd.RunE != nil || cmd.Run != nil {
		visit(cmd)
	}
}

// harmlessFlags returns the flags that are available over SSH and whose values do not name files of the server.
func harmlessFlags() []string {
	return strings.Fields("output advertise system bmc-username fingerprint slot to user-data-reader step override confirm policy allocate-class allocate-trait " +
		"format column driver bmc names set deploy-kernel deploy-ramdisk kernel-params error state release disk since source level filter columns sort node mask-secrets " +
		"reason kind runbook port portgroup until")
}

// TestFlagsOverSSH fails for a flag that is in none of the lists. A new flag of a command available over SSH must be
// added to a list in remote.go, or to harmlessFlags if it does not name a file of the server.
func TestFlagsOverSSH(t *testing.T) {
	t.Parallel()
	_, root, _, _ := remoteApp(access.Admin, "")
	lists := slices.Concat(remoteFileFlags, remoteJSONFlags, remoteNoFlags)
	seen := map[string]bool{}
	files := regexp.MustCompile(`(?i)\bfiles?\b|@FILE|director|folder|\bpath\b`)
	eachCommand(root, func(cmd *cobra.Command) {
		cmd.InheritedFlags() // merges the inherited flags into cmd.Flags
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if slices.Contains([]string{"bool", "int", "count", "duration", "float64"}, f.Value.Type()) || cmd == root {
				return
			}
			seen[f.Name] = true
			listed, harmless := slices.Contains(lists, f.Name), slices.Contains(harmlessFlags(), f.Name)
			// "system" is a path on the BMC; "format" and "column" describe files that list nodes.
			if listed == harmless || harmless && files.MatchString(f.Usage) && !slices.Contains([]string{"system", "format", "column"}, f.Name) {
				t.Errorf("%s --%s (%s): in the lists of remote.go %v, harmless %v", cmd.CommandPath(), f.Name, f.Usage, listed, harmless)
			}
		})
	})
	for _, name := range harmlessFlags() {
		if !seen[name] {
			t.Errorf("no command has the harmless flag --%s", name)
		}
	}
}

// TestCommandsOverSSH checks the list of commands that are available over SSH. A new command is not available until
// it is added to remoteCommands.
func TestCommandsOverSSH(t *testing.T) {
	t.Parallel()
	_, root, _, _ := remoteApp(access.Admin, "")
	var names []string
	for _, cmd := range root.Commands() {
		names = append(names, cmd.Name())
	}
	slices.Sort(names)
	want := strings.Fields("abort adopt bios bmc boot-device bringup clean conductors delete deploy disks drivers enroll explain export firmware hints history inspect inventory " +
		"logs maintenance manage node nodes port portgroup power protect provide raid rebuild rescue retire rules runbooks say service set steps templates undeploy unhold " +
		"unprotect unrescue unretire validate vendor version vif volumes watch who")
	if !slices.Equal(names, want) {
		t.Errorf("commands over SSH:\n%q, want\n%q", names, want)
	}
	for name := range remoteCommands() {
		if name != "help" && !slices.Contains(names, name) { // cobra adds the help command later
			t.Errorf("%s is allowed and does not exist", name)
		}
	}
	for _, path := range []string{"bmc login", "bmc logout"} {
		if cmd, _, err := root.Find(strings.Fields(path)); err == nil && cmd.CommandPath() == "ironworks "+path {
			t.Errorf("%s is available", path)
		}
	}
}

// TestNoFilesOverSSH passes the path of a file to every flag, in all forms. It checks that the file is neither read
// nor written, and that the output does not reveal whether the file exists.
func TestNoFilesOverSSH(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	canary, created := filepath.Join(dir, "canary"), filepath.Join(dir, "created")
	const text = `{"secret": "c4n4ry"}`
	if err := os.WriteFile(canary, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, all, _, _ := remoteApp(access.Admin, "")
	values := []string{canary, "@" + canary, " @" + canary, "{/../.." + canary, "[/.." + canary, created, "file://" + canary, "http:/../.." + canary, " -", "~/x", "."}
	tried := 0
	eachCommand(all, func(cmd *cobra.Command) {
		cmd.InheritedFlags() // merges the inherited flags into cmd.Flags
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(slices.Concat(remoteFileFlags, remoteJSONFlags, remoteNoFlags), f.Name) || f.Value.Type() == "bool" {
				return
			}
			for _, value := range values {
				if slices.Contains(remoteJSONFlags, f.Name) && strings.ContainsAny(value[:1], "{[") {
					continue // the value is JSON, not a file
				}
				tried++
				if err := oneFlag(t, f, value); err == nil || !strings.Contains(err.Error(), "over SSH") {
					t.Errorf("%s --%s=%s: %v", cmd.CommandPath(), f.Name, value, err)
				}
			}
		})
	})
	for _, args := range [][]string{
		{"enroll", "-f", canary},
		{"enroll", "-f", "-", "-f", "{/.." + canary},
		{"deploy", "n1", "--user-data=" + canary},
		{"hints", "match", "--batch", canary},
		{"nodes", "--config", canary},
		{"logs", "n1", "--journal", canary},
		{"export", "--credentials", canary},
		{"clean", "n1", "--steps", "@" + canary},
	} {
		refusedOverSSH(t, args)
	}
	for _, args := range [][]string{{canary}, {dir}, {created}, {"./x"}, {"rules", "check", canary}, {"templates", "check", canary}, {"runbooks", "check", "-", canary}} {
		refusedOverSSH(t, args)
	}
	if tried < 200 {
		t.Errorf("only %d flags and forms were tried", tried)
	}
	if data, err := os.ReadFile(canary); err != nil || string(data) != text {
		t.Errorf("the file has changed: %q, %v", data, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("files were created: %v", entries)
	}
}

// oneFlag runs the flag check for a command that has only the flag f, set to value.
func oneFlag(t *testing.T, f *pflag.Flag, value string) error {
	t.Helper()
	cmd, flag := &cobra.Command{Use: "x"}, *f
	flag.Changed = false
	cmd.Flags().AddFlag(&flag)
	if list, is := flag.Value.(pflag.SliceValue); is {
		if err := list.Replace(nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Flags().Set(flag.Name, value); err != nil {
		t.Fatal(err)
	}
	return remoteFlags(cmd, nil)
}

// refusedOverSSH runs a command with and without a further argument, and checks that the command is refused before
// any file is opened.
func refusedOverSSH(t *testing.T, args []string) {
	t.Helper()
	overSSH := false
	for _, more := range [][]string{nil, {"n1"}} {
		a, root, stdout, stderr := remoteApp(access.Admin, "")
		root.SetArgs(append(slices.Clone(args), more...))
		err := root.ExecuteContext(t.Context())
		code := a.Report(t.Context(), err)
		if code != cli.ExitUsage {
			t.Errorf("%q: exit code %d, %v", args, code, err)
		}
		said := stdout.String() + stderr.String()
		if strings.Contains(said, "c4n4ry") || strings.Contains(said, "no such file") || strings.Contains(said, "is a directory") {
			t.Errorf("%q says %s", args, said)
		}
		overSSH = overSSH || strings.Contains(said, "over SSH") || strings.Contains(said, "unknown command")
	}
	if !overSSH {
		t.Errorf("%q is not refused because of the file", args)
	}
}

// TestLeastRoles runs operators' commands as a viewer, and checks that they are refused before anything is read.
func TestLeastRoles(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"deploy n1", "undeploy n1", "clean n1", "manage n1", "provide n1", "inspect n1", "abort n1", "power on n1", "power soft-off n1", "maintenance on n1", "set n1 a=b",
		"boot-device pxe n1", "bmc n1", "bmc console n1", "enroll -f -", "bringup n1", "validate n1", "protect n1", "retire n1", "rescue n1", "explain n1 --bmc",
	} {
		a, root, _, stderr := remoteApp(access.Viewer, "nodes: []")
		root.SetArgs(strings.Fields(args))
		code := a.Report(t.Context(), root.ExecuteContext(t.Context()))
		if code != cli.ExitRefused || !strings.Contains(stderr.String(), "requires the operator role; your role is viewer") {
			t.Errorf("%s: %d, %s", args, code, stderr)
		}
	}
}

// TestRemoteCommandsHaveSummaries checks that the commands that exist only over SSH keep their summaries.
func TestRemoteCommandsHaveSummaries(t *testing.T) {
	t.Parallel()
	_, root, _, _ := remoteApp(access.Viewer, "")
	for _, cmd := range root.Commands() {
		if cmd.Short == "" {
			t.Errorf("%s has no summary", cmd.CommandPath())
		}
	}
}
