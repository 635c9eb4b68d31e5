package cloudinit

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"ironworks/spell"
)

// keyType is the type that the value of a cloud-config key must have, as error messages name it.
type keyType string

const (
	list    keyType = "a list"
	mapping keyType = "a mapping"
	text    keyType = "text"
	boolean keyType = "true or false"
	anyOf   keyType = ""
)

// keys returns the known cloud-config keys with the types of their values, from the schema of cloud-init 22.4.2
// (cloudinit/config/schemas/schema-cloud-config-v1.json). The keys of cloud-init itself, such as datasource, are
// included.
func keys() map[string]keyType {
	all := map[string]keyType{}
	for s, names := range map[keyType][]string{
		list: {
			"bootcmd", "cloud_config_modules", "cloud_final_modules", "cloud_init_modules", "fs_setup", "mount_default_fields",
			"mounts", "packages", "runcmd", "ssh_authorized_keys", "ssh_fp_console_blacklist", "ssh_genkeytypes", "ssh_import_id",
			"ssh_key_console_blacklist", "write_files",
		},
		mapping: {
			"ansible", "apk_repos", "apt", "autoinstall", "ca_certs", "ca-certs", "chef", "chpasswd", "device_aliases",
			"disk_setup", "drivers", "fan", "growpart", "grub-dpkg", "grub_dpkg", "keyboard", "landscape", "lxd", "mcollective",
			"phone_home", "power_state", "puppet", "random_seed", "reporting", "resolv_conf", "rh_subscription", "salt_minion",
			"snap", "spacewalk", "ssh", "ssh_keys", "ssh_publish_hostkeys", "swap", "ubuntu_advantage", "ubuntu_pro", "updates",
			"vendor_data", "yum_repos", "zypper", "output", "datasource", "network", "system_info",
		},
		text: {
			"authkey_hash", "byobu_by_default", "disable_root_opts", "final_message", "fqdn", "hostname", "locale_configfile",
			"password", "timezone", "yum_repo_dir",
		},
		boolean: {
			"allow_public_ssh_keys", "apt_reboot_if_required", "apt_update", "apt_upgrade", "create_hostname_file",
			"disable_ec2_metadata", "manage_resolv_conf", "migrate", "no_ssh_fingerprints", "package_reboot_if_required",
			"package_update", "package_upgrade", "prefer_fqdn_over_hostname", "preserve_hostname", "ssh_deletekeys",
			"ssh_quiet_keygen",
		},
		anyOf: {
			"apt_pipelining", "disable_root", "groups", "locale", "manage_etc_hosts", "merge_how", "merge_type", "ntp",
			"resize_rootfs", "rsyslog", "ssh_pwauth", "user", "users", "wireguard",
		},
	} {
		for _, name := range names {
			all[name] = s
		}
	}
	return all
}

// checkCloudConfig checks a cloud-config. This is a YAML document whose first line is a comment in YAML.
func checkCloudConfig(data []byte) []Problem {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return yamlProblem(err)
	}
	if len(document.Content) == 0 {
		return []Problem{{Text: "the cloud-config is empty"}}
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return []Problem{{Error: true, Line: root.Line, Column: root.Column, Text: "the cloud-config must be a mapping"}}
	}
	var problems []Problem
	known, seen := keys(), map[string]bool{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		at := func(n *yaml.Node, format string, args ...any) {
			problems = append(problems, Problem{Line: n.Line, Column: n.Column, Text: fmt.Sprintf(format, args...)})
		}
		want, is := known[key.Value]
		switch {
		case seen[key.Value]:
			at(key, "duplicate key %q: the last one is used", short(key.Value))
		case !is && spell.Nearest(key.Value, maps.Keys(known)) != "": // any other unknown key may belong to a newer cloud-init
			at(key, "cloud-init has no key %q (did you mean %q?)", short(key.Value), spell.Nearest(key.Value, maps.Keys(known)))
		case !want.takes(value):
			at(value, "%s must be %s: cloud-init skips it", key.Value, want)
		}
		seen[key.Value] = true
		problems = append(problems, checkValue(key.Value, value)...)
	}
	if !slices.ContainsFunc([]string{"ssh_authorized_keys", "ssh_import_id", "password", "chpasswd", "users", "user", "autoinstall"}, func(k string) bool { return seen[k] }) {
		problems = append(problems, Problem{Text: "no SSH key and no password: login is impossible"})
	}
	return problems
}

func (s keyType) takes(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode || n.Tag == "!!null" {
		return true
	}
	switch s {
	case list:
		return n.Kind == yaml.SequenceNode
	case mapping:
		return n.Kind == yaml.MappingNode
	case text:
		return n.Kind == yaml.ScalarNode
	case boolean:
		return n.Kind == yaml.ScalarNode && slices.Contains([]string{"true", "false", "yes", "no", "on", "off", "1", "0"}, strings.ToLower(n.Value))
	case anyOf:
		return true
	}
	return true
}

// checkValue checks the value of a key. It checks only those keys in which mistakes have the worst consequences.
func checkValue(key string, value *yaml.Node) []Problem {
	if value.Kind != yaml.SequenceNode {
		return nil
	}
	var problems []Problem
	add := func(n *yaml.Node, text string) {
		problems = append(problems, Problem{Line: n.Line, Column: n.Column, Text: text})
	}
	for _, item := range value.Content {
		switch key {
		case "write_files":
			if item.Kind != yaml.MappingNode || !hasKey(item, "path") {
				add(item, "a file without path: cloud-init skips it")
			}
		case "users":
			if item.Kind == yaml.MappingNode && !hasKey(item, "name") && !hasKey(item, "snapuser") {
				add(item, "a user without name: cloud-init creates no users")
			}
		case "ssh_authorized_keys":
			if item.Kind != yaml.ScalarNode {
				add(item, "an SSH key must be one line of text")
			}
		case "runcmd", "bootcmd":
			if item.Kind == yaml.MappingNode {
				add(item, "a command must be text or a list: quote text that contains \": \"")
			}
		}
	}
	return problems
}

func hasKey(n *yaml.Node, key string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key || n.Content[i].Value == "<<" {
			return true
		}
	}
	return false
}

func yamlProblem(err error) []Problem {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	p := Problem{Error: true, Text: "not valid YAML: " + text}
	if match := regexp.MustCompile(`^line (\d+): (.*)`).FindStringSubmatch(text); match != nil {
		if line, err := strconv.Atoi(match[1]); err == nil {
			p.Line, p.Text = line, "not valid YAML: "+match[2]
		}
	}
	return []Problem{p}
}
