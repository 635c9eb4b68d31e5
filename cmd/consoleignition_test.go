package cmd

import (
	"strings"
	"testing"

	"ironworks/cmd/cli"
)

func TestConsoleOpensAFile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("x.bu", []byte("variant: fcos\n"))
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"a file":          {[]string{d.path("x.bu")}, "the console needs a terminal"},
		"two files":       {[]string{d.path("x.bu"), d.path("x.bu")}, "give only one file"},
		"a folder":        {[]string{d.home}, "is a directory"},
		"no file":         {[]string{"./nowhere.bu"}, "no such file"},
		"no command":      {[]string{"frobnicate"}, "unknown command"},
		"a file and more": {[]string{d.path("x.bu"), "frobnicate"}, "give only one file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if code, _, stderr := offline(t, tt.args...); code != cli.ExitUsage || !strings.Contains(stderr, tt.says) {
				t.Errorf("exit code %d, want %q:\n%s", code, tt.says, stderr)
			}
		})
	}
}
