package ramdisk

import (
	"slices"
	"strconv"
	"strings"

	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/ui/widget/form"
)

// The keys of the form's fields. Where an input of a ramdisk has one field, it is the
// input's own name, so that what is wrong with it finds the way.
const (
	keyProfile     = string(ignition.FieldProfile)
	keyURL         = string(ignition.FieldIronicURL)
	keyTLS         = string(ignition.FieldTLS)
	keyCA          = string(ignition.FieldCA)
	keyImage       = string(ignition.FieldImage)
	keyRegistry    = string(ignition.FieldRegistry)
	keyInsecure    = "insecure registry"
	keyRegistries  = "registries"
	keyPullSecret  = string(ignition.FieldPullSecret)
	keySSHFiles    = string(ignition.FieldSSHKey)
	keySSHKeys     = "ssh keys"
	keySSHAgent    = "ssh agent"
	keyKeyOptions  = "allow key options"
	keyNoLogin     = "no login"
	keyHostname    = string(ignition.FieldHostname)
	keyKeyFiles    = string(ignition.FieldKeyFile)
	keyIPOptions   = string(ignition.FieldIPOption)
	keyCopyNetwork = string(ignition.FieldCopyNetwork)
	keyHTTPProxy   = string(ignition.FieldProxy)
	keyHTTPSProxy  = "https proxy"
	keyNoProxy     = "no proxy"
	keyNTP         = string(ignition.FieldNTP)
	keyVLANs       = string(ignition.FieldVLAN)
	keyCollectors  = string(ignition.FieldCollector)
	keyCallback    = string(ignition.FieldCallback)
	keyOptions     = string(ignition.FieldOption)
	keyDebug       = "debug"
	keyPush        = string(ignition.FieldJournalPush)
	keyHostKey     = string(ignition.FieldSSHHostKey)
	keyExtra       = string(ignition.FieldExtra)
	keyNMState     = string(prepare.FieldNMState)
	keyRegFile     = string(prepare.FieldRegistriesFile)
)

// auto stands for the empty value of a choice.
const auto = "auto"

// profileOf is the profile that values choose.
func profileOf(values map[string]string) ignition.Profile {
	return ignition.Profile(values[keyProfile])
}

// spec is a field with the profiles that have it; none are all of them.
type spec struct {
	form.Field
	only, not ignition.Profile
}

// fieldsFor are the fields of a profile with their values. Ironic is the address that
// is taken where none is given.
func fieldsFor(values map[string]string, ironic string) []form.Field {
	profile := profileOf(values)
	var fields []form.Field
	for _, s := range specs(profile, ironic) {
		if s.only != "" && s.only != profile || s.not != "" && s.not == profile {
			continue
		}
		s.Value = values[s.Key]
		fields = append(fields, s.Field)
	}
	return fields
}

// The sections of the form.
const (
	ironics = "Ironic"
	agents  = "Agent"
	access  = "Access"
	network = "Network"
	extra   = "Extra"
)

const (
	ours    = ignition.ProfileDefault
	classic = ignition.ProfileClassic
	metal3  = ignition.ProfileMetal3
)

func text(section, key, label, help string) spec {
	return spec{Field: form.Field{Key: key, Label: label, Section: section, Help: help}}
}

func choice(section, key, label, help string, options ...string) spec {
	s := text(section, key, label, help)
	s.Kind, s.Options = form.Choice, options
	return s
}

func toggle(section, key, label, help string) spec {
	s := text(section, key, label, help)
	s.Kind = form.Toggle
	return s
}

// hint is a field with what stands in it while it is empty.
func hint(placeholder string, s spec) spec {
	s.Placeholder = placeholder
	return s
}

// in is a field that only one profile has, notClassic one that all but build.py's have.
func in(p ignition.Profile, s spec) spec {
	s.only = p
	return s
}

func notClassic(s spec) spec {
	s.not = classic
	return s
}

