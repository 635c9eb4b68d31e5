package ramdisk

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/models"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

// The keys of the form's fields. If an input has only one field, the key is the input's name, so that errors can be
// shown at the field.
const (
	keyProfile     = string(ignition.FieldProfile)
	keyURL         = string(ignition.FieldIronicURL)
	keyTLS         = string(ignition.FieldTLS)
	keyCA          = string(ignition.FieldCA)
	keyAgent       = string(ignition.FieldAgent)
	keyAgentURL    = string(ignition.FieldAgentURL)
	keyAgentEmbed  = string(ignition.FieldAgentEmbed)
	keyAgentBinary = string(ignition.FieldAgentBinary)
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

// auto is the choice that represents an empty value.
const auto = "auto"

func profileOf(values map[string]string) ignition.Profile {
	return ignition.Profile(values[keyProfile])
}

// spec describes a form field and the input that it sets. Its only member, if not empty, names the one profile whose
// form contains the field. Its not member, if not empty, names a profile whose form lacks the field.
type spec struct {
	form.Field
	only, not ignition.Profile
	// agent is the only agent that the field applies to; "" means all agents.
	agent ignition.AgentKind
	// flag is the flag of "ironworks ignition build" that sets the same input.
	flag string
	// One of these is the input. empty is the choice that represents an empty text. split and join convert a list from
	// and to the value of the field. If commas is set, the flag takes the whole list, otherwise it is repeated.
	text   *string
	empty  string
	on     *bool
	list   *[]string
	split  func(string) []string
	join   func([]string) string
	commas bool
}

func (s spec) shown(values map[string]string) bool {
	profile := profileOf(values)
	agent := ignition.AgentContainer
	if profile == profileDefault && values[keyAgent] == string(ignition.AgentBuiltin) {
		agent = ignition.AgentBuiltin
	}
	return (s.only == "" || s.only == profile) && (s.not == "" || s.not != profile) && (s.agent == "" || s.agent == agent)
}

// fieldsFor returns the profile's fields with the given values. ironic is the default address of Ironic.
func fieldsFor(values map[string]string, ironic string) []form.Field {
	profile := profileOf(values)
	var fields []form.Field
	for _, s := range specs(profile, ironic, &prepare.Inputs{}) {
		if !s.shown(values) {
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
	profileDefault = ignition.ProfileDefault
	profileClassic = ignition.ProfileClassic
	profileMetal3  = ignition.ProfileMetal3
)

func textField(section, key, label, help, flag string, to *string) spec {
	return spec{Field: form.Field{Key: key, Label: label, Section: section, Help: help}, flag: flag, text: to}
}

func choice(section, key, label, help, flag string, to *string, empty string, options ...string) spec {
	s := textField(section, key, label, help, flag, to)
	s.Kind, s.Options, s.empty = form.Choice, options, empty
	return s
}

func toggle(section, key, label, help, flag string, to *bool) spec {
	s := textField(section, key, label, help, flag, nil)
	s.Kind, s.on = form.Toggle, to
	return s
}

// list returns a field for a list whose items are separated by commas.
func list(section, key, label, help, flag string, to *[]string) spec {
	s := textField(section, key, label, help, flag, nil)
	s.list, s.split, s.join = to, splitList, joinList
	return s
}

// commas makes s pass its whole list to one flag.
func commas(s spec) spec {
	s.commas = true
	return s
}

func hint(placeholder string, s spec) spec {
	s.Placeholder = placeholder
	return s
}

// file makes s complete the typed path. files makes s complete the last path in a typed list.
func file(s spec) spec {
	s.Files = screen.InFolder("")
	return s
}

func files(s spec) spec {
	s.Files = &form.Files{Complete: func(typed string) []string {
		list := typed[:strings.LastIndexByte(typed, ',')+1]
		list += typed[len(list) : len(typed)-len(strings.TrimLeft(typed[len(list):], " "))]
		found := screen.Paths("", typed[len(list):])
		for i := range found {
			found[i] = list + found[i]
		}
		return found
	}}
	return s
}

// onlyProfile makes s appear only in the form of profile p. notClassic hides s in the form of the classic profile,
// which corresponds to build.py.
func onlyProfile(p ignition.Profile, s spec) spec {
	s.only = p
	return s
}

func notClassic(s spec) spec {
	s.not = profileClassic
	return s
}

// onlyAgent makes s appear only if the given agent is selected.
func onlyAgent(agent ignition.AgentKind, s spec) spec {
	s.agent = agent
	return s
}

// specs returns all fields. They are bound to the inputs in.
func specs(profile ignition.Profile, ironic string, in *prepare.Inputs) []spec {
	urlHelp := textIronicHelp
	modes := append([]string{auto}, models.Texts(ignition.TLSModes())...)
	if profile == profileClassic {
		urlHelp, ironic = "value of build.py --host: name or address", ""
		modes = []string{auto, "off", "on", "insecure"}
	}
	keys := list(access, keySSHKeys, "Keys", "public keys, comma-separated", "--ssh-key", &in.SSHKeys)
	keys.split, keys.join = splitKeys, func(keys []string) string { return strings.Join(keys, ", ") }
	options := list(network, keyIPOptions, "ip= options", textIPArgsHelp, "--ip-option", &in.IPOptions)
	options.split, options.join = strings.Fields, func(options []string) string { return strings.Join(options, " ") }
	return []spec{
		choice(ironics, keyProfile, "Profile", textStyleHelp, "--profile", &in.Profile, string(profileDefault),
			models.Texts(ignition.Profiles())...),
		hint(ironic, list(ironics, keyURL, "Ironic", urlHelp, "--host", &in.IronicURLs)),
		choice(ironics, keyTLS, "TLS", textVerifyHelp, "--tls", &in.TLS, auto, modes...),
		notClassic(file(textField(ironics, keyCA, "CA file", textCAHelp, "--ca", &in.CAFile))),
		onlyProfile(profileClassic, textField(agents, keyRegistry, "Registry", textRegistryHelp, "--registry", &in.Registry)),
		onlyProfile(profileClassic, toggle(agents, keyInsecure, "Insecure", textInsecureHelp, "--insecure-registry", &in.InsecureRegistry)),
		onlyProfile(profileDefault, choice(agents, keyAgent, "Agent", textAgentHelp, "--agent", &in.Agent, string(ignition.AgentContainer),
			models.Texts(ignition.AgentKinds())...)),
		onlyAgent(ignition.AgentBuiltin, hint("beside ironworks",
			file(textField(agents, keyAgentBinary, "Program", textProgramHelp, "--agent-binary", &in.AgentBinary)))),
		onlyAgent(ignition.AgentBuiltin, hint("served with the image",
			textField(agents, keyAgentURL, "Program URL", textProgramURLHelp, "--agent-url", &in.AgentURL))),
		onlyAgent(ignition.AgentBuiltin, toggle(agents, keyAgentEmbed, "Embed", textIncludeHelp, "--agent-embed", &in.AgentEmbed)),
		onlyAgent(ignition.AgentContainer, notClassic(hint(ignition.DefaultAgentImage,
			textField(agents, keyImage, "Image", textImageHelp, "--image", &in.Image)))),
		onlyAgent(ignition.AgentContainer, notClassic(
			list(agents, keyRegistries, "Registries", textRegistriesHelp, "--registry-tls", &in.Registries))),
		onlyAgent(ignition.AgentContainer, notClassic(file(
			textField(agents, keyPullSecret, "Pull secret", textPullSecretHelp, "--pull-secret", &in.PullSecretFile)))),
		list(agents, keyOptions, "Options", textSettingsHelp, "--option", &in.Options),
		notClassic(toggle(agents, keyDebug, "Debug", textDebugHelp, "--debug", &in.Debug)),
		notClassic(commas(list(agents, keyCollectors, "Collectors", textCollectorsHelp, "--collector", &in.Collectors))),
		notClassic(textField(agents, keyCallback, "Callback", textInspectHelp, "--inspection-callback", &in.InspectionCallback)),
		onlyProfile(profileDefault, hint("https://HOST:PORT",
			textField(agents, keyPush, "Journal push", textJournalHelp, "--journal-push", &in.JournalPush))),
		hint("~/.ssh/*.pub, else the SSH agent's", files(
			list(access, keySSHFiles, "Key files", textKeyFilesHelp, "--ssh-key", &in.SSHKeyFiles))),
		keys,
		toggle(access, keySSHAgent, "SSH agent", "also use keys from the SSH agent", "--ssh-agent", &in.SSHAgent),
		toggle(access, keyKeyOptions, "Key options", textKeyOptionsHelp, "--allow-key-options", &in.AllowKeyOptions),
		toggle(access, keyNoLogin, "No login", "confirm that no login is possible", "--no-ssh-key", &in.NoLogin),
		onlyProfile(profileDefault, toggle(access, keyHostKey, "Host key", textHostKeyHelp, "--ssh-host-key", &in.SSHHostKey)),
		notClassic(textField(network, keyHostname, "Hostname", textHostnameHelp, "--hostname", &in.Hostname)),
		notClassic(files(list(network, keyKeyFiles, "Keyfiles", textKeyfilesHelp, "--keyfile", &in.KeyFiles))),
		notClassic(options),
		notClassic(choice(network, keyCopyNetwork, "Copy network", textCopyNetHelp, "--copy-network", &in.CopyNetwork, auto,
			models.Texts(ignition.CopyNetworks())...)),
		notClassic(textField(network, keyHTTPProxy, "HTTP proxy", "proxy for http", "--http-proxy", &in.HTTPProxy)),
		notClassic(textField(network, keyHTTPSProxy, "HTTPS proxy", "proxy for https", "--https-proxy", &in.HTTPSProxy)),
		notClassic(commas(list(network, keyNoProxy, "No proxy", textNoProxyHelp, "--no-proxy", &in.NoProxy))),
		notClassic(list(network, keyNTP, "NTP servers", textNTPHelp, "--ntp-server", &in.NTPServers)),
		notClassic(commas(list(network, keyVLANs, "VLANs", textVLANHelp, "--vlan", &in.VLANs))),
		onlyProfile(profileMetal3, file(textField(extra, keyNMState, "nmstate", textNmstateHelp, "--nmstate", &in.NMStateFile))),
		onlyProfile(profileMetal3, file(
			textField(extra, keyRegFile, "registries.conf", textPodmanHelp, "--registries-conf", &in.RegistriesFile))),
		notClassic(file(textField(extra, keyExtra, "Merge", textMergeHelp, "--extra", &in.ExtraFile))),
	}
}

func (s spec) value() string {
	switch {
	case s.list != nil:
		return s.join(*s.list)
	case s.on != nil:
		return strconv.FormatBool(*s.on)
	}
	return cmp.Or(*s.text, s.empty)
}

// set sets the field's input, which must be empty, to the value of the field.
func (s spec) set(value string) {
	switch {
	case s.list != nil:
		*s.list = s.split(value)
	case s.on != nil:
		*s.on = value == strconv.FormatBool(true)
	case value != s.empty:
		*s.text = value
	}
}

// words returns the flags that pass the field's input to "ironworks ignition build".
func (s spec) words() []string {
	var values, words []string
	switch {
	case s.on != nil && *s.on:
		return []string{s.flag}
	case s.on != nil:
	case s.commas:
		values = []string{strings.Join(*s.list, ",")}
	case s.list != nil:
		values = *s.list
	case *s.text != s.empty:
		values = []string{*s.text}
	}
	for _, value := range values {
		if value != "" {
			words = append(words, s.flag, value)
		}
	}
	return words
}

func valuesOf(in prepare.Inputs) map[string]string {
	if len(in.IronicURLs) == 0 && in.Host != "" {
		in.IronicURLs = []string{in.Host}
	}
	values := map[string]string{}
	for _, s := range specs("", "", &in) {
		values[s.Key] = s.value()
	}
	return values
}

// inputsOf converts the values of the form to inputs. It omits fields that the profile or the agent lacks; their values
// stay in the form.
func inputsOf(values map[string]string) prepare.Inputs {
	var in prepare.Inputs
	for _, s := range specs("", "", &in) {
		if s.shown(values) {
			s.set(strings.TrimSpace(values[s.Key]))
		}
	}
	in.Profile = values[keyProfile]
	if profileOf(values) == ignition.ProfileClassic {
		in.Host, in.IronicURLs = strings.TrimSpace(values[keyURL]), nil
	}
	return in
}

// fieldOf returns the key of the form field that the invalid input came from.
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
		// If several fields set one input, the first field that is not empty is returned.
		if values[other] != "" {
			return other
		}
	}
	return string(e.Field)
}

// splitList splits a list at the commas that are not inside quotes.
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

// joinList is the inverse of splitList: it quotes items that contain a comma.
func joinList(items []string) string {
	texts := slices.Clone(items)
	for i, item := range texts {
		if strings.Contains(item, ",") {
			texts[i] = `"` + item + `"`
		}
	}
	return strings.Join(texts, ", ")
}

// splitKeys splits at commas that are followed by a key, because options and comments may contain commas.
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
