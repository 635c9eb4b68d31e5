//go:build linux

// Package oracle runs the real Ignition on a model of a CoreOS image's root, to compare its results with predictions.
package oracle

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"ironworks/ignition/firstboot"
)

// Version is the version of Ignition that this package builds.
const Version = "v2.27.0"

// ErrNotHere means that this machine cannot run Ignition.
var ErrNotHere = errors.New("the real Ignition cannot run here")

// notDebian is the exit code of install.py on systems other than Debian.
const notDebian = 3

// Oracle runs Ignition. It needs root privileges, because Ignition changes owners, and useradd changes the root folder.
type Oracle struct {
	program string
	// after is a shell command that runs in the machine's sysroot after all stages.
	after string
	// env is added to the environment of Ignition.
	env []string
	// Root is the folder with the contents of the image; each run gets a copy.
	Root string
	dir  string
}

// New returns an Oracle whose image is written to dir. It builds Ignition on first use.
func New(ctx context.Context, dir string) (*Oracle, error) { return build(ctx, dir) }

// build is like [New], but also passes options to install.py.
func build(ctx context.Context, dir string, options ...string) (*Oracle, error) {
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("%w: root privileges required", ErrNotHere)
	}
	_, here, _, _ := runtime.Caller(0)
	install := exec.CommandContext(ctx, "python3", append([]string{filepath.Join(filepath.Dir(here), "install.py"), Version}, options...)...) //nolint:gosec // our own script
	var stderr bytes.Buffer
	install.Stderr = &stderr
	out, err := install.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == notDebian {
		return nil, fmt.Errorf("%w: %s", ErrNotHere, strings.TrimSpace(stderr.String()))
	} else if err != nil {
		return nil, fmt.Errorf("building Ignition: %w\n%s", err, stderr.String())
	}
	o := &Oracle{program: strings.TrimSpace(string(out)), Root: filepath.Join(dir, "root"), dir: dir}
	if err := writeImage(o.Root); err != nil {
		return nil, err
	}
	base := filepath.Join(dir, "config", "base.d")
	if err := os.MkdirAll(base, 0o755); err != nil {
		return nil, err
	}
	core := `{"ignition": {"version": "3.0.0"}, "passwd": {"users": [{"name": "core", "gecos": "CoreOS Admin", "groups": ["adm", "sudo", "systemd-journal", "wheel"]}]}}`
	return o, os.WriteFile(filepath.Join(base, "00-core.ign"), []byte(core), 0o600)
}

// writeImage uses the tables of package firstboot to write a model of Fedora CoreOS's root to the folder root. The
// model is configured for this machine's useradd, which is Debian's.
func writeImage(root string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	var passwd, group, shadow, gshadow strings.Builder
	for _, name := range []string{"images/coreos.txt", "images/fedora-coreos.txt"} {
		table, err := fs.ReadFile(firstboot.Tables(), name)
		if err != nil {
			return err
		}
		for lines := bufio.NewScanner(bytes.NewReader(table)); lines.Scan(); {
			word, rest, _ := strings.Cut(lines.Text(), " ")
			who, _, _ := strings.Cut(rest, ":")
			switch word {
			case "passwd":
				passwd.WriteString(rest + "\n")
				shadow.WriteString(who + ":*:19000::::::\n")
			case "group":
				group.WriteString(rest + "\n")
				gshadow.WriteString(who + ":*::\n")
			default:
				if err := writeEntry(root, word, rest); err != nil {
					return err
				}
			}
		}
	}
	for name, text := range map[string]string{
		"etc/passwd": passwd.String(), "etc/group": group.String(), "etc/shadow": shadow.String(), "etc/gshadow": gshadow.String(),
		"etc/login.defs":      "UID_MIN 1000\nUID_MAX 60000\nGID_MIN 1000\nGID_MAX 60000\nUSERGROUPS_ENAB yes\nCREATE_HOME yes\nHOME_MODE 0700\n",
		"usr/lib/os-release":  "ID=debian\n",
		"etc/default/useradd": "GROUP=100\nHOME=/home\nSKEL=/etc/skel\nCREATE_MAIL_SPOOL=no\n",
		"etc/nsswitch.conf":   "passwd: files\ngroup: files\nshadow: files\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func writeEntry(root, word, rest string) error {
	name, target, _ := strings.Cut(rest, " ")
	switch word {
	case "d":
		return os.MkdirAll(filepath.Join(root, name), 0o755)
	case "f":
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(root, name), nil, 0o644)
	case "l":
		return os.Symlink(target, filepath.Join(root, name))
	}
	return nil
}

// script runs Ignition's stages on a copy of the root, mounted as on CoreOS, in a separate mount namespace. It stops
// at the first stage that fails.
const script = `set -e
mount --make-rprivate /
mount -t tmpfs none /mnt # accessible to every user, as on a machine
WORK=/mnt
mkdir "$WORK/sysroot" "$WORK/config"
cp -a "$ROOT/." "$WORK/sysroot"
cd "$WORK"
cp -r "$CONFIG/." config
cp "$USERCONFIG" config/user.ign
mount --bind sysroot sysroot
for d in $VOLUMES; do mount --bind "sysroot$d" "sysroot$d"; done
mount -o remount,bind,ro sysroot/usr
mount -o remount,bind,ro sysroot
export IGNITION_SYSTEM_CONFIG_DIR="$WORK/config" IGNITION_SYSTEM_LOCAL_CONFIG_DIR="$WORK/none" IGNITION_SYSTEM_RUNTIME_CONFIG_DIR="$WORK/none"
for stage in fetch-offline fetch disks mount files; do
  "$IGNITION" -log-to-stdout -root "$WORK/sysroot" -platform metal -stage "$stage" -config-cache "$WORK/cache" \
    -neednet "$WORK/neednet" -state-file "$WORK/state" </dev/null || { echo "failed stage: $stage"; exit 1; }
done
cd sysroot
eval "$AFTER"
`

// Run reports whether a machine with the user data config boots, and returns Ignition's output.
func (o *Oracle) Run(ctx context.Context, config []byte) (boots bool, output string, err error) {
	user, err := os.CreateTemp(o.dir, "user*.ign")
	if err != nil {
		return false, "", err
	}
	defer func() { _ = os.Remove(user.Name()) }()
	_, err = user.Write(config)
	if err = errors.Join(err, user.Close()); err != nil {
		return false, "", err
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Env = append(os.Environ(), "ROOT="+o.Root, "CONFIG="+filepath.Join(o.dir, "config"), "USERCONFIG="+user.Name(),
		"IGNITION="+o.program, "VOLUMES="+strings.Join(firstboot.Volumes[1:], " "), "AFTER="+o.after)
	cmd.Env = append(cmd.Env, o.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true, string(out), nil
	case errors.As(err, &exit) && strings.Contains(string(out), "failed stage: "):
		return false, string(out), nil
	}
	return false, string(out), fmt.Errorf("running Ignition: %w\n%s", err, out)
}
