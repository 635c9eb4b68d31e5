package userdata

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

type detected struct {
	kind Kind
	// id is the problem if the format cannot be used. what describes the format, and hint suggests a fix.
	id         ProblemID
	what, hint string
	// content is the decoded content of a base64 or JSON string.
	content []byte
	// root is the parsed JSON or YAML, or nil if it is invalid. findings are the problems that the reader found.
	root     *element
	findings []jsonFinding
}

const (
	installHint = "a machine installed with install_coreos reads Ignition: rewrite this as Butane or Ignition"
	// sniffed is the number of bytes that are examined to detect a format.
	sniffed = 64 << 10
)

func detect(data []byte) detected {
	text := bytes.TrimSpace(data)
	switch {
	case len(text) == 0:
		return detected{kind: KindEmpty, id: IDEmpty, what: "empty", hint: "you cannot log in to a machine without user data"}
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		return detected{kind: KindGzip}
	}
	if d, ok := detectBinary(data); ok {
		return d
	}
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		inner := detect(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
		return detected{
			kind: inner.kind, id: IDByteOrderMark, what: "starts with a byte order mark, which JSON and Ignition do not allow",
			hint: "save it as UTF-8 without BOM",
		}
	}
	if d, ok := detectHeader(text); ok {
		return d
	}
	switch text[0] {
	case '{', '[', '"':
		return detectJSON(data, text)
	}
	if d, ok := detectBase64(text); ok {
		return d
	}
	return detectYAML(data)
}

func detectBinary(data []byte) (detected, bool) {
	for magic, what := range map[string]string{
		"\xfd7zXZ\x00": "xz", "\x28\xb5\x2f\xfd": "zstd", "BZh": "bzip2", "PK\x03\x04": "zip archive", "070701": "cpio archive",
		"\x7fELF": "a program", "\xff\xfe": "UTF-16", "\xfe\xff": "UTF-16",
	} {
		switch {
		case !bytes.HasPrefix(data, []byte(magic)):
		case what == "UTF-16":
			return detected{kind: KindBinary, id: IDEncoding, what: "UTF-16 text, which is not supported", hint: "save it as UTF-8"}, true
		default:
			return detected{kind: KindBinary, id: IDNotIgnition, what: "this is " + what, hint: "use the Ignition or Butane file itself; the content of a live image is for the ramdisk, not for the installed system"}, true
		}
	}
	if len(data) > 32774 && string(data[32769:32774]) == "CD001" {
		return detected{kind: KindBinary, id: IDNotIgnition, what: "ISO image", hint: "install_coreos requires a JSON configdrive with user data: use the Ignition or Butane file itself"}, true
	}
	if head := data[:min(len(data), sniffed)]; bytes.IndexByte(head, 0) >= 0 {
		return detected{kind: KindBinary, id: IDNotIgnition, what: "not text", hint: "use the Ignition or Butane file itself"}, true
	}
	return detected{}, false
}

// detectHeader recognizes cloud-init formats and scripts by their first line.
func detectHeader(text []byte) (detected, bool) {
	line, _, _ := strings.Cut(string(text[:min(len(text), 256)]), "\n")
	line = strings.ToLower(strings.TrimRight(line, "\r \t"))
	head := strings.ToLower(string(text[:min(len(text), 1024)]))
	switch {
	case strings.HasPrefix(line, "#cloud-config"):
		return detected{kind: KindCloudConfig, id: IDCloudConfig, what: "#cloud-config: CoreOS has no cloud-init, and the machine would end in an emergency shell", hint: "rewrite it as Butane, which also has users, ssh_authorized_keys, files and units"}, true
	case strings.HasPrefix(line, "#!"):
		return detected{kind: KindShellScript, id: IDShellScript, what: "script: CoreOS does not run scripts from user data", hint: "put it into a file with mode 0755, and run it from a systemd unit, in Butane or Ignition"}, true
	case strings.HasPrefix(line, "#include"), strings.HasPrefix(line, "#cloud-boothook"), strings.HasPrefix(line, "#part-handler"),
		strings.HasPrefix(line, "#upstart-job"), strings.HasPrefix(line, "## template:"), strings.HasPrefix(line, "#cloud-"):
		return detected{kind: KindCloudInit, id: IDCloudInit, what: "cloud-init format: CoreOS has no cloud-init", hint: installHint}, true
	case strings.HasPrefix(line, "mime-version:"), strings.HasPrefix(line, "content-type:"), strings.HasPrefix(line, "from ") && strings.Contains(head, "mime-version:"):
		return detected{kind: KindMIME, id: IDMIME, what: "MIME for cloud-init: CoreOS has no cloud-init", hint: installHint}, true
	}
	return detected{}, false
}

