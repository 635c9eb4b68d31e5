package agentlog

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSSHFiles checks that files shipped by distributions and files written by users are read according to
// ssh_config(5).
func TestSSHFiles(t *testing.T) {
	t.Parallel()
	// fedora is the file that Fedora, RHEL and CentOS ship.
	const fedora = "# comment\nMatch final all\n\tInclude /nowhere/openssh.config\n\tGSSAPIAuthentication yes\n\tForwardX11Trusted yes\n"
	for name, tt := range map[string]struct {
		files map[string]string // by path, below the folder that contains etc and home
		host  string
		// want lists the expected values, one per line, in the form key = value.
		want  string
		fails string
	}{
		"the stock file of Fedora": {
			files: map[string]string{"etc/ssh_config": "Include ssh_config.d/*.conf\nHost *\n  User late\n", "etc/ssh_config.d/50-redhat.conf": fedora},
			want:  "User = late",
		},
		"a relative Include of the system's file": {
			files: map[string]string{"etc/ssh_config": "Include ssh_config.d/*.conf\n", "etc/ssh_config.d/a.conf": "Host *\n  User a\n", "home/.ssh/ssh_config.d/a.conf": "Host *\n  User wrong\n"},
			want:  "User = a",
		},
		"a relative Include of the user's file": {
			files: map[string]string{"home/.ssh/config": "Include conf.d/*\n", "home/.ssh/conf.d/a": "User a\nPort 2222\n"},
			want:  "User = a\nPort = 2222",
		},
		"an Include by the home folder, quoted": {
			files: map[string]string{"home/.ssh/config": "Include \"~/my ssh/a\"\n", "home/my ssh/a": "User a\n"},
			want:  "User = a",
		},
		"the user's file comes first": {
			files: map[string]string{"home/.ssh/config": "Host r*\n  User mine\n", "etc/ssh_config": "User theirs\nPort 5\n"},
			want:  "User = mine\nPort = 5",
		},
		"what is before an Include comes first": {
			files: map[string]string{"home/.ssh/config": "User a\nInclude b\nPort 7\n", "home/.ssh/b": "User b\nPort 6\n"},
			want:  "User = a\nPort = 6",
		},
		"an Include in a block that matches": {
			files: map[string]string{"home/.ssh/config": "Host rack\n  Include b\n  Port 7\n", "home/.ssh/b": "Host *\n  User b\n"},
			want:  "User = b\nPort = 7",
		},
		"an Include in a block that does not": {
			files: map[string]string{"home/.ssh/config": "Host other\n  Include b\nHost *\n  Port 7\n", "home/.ssh/b": "Host *\n  User b\n"},
			want:  "User = \nPort = 7",
		},
		"a block goes on after an Include": {
			files: map[string]string{"home/.ssh/config": "Host other\n  Include b\n  User wrong\n", "home/.ssh/b": "Host x\n  Port 1\n"},
			want:  "User = \nPort = ",
		},
		"Include with an equals sign": {
			files: map[string]string{"home/.ssh/config": "Include=b\n", "home/.ssh/b": "User = b\n"},
			want:  "User = b",
		},
		"Match final in the middle": {
			files: map[string]string{"home/.ssh/config": "User a\nMatch final all\n  Port 9\nHost *\n  Port 7\n"},
			want:  "User = a\nPort = 7",
		},
		"Match all": {
			files: map[string]string{"home/.ssh/config": "Host other\n  User wrong\nMatch all\n  User b\n"},
			want:  "User = b",
		},
		"an Include of nothing": {files: map[string]string{"home/.ssh/config": "Include none/*\nUser a\n"}, want: "User = a"},
		"keys of several files": {
			files: map[string]string{"home/.ssh/config": "IdentityFile ~/a\nInclude b\n", "home/.ssh/b": "IdentityFile ~/b\n"},
			want:  "IdentityFile = ~/a ~/b",
		},
		"a bad pattern": {
			files: map[string]string{"home/.ssh/config": "User a\nInclude [\n"},
			fails: "/home/.ssh/[: syntax error in pattern",
		},
		"keywords without a value": {
			files: map[string]string{"home/.ssh/config": "Include\nMatch\n  User wrong\nMatch host\n  User wrong\nHost *\n  User a\n"},
			want:  "User = a",
		},
		"files that include each other": {
			files: map[string]string{"home/.ssh/config": "Include config\n"},
			fails: "more than 16 levels of Include",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for path, text := range tt.files {
				path = filepath.Join(dir, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			f, err := readSSHFilesOf(&SSHOptions{Home: filepath.Join(dir, "home")}, filepath.Join(dir, "etc"))
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("error %v, want %q", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(tt.want, "\n") {
				key, want, _ := strings.Cut(line, " = ")
				got := f.get("rack", key)
				if key == "IdentityFile" {
					got = strings.Join(f.all("rack", key), " ")
				}
				if got != want {
					t.Errorf("%s = %q, want %q", key, got, want)
				}
			}
		})
	}
	if !slices.Equal(configWords("\tInclude = \"a b\" c # d"), []string{"include", "a b", "c", "#", "d"}) {
		t.Errorf("%q", configWords("\tInclude = \"a b\" c # d"))
	}
}
