package agentlog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// serialLines parses text that arrives in pieces of n bytes. It returns all lines, including an incomplete last one.
func serialLines(text string, n int) []string {
	p := newSerialParser(models.NodeRef{UUID: testUUID}, testNow)
	var lines []models.LogLine
	for chunk := range slices.Chunk([]byte(text), n) {
		lines = append(lines, p.feed(chunk)...)
	}
	lines = append(lines, p.end()...)
	var texts []string
	for i := range lines {
		l := &lines[i]
		head := ""
		if l.Unit != "" {
			head = l.Unit + ": "
		}
		if l.Level != models.LogInfo {
			head = l.Level.String() + " " + head
		}
		texts = append(texts, head+l.Text)
	}
	return texts
}

func TestSerialText(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"lines", "one\r\ntwo\n\rthree\r\r\n", []string{"one", "two", "three"}},
		{"the last one has no end", "localhost login: ", []string{"localhost login:"}},
		{"blank lines", "\r\n  \r\n\t\r\nx\r\n", []string{"x"}},
		{"colours", "\x1b[0;1;31mbad\x1b[0m news\n", []string{"bad news"}},
		{"what is drawn over", "10%\r20%\r30%\n", []string{"30%"}},
		{"characters that are taken back", "passx\bw\bd\n", []string{"passd"}},
		{"bells and nothing", "a\x00b\x07c\n", []string{"abc"}},
		{"a title", "\x1b]0;title\x07text\x1b]2;x\x1b\\ more\n", []string{"text more"}},
		{"a boot menu", "\x1b[2J\x1b[1;1HGRUB\x1b[3;4HFedora CoreOS\x1b[5;4HFirmware", []string{"GRUB", "Fedora CoreOS", "Firmware"}},
		{"a sequence that never ends", "\x1b[" + strings.Repeat("9", 600) + "\nx\n", []string{strings.Repeat("9", 600-maxEscape), "x"}},
		{"a line break in a sequence", "a\x1b[3\nb\x1b\nc\n", []string{"a", "b", "c"}},
		{"moves to another row", "one\x1bEtwo\x1bDthree\x1bcfour\n", []string{"one", "two", "three", "four"}},
		{"moves in the row", "a\x1b[5Cb\x1b[10Gc\x1b[2Kd\n", []string{"a b cd"}},
		{"a long line", strings.Repeat("x", maxText) + "hidden\nnext\n", []string{strings.Repeat("x", maxText) + "…", "next"}},
		{"a long line that is drawn over", strings.Repeat("x", maxText) + "hidden\rnext\n", []string{strings.Repeat("x", maxText) + "…", "next"}},
		{"character sets", "\x1b(Bx\x1b)0y\n", []string{"xy"}},
		{"not UTF-8", "caf\xe9 is ok\n", []string{`caf\xe9 is ok`}},
		{"another speed", strings.Repeat("\xfe\x80\x00\xff\n", 50) + "text\n\xff\xff\xff\xff\n", []string{
			"warning (unreadable bytes: check that the serial speed matches the BMC's)", "text",
			"warning (unreadable bytes: check that the serial speed matches the BMC's)",
		}},
		{"bidirectional", "a\u202eb\n", []string{`a\u202eb`}},
		{"secrets", "ipa-agent-token=0123456789abcdef\r\n", []string{"ipa-agent-token=******"}},
		{
			"a key over several lines",
			"-----BEGIN PRIVATE KEY-----\r\nMIIEvQIBADANBgkqhkiG\r\n9w0BAQEFAASCBKcwggSj\r\n-----END PRIVATE KEY-----\r\nx\r\n",
			[]string{"******", "******", "******", "******", "x"},
		},
		{"a key that is drawn over", "-----BEGIN PRIVATE KEY-----\rMIIEvQIBADANBgkqhkiG\r9w0BAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----\n", []string{"******", "******"}},
		{
			"the kernel", "[    0.000000] Linux version 6.11\n[   12.345678][    T1] sd 0:0:0:0: [sda] Attached\n[    1.000000] Kernel panic - not syncing: x\n",
			[]string{"kernel: Linux version 6.11", "kernel: sd 0:0:0:0: [sda] Attached", "critical kernel: Kernel panic - not syncing: x"},
		},
		{
			"what journald forwards", "[   12.345678] podman[1234]: Error: no such image\n[   13.000001] systemd[1]: Started x.\n",
			[]string{"error podman: Error: no such image", "systemd: Started x."},
		},
		{
			"oslo.log in it", "[   12.345678] ironic-agent[1]: 2026-11-22 13:00:00.123 1 WARNING ironic_python_agent.agent [-] slow\n",
			[]string{"warning ironic_python_agent.agent: slow"},
		},
		{
			"systemd", "[\x1b[0;32m  OK  \x1b[0m] Started \x1b[0;1;39mA\x1b[0m.\n[FAILED] Failed to start B.\n[DEPEND] Dependency failed for C.\n" +
				"         Starting D...\n[ TIME ] Timed out waiting for E.\n[ WARN ] F\n[*     ] A start job is running\r\x1b[K[  OK  ] Finished G.\n",
			[]string{
				"systemd: Started A.", "error systemd: Failed to start B.", "error systemd: Dependency failed for C.", "systemd: Starting D...",
				"error systemd: Timed out waiting for E.", "warning systemd: F", "systemd: A start job is running", "systemd: Finished G.",
			},
		},
		{"what only looks like it", "[12] x\n[    1.5] y\n[ OKAY ] z\n  Starting\n", []string{"[12] x", "[    1.5] y", "[ OKAY ] z", "  Starting"}},
		{"the installer", "[   99.000000] ironic-agent[1]: Read disk 1.0 GiB/2.0 GiB (50%)\n", []string{"coreos-installer: Read disk 1.0 GiB/2.0 GiB (50%)"}},
	} {
		for _, n := range []int{1, 3, 1 << 16} {
			t.Run(fmt.Sprintf("%s by %d", tt.name, n), func(t *testing.T) {
				if got := serialLines(tt.text, n); !slices.Equal(got, tt.want) {
					t.Errorf("got  %q\nwant %q", got, tt.want)
				}
			})
		}
	}
}

