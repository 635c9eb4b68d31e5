package agent_test

import (
	"encoding/base64"
)

// raidStep returns a step of the RAID interface.
func raidStep(name string, args map[string]any) map[string]any {
	s := step(name, args)
	s["interface"] = "raid"
	return s
}

// volume returns a logical disk for a software RAID. The fields in more are added to it.
func volume(level string, size any, more map[string]any) map[string]any {
	v := map[string]any{"controller": "software", "raid_level": level, "size_gb": size}
	for key, value := range more {
		v[key] = value
	}
	return v
}

func raid(volumes ...any) map[string]any { return map[string]any{"logical_disks": volumes} }

func inject(files ...any) map[string]any {
	return step("inject_files", map[string]any{"files": files})
}

// stepComparisons returns comparisons for RAID steps, inject_files and other steps that comparisons does not cover.
func stepComparisons() []comparison {
	manual := func(steps ...any) []map[string]any { return []map[string]any{target("manage"), clean(steps...)} }
	to := func(last ...map[string]any) []map[string]any {
		return append([]map[string]any{target("manage"), target("provide")}, last...)
	}
	install := func(then ...map[string]any) map[string]any {
		return deploy(nil, append([]map[string]any{step("install_coreos", nil)}, then...)...)
	}
	encoded := base64.StdEncoding.EncodeToString([]byte("hello\n"))
	named := func(name string) map[string]any { return map[string]any{"volume_name": name} }
	create, remove := raidStep("create_configuration", nil), raidStep("delete_configuration", nil)
	two := []any{map[string]any{"name": "/dev/sda"}, map[string]any{"name": "/dev/sdb"}}
	mirror := map[string]any{"volume_name": "root", "physical_disks": two, "is_root_volume": true}
	return []comparison{
		{
			name: "raid", ends: "active", properties: map[string]any{"root_device": map[string]any{"name": "/dev/md0"}},
			raid: raid(volume("1", 100, named("root")), volume("0", "MAX", nil)),
			path: append(manual(remove, create, step("erase_devices_metadata", nil)), target("provide"), install()),
		},
		{
			name: "raid-deleted", ends: "manageable", raid: raid(volume("1", "MAX", map[string]any{"physical_disks": two})),
			path: append(manual(create, step("erase_devices", nil)), clean(remove, step("erase_devices_metadata", nil))),
		},
		{
			name: "raid-invalid", ends: "clean failed", message: "RAID-1 for the first",
			raid: raid(volume("0", "MAX", named("a")), volume("5", "MAX", named("a")), volume("1", 5, nil)), path: manual(create),
		},
		{name: "raid-too-large", ends: "clean failed", message: "outside of the device", raid: raid(volume("1", 5000, nil)), path: manual(create)},
		{
			name: "raid-no-candidates", ends: "clean failed", message: "No candidates for", path: manual(create),
			raid: raid(volume("1", "MAX", map[string]any{"physical_disks": []any{map[string]any{"name": "/dev/sda"}, map[string]any{"model": "no such"}}})),
		},
		{
			name: "raid-none-left", oldOnly: true, ends: "clean failed", message: "No candidates left", path: manual(create),
			raid: raid(volume("1", "MAX", map[string]any{"physical_disks": []any{map[string]any{"name": "/dev/sda"}, map[string]any{"name": "/dev/sda"}}})),
		},
		{name: "raid-twice", ends: "clean failed", message: "Partitions detected", raid: raid(volume("1", 50, nil)), path: manual(create, create)},
		{
			name: "raid-applied", short: true, newestOnly: true, ends: "active",
			path: to(deploy(nil, raidStep("apply_configuration", map[string]any{"raid_config": raid(volume("1", 60, mirror), volume("1", "MAX", map[string]any{"physical_disks": two}))}), step("install_coreos", nil),
				step("clean_uefi_nvram", map[string]any{"match_patterns": []any{"SHIMX"}}))),
		},
		{
			name: "raid-kept", newestOnly: true, ends: "manageable", raid: raid(volume("1", 50, named("kept")), volume("0", "MAX", named("gone"))),
			properties: map[string]any{"skip_block_devices": []any{map[string]any{"volume_name": "kept"}}}, path: manual(create, remove, create, remove),
		},
		{
			name: "raid-kept-old", oldOnly: true, ends: "clean failed", message: "KeyError: '/dev/sda'", raid: raid(volume("1", 50, named("kept")), volume("0", "MAX", named("gone"))),
			properties: map[string]any{"skip_block_devices": []any{map[string]any{"volume_name": "kept"}}}, path: manual(create, remove),
		},
		{
			name: "inject", ends: "active",
			properties: map[string]any{"inject_files": []any{map[string]any{"path": "/loader/property", "content": encoded}}},
			path: to(install(inject(
				map[string]any{"path": "/EFI/lab/motd", "content": encoded, "mode": 0o600, "dirmode": 0o700},
				map[string]any{"path": "/ignition/config.ign", "content": encoded, "partition": 3},
				map[string]any{"path": "/top", "content": encoded, "partition": "/dev/disk/by-label/root"},
				map[string]any{"path": "/loader/property", "deleted": true},
			))),
		},
		{name: "inject-nowhere", ends: "deploy failed", message: "No partition found with path etc", path: to(install(inject(map[string]any{"path": "/etc/motd", "content": encoded})))},
		{
			name: "inject-invalid", ends: "deploy failed", message: "Validation of files failed", path: to(install(inject(
				map[string]any{"path": "/motd", "content": encoded}, map[string]any{"content": encoded, "colour": "red"},
				map[string]any{"path": "/etc/", "mode": "0644", "deleted": true, "content": encoded},
			))),
		},
		{name: "inject-no-base64", ends: "deploy failed", message: "Invalid base64-encoded string", path: to(install(inject(map[string]any{"path": "/EFI/x", "content": "abcde="})))},
		{name: "inject-no-content", oldOnly: true, ends: "deploy failed", message: "'content'", path: to(install(inject(map[string]any{"path": "/EFI/x"})))},
		{name: "inject-no-partition", ends: "deploy failed", message: "does not exist", path: to(install(inject(map[string]any{"path": "/x", "partition": 9, "content": encoded})))},
		{name: "inject-no-list", oldOnly: true, ends: "deploy failed", message: "must be a list", path: to(install(step("inject_files", map[string]any{"files": "all"})))},
		{name: "erase-express", ends: "manageable", path: manual(step("erase_pstore", nil), step("erase_devices_express", nil))},
		{name: "nvram-invalid", newestOnly: true, ends: "clean failed", message: "list of strings", path: manual(step("clean_uefi_nvram", map[string]any{"match_patterns": []any{"("}}))},
	}
}
