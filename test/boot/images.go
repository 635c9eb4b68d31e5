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

// Images holds the paths of the files that install.py builds.
type Images struct {
	// ISO is a live image like CoreOS's, without a configuration.
	ISO string `json:"iso"`
	// Disk is the compressed image that coreos-installer installs.
	Disk string `json:"disk"`
	// Registries maps each release to the storage folder of a registry that contains ironic-agent:RELEASE.
	Registries map[string]string `json:"registries"`
}

// missingExit is install.py's exit code when this machine cannot build the images.
const missingExit = 3

// Find returns the images with the agent of the given release of Ironic. On first use it builds them, which takes
// minutes. If this machine cannot build them, the test is skipped with the reason; in CI it fails.
func Find(tb testing.TB, release ironic.Release) Images {
	tb.Helper()
	_, self, _, _ := runtime.Caller(0)
	cmd := exec.CommandContext(tb.Context(), "python3", filepath.Join(filepath.Dir(self), "install.py"), release.Name())
	var complaints bytes.Buffer
	cmd.Stderr = io.MultiWriter(&complaints, os.Stderr)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == missingExit && os.Getenv("CI") == "" {
		tb.Skipf("skipped: %s", complaints.String())
	}
	if err != nil {
		tb.Fatalf("building the images: %v\n%s", err, complaints.String())
	}
	var images Images
	if err := json.Unmarshal(out, &images); err != nil {
		tb.Fatalf("install.py printed no paths: %v", err)
	}
	return images
}
