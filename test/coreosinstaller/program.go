package coreosinstaller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Program returns the path of the real coreos-installer, for make test-long. The program is built on first use, which
// takes minutes. If it cannot be built, the test fails with a message that says what is missing.
func Program(tb testing.TB) string {
	tb.Helper()
	_, self, _, _ := runtime.Caller(0)
	cmd := exec.CommandContext(tb.Context(), "python3", filepath.Join(filepath.Dir(self), "install.py"))
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("coreos-installer: %v\n%s", err, complaints.String())
	}
	return strings.TrimSpace(string(out))
}

// ErrRefused means that coreos-installer failed.
var ErrRefused = errors.New("coreos-installer failed")

// Run runs the program and returns its standard output. If the program fails, the error contains its standard error.
func Run(ctx context.Context, program string, stdin []byte, arguments ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, arguments...)
	cmd.Env = []string{"RUST_BACKTRACE=0"}
	var out, complaints bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &complaints
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", ErrRefused, strings.TrimSpace(complaints.String()))
	}
	return out.Bytes(), err
}
