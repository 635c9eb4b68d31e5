package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// plugins configures programs supplied by the operator. The test replaces FOLDER with the folder to which they write.
const plugins = `plugins:
  note:
    help: write a note of the node
    key: f2
    command: [sh, -c, 'printf "%s %s %s\n" "$1" "$IRONWORKS_NODE_UUID" "$(env | grep -c hunter2)" >> FOLDER/notes; echo "noted $1"', sh, "{node}"]
    changes: false
    background: true
  broken:
    command: [sh, -c, 'echo no such rack >&2; exit 7']
    confirm: none
    background: true
  ask:
    key: Z
    command: [sh, -c, 'stty size; printf "name of $1? "; read answer; echo "$answer" > FOLDER/answer; echo bye', sh, "{node}"]
  tag:
    command: [echo, "{owner}"]
    confirm: name
    background: true
`

// TestScreenPlugins runs programs supplied by the operator, both in the background on marked nodes and at the
// terminal.
func TestScreenPlugins(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		one, id := screenNode(t, server, "plug")
		folder := t.TempDir()
		c := configured(t, strings.ReplaceAll(plugins, "FOLDER", folder)+"contexts:\n  here: {url: '"+server.URL+"'}\n")
		c.env = append(c.env, "OS_PASSWORD=hunter2", "IRONWORKS_PASSWORD=hunter2", "IRONWORKS_BMC_PASSWORD=hunter2")
		read := func(name string) string {
			text, _ := os.ReadFile(filepath.Join(folder, name))
			return string(text)
		}
		s := c.fleet(roomy)
		s.filterFor(one)
		s.until("f2 note")
		// The program runs in the background. The toast shows the last line of its output.
		s.press(terminal.F2)
		s.until("note " + one + ": noted " + one)
		if want := one + " " + id + " 0\n"; read("notes") != want {
			t.Errorf("the note is %q, want %q", read("notes"), want)
		}
		// A failure is shown with the exit code and the last line, both in the toast and in the task.
		s.pick(":", paletteTitle, "broken")
		s.until("broken " + one + ": exit code 7: no such rack")
		s.pick(":", paletteTitle, "tasks")
		s.until("broken", "note")
		s.press(terminal.Enter)
		s.until("failed", "exit code 7: no such rack")
		s.press("1")
		s.filterFor(one)
		// A plugin that uses the terminal runs after y has been pressed, and reads its input there.
		s.press("Z")
		s.answerYes("ask "+one, "sh -c")
		s.until("40 120", "name of "+one+"?")
		s.press("rack seven", terminal.Enter)
		s.until("bye", "Press enter to return to the console.")
		s.press(terminal.Enter)
		s.until("› fleet", "ask "+one+": done")
		if read("answer") != "rack seven\n" {
			t.Errorf("the program read %q", read("answer"))
		}
		// Ctrl-C interrupts the program. The previous program's output is above the question.
		s.press("Z")
		s.answerYes("ask " + one)
		s.when("the second question", func() bool { return strings.Count(s.Text(), "name of "+one+"?") == 2 })
		s.press(terminal.CtrlC)
		s.until("ask "+one+": signal: interrupt", "Press enter to return to the console.")
		s.press(terminal.Enter)
		s.until("› fleet", "ask "+one+": signal: interrupt")
		// If data from Ironic is hostile, no program is run.
		c.ok("set", id, "owner=$(touch "+folder+"/pwned)")
		s.pick(":", paletteTitle, "tag")
		s.until("{owner} has '$', which shells interpret")
		if _, err := os.Stat(folder + "/pwned"); err == nil {
			t.Error("the owner was run")
		}
		// The program runs once for each marked node.
		two, _ := screenNode(t, server, "plug")
		s.filter("plug")
		s.until(one, two)
		s.press("*", terminal.F2)
		s.until("note: 2 done")
		if notes := read("notes"); strings.Count(notes, one) != 2 || strings.Count(notes, two) != 1 {
			t.Errorf("the notes are %q", notes)
		}
		s.press("-")
		s.filterFor(one)
		// In read-only mode, only programs that change nothing can be run.
		s.press("\x0f")
		s.until("[read-only]")
		s.press("Z")
		s.until("ask: read-only mode")
		s.press(terminal.F2)
		s.when("the note in read-only mode", func() bool { return strings.Count(read("notes"), "\n") == 4 })
		s.quits()
		// `ironworks run` runs the same programs.
		c.ok("run", "note", id)
		if strings.Count(read("notes"), "\n") != 5 {
			t.Errorf("the notes are %q", read("notes"))
		}
		if o := c.fails(1, "run", "broken", id); !strings.Contains(o.stdout, "exit code 7: no such rack") {
			t.Errorf("%s%s", o.stdout, o.stderr)
		}
		if o := c.fails(3, "run", "tag", id); !strings.Contains(o.stderr, "{owner} has '$'") {
			t.Errorf("%s%s", o.stdout, o.stderr)
		}
		if o := c.fails(2, "run", "nota", id); !strings.Contains(o.stderr, `did you mean "note"?`) {
			t.Errorf("%s%s", o.stdout, o.stderr)
		}
		c.fails(3, "--read-only", "run", "ask", id)
		c.ok("--read-only", "run", "note", id)
	})
}