// TestSerialTextIsBounded checks that endless lines and escape sequences use limited memory and result in few lines.
func TestSerialTextIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"a line":                    "begin" + strings.Repeat("x", 1<<20),
		"a line that is drawn over": strings.Repeat("\r12345678", 1<<17),
		"an escape":                 "\x1b]" + strings.Repeat("x", 1<<20),
		"noise":                     strings.Repeat("\xff\xfe\x1b", 1<<19),
	} {
		t.Run(name, func(t *testing.T) {
			p := newSerialParser(models.NodeRef{}, testNow)
			lines := 0
			for chunk := range slices.Chunk([]byte(text), 4096) {
				for _, l := range p.feed(chunk) {
					lines++
					if len(l.Text) > maxText+20 {
						t.Errorf("a line of %d bytes", len(l.Text))
					}
				}
			}
			if len(p.text.line) > maxText || lines > 200 {
				t.Errorf("%d bytes are held, %d lines came", len(p.text.line), lines)
			}
		})
	}
}

// TestSerialPause checks that an incomplete line is shown, and that it is shown again when it is complete. Showing it
// early must not change how later lines are masked.
func TestSerialPause(t *testing.T) {
	p := newSerialParser(models.NodeRef{}, testNow)
	p.feed([]byte("localhost login: "))
	var texts []string
	note := func(lines []models.LogLine) {
		for _, l := range lines {
			texts = append(texts, l.Text)
		}
	}
	note(p.pause())
	note(p.pause())
	note(p.feed([]byte("core\r\nPassword: ")))
	note(p.pause())
	note(p.feed([]byte("\r\npassword='abc")))
	note(p.pause())
	note(p.feed([]byte("def\n")))
	note(p.feed([]byte("ghi' x\n")))
	note(p.feed([]byte("y\nsecret='abc")))
	note(p.pause())
	note(p.feed([]byte("\n")))
	note(p.feed([]byte("def'\n")))
	want := []string{"localhost login:", "localhost login: core", "Password:", "password='******", "password='******", "****** x", "y", "secret='******", "******"}
	if !slices.Equal(texts, want) {
		t.Errorf("got  %q\nwant %q", texts, want)
	}
}

// TestSerialTimes checks that the boot time is derived from the kernel's time stamp in the least delayed line.
func TestSerialTimes(t *testing.T) {
	at := testNow()
	p := newSerialParser(models.NodeRef{}, func() time.Time { return at })
	var got []string
	say := func(after time.Duration, text string) {
		at = at.Add(after)
		for _, l := range p.feed([]byte(text + "\n")) {
			got = append(got, fmt.Sprint(l.Time.Sub(testNow()), " ", l.Boot == p.boot))
		}
	}
	say(0, "firmware")
	say(12*time.Second, "[   10.000000] a") // implies that the boot started at 2 s
	say(0, "[   11.000000] b")              // implies 1 s, because this line was less delayed
	say(time.Second, "[   11.500000] c")    // delayed
	say(time.Second, "login:")
	first := p.boot
	say(time.Minute, "[    0.000000] a new one")
	want := []string{"0s true", "12s true", "12s true", "12.5s true", "14s true", "1m14s true"}
	if !slices.Equal(got, want) || p.boot == first {
		t.Errorf("got  %q\nwant %q; boot %q after %q", got, want, p.boot, first)
	}
}

func FuzzSerial(f *testing.F) {
	f.Add([]byte("\x1b[0;32m  OK  \x1b[0m] x\r\n[    1.000000] y"), 3)
	f.Add([]byte("\xff\x1b]\x9b\n\r\b"), 1)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		p := newSerialParser(models.NodeRef{}, testNow)
		for chunk := range slices.Chunk(data, max(n, 1)) {
			for _, l := range append(p.feed(chunk), p.pause()...) {
				if l.Text != printable.Line(l.Text) || strings.ContainsRune(l.Text, '\x1b') {
					t.Errorf("%q is not safe to show", l.Text)
				}
			}
		}
		p.end()
	})
}
