package ramdisk

import (
	"slices"
	"strconv"
	"strings"

	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/models"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

// The keys of the form's fields are names of inputs, so that errors can be shown at the field. These are the other
// keys, for inputs that package ignition does not name. [prepare.Flag] derives the flags from the keys.
const (
	keyInsecure   ignition.RamdiskField = "insecure registry"
	keyRegistries ignition.RamdiskField = "registry tls"
	keySSHKeys    ignition.RamdiskField = "ssh keys"
	keySSHAgent   ignition.RamdiskField = "ssh agent"
	keyKeyOptions ignition.RamdiskField = "allow key options"
	keyNoLogin    ignition.RamdiskField = "no ssh key"
	keyHTTPSProxy ignition.RamdiskField = "https proxy"
	keyNoProxy    ignition.RamdiskField = "no proxy"
	keyDebug      ignition.RamdiskField = "debug"
)

// auto is the choice that represents an empty value.
const auto = "auto"

func profileOf(values map[string]string) ignition.Profile {
	return ignition.Profile(values[string(ignition.FieldProfile)])
}

func agentOf(values map[string]string) ignition.AgentKind {
	return ignition.AgentKind(values[string(ignition.FieldAgent)])
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
	// One of text, on and list is the input. empty is the value of the field for an empty input. split converts the value
	// of the field to a list. If commas is set, the flag takes the whole list, otherwise it is repeated.
	text   *string
	empty  string
	on     *bool
	list   *[]string
	split  func(string) []string
	commas bool
}

func (s spec) shown(values map[string]string) bool {
	profile := profileOf(values)
	agent := ignition.AgentContainer
	if profile == ignition.ProfileDefault && agentOf(values) == ignition.AgentBuiltin {
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

func textField(section string, key ignition.RamdiskField, label, help string, to *string) spec {
	field := form.Field{Key: string(key), Label: label, Section: section, Help: help}
	return spec{Field: field, flag: prepare.Flag(key), text: to}
}

func choice(
	section string, key ignition.RamdiskField, label, help string, to *string, empty string, options ...string,
) spec {
	s := textField(section, key, label, help, to)
	s.Kind, s.Options, s.empty = form.Choice, options, empty
	return s
}

func toggle(section string, key ignition.RamdiskField, label, help string, to *bool) spec {
	s := textField(section, key, label, help, nil)
	s.Kind, s.on, s.empty = form.Toggle, to, strconv.FormatBool(false)
	return s
}

// list returns a field for a list whose items are separated by commas.
func list(section string, key ignition.RamdiskField, label, help string, to *[]string) spec {
	s := textField(section, key, label, help, nil)
	s.list, s.split = to, splitList
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
	s.not = ignition.ProfileClassic
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
	if profile == ignition.ProfileClassic {
		urlHelp, ironic = "value of build.py --host: name or address", ""
		modes = append([]string{auto}, models.Texts(ignition.ClassicTLSModes())...)
	}
	keys := list(access, keySSHKeys, "Keys", "public keys, comma-separated", &in.SSHKeys)
	keys.flag, keys.split = "--ssh-key", splitKeys
	options := list(network, ignition.FieldIPOption, "ip= options", textIPArgsHelp, &in.IPOptions)
	options.split = strings.Fields
	return []spec{
		choice(ironics, ignition.FieldProfile, "Profile", textStyleHelp, &in.Profile, string(ignition.ProfileDefault),
			models.Texts(ignition.Profiles())...),
		hint(ironic, list(ironics, ignition.FieldIronicURL, "Ironic", urlHelp, &in.IronicURLs)),
		choice(ironics, ignition.FieldTLS, "TLS", textVerifyHelp, &in.TLS, auto, modes...),
		notClassic(file(textField(ironics, ignition.FieldCA, "CA file", textCAHelp, &in.CAFile))),
		onlyProfile(ignition.ProfileClassic,
			textField(agents, ignition.FieldRegistry, "Registry", textRegistryHelp, &in.Registry)),
		onlyProfile(ignition.ProfileClassic, toggle(agents, keyInsecure, "Insecure", textInsecureHelp, &in.InsecureRegistry)),
		onlyProfile(ignition.ProfileDefault, choice(agents, ignition.FieldAgent, "Agent", textAgentHelp, &in.Agent,
			string(ignition.AgentContainer), models.Texts(ignition.AgentKinds())...)),
		onlyAgent(ignition.AgentBuiltin, hint("beside ironworks",
			file(textField(agents, ignition.FieldAgentBinary, "Program", textProgramHelp, &in.AgentBinary)))),
		onlyAgent(ignition.AgentBuiltin, hint("served with the image",
			textField(agents, ignition.FieldAgentURL, "Program URL", textProgramURLHelp, &in.AgentURL))),
		onlyAgent(ignition.AgentBuiltin, toggle(agents, ignition.FieldAgentEmbed, "Embed", textIncludeHelp, &in.AgentEmbed)),
		onlyAgent(ignition.AgentContainer, notClassic(hint(ignition.DefaultAgentImage,
			textField(agents, ignition.FieldImage, "Image", textImageHelp, &in.Image)))),
		onlyAgent(ignition.AgentContainer, notClassic(
			list(agents, keyRegistries, "Registries", textRegistriesHelp, &in.Registries))),
		onlyAgent(ignition.AgentContainer, notClassic(file(
			textField(agents, ignition.FieldPullSecret, "Pull secret", textPullSecretHelp, &in.PullSecretFile)))),
		list(agents, ignition.FieldOption, "Options", textSettingsHelp, &in.Options),
		notClassic(toggle(agents, keyDebug, "Debug", textDebugHelp, &in.Debug)),
		notClassic(commas(list(agents, ignition.FieldCollector, "Collectors", textCollectorsHelp, &in.Collectors))),
		notClassic(textField(agents, ignition.FieldCallback, "Callback", textInspectHelp, &in.InspectionCallback)),
		onlyProfile(ignition.ProfileDefault, hint("https://HOST:PORT",
			textField(agents, ignition.FieldJournalPush, "Journal push", textJournalHelp, &in.JournalPush))),
		hint("~/.ssh/*.pub, else the SSH agent's", files(
			list(access, ignition.FieldSSHKey, "Key files", textKeyFilesHelp, &in.SSHKeyFiles))),
		keys,
		toggle(access, keySSHAgent, "SSH agent", "also use keys from the SSH agent", &in.SSHAgent),
		toggle(access, keyKeyOptions, "Key options", textKeyOptionsHelp, &in.AllowKeyOptions),
		toggle(access, keyNoLogin, "No login", "confirm that no login is possible", &in.NoLogin),
		onlyProfile(ignition.ProfileDefault,
			toggle(access, ignition.FieldSSHHostKey, "Host key", textHostKeyHelp, &in.SSHHostKey)),
		notClassic(textField(network, ignition.FieldHostname, "Hostname", textHostnameHelp, &in.Hostname)),
		notClassic(files(list(network, ignition.FieldKeyFile, "Keyfiles", textKeyfilesHelp, &in.KeyFiles))),
		notClassic(options),
		notClassic(choice(network, ignition.FieldCopyNetwork, "Copy network", textCopyNetHelp, &in.CopyNetwork, auto,
			models.Texts(ignition.CopyNetworks())...)),
		notClassic(textField(network, ignition.FieldProxy, "HTTP proxy", "proxy for http", &in.HTTPProxy)),
		notClassic(textField(network, keyHTTPSProxy, "HTTPS proxy", "proxy for https", &in.HTTPSProxy)),
		notClassic(commas(list(network, keyNoProxy, "No proxy", textNoProxyHelp, &in.NoProxy))),
		notClassic(list(network, ignition.FieldNTP, "NTP servers", textNTPHelp, &in.NTPServers)),
		notClassic(commas(list(network, ignition.FieldVLAN, "VLANs", textVLANHelp, &in.VLANs))),
		onlyProfile(ignition.ProfileMetal3, file(
			textField(extra, prepare.FieldNMState, "nmstate", textNmstateHelp, &in.NMStateFile))),
		onlyProfile(ignition.ProfileMetal3, file(
			textField(extra, prepare.FieldRegistriesFile, "registries.conf", textPodmanHelp, &in.RegistriesFile))),
		notClassic(file(textField(extra, ignition.FieldExtra, "Merge", textMergeHelp, &in.ExtraFile))),
	}
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

// emptyValues returns the values of the form before the operator changes them.
func emptyValues() map[string]string {
	values := map[string]string{}
	for _, s := range specs("", "", &prepare.Inputs{}) {
		values[s.Key] = s.empty
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
	in.Profile = values[string(ignition.FieldProfile)]
	host := strings.TrimSpace(values[string(ignition.FieldIronicURL)])
	if in.Profile == string(ignition.ProfileClassic) && host != "" {
		in.IronicURLs = []string{host} // build.py takes one host, and copies it unchanged
	}
	return in
}

// fieldOf returns the key of the form field that the invalid input came from.
func fieldOf(e *ignition.InputError, values map[string]string) string {
	if e.Field == ignition.FieldRegistry && profileOf(values) != ignition.ProfileClassic {
		return string(keyRegistries)
	}
	for _, other := range map[ignition.RamdiskField][]ignition.RamdiskField{
		ignition.FieldProxy:  {ignition.FieldProxy, keyHTTPSProxy, keyNoProxy},
		ignition.FieldSSHKey: {ignition.FieldSSHKey, keySSHKeys},
	}[e.Field] {
		// If several fields set one input, the first field that is not empty is returned.
		if values[string(other)] != "" {
			return string(other)
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
