//go:build linux

package oracle

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// fileContexts holds the rules of Fedora's SELinux policy for the paths that a builtin agent's ramdisk writes
// (selinux-policy at fd1d9962, 2024-10-24: policy/modules/kernel/files.fc, policy/modules/kernel/corecommands.fc). A
// later rule takes precedence.
const fileContexts = `/.*	system_u:object_r:default_t:s0
/etc	system_u:object_r:etc_t:s0
/etc/.*	system_u:object_r:etc_t:s0
/usr/.*	system_u:object_r:usr_t:s0
/var	system_u:object_r:var_t:s0
/var/.*	system_u:object_r:var_t:s0
/usr/(.*/)?bin(/.*)?	system_u:object_r:bin_t:s0
/var/usrlocal/(.*/)?bin(/.*)?	system_u:object_r:bin_t:s0
`

// newLabeling returns an Oracle whose Ignition sets SELinux labels as on CoreOS. It uses Debian's setfiles and Fedora's
// rules. The kernel does not need SELinux, because labels are extended attributes.
func newLabeling(ctx context.Context, dir string) (*Oracle, error) {
	o, err := build(ctx, dir, "--labels")
	if err != nil {
		return nil, err
	}
	o.env = o.tools()
	contexts := filepath.Join(o.Root, "etc/selinux/targeted/contexts/files")
	return o, errors.Join(
		os.MkdirAll(contexts, 0o755),
		os.WriteFile(filepath.Join(contexts, "file_contexts"), []byte(fileContexts), 0o644),
		os.WriteFile(filepath.Join(o.Root, "etc/selinux/config"), []byte("SELINUX=enforcing\nSELINUXTYPE=targeted\n"), 0o644),
	)
}

// tools returns environment variables with which Ignition finds Debian's programs, and with which these programs find
// their libraries. The programs are installed next to Ignition.
func (o *Oracle) tools() []string {
	tools := filepath.Join(filepath.Dir(o.program), "tools")
	var libraries []string
	for _, pattern := range []string{"lib/*-linux-gnu", "usr/lib/*-linux-gnu"} {
		found, _ := filepath.Glob(filepath.Join(tools, pattern)) // the pattern is valid
		libraries = append(libraries, found...)
	}
	programs := filepath.Join(tools, "sbin") + ":" + filepath.Join(tools, "usr/sbin")
	return []string{"PATH=" + programs + ":" + os.Getenv("PATH"), "LD_LIBRARY_PATH=" + strings.Join(libraries, ":")}
}
