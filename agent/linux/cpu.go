package linux

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"ironworks/agent"
)

// malformedFlags matches characters that never occur in CPU flags.
var malformedFlags = regexp.MustCompile(`[A-Z!@#$%^&*()_+{}|:"<>?]`)

// cpu implements get_cpus from ironic_python_agent/hardware.py.
func (h Host) cpu(ctx context.Context) (agent.CPU, error) {
	out, err := h.program(ctx, "lscpu")
	if err != nil {
		return agent.CPU{}, fmt.Errorf("describing the CPUs: %w", err)
	}
	info := colonPairs(out)
	flags := info["flags"]
	if flags == "" {
		flags = h.flagsOfKernel()
	}
	if flags == "" {
		h.warn("No CPU flags found")
	}
	frequency, known := info["cpu max mhz"]
	if !known {
		frequency = info["cpu mhz"]
	}
	count, err := number(info["cpu(s)"])
	if err != nil {
		return agent.CPU{}, err
	}
	sockets, err := number(info["socket(s)"])
	if err != nil {
		return agent.CPU{}, err
	}
	return agent.CPU{
		ModelName: info["model name"], Frequency: frequency, Count: count, Architecture: info["architecture"],
		Flags: append([]string{}, strings.Fields(flags)...), SocketCount: sockets,
	}, nil
}

// flagsOfKernel returns the flags of the first CPU in /proc/cpuinfo, for releases of lscpu that print none.
func (h Host) flagsOfKernel() string {
	content, err := h.read("/proc/cpuinfo")
	if err != nil {
		h.warn("Failed to get CPU information from /proc/cpuinfo: %v", err)
		return ""
	}
	first, _, _ := strings.Cut(strings.ReplaceAll(content, "\t", ""), "\n\n")
	flags := colonPairs(first)["flags"]
	if malformedFlags.MatchString(flags) {
		h.warn("Malformed CPU flags information: %s", flags)
		return ""
	}
	return flags
}

// colonPairs reads lines like "CPU(s): 2". It converts names to lower case. The last value of a name counts.
func colonPairs(text string) map[string]string {
	pairs := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			pairs[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
		}
	}
	return pairs
}

// number parses a number in the output of lscpu. It returns 0 for an empty string.
func number(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("a number of lscpu: %w", err)
	}
	return n, nil
}
