package boot

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"ironworks/test/ironic"
)

// Images are the files that install.py made.
type Images struct {
	// ISO is a live image as CoreOS's, without a configuration.
	ISO string `json:"iso"`
	// Disk is the compressed image that coreos-installer installs.
	Disk string `json:"disk"`
	// Registries are the storages of registries with ironic-agent:RELEASE, by the release.
	Registries map[string]string `json:"registries"`
}

// missingExit is install.py's exit code when this machine cannot make the images.
const missingExit = 3

// Find makes the images, with the agent of a release of Ironic, on first use, which takes minutes. Where that needs something that is
// missing, the test is left out with the line that says what; in CI it fails.
func Find(tb testing.TB, release ironic.Release) Images {
	tb.Helper()
	_, self, _, _ := runtime.Caller(0)
	cmd := exec.CommandContext(tb.Context(), "python3", filepath.Join(filepath.Dir(self), "install.py"), release.Name())
	var complaints bytes.Buffer
	cmd.Stderr = io.MultiWriter(&complaints, os.Stderr)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == missingExit && os.Getenv("CI") == "" {
		tb.Skipf("left out: %s", complaints.String())
	}
	if err != nil {
		tb.Fatalf("making the images: %v\n%s", err, complaints.String())
	}
	var images Images
	if err := json.Unmarshal(out, &images); err != nil {
		tb.Fatalf("install.py printed no paths: %v", err)
	}
	return images
}