// specs are all fields there are.
func specs(profile ignition.Profile, ironic string) []spec {
	urlHelp := "where machines find Ironic: URL, HOST or HOST:PORT; several with commas; mdns lets the agent look for it"
	modes := []string{auto}
	for _, m := range ignition.TLSModes() {
		modes = append(modes, string(m))
	}
	if profile == classic {
		urlHelp, ironic = "the host of build.py's --host: a name or an address", ""
		modes = []string{auto, "off", "on", "insecure"}
	}
	return []spec{
		choice(ironics, keyProfile, "Profile", "whose configuration: ours, that of build.py of ironic-agent-image, or that of image-customization-controller",
			names(ignition.Profiles())...),
		hint(ironic, text(ironics, keyURL, "Ironic", urlHelp)),
		choice(ironics, keyTLS, "TLS", "how the agent verifies Ironic; auto goes by the URL and the CA", modes...),
		notClassic(text(ironics, keyCA, "CA file", "PEM file of the CA that signed Ironic's certificate; empty: that of the context")),

		in(classic, text(agents, keyRegistry, "Registry", "the agent's image is REGISTRY/ironic-agent")),
		in(classic, toggle(agents, keyInsecure, "Insecure", "do not verify the registry")),
		notClassic(hint(ignition.DefaultAgentImage, text(agents, keyImage, "Image", "container image of the agent, best with a digest"))),
		notClassic(text(agents, keyRegistries, "Registries", "how to treat registries, with commas: HOST=verified, HOST=insecure, HOST=ca:FILE")),
		notClassic(text(agents, keyPullSecret, "Pull secret", "file with the logins for registries, as podman login writes it")),
		text(agents, keyOptions, "Options", "settings of the agent, NAME=VALUE or GROUP.NAME=VALUE, with commas; quote one that has a comma"),
		notClassic(toggle(agents, keyDebug, "Debug", "the agent logs everything, user data with its secrets, too")),
		notClassic(text(agents, keyCollectors, "Collectors", "what inspection gathers, with commas; empty: what the image says")),
		notClassic(text(agents, keyCallback, "Callback", "URL for inspection data; empty is best: the agent uses Ironic")),

		in(ours, hint("https://HOST:PORT", text(agents, keyPush, "Journal to", "where this console takes the ramdisk's journal, as machines reach it; empty: it is not sent"))),

		hint("~/.ssh/*.pub, else the agent's", text(access, keySSHFiles, "Key files", "files with public keys that may log in as core, with commas")),
		text(access, keySSHKeys, "Keys", "public keys themselves, with commas"),
		toggle(access, keySSHAgent, "SSH agent", "take the keys that the SSH agent holds, too"),
		toggle(access, keyKeyOptions, "Key options", "take keys that have options, such as command=…"),
		toggle(access, keyNoLogin, "No login", "nobody can log in, and this is meant"),
		in(ours, toggle(access, keyHostKey, "Host key", "give the SSH server a key that this console knows, instead of one of each boot")),

		notClassic(text(network, keyHostname, "Hostname", "name of the machine; {node} is the node's where each is served its own")),
		notClassic(text(network, keyKeyFiles, "Keyfiles", "connections of NetworkManager, or folders of .nmconnection files, with commas")),
		notClassic(text(network, keyIPOptions, "ip= options", "kernel arguments for the network of the installed system, such as ip=dhcp6, with blanks")),
		notClassic(choice(network, keyCopyNetwork, "Copy network", "take the ramdisk's network over to the installed system; auto does with keyfiles",
			names(ignition.CopyNetworks())...)),
		notClassic(text(network, keyHTTPProxy, "HTTP proxy", "proxy for http")),
		notClassic(text(network, keyHTTPSProxy, "HTTPS proxy", "proxy for https")),
		notClassic(text(network, keyNoProxy, "No proxy", "hosts, domains and networks without a proxy, with commas")),
		notClassic(text(network, keyNTP, "NTP servers", "time servers, with commas")),
		notClassic(text(network, keyVLANs, "VLANs", "IFACE.ID, an interface, a MAC or all, with commas")),

		in(metal3, text(extra, keyNMState, "nmstate", "file with the output of nmstatectl gc")),
		in(metal3, text(extra, keyRegFile, "registries.conf", "file for podman on the ramdisk")),
		notClassic(text(extra, keyExtra, "Merge", "Ignition or Butane to merge in; what it says wins")),
	}
}

func names[T ~string](list []T) []string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = string(one)
	}
	return texts
}

// valuesOf are the fields' values for inputs.
func valuesOf(in prepare.Inputs) map[string]string {
	or := func(value, otherwise string) string {
		if value == "" {
			return otherwise
		}
		return value
	}
	urls := in.IronicURLs
	if len(urls) == 0 && in.Host != "" {
		urls = []string{in.Host}
	}
	return map[string]string{
		keyProfile: or(in.Profile, string(ignition.ProfileDefault)), keyURL: joinList(urls), keyTLS: or(in.TLS, auto), keyCA: in.CAFile,
		keyImage: in.Image, keyRegistry: in.Registry, keyInsecure: strconv.FormatBool(in.InsecureRegistry),
		keyRegistries: joinList(in.Registries), keyPullSecret: in.PullSecretFile,
		keySSHFiles: joinList(in.SSHKeyFiles), keySSHKeys: strings.Join(in.SSHKeys, ", "), keySSHAgent: strconv.FormatBool(in.SSHAgent),
		keyKeyOptions: strconv.FormatBool(in.AllowKeyOptions), keyNoLogin: strconv.FormatBool(in.NoLogin),
		keyHostname: in.Hostname, keyKeyFiles: joinList(in.KeyFiles), keyIPOptions: strings.Join(in.IPOptions, " "),
		keyCopyNetwork: or(in.CopyNetwork, auto), keyHTTPProxy: in.HTTPProxy, keyHTTPSProxy: in.HTTPSProxy, keyNoProxy: joinList(in.NoProxy),
		keyNTP: joinList(in.NTPServers), keyVLANs: joinList(in.VLANs), keyCollectors: joinList(in.Collectors),
		keyCallback: in.InspectionCallback, keyOptions: joinList(in.Options), keyDebug: strconv.FormatBool(in.Debug),
		keyPush: in.JournalPush, keyHostKey: strconv.FormatBool(in.SSHHostKey),
		keyExtra: in.ExtraFile, keyNMState: in.NMStateFile, keyRegFile: in.RegistriesFile,
	}
}

