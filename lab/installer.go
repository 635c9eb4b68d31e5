package lab

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"ironworks/agent"
	"ironworks/lab/machine"
)

// offlineImage is the size, in bytes, of the system in a live image.
const offlineImage = 2_520_000_000

// coreos describes a system that coreos-installer has written to a disk.
const coreos = "CoreOS"

// Install simulates coreos-installer. It prints the same output as the real program without a terminal.
func (h *hardware) Install(ctx context.Context, install agent.Install, line func(string)) error {
	disk, err := h.disk(install.Device)
	if err != nil {
		return failed(line, "checking for exclusive access to "+install.Device, "No such file or directory (os error 2)")
	}
	source, size := install.ImageURL, int64(offlineImage)
	if source == "" {
		line("Installing Fedora CoreOS 44.20261101.3.0 x86_64 (512-byte sectors)")
	} else {
		line("Downloading image from " + source)
		if size, err = h.fetchImage(ctx, source); err != nil {
			return failed(line, fmt.Sprintf("fetching '%s'", source), err.Error())
		}
	}
	if size > disk.SizeBytes {
		return failedWriting(line, "decoding and writing image", "No space left on device (os error 28)")
	}
	for i := 1; i <= progressLines; i++ {
		if !h.machine.pace().wait(ctx, installTime/progressLines) {
			return ctx.Err()
		}
		line(fmt.Sprintf("Read disk %s/%s (%d%%)", binaryBytes(size*int64(i)/progressLines), binaryBytes(size), 100*i/progressLines))
	}
	if install.Ignition != nil {
		line("Writing Ignition config")
	}
	for _, karg := range install.AppendKargs {
		line("Modifying kernel arguments: append " + karg)
	}
	if install.CopyNetwork {
		line("Copying networking configuration from /etc/NetworkManager/system-connections/")
	}
	line("Install complete.")
	what := machine.Installation{What: coreos, Image: source, Ignition: install.Ignition}
	if err := h.installOn(disk, what); err != nil {
		return failedWriting(line, "writing to "+install.Device, err.Error())
	}
	return nil
}

// failed prints the error of an installer, and more lines. It returns an error with the installer's exit status.
func failed(line func(string), what, cause string, more ...string) error {
	for _, text := range append([]string{"Error: " + what, "", "Caused by:", "    " + cause}, more...) {
		line(text)
	}
	return &agent.ExitError{Code: 1}
}

// failedWriting is like failed, but for an installer that has started to write. The installer's last line, the only
// one that Ironic shows, does not contain the reason.
func failedWriting(line func(string), what, cause string) error {
	return failed(line, what, cause, "", "Preserving partition table as requested", installMessage)
}

// fetchImage downloads the whole image, as a real installation does, and returns its size in bytes.
func (h *hardware) fetchImage(ctx context.Context, source string) (int64, error) {
	if parsed, err := url.Parse(source); err != nil || parsed.Host == "" {
		return 0, fmt.Errorf("relative URL without a base")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, source, http.NoBody)
	if err != nil {
		return 0, fmt.Errorf("builder error: %w", err)
	}
	response, err := h.client.Do(request)
	if err != nil {
		return 0, fmt.Errorf("error sending request for url (%s)", source)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		kind := "client"
		if response.StatusCode >= http.StatusInternalServerError {
			kind = "server"
		}
		return 0, fmt.Errorf("HTTP status %s error (%s) for url (%s)", kind, response.Status, source)
	}
	size, err := io.Copy(io.Discard, response.Body)
	if err != nil {
		return 0, fmt.Errorf("error decoding response body: %w", err)
	}
	return size, nil
}

// binaryBytes formats a size in the same way as coreos-installer, for example as 1.2 GiB.
func binaryBytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	value, unit := float64(n), 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}
