package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/provision"
)

// offline runs a command line without a server.
func offline(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, complaints bytes.Buffer
	code = run(context.Background(), cli.Process{
		Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaints,
		Options: config.Options{Home: t.TempDir(), WorkDir: t.TempDir(), SystemDir: t.TempDir()},
	})
	return code, out.String(), complaints.String()
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"unknown command":          {[]string{"fly"}, "fly"},
		"mistyped command":         {[]string{"noeds"}, `unknown command "noeds" for "ironworks" (did you mean "nodes"?)`},
		"mistyped with a flag":     {[]string{"manag", "n1", "--wait"}, `unknown command "manag" for "ironworks" (did you mean "manage"?)`},
		"mistyped subcommand":      {[]string{"power", "soft-of", "n1"}, `(did you mean "soft-off"?)`},
		"mistyped config command":  {[]string{"config", "path"}, `(did you mean "paths"?)`},
		"mistyped flag":            {[]string{"nodes", "--colums", "name"}, `(did you mean "--columns"?)`},
		"mistyped filter key":      {[]string{"nodes", "sate:failed"}, `(did you mean "state"?)`},
		"mistyped column":          {[]string{"nodes", "--columns", "pwer"}, `(did you mean "power"?)`},
		"mistyped sort column":     {[]string{"nodes", "--sort", "-pwer"}, `(did you mean "power"?)`},
		"mistyped state":           {[]string{"watch", "--until", "actve"}, `(did you mean "active"?)`},
		"mistyped state of error":  {[]string{"explain", "--error", "x", "--state", "deploy-faild"}, `(did you mean "deploy failed"?)`},
		"mistyped output":          {[]string{"nodes", "-o", "jsno"}, `(did you mean "json"?)`},
		"mistyped log source":      {[]string{"logs", "n1", "--source", "archve"}, `(did you mean "archive"?)`},
		"too few arguments":        {[]string{"vif", "attach", "n1"}, "expected vif attach NODE VIF, got 1 argument (see ironworks vif attach --help)"},
		"too many arguments":       {[]string{"inventory", "n1", "n2"}, "expected inventory NODE, got 2 arguments"},
		"an argument of none":      {[]string{"drivers", "redfish"}, `drivers takes no argument, got "redfish" (see`},
		"unknown flag":             {[]string{"nodes", "--colour"}, "--colour"},
		"unknown output":           {[]string{"nodes", "-o", "xml"}, "must be table, wide, json, yaml or name"},
		"watch as JSON":            {[]string{"nodes", "-w", "-o", "json", "--url", "http://127.0.0.1:1"}, "use ironworks watch -o json"},
		"no node":                  {[]string{"manage"}, "manage --help"},
		"unknown filter key":       {[]string{"nodes", "colour:red"}, `unknown filter key "colour"`},
		"unknown column":           {[]string{"nodes", "--columns", "colour"}, `unknown column "colour"`},
		"unknown sort column":      {[]string{"nodes", "--sort", "-colour"}, `unknown column "colour"`},
		"no terminal":              {nil, "the console needs a terminal"},
		"unknown state":            {[]string{"watch", "--until", "flying"}, `"flying" is not a provision state`},
		"unknown power":            {[]string{"power", "up", "n1"}, `"up"`},
		"power of nothing":         {[]string{"power"}, "on|off"},
		"set of nothing":           {[]string{"set", "n1", "n2"}, "nothing to set"},
		"set on nothing":           {[]string{"set", "a=b", "c=d"}, "a"},
		"bad step":                 {[]string{"clean", "n1", "--step", "erase"}, "INTERFACE.STEP"},
		"bad steps":                {[]string{"clean", "n1", "--steps", "[{]"}, "JSON list"},
		"steps and runbook":        {[]string{"clean", "n1", "--step", "deploy.x", "--runbook", "r"}, "cannot be combined"},
		"configdrive is no object": {[]string{"deploy", "n1", "--configdrive", "{"}, "configdrive: "},
		"password file is missing": {[]string{"rescue", "n1", "--password-file", "/nowhere"}, "/nowhere"},
		"bmc of nothing":           {[]string{"bmc"}, "pass a NODE or --address"},
		"bmc of two":               {[]string{"bmc", "n1", "--address", "https://h"}, "either a NODE or --address"},
		"bmc console of nothing":   {[]string{"bmc", "console"}, "pass a NODE or --address"},
		"bmc power of nothing":     {[]string{"bmc", "power"}, "on|off|shut-down"},
		"bmc order of nothing":     {[]string{"bmc", "eject"}, "pass a NODE or --address"},
		"bmc insert of no web":     {[]string{"bmc", "insert", "ftp://h/x.iso", "n1"}, "BMCs cannot reach ftp"},
		"bmc boot from nonsense":   {[]string{"bmc", "boot-once", "c/d", "n1"}, "not a boot source"},
		"bmc password is missing":  {[]string{"bmc", "--address", "https://h", "--bmc-password-file", "/nowhere"}, "/nowhere"},
		"bmc without a password":   {[]string{"bmc", "--address", "https://h", "--bmc-username", "root"}, "IRONWORKS_BMC_PASSWORD"},
		"bmc login of nothing":     {[]string{"bmc", "login"}, "pass a NODE or --address"},
		"unknown context":          {[]string{"nodes", "--context", "nowhere"}, "nowhere"},
		"bad url":                  {[]string{"nodes", "--url", "ftp://h"}, "ftp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := offline(t, tt.args...)
			if code != cli.ExitUsage || !strings.Contains(stderr, tt.says) || stdout != "" {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, cli.ExitUsage, tt.says, stdout, stderr)
			}
		})
	}
}