// detectJSON determines the format of JSON from its top-level keys or, if it is invalid, from the text.
func detectJSON(data, text []byte) detected {
	if text[0] == '"' {
		var content string
		if json.Unmarshal(text, &content) == nil {
			return detected{kind: KindJSONString, content: []byte(content)}
		}
		return detected{kind: KindJSON, id: IDSyntax, what: "unterminated JSON string", hint: installHint}
	}
	root, findings := readJSON(data)
	if root == nil {
		if len(findings) > 0 && findings[len(findings)-1].id == IDSyntax && !bytes.Contains(text, []byte(`"ignition"`)) {
			if d := detectYAML(data); d.kind == KindButane || d.kind == KindMachineConfig {
				return d
			}
		}
		kind := KindJSON
		if bytes.Contains(text, []byte(`"ignition"`)) {
			kind = KindIgnition
		}
		return detected{kind: kind, findings: findings}
	}
	if root.kind == elementArray {
		return detected{kind: KindJSON, id: IDNotIgnition, what: "a JSON list, not a configuration", hint: "a configuration is an object with the key \"ignition\""}
	}
	if d, ok := detectKeys(root); ok {
		d.root, d.findings = root, findings
		return d
	}
	return detected{kind: KindJSON, id: IDNotIgnition, what: "JSON, but neither Ignition nor Butane: no key \"ignition\" or \"variant\"", hint: "start with {\"ignition\": {\"version\": \"3.2.0\"}, …}"}
}

func detectKeys(root *element) (detected, bool) {
	has := func(key string) bool {
		return slices.ContainsFunc(root.children, func(child *element) bool { return strings.EqualFold(child.key, key) })
	}
	switch {
	case root.str("kind") == "MachineConfig":
		return detected{kind: KindMachineConfig}, true
	case has("ignitionVersion"):
		return detected{kind: KindIgnition1, id: IDSpec1, what: "Ignition spec 1, which no current system supports", hint: "rewrite it as Butane"}, true
	case root.member("variant") != nil:
		return detected{kind: KindButane}, true
	case has("ignition"):
		if strings.HasPrefix(root.down("ignition").str("version"), "2.") {
			return detected{kind: KindIgnition2, id: IDSpec2, what: "Ignition spec 2, which current CoreOS does not support", hint: "convert it to spec 3, for example with ign-converter, or rewrite it as Butane"}, true
		}
		return detected{kind: KindIgnition}, true
	case has("user_data") || has("meta_data") || has("network_data"):
		return detected{kind: KindConfigDrive, id: IDConfigDrive, what: "a complete configdrive", hint: "use the value of its user_data; install_coreos ignores network_data and vendor_data"}, true
	case root.member("apiVersion") != nil && root.member("kind") != nil:
		return detected{kind: KindJSON, id: IDNotIgnition, what: "a Kubernetes object, but not a MachineConfig", hint: "for a Secret with user data, decode and use the value of userData"}, true
	}
	return detected{}, false
}

// detectBase64 recognizes base64, for short texts only if the decoded content has a known format.
func detectBase64(text []byte) (detected, bool) {
	if len(text) < 16 {
		return detected{}, false
	}
	packed := bytes.Map(func(r rune) rune {
		switch r {
		case '\n', '\r':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, text)
	packed = bytes.TrimRight(packed, "=")
	content := make([]byte, base64.RawStdEncoding.DecodedLen(len(packed)))
	n, err := base64.RawStdEncoding.Decode(content, packed)
	if err != nil {
		return detected{}, false
	}
	content = content[:n]
	inner := detect(content[:min(n, sniffed)])
	if plain := inner.kind == KindText || inner.kind == KindBinary && inner.what == "not text"; plain && len(packed) < 64 {
		return detected{}, false
	}
	return detected{kind: KindBase64, content: content}, true
}

// detectYAML determines the format of text that is neither JSON nor base64.
func detectYAML(data []byte) detected {
	if !utf8.Valid(data) {
		return detected{kind: KindText, id: IDEncoding, what: "not valid UTF-8", hint: "save it as UTF-8"}
	}
	if len(data) > maxYAML {
		return detected{kind: KindText, id: IDTooLarge, what: "text larger than 2 MiB, which is not parsed as YAML", hint: "host large files elsewhere and refer to them"}
	}
	root, findings := readYAML(data)
	if root == nil || root.kind != elementObject {
		if bytes.HasPrefix(data, []byte("variant:")) || bytes.Contains(data, []byte("\nvariant:")) {
			return detected{kind: KindButane, root: root, findings: findings} // invalid YAML, but probably meant as Butane
		}
		return detected{kind: KindText, id: IDNotIgnition, what: "text, but neither Ignition nor Butane", hint: installHint}
	}
	d, ok := detectKeys(root)
	switch {
	case ok && d.kind == KindIgnition && root.member("variant") == nil:
		d = detected{kind: KindYAML, id: IDNotIgnition, what: "Ignition as YAML, which is not supported", hint: "rewrite it as JSON, or as Butane with variant and version"}
	case ok:
	case root.member("storage") != nil || root.member("passwd") != nil || root.member("systemd") != nil:
		d = detected{kind: KindButane, id: IDNoVariant}
	case root.member("runcmd") != nil || root.member("write_files") != nil || root.member("users") != nil || root.member("packages") != nil || root.member("ssh_authorized_keys") != nil:
		d = detected{kind: KindCloudConfig, id: IDCloudConfig, what: "looks like cloud-config without its first line: CoreOS has no cloud-init", hint: installHint}
	default:
		d = detected{kind: KindYAML, id: IDNotIgnition, what: "YAML, but not Butane: no variant", hint: "start with variant: fcos and version: 1.5.0"}
	}
	d.root, d.findings = root, findings
	return d
}
