package linux

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ironworks/agent"
)

// The dmi-decode collector reports SMBIOS structures of the following types.
const (
	dmiBIOS      = 0
	dmiProcessor = 4
	dmiMemory    = 16 // an array of memory devices
	dmiDevice    = 17
)

// dmi implements collect_dmidecode_info from ironic_python_agent/dmi_inspector.py. It returns dmidecode's output, keyed
// by section, or, like the real agent, an empty object if a number in it is invalid.
func (h Host) dmi(ctx context.Context) (map[string]any, error) {
	out, err := h.program(ctx, "dmidecode", "-t", "bios", "-t", "processor", "-t", "memory")
	if err != nil {
		return nil, agent.CollectorError(fmt.Sprintf("failed to run dmidecode: %v", err))
	}
	found, err := parseDMI(out)
	if _, wrong := errors.AsType[*strconv.NumError](err); wrong {
		h.warn("Failed to collect dmidecode info: %v", err)
		return map[string]any{}, nil
	}
	return found, err
}

// parseDMI implements parse_dmi from dmi_inspector.py.
func parseDMI(text string) (map[string]any, error) {
	bios := map[string]any{}
	cpus, arrays, devices := []any{}, []map[string]any{}, []any{}
	for block := range strings.SplitSeq(text, "\n\n") {
		if !strings.HasPrefix(block, "Handle 0x") {
			continue
		}
		fields := parseHandle(block)
		switch dmiType(block) {
		case dmiBIOS:
			bios = fields
		case dmiProcessor:
			cpus = append(cpus, fields)
		case dmiMemory:
			arrays = append(arrays, fields)
		case dmiDevice:
			devices = append(devices, fields)
		}
	}
	memory := map[string]any{"devices": []any{}}
	if len(arrays) > 0 {
		total := 0
		for _, array := range arrays {
			text, isText := array["Number Of Devices"].(string)
			if !isText {
				return nil, errors.New("'Number Of Devices'") // the message of Python's KeyError
			}
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, fmt.Errorf("number of devices: %w", err)
			}
			total += n
		}
		memory = arrays[0]
		memory["Number Of Devices"] = total
		delete(memory, "Handle")
	}
	if len(devices) > 0 {
		memory["devices"] = devices
	}
	return map[string]any{"bios": bios, "cpu": cpus, "memory": memory}, nil
}

// dmiType returns the type in a line like "Handle 0x0018, DMI type 17, 27 bytes", or -1 if it has none.
func dmiType(block string) int {
	parts := strings.SplitN(block, ",", 3)
	if len(parts) < 2 {
		return -1
	}
	digits, isType := strings.CutPrefix(strings.TrimSpace(parts[1]), "DMI type")
	n, err := strconv.Atoi(strings.TrimSpace(digits))
	if !isType || err != nil {
		return -1
	}
	return n
}

// parseHandle is _parse_handle_block from dmi_inspector.py. A field without a value lists the lines below.
func parseHandle(block string) map[string]any {
	fields := map[string]any{}
	list := ""
	for line := range strings.Lines(block) {
		line = strings.TrimSpace(line)
		key, value, isField := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case isField && value != "":
			fields[key], list = value, ""
		case isField:
			fields[key], list = []any{}, key
		case strings.Contains(line, "Handle 0x"):
			fields["Handle"] = line
		case list != "":
			values, _ := fields[list].([]any)
			fields[list] = append(values, line)
		}
	}
	return fields
}
