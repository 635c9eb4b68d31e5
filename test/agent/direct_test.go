package agent_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/lab"
	"ironworks/test/agent"
	"ironworks/test/ironic"
)

// operation is an operation that the comparisons do not cover: an image, a rescue or a service.
type operation struct {
	name string
	// sets maps the paths of node fields to the values that they receive before the operation.
	sets map[string]any
	path []provisionRequest
	// message is text that Ironic's history must contain.
	message string
	// newestOnly marks operations that the old release lacks.
	newestOnly bool
}

// provisionRequest is a provision request and the states in which it may end. Only the first state counts as success.
type provisionRequest struct {
	body map[string]any
	ends []string
}

func provisionTo(body map[string]any, ends ...string) provisionRequest {
	return provisionRequest{body, ends}
}

var (
	askManage  = provisionTo(target("manage"), "manageable")
	askProvide = provisionTo(target("provide"), "available")
	askAdopt   = provisionTo(target("adopt"), "active", "adopt failed")
)

// extendedRamdisk is a Python program that starts the agent with two additions for the operations: programs that only
// print something, and a place for the rescue password in the boot's temporary folder. The guard is the same as for
// the comparisons.
const extendedRamdisk = `
import os, sys
sys.path.insert(0, sys.argv.pop())
from ironworks_machine import boot, programs

MORE = {
    "parted": "echo 'BYT;'; echo '/dev/sda:457862MiB:scsi:512:512:gpt:ATA:;'; echo '1:1.00MiB:501MiB:500MiB:ext4::boot;'",
    "hexdump": "echo 0x00000000",
}
install, prepare, write_config = programs.install, boot.prepare, boot.write_config


def more(folder):
    install(folder)
    for name, text in MORE.items():
        with open(os.path.join(folder, name), "w") as script:
            script.write("#!/bin/sh\n%s\n" % text)
        os.chmod(os.path.join(folder, name), 0o700)


def prepared():
    folder = prepare()
    from ironic_python_agent import config  # registers the options that the next module needs
    from ironic_python_agent import qemu_img
    from ironic_python_agent.extensions import rescue

    # 9.4.2 converts a raw image after writing it, with a program in an environment
    # that the guard refuses.
    qemu_img.convert_image = lambda *args, **named: None
    rescue.PASSWORD_FILE = os.path.join(folder, "run", "rescue-password")
    return folder


def configured(path):
    write_config(path)
    with open(path, "a") as file:
        # The agent repeats a download with a wrong checksum ten times.
        file.write("image_download_connection_retry_interval = 1\n")


programs.install, boot.prepare, boot.write_config = more, prepared, configured
sys.exit(boot.main([]))
`

// operationCommand returns the command line that starts the real agent with extendedRamdisk.
func operationCommand(t *testing.T, release ironic.Release) []string {
	t.Helper()
	argv := agent.Command(t, release)
	root := len(argv) - 1
	return append(argv[:root:root], "-c", extendedRamdisk, argv[root])
}

// image returns a disk image of 1 MiB that is empty except for the boot signature of a partition table.
func image() []byte {
	content := make([]byte, 1<<20)
	content[510], content[511] = 0x55, 0xaa
	return content
}

func imageOperations(server string) []operation {
	sum := fmt.Sprintf("%x", sha256.Sum256(image()))
	deployment := func(name, algorithm, value, message string) operation {
		info := map[string]any{"image_source": server + "/disk.raw", "image_disk_format": "raw", "image_os_hash_algo": algorithm, "image_os_hash_value": value}
		if algorithm == "" {
			info = map[string]any{"image_source": server + "/disk.raw", "image_disk_format": "raw", "image_checksum": value}
		}
		return operation{
			name: name, message: message, path: []provisionRequest{askManage, askProvide, provisionTo(target("active"), "active", "deploy failed")},
			// With UEFI, the agent would search its disks for boot loaders, but these disks are really this
			// computer's.
			sets: map[string]any{"deploy_interface": "direct", "instance_info": info, "properties/capabilities": "boot_mode:bios"},
		}
	}
	wrong := deployment("wrong-sum", "sha256", strings.Repeat("0", len(sum)), "Image failed to verify against checksum")
	bare := deployment("md5", "", "0123456789abcdef0123456789abcdef", "Image failed to verify against checksum")
	bare.newestOnly = true
	alone := deployment("checksum-alone", "", sum, "")
	alone.newestOnly = true
	return []operation{
		wrong, bare, alone,
		deployment("right-sum", "sha256", sum, ""),
		deployment("sum-file", "sha256", server+"/SUMS", ""),
		deployment("no-such-hash", "sha257", sum, "Unable to verify image"),
	}
}

