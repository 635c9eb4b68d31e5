package ramdisk

import (
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

// spec describes a form field. Its only member, if not empty, names the one profile whose form contains the field.
// Its not member, if not empty, names a profile whose form lacks the field.
type spec struct {
	form.Field
	only, not ignition.Profile
	// agent is the only agent that the field applies to; "" means all agents.
	agent ignition.AgentKind
}

// shown reports whether a form with the given values contains the field.
func (s spec) shown(values map[string]string) bool {
	profile := profileOf(values)
	agent := ignition.AgentContainer
	if profile == profileDefault && values[keyAgent] == string(ignition.AgentBuiltin) {
		agent = ignition.AgentBuiltin
	}
	return (s.only == "" || s.only == profile) && (s.not == "" || s.not != profile) && (s.agent == "" || s.agent == agent)
}

// fieldsFor returns the form fields of the selected profile, filled in with the given values. ironic is the default
// address of Ironic.
func fieldsFor(values map[string]string, ironic string) []form.Field {
	profile := profileOf(values)
	var fields []form.Field
	for _, s := range specs(profile, ironic) {
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

// hint returns s with a placeholder.
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

func specs(profile ignition.Profile, ironic string) []spec {
	urlHelp := textIronicHelp
	modes := append([]string{auto}, models.Texts(ignition.TLSModes())...)
	if profile == profileClassic {
		urlHelp, ironic = textHostHelp, ""
		modes = []string{auto, "off", "on", "insecure"}
	}
	return []spec{
		choice(ironics, keyProfile, "Profile", textStyleHelp,
			models.Texts(ignition.Profiles())...),
		hint(ironic, textField(ironics, keyURL, "Ironic", urlHelp)),
		choice(ironics, keyTLS, "TLS", textVerifyHelp, modes...),
		notClassic(file(textField(ironics, keyCA, "CA file", textCAHelp))),

		onlyProfile(profileClassic, textField(agents, keyRegistry, "Registry", textRegistryHelp)),
		onlyProfile(profileClassic, toggle(agents, keyInsecure, "Insecure", textInsecureHelp)),
		onlyProfile(profileDefault, choice(agents, keyAgent, "Agent", textAgentHelp, models.Texts(ignition.AgentKinds())...)),
		onlyAgent(ignition.AgentBuiltin, hint("beside ironworks", file(textField(agents, keyAgentBinary, "Program", textProgramHelp)))),
		onlyAgent(ignition.AgentBuiltin, hint("served with the image", textField(agents, keyAgentURL, "Program URL", textProgramURLHelp))),
		onlyAgent(ignition.AgentBuiltin, toggle(agents, keyAgentEmbed, "Embed", textIncludeHelp)),
		onlyAgent(ignition.AgentContainer, notClassic(hint(ignition.DefaultAgentImage, textField(agents, keyImage, "Image", textImageHelp)))),
		onlyAgent(ignition.AgentContainer, notClassic(textField(agents, keyRegistries, "Registries", textRegistriesHelp))),
		onlyAgent(ignition.AgentContainer, notClassic(file(textField(agents, keyPullSecret, "Pull secret", textPullSecretHelp)))),
		textField(agents, keyOptions, "Options", textSettingsHelp),
		notClassic(toggle(agents, keyDebug, "Debug", textDebugHelp)),
		notClassic(textField(agents, keyCollectors, "Collectors", textCollectorsHelp)),
		notClassic(textField(agents, keyCallback, "Callback", textInspectHelp)),

		onlyProfile(profileDefault, hint("https://HOST:PORT", textField(agents, keyPush, "Journal push", textJournalHelp))),

		hint("~/.ssh/*.pub, else the SSH agent's", files(textField(access, keySSHFiles, "Key files", textKeyFilesHelp))),
		textField(access, keySSHKeys, "Keys", textKeysHelp),
		toggle(access, keySSHAgent, "SSH agent", textAgentKeysHelp),
		toggle(access, keyKeyOptions, "Key options", textKeyOptionsHelp),
		toggle(access, keyNoLogin, "No login", textNoLoginHelp),
		onlyProfile(profileDefault, toggle(access, keyHostKey, "Host key", textHostKeyHelp)),

		notClassic(textField(network, keyHostname, "Hostname", textHostnameHelp)),
		notClassic(files(textField(network, keyKeyFiles, "Keyfiles", textKeyfilesHelp))),
		notClassic(textField(network, keyIPOptions, textIPHelp, textIPArgsHelp)),
		notClassic(choice(network, keyCopyNetwork, "Copy network", textCopyNetHelp,
			models.Texts(ignition.CopyNetworks())...)),
		notClassic(textField(network, keyHTTPProxy, "HTTP proxy", "proxy for http")),
		notClassic(textField(network, keyHTTPSProxy, "HTTPS proxy", "proxy for https")),
		notClassic(textField(network, keyNoProxy, "No proxy", textNoProxyHelp)),
		notClassic(textField(network, keyNTP, "NTP servers", textNTPHelp)),
		notClassic(textField(network, keyVLANs, "VLANs", textVLANHelp)),

		onlyProfile(profileMetal3, file(textField(extra, keyNMState, "nmstate", textNmstateHelp))),
		onlyProfile(profileMetal3, file(textField(extra, keyRegFile, "registries.conf", textPodmanHelp))),
		notClassic(file(textField(extra, keyExtra, "Merge", textMergeHelp))),
	}
}
