//go:build linux

package oracle

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"ironworks/ignition"
	"ironworks/ignition/sshkey"
)

// builtinRamdisk returns a ramdisk with the builtin agent.
func builtinRamdisk(program ignition.AgentProgram) ignition.Ramdisk {
	return ignition.Ramdisk{
		IronicURLs: []string{"http://192.0.2.1:6385"}, Agent: ignition.AgentBuiltin, Program: program,
		SSHKeys: []sshkey.Key{{Line: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJQ1jx4iXdXJD7c0HDt4e5y0S2jSEHDtlG+L0E6mPB6f a"}},
	}
}

// newLabelingT returns newLabeling's Oracle. If Ignition cannot run here, the test is skipped, except in CI.
func newLabelingT(t *testing.T) *Oracle {
	t.Helper()
	o, err := newLabeling(t.Context(), t.TempDir())
	if errors.Is(err, ErrNotHere) && os.Getenv("CI") == "" {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestAgentHasLabelOfPrograms checks that Ignition, which writes the program through the link /usr/local, labels it
// bin_t. Fedora's policy lets systemd (init_t) execute such files, as unconfined_service_t (selinux-policy:
// policy/modules/system/init.te, unconfined_server_domtrans; unconfined.te, corecmd_bin_entry_type). The unit
// therefore needs neither chcon nor restorecon.
func TestAgentHasLabelOfPrograms(t *testing.T) {
	t.Parallel()
	o := newLabelingT(t)
	o.after = `python3 -c '
import os
for path in (".` + ignition.AgentProgramPath + `", "./etc/ironic-python-agent.conf"):
    label = os.getxattr(path, "security.selinux").decode().rstrip("\0")
    print("label:", path[1:], oct(os.stat(path).st_mode & 0o777), label)
'`
	document, err := builtinRamdisk(ignition.AgentProgram{Content: []byte("agent")}).WithDefaults().Build()
	if err != nil {
		t.Fatal(err)
	}
	boots, output, err := o.Run(t.Context(), document.JSON)
	if err != nil || !boots {
		t.Fatalf("does not boot: %v %s", err, failureLine(output))
	}
	for _, want := range []string{
		"label: /usr/local/bin/ironworks-agent 0o755 system_u:object_r:bin_t:s0\n",
		"label: /etc/ironic-python-agent.conf 0o600 system_u:object_r:etc_t:s0\n",
	} {
		if !strings.Contains(output, want) {
			t.Errorf("no line %q in Ignition's output:\n%s", want, output)
		}
	}
}

// TestIgnitionRefusesOtherPrograms checks that the boot stops if the server provides a program other than the one
// that the configuration names.
func TestIgnitionRefusesOtherPrograms(t *testing.T) {
	t.Parallel()
	o, _ := newOracle(t)
	for served, want := range map[string]bool{"agent": true, "another agent": false} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(served)) }))
		defer web.Close()
		document, err := builtinRamdisk(ignition.AgentProgram{Content: []byte("agent"), URL: web.URL + "/ironworks-agent"}).WithDefaults().Build()
		if err != nil {
			t.Fatal(err)
		}
		boots, output, err := o.Run(t.Context(), document.JSON)
		if err != nil || boots != want || (!want && !strings.Contains(output, "hash verification failed")) {
			t.Errorf("%s: boots %v, want %v: %v %s", served, boots, want, err, failureLine(output))
		}
	}
}