// inputsOf are the inputs of the fields that the profile has: what is written in others
// stays there for when they are seen again.
func inputsOf(values map[string]string) prepare.Inputs {
	profile := profileOf(values)
	seen := map[string]string{}
	for _, s := range specs(profile, "") {
		if (s.only == "" || s.only == profile) && (s.not == "" || s.not != profile) {
			seen[s.Key] = strings.TrimSpace(values[s.Key])
		}
	}
	on := func(key string) bool { return seen[key] == strconv.FormatBool(true) }
	chosen := func(key string) string {
		if seen[key] == auto {
			return ""
		}
		return seen[key]
	}
	in := prepare.Inputs{
		Profile: string(profile), IronicURLs: splitList(seen[keyURL]), TLS: chosen(keyTLS), CAFile: seen[keyCA], Image: seen[keyImage],
		Registries: splitList(seen[keyRegistries]), PullSecretFile: seen[keyPullSecret], SSHKeyFiles: splitList(seen[keySSHFiles]),
		SSHKeys: splitKeys(seen[keySSHKeys]), SSHAgent: on(keySSHAgent), AllowKeyOptions: on(keyKeyOptions), NoLogin: on(keyNoLogin),
		Hostname: seen[keyHostname], KeyFiles: splitList(seen[keyKeyFiles]), IPOptions: strings.Fields(seen[keyIPOptions]),
		CopyNetwork: chosen(keyCopyNetwork), HTTPProxy: seen[keyHTTPProxy], HTTPSProxy: seen[keyHTTPSProxy], NoProxy: splitList(seen[keyNoProxy]),
		NTPServers: splitList(seen[keyNTP]), VLANs: splitList(seen[keyVLANs]), Collectors: splitList(seen[keyCollectors]),
		InspectionCallback: seen[keyCallback], Options: splitList(seen[keyOptions]), Debug: on(keyDebug), ExtraFile: seen[keyExtra],
		JournalPush: seen[keyPush], SSHHostKey: on(keyHostKey),
		Registry: seen[keyRegistry], InsecureRegistry: on(keyInsecure), NMStateFile: seen[keyNMState], RegistriesFile: seen[keyRegFile],
	}
	if profile == ignition.ProfileClassic {
		in.Host, in.IronicURLs = seen[keyURL], nil
	}
	return in
}

// fieldOf is the key of the field in which an input was written.
func fieldOf(e *ignition.InputError, values map[string]string) string {
	if e.Field == ignition.FieldRegistry {
		if profileOf(values) == ignition.ProfileClassic {
			return keyRegistry
		}
		return keyRegistries
	}
	for _, other := range map[ignition.RamdiskField][]string{
		ignition.FieldProxy:  {keyHTTPProxy, keyHTTPSProxy, keyNoProxy},
		ignition.FieldSSHKey: {keySSHFiles, keySSHKeys},
	}[e.Field] {
		// Where several fields make one input, it is the first that has something in it.
		if values[other] != "" {
			return other
		}
	}
	return string(e.Field)
}

// splitList takes a list apart at its commas; quotes keep one in an item.
func splitList(list string) []string {
	var items []string
	var item strings.Builder
	quoted := false
	add := func() {
		one := strings.TrimSpace(item.String())
		if strings.Contains(one, ",") && len(one) > 1 && one[0] == '"' && one[len(one)-1] == '"' {
			one = one[1 : len(one)-1]
		}
		if one != "" {
			items = append(items, one)
		}
		item.Reset()
	}
	for _, r := range list {
		switch {
		case r == ',' && !quoted:
			add()
			continue
		case r == '"':
			quoted = !quoted
		}
		item.WriteRune(r)
	}
	add()
	return items
}

// joinList is a list as splitList reads it.
func joinList(items []string) string {
	texts := slices.Clone(items)
	for i, item := range texts {
		if strings.Contains(item, ",") {
			texts[i] = `"` + item + `"`
		}
	}
	return strings.Join(texts, ", ")
}

// splitKeys takes a list of public keys apart: at the commas that a key follows, since
// options and comments of keys have some, too.
func splitKeys(list string) []string {
	var keys []string
	for _, part := range strings.Split(list, ",") {
		trimmed := strings.TrimSpace(part)
		begins := strings.HasPrefix(trimmed, "ssh-") || strings.HasPrefix(trimmed, "ecdsa-") || strings.HasPrefix(trimmed, "sk-")
		if len(keys) > 0 && !begins {
			keys[len(keys)-1] += "," + part
		} else if trimmed != "" {
			keys = append(keys, trimmed)
		}
	}
	return keys
}
