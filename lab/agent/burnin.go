package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"ironworks/lab/python"
)

// burnInfo is driver_info, where what burning in needs stands.
type burnInfo struct{ driver *dict }

func (i burnInfo) or(key string, byDefault any) any {
	if i.driver.Has(key) {
		return i.driver.Get(key)
	}
	return byDefault
}

// burn runs a program for hours; what it says is in the journal.
func (a *agent) burn(ctx context.Context, what string, argv ...string) error {
	a.log.burnin.debug("Burn-in %s command: %s", what, strings.Join(argv, " "))
	out, err := a.program(ctx, argv...)
	if err != nil {
		f := newFault(commandExecution, "%s failed with error %v", what, err)
		a.log.burnin.error("%s", f.Details)
		return errors.Join(f, err)
	}
	a.log.burnin.info("%s%s", out.Stdout, out.Stderr)
	return nil
}

func (a *agent) burnCPU(ctx context.Context, node, _ *dict) (any, error) {
	info := burnInfo{node.Dict("driver_info")}
	argv := []string{"stress-ng", "--cpu", python.Str(info.or("agent_burnin_cpu_cpu", whole(0))), "--timeout", python.Str(info.or("agent_burnin_cpu_timeout", whole(86400))), "--metrics-brief"}
	if file := info.driver.Get("agent_burnin_cpu_outputfile"); python.Truthy(file) {
		argv = append(argv, "--log-file", python.Str(file))
	}
	return nil, a.burn(ctx, "stress-ng (cpu)", argv...)
}

func (a *agent) burnMemory(ctx context.Context, node, _ *dict) (any, error) {
	info := burnInfo{node.Dict("driver_info")}
	timeout := []string{"--timeout", python.Str(info.or("agent_burnin_vm_timeout", whole(86400)))}
	room := []string{"--vm-bytes", python.Str(info.or("agent_burnin_vm_vm-bytes", "98%"))}
	argv := []string{"stress-ng", "--vm", python.Str(info.or("agent_burnin_vm_vm", whole(0)))}
	// The order of the arguments is the only thing that the releases differ in.
	if a.options.age() == antique {
		argv = slices.Concat(argv, room, timeout)
	} else {
		argv = slices.Concat(argv, timeout, room)
	}
	argv = append(argv, "--metrics-brief")
	if file := info.driver.Get("agent_burnin_vm_outputfile"); python.Truthy(file) {
		argv = append(argv, "--log-file", python.Str(file))
	}
	return nil, a.burn(ctx, "stress-ng (vm)", argv...)
}