func TestOfflineCommands(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"help":        {[]string{"--help"}, "Available Commands"},
		"version":     {[]string{"version"}, "Ironic API 1.69 to 1.115"},
		"config show": {[]string{"config", "show"}, "http://127.0.0.1:6385"},
		"paths":       {[]string{"config", "paths"}, "config.yaml"},
		"completion":  {[]string{"completion", "bash"}, "ironworks"},
		"verb help":   {[]string{"clean", "--help"}, "--steps"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := offline(t, tt.args...)
			if code != cli.ExitOK || !strings.Contains(stdout, tt.says) {
				t.Errorf("exit code %d, want %q:\n%s%s", code, tt.says, stdout, stderr)
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want int
	}{
		{errors.New("anything"), cli.ExitFailed},
		{&models.Fault{Kind: models.FaultConflict}, cli.ExitFailed},
		{fmt.Errorf("list: %w", &models.Fault{Kind: models.FaultRefused}), cli.ExitConnect},
		{&models.Fault{Kind: models.FaultUnauthorized}, cli.ExitConnect},
		{&models.Fault{Kind: models.FaultReadOnly}, cli.ExitRefused},
		{&models.Refusal{Kind: models.RefusedState}, cli.ExitRefused},
		{&models.NeedsVersionError{Feature: models.FeatureService}, cli.ExitRefused},
		{&provision.BMCCredentialsError{Username: "root"}, cli.ExitUsage},
		{&provision.BMCCredentialsError{Username: "root", Rejection: &models.Fault{Kind: models.FaultUnauthorized}}, cli.ExitConnect},
		{&filter.Error{}, cli.ExitUsage},
		{cli.Usagef("no"), cli.ExitUsage},
	} {
		if got := cli.ExitCode(tt.err); got != tt.want {
			t.Errorf("%v: exit code %d, want %d", tt.err, got, tt.want)
		}
	}
}

// TestFirstRun checks that, without any configuration, the error message says how to try the program.
func TestFirstRun(t *testing.T) {
	t.Parallel()
	code, _, stderr := offline(t, "nodes")
	if code != cli.ExitConnect || !strings.Contains(stderr, "ironworks --lab opens the console on simulated machines") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestBrokenPipes checks that a broken connection to Ironic is not mistaken for a closed output pipe.
func TestBrokenPipes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want int
	}{
		{fmt.Errorf("print: %w", syscall.EPIPE), cli.ExitOK},
		{&models.Fault{Kind: models.FaultReset, Err: syscall.EPIPE}, cli.ExitConnect},
	} {
		a := newApp(cli.Process{Stderr: &bytes.Buffer{}})
		if got := a.guard(context.Background(), func(context.Context) error { return tt.err }); got != tt.want {
			t.Errorf("%v: exit code %d, want %d", tt.err, got, tt.want)
		}
	}
}

func TestWorseOfTwoCodes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ a, b, want int }{
		{cli.ExitOK, cli.ExitRefused, cli.ExitRefused},
		{cli.ExitConnect, cli.ExitConnect, cli.ExitConnect},
		{cli.ExitConnect, cli.ExitFailed, cli.ExitFailed},
		{cli.ExitRefused, cli.ExitOK, cli.ExitRefused},
		{cli.ExitFailed, cli.ExitRefused, cli.ExitFailed},
	} {
		if got := cli.WorseExitCode(tt.a, tt.b); got != tt.want {
			t.Errorf("worse(%d, %d) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestHostileArgumentsAreSanitized checks that output which repeats arguments contains no control sequences for the
// terminal.
func TestHostileArgumentsAreSanitized(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"nodes", "--\x1b[31mred"}, {"\x1b]0;title\x07"}, {"nodes", "k\x1b:v"}, {"set", "n", "\x1b=1"}, {"watch", "--until", "\x1b[2J"},
	} {
		if _, stdout, stderr := offline(t, args...); strings.ContainsAny(stdout+stderr, "\x1b\x07") {
			t.Errorf("%q: %q", args, stderr)
		}
	}
}

// TestBMCLoginNeedsAKeyring checks that bmc login and bmc logout fail if no keyring is available, because passwords
// are stored only in a keyring. Without a session bus there is no keyring.
func TestBMCLoginNeedsAKeyring(t *testing.T) {
	t.Parallel()
	if config.SystemKeyring(func(string) string { return "" }) != nil {
		return // this system has a keyring even without a session bus; the test must not touch it
	}
	for _, what := range []string{"login", "logout"} {
		code, _, stderr := offline(t, "bmc", what, "--address", "https://127.0.0.1:1", "--bmc-username", "root")
		if code != cli.ExitFailed || !strings.Contains(stderr, "no keyring available") || !strings.Contains(stderr, "IRONWORKS_BMC_PASSWORD") {
			t.Errorf("%s: exit code %d: %s", what, code, stderr)
		}
	}
}
