package ramdisk

import (
	"slices"
	"strconv"
	"strings"

	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

// The keys of the form's fields. Inputs with one field use the input's name, so that errors find their field.
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

// auto stands for an empty value.
const auto = "auto"

func profileOf(values map[string]string) ignition.Profile {
	return ignition.Profile(values[keyProfile])
}

// spec is a field with its profiles; nil means all.
type spec struct {
	form.Field
	only, not ignition.Profile
}

// fieldsFor returns the fields of a profile with their values. ironic is the default address.
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

func textField(section, key, label, help string) spec {
	return spec{Field: form.Field{Key: key, Label: label, Section: section, Help: help}}
}

func choice(section, key, label, help string, options ...string) spec {
	s := textField(section, key, label, help)
	s.Kind, s.Options = form.Choice, options
	return s
}

func toggle(section, key, label, help string) spec {
	s := textField(section, key, label, help)
	s.Kind = form.Toggle
	return s
}

// hint adds a placeholder to a field.
func hint(placeholder string, s spec) spec {
	s.Placeholder = placeholder
	return s
}

// file completes a path, files the last path of a list.
func file(s spec) spec {
	s.Complete = screen.InFolder("")
	return s
}

func files(s spec) spec {
	s.Complete = func(typed string) []string {
		list := typed[:strings.LastIndexByte(typed, ',')+1]
		list += typed[len(list) : len(typed)-len(strings.TrimLeft(typed[len(list):], " "))]
		found := screen.Paths("", typed[len(list):])
		for i := range found {
			found[i] = list + found[i]
		}
		return found
	}
	return s
}

// in limits a field to one profile, notClassic to all but the classic one of build.py.
func in(p ignition.Profile, s spec) spec {
	s.only = p
	return s
}

func notClassic(s spec) spec {
	s.not = classic
	return s
}

func specs(profile ignition.Profile, ironic string) []spec {
	urlHelp := textIronicHelp
	modes := []string{auto}
	for _, m := range ignition.TLSModes() {
		modes = append(modes, string(m))
	}
	if profile == classic {
		urlHelp, ironic = textHostHelp, ""
		modes = []string{auto, "off", "on", "insecure"}
	}
	return []spec{
		choice(ironics, keyProfile, "Profile", textStyleHelp,
			names(ignition.Profiles())...),
		hint(ironic, textField(ironics, keyURL, "Ironic", urlHelp)),
		choice(ironics, keyTLS, "TLS", textVerifyHelp, modes...),
		notClassic(file(textField(ironics, keyCA, "CA file", textCAHelp))),

		in(classic, textField(agents, keyRegistry, "Registry", textRegistryHelp)),
		in(classic, toggle(agents, keyInsecure, "Insecure", textInsecureHelp)),
		notClassic(hint(ignition.DefaultAgentImage, textField(agents, keyImage, "Image", textImageHelp))),
		notClassic(textField(agents, keyRegistries, "Registries", textRegistriesHelp)),
		notClassic(file(textField(agents, keyPullSecret, "Pull secret", textPullSecretHelp))),
		textField(agents, keyOptions, "Options", textSettingsHelp),
		notClassic(toggle(agents, keyDebug, "Debug", textDebugHelp)),
		notClassic(textField(agents, keyCollectors, "Collectors", textCollectorsHelp)),
		notClassic(textField(agents, keyCallback, "Callback", textInspectHelp)),

		in(ours, hint("https://HOST:PORT", textField(agents, keyPush, "Journal push", textJournalHelp))),

		hint("~/.ssh/*.pub, else the agent's", files(textField(access, keySSHFiles, "Key files", textKeyFilesHelp))),
		textField(access, keySSHKeys, "Keys", textKeysHelp),
		toggle(access, keySSHAgent, "SSH agent", textAgentKeysHelp),
		toggle(access, keyKeyOptions, "Key options", textKeyOptionsHelp),
		toggle(access, keyNoLogin, "No login", textNoLoginHelp),
		in(ours, toggle(access, keyHostKey, "Host key", textHostKeyHelp)),

		notClassic(textField(network, keyHostname, "Hostname", textHostnameHelp)),
		notClassic(files(textField(network, keyKeyFiles, "Keyfiles", textKeyfilesHelp))),
		notClassic(textField(network, keyIPOptions, textIPHelp, textIPArgsHelp)),
		notClassic(choice(network, keyCopyNetwork, "Copy network", textCopyNetHelp,
			names(ignition.CopyNetworks())...)),
		notClassic(textField(network, keyHTTPProxy, "HTTP proxy", "proxy for http")),
		notClassic(textField(network, keyHTTPSProxy, "HTTPS proxy", "proxy for https")),
		notClassic(textField(network, keyNoProxy, "No proxy", textNoProxyHelp)),
		notClassic(textField(network, keyNTP, "NTP servers", textNTPHelp)),
		notClassic(textField(network, keyVLANs, "VLANs", textVLANHelp)),

		in(metal3, file(textField(extra, keyNMState, "nmstate", textNmstateHelp))),
		in(metal3, file(textField(extra, keyRegFile, "registries.conf", textPodmanHelp))),
		notClassic(file(textField(extra, keyExtra, "Merge", textMergeHelp))),
	}
}

func names[T ~string](list []T) []string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = string(one)
	}
	return texts
}

// valuesOf returns the form's values for inputs.
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

// inputsOf returns the inputs of the profile's fields. Values of other fields stay in the form.
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

// fieldOf returns the key of the field that an input came from.
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
		// If several fields make one input, the first with a value is it.
		if values[other] != "" {
			return other
		}
	}
	return string(e.Field)
}

// splitList splits at commas outside quotes.
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

// joinList is the inverse of splitList.
func joinList(items []string) string {
	texts := slices.Clone(items)
	for i, item := range texts {
		if strings.Contains(item, ",") {
			texts[i] = `"` + item + `"`
		}
	}
	return strings.Join(texts, ", ")
}

// splitKeys splits a list of public keys at commas that a key follows, because options and comments of keys
// contain commas too.
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