// burnDisk reads and writes all over the disks: what was on them is lost.
func (a *agent) burnDisk(ctx context.Context, node, _ *dict) (any, error) {
	info := burnInfo{node.Dict("driver_info")}
	argv := []string{
		"fio", "--rw", "readwrite", "--bs", "4k", "--direct", "1", "--ioengine", "libaio", "--iodepth", "32", "--verify", "crc32c",
		"--verify_dump", "1", "--continue_on_error", "verify", "--loops", python.Str(info.or("agent_burnin_fio_disk_loops", whole(4))),
		"--runtime", python.Str(info.or("agent_burnin_fio_disk_runtime", whole(0))), "--time_based",
	}
	if file := info.driver.Get("agent_burnin_fio_disk_outputfile"); python.Truthy(file) {
		argv = append(argv, "--output-format", "json", "--output", python.Str(file))
	}
	disks, err := a.hardware.BlockDevices(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range disks {
		argv = append(argv, "--name", d.Name)
	}
	if err := a.burn(ctx, "fio (disk)", argv...); err != nil {
		return nil, err
	}
	if python.Truthy(info.driver.Get("agent_burnin_fio_disk_smart_test")) {
		return nil, a.smartTest(ctx, disks)
	}
	return nil, nil
}

// smartTest has the disks test themselves.
func (a *agent) smartTest(ctx context.Context, disks []Disk) error {
	var refused []string
	for _, d := range disks {
		if _, err := a.program(ctx, "smartctl", "-t", "long", d.Name); err != nil {
			a.log.burnin.error("Starting SMART test on %s failed with: %v", d.Name, err)
			refused = append(refused, d.Name)
		}
	}
	if len(refused) > 0 {
		// The real agent forgets to put the names into the text.
		return newFault(cleaningError, "('fio (disk) failed to start SMART self test on %%s', %s)", python.Repr(strings.Join(refused, ", ")))
	}
	var failed []string
	for len(disks) > 0 {
		disks = slices.DeleteFunc(disks, func(d Disk) bool {
			status := a.smartStatus(ctx, d.Name)
			switch {
			case strings.Contains(status, "in progress"):
				return false
			case status == "", strings.Contains(status, "completed without error"):
			default:
				failed = append(failed, d.Name)
			}
			return true
		})
		if len(disks) > 0 && !a.sleep(ctx, 30*time.Second) {
			return ctx.Err()
		}
	}
	if len(failed) > 0 {
		return newFault(cleaningError, "fio (disk) SMART test failed for %s", strings.Join(failed, " "))
	}
	return nil
}

// smartStatus is empty where a disk does not say.
func (a *agent) smartStatus(ctx context.Context, device string) string {
	out, err := a.program(ctx, "smartctl", "-ja", device)
	if err != nil {
		a.log.burnin.error("SMART test on %s failed with %v", device, err)
		return ""
	}
	var told struct {
		Data struct {
			Test struct {
				Status struct {
					Text string `json:"string"`
				} `json:"status"`
			} `json:"self_test"`
		} `json:"ata_smart_data"`
	}
	if err := json.Unmarshal([]byte(out.Stdout), &told); err != nil {
		return ""
	}
	return told.Data.Test.Status.Text
}

// networkRetry is between two tries to reach the partner.
const networkRetry = 30 * time.Second

// burnNetwork sends and receives, with a partner that the node names. Partners
// that find each other by a coordination service do not: there is none.
func (a *agent) burnNetwork(ctx context.Context, node, _ *dict) (any, error) {
	info := burnInfo{node.Dict("driver_info")}
	config := info.driver.Dict("agent_burnin_fio_network_config")
	if !python.Truthy(info.driver.Get("agent_burnin_fio_network_config")) {
		if !python.Truthy(info.driver.Get("agent_burnin_fio_network_pairing_backend_url")) {
			return nil, newFault(cleaningError, "fio (network): dynamic pairing config is missing agent_burnin_fio_network_pairing_backend_url")
		}
		return nil, newFault(cleaningError, "fio (network) timed out to find partner")
	}
	role, partner := python.Str(config.Get("role")), config.Get("partner")
	if role != "writer" && role != "reader" {
		return nil, newFault(cleaningError, "fio (network) found an unknown role: %s", role)
	}
	if !python.Truthy(partner) {
		return nil, newFault(cleaningError, "fio (network) failed to find partner")
	}
	runtime := python.Str(info.or("agent_burnin_fio_network_runtime", whole(21600)))
	file := info.driver.Get("agent_burnin_fio_network_outputfile")
	roles := []string{"writer", "reader"}
	if role == "reader" {
		slices.Reverse(roles)
	}
	for _, now := range roles {
		argv := []string{"fio", "--ioengine", "net", "--port", "9000", "--fill_device", "1", "--group_reporting", "--gtod_reduce", "1", "--numjobs", "16"}
		if now == "writer" {
			argv = append(argv, "--name", "writer", "--rw", "write", "--runtime", runtime, "--time_based", "--listen")
		} else {
			argv = append(argv, "--name", "reader", "--rw", "read", "--hostname", python.Str(partner))
		}
		if python.Truthy(file) {
			argv = append(argv, "--output-format", "json", "--output", python.Str(file)+"."+now)
		}
		if err := a.burnLine(ctx, now == "reader", argv); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// burnLine waits for a partner that does not listen yet.
func (a *agent) burnLine(ctx context.Context, reading bool, argv []string) error {
	for {
		err := a.burn(ctx, "fio (network)", argv...)
		var failed *processError
		const refused = 16
		if err == nil || !reading || !errors.As(err, &failed) || failed.out.Code != refused {
			return err
		}
		if !a.sleep(ctx, networkRetry) {
			return ctx.Err()
		}
	}
}

// burnGPU runs gpu-burn where it has been installed.
func (a *agent) burnGPU(ctx context.Context, node, _ *dict) (any, error) {
	info := burnInfo{node.Dict("driver_info")}
	folder := python.Str(info.or("agent_burnin_gpu_install_dir", "/opt/gpu-burn"))
	// A folder that is not there is what fails first.
	f := newFault(commandExecution, "gpu-burn failed with error [Errno 2] No such file or directory: %s", python.Repr(folder))
	a.log.burnin.error("%s", f.Details)
	return nil, f
}