func imageServer(t *testing.T) string {
	t.Helper()
	files := map[string][]byte{"/disk.raw": image(), "/SUMS": fmt.Appendf(nil, "# sums\n%x  disk.raw\n", sha256.Sum256(image()))}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, found := files[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		// The conductor of the old release needs the image's length.
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		if r.Method == http.MethodGet {
			_, _ = w.Write(content)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// trial converts the operation to a trial.
func (e operation) trial() trial {
	return trial{name: e.name, programs: true, live: e.live, judge: e.judge}
}

func (e operation) judge(t *testing.T, ours, real trace) {
	t.Helper()
	if !strings.Contains(strings.Join(real.History, "\n"), e.message) || e.message == "" && len(real.Stages) != len(e.path) {
		t.Errorf("no %q in the real agent's history: %+v %q", e.message, real.Stages, real.History)
	}
	if got, want := lines(t, ours), lines(t, real); !slices.Equal(got, want) {
		t.Errorf("the traces differ\n%s", difference(got, want))
	}
}

func (e operation) live(ctx context.Context, server *ironic.Server, m *lab.Machine) (trace, error) {
	n, err := enroll(ctx, server, m, comparison{})
	if err != nil {
		return trace{}, err
	}
	var sets []any
	for path, value := range e.sets {
		sets = append(sets, map[string]any{"op": "add", "path": "/" + path, "value": value})
	}
	if len(sets) > 0 {
		if _, err := n.call(http.MethodPatch, "/v1/nodes/"+n.uuid, sets, http.StatusOK); err != nil {
			return trace{}, err
		}
	}
	var seen trace
	for _, a := range e.path {
		s, err := n.do(a)
		if err != nil {
			return seen, err
		}
		seen.Stages = append(seen.Stages, s)
		if s.State != a.ends[0] {
			break
		}
	}
	if seen.History, err = n.history(); err != nil {
		return seen, err
	}
	return n.normalized(seen)
}

// do sends a provision request and waits until the node is unlocked in one of the request's end states.
func (n *node) do(a provisionRequest) (stage, error) {
	if _, err := n.call(http.MethodPut, "/v1/nodes/"+n.uuid+"/states/provision", a.body, http.StatusAccepted); err != nil {
		return stage{}, err
	}
	var seen map[string]any
	ctx, cancel := context.WithTimeout(n.ctx, patience)
	defer cancel()
	err := ironic.Poll(ctx, 1500*time.Millisecond, func(context.Context) (bool, error) {
		seen = nil
		if err := n.read("", &seen); err != nil {
			return false, err
		}
		state, _ := seen["provision_state"].(string)
		return slices.Contains(a.ends, state) && seen["reservation"] == nil, nil
	})
	if err != nil {
		journal := n.Journal()
		var last strings.Builder
		for _, e := range journal[max(0, len(journal)-25):] {
			last.WriteString("\n    " + e.Text)
		}
		return stage{}, errors.Join(fmt.Errorf("machine %s: waiting after %v: state %v, error %v%s", n.Name(), a.body["target"], seen["provision_state"], seen["last_error"], last.String()), err)
	}
	return stage{
		Asked: a.body["target"], State: seen["provision_state"], Power: seen["power_state"], LastError: seen["last_error"], Fault: seen["fault"],
		Step: []any{seen["deploy_step"], seen["clean_step"], seen["service_step"]},
	}, nil
}
