package journal_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/test/sshd"
)

func archive(t *testing.T, journal string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, err := range []error{
		w.WriteHeader(&tar.Header{Name: "journal", Mode: 0o600, Size: int64(len(journal)), Typeflag: tar.TypeReg}),
		func() error { _, err := w.Write([]byte(journal)); return err }(),
		w.Close(), z.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func archiveName(at string) string { return node.UUID + "_r7-n01_" + at + ".tar.gz" }

func TestArchiveOverSSH(t *testing.T) {
	m := sshd.New(t)
	dir := filepath.Join(m.Home, "it's a folder")
	write(t, filepath.Join(dir, archiveName("2026-11-22-12-00-00")), archive(t, "Nov 22 12:00:00 h a: old\n"))
	write(t, filepath.Join(dir, archiveName("2026-11-22-13-00-00")), archive(t, "Nov 22 13:00:00 h a: one\nNov 22 13:00:01 h a: two\n"))
	o := sshOptions(m)
	o.Home = t.TempDir()
	o.Config = filepath.Join(o.Home, "config")
	write(t, o.Config, fmt.Sprintf("Host *\n  StrictHostKeyChecking accept-new\n  Port %d\n", m.Port))
	for name, tt := range map[string]struct {
		archive string
		want    []string
		state   agentlog.State
		words   []string
	}{
		"the folder":   {"ssh://core@127.0.0.1" + dir, []string{"one", "two"}, agentlog.StateWaiting, []string{"2026-11-22-13-00-00.tar.gz was read"}},
		"a file":       {fmt.Sprintf("ssh://core@127.0.0.1:%d%s/%s", m.Port, dir, archiveName("2026-11-22-12-00-00")), []string{"old"}, agentlog.StateEnded, nil},
		"no folder":    {"ssh://core@127.0.0.1/nowhere", nil, agentlog.StateFailed, []string{"cannot read the archive", "/nowhere"}},
		"none of node": {"ssh://core@127.0.0.1" + m.Home, nil, agentlog.StateWaiting, []string{"no archived logs of this node"}},
		"no host":      {"ssh://core@127.0.0.1:1/x", nil, agentlog.StateConnecting, []string{"connection refused"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, agentlog.Options{SSH: o, Archive: tt.archive, Sources: []models.LogSource{models.LogArchive}})
			f.untilStatus(tt.state, tt.words...)
			if got := f.texts(); !slices.Equal(got, tt.want) {
				t.Errorf("lines %q", got)
			}
		})
	}
}

// TestArchiveContinuesTheJournal checks that lines that were already received from a machine's journal are not
// repeated when its archive is read.
func TestArchiveContinuesTheJournal(t *testing.T) {
	m := sshd.New(t)
	dir := t.TempDir()
	f := start(t, agentlog.Options{SSH: sshOptions(m), Archive: dir, Sources: []models.LogSource{models.LogSSH, models.LogArchive}})
	f.untilStatus(agentlog.StateWaiting, "no archived logs of this node")
	m.Agent("one", "two")
	f.untilLine("two")
	var kept strings.Builder
	for _, l := range f.lines {
		fmt.Fprintf(&kept, "%s localhost %s[1]: %s\n", l.Time.Format(time.Stamp), l.Unit, l.Text)
	}
	fmt.Fprintf(&kept, "%s localhost ironic-agent[1]: three\n", time.Now().UTC().Format(time.Stamp))
	write(t, filepath.Join(dir, archiveName(time.Now().UTC().Format("2006-01-02-15-04-05"))), archive(t, kept.String()))
	f.untilLine("three")
	f.wantTexts([]string{"one", "two", "three"})
}

// TestSecretsAreMaskedEverywhere checks that secrets are masked in everything that a machine can log.
func TestSecretsAreMaskedEverywhere(t *testing.T) {
	m := sshd.New(t)
	const secret = "pl4nt3dS3cr3tpl4nt3dS3cr3t"
	oslo := "2026-11-22 13:00:00.123 1 DEBUG ironic_python_agent.agent [-] "
	lines := []string{
		`POST /v1/commands/?wait=true&agent_token=` + secret + ` HTTP/1.1`,
		oslo + `Lookup response: {'config': {'agent_token': '` + secret + `'}, 'node': {'instance_info': {'configdrive': {'user_data': '` + secret + `'}}}}`,
		oslo + `{"auths": {"quay.io": {"auth": "` + secret + `"}}}`,
		`-----BEGIN OPENSSH PRIVATE KEY-----`, secret, secret, `-----END OPENSSH PRIVATE KEY-----`,
		oslo + `Will use ignition {`, `"x": "` + secret + `"`, `}`, secret,
		oslo + `GET https://user:` + secret + `@image/x?X-Amz-Signature=` + secret,
		`Authorization: Bearer ` + secret,
		"password=" + secret + "\xff", // in JSON, journalctl prints this as a list of numbers
		oslo + "the end",
	}
	m.Agent(lines...)
	for _, l := range lines {
		m.Write(sshd.Entry{"MESSAGE": l, "PRIORITY": "3", "CONTAINER_NAME": "ironic-agent"})
	}
	m.Write(
		sshd.Entry{"MESSAGE": "agent_token=" + secret[:9], "CONTAINER_NAME": "ironic-agent", "CONTAINER_PARTIAL_MESSAGE": "true"},
		sshd.Entry{"MESSAGE": secret[9:] + " in parts", "CONTAINER_NAME": "ironic-agent"},
		sshd.Entry{"MESSAGE": strings.Join(lines, "\n"), "_SYSTEMD_UNIT": "ironic-agent.service", "SYSLOG_IDENTIFIER": "several"},
		sshd.Entry{"MESSAGE": "x", "CONTAINER_NAME": "ironic-agent", "SYSLOG_IDENTIFIER": "password=" + secret},
		sshd.Entry{"MESSAGE": "the very end", "CONTAINER_NAME": "ironic-agent"},
	)
	var kept strings.Builder
	for _, l := range append(lines, "the end of the archive") {
		fmt.Fprintf(&kept, "Nov 22 13:00:00 localhost ironic-agent[1]: %s\n", l)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, archiveName("2026-11-22-13-00-00")), archive(t, kept.String()))
	f := start(t, agentlog.Options{SSH: sshOptions(m), Archive: dir, Sources: []models.LogSource{models.LogSSH, models.LogArchive}})
	f.untilLine("the very end")
	f.untilLine("the end of the archive")
	f.untilLine("agent_token=****** in parts")
	all, err := json.Marshal([]any{f.lines, f.status})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{secret, secret[:9], secret[9:]} {
		if i := strings.Index(string(all), part); i >= 0 {
			t.Errorf("%q is visible: …%s…", part, all[max(0, i-200):min(len(all), i+100)])
		}
	}
	if n := strings.Count(string(all), "the end"); n < 4 {
		t.Errorf("harmless lines are visible %d times", n)
	}
}
