package ramdisk

import (
	"slices"
	"strconv"
	"strings"

	"ironworks/ignition"
	"ironworks/ignition/prepare"
)

// valuesOf converts inputs to the values of the form.
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
		keyAgent: or(in.Agent, string(ignition.AgentContainer)), keyAgentURL: in.AgentURL, keyAgentBinary: in.AgentBinary,
		keyAgentEmbed: strconv.FormatBool(in.AgentEmbed),
		keyImage:      in.Image, keyRegistry: in.Registry, keyInsecure: strconv.FormatBool(in.InsecureRegistry),
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

// inputsOf converts the values of the form to inputs. It uses only the fields that the profile and the agent have;
// the values of other fields stay in the form.
func inputsOf(values map[string]string) prepare.Inputs {
	profile := profileOf(values)
	seen := map[string]string{}
	for _, s := range specs(profile, "") {
		if s.shown(values) {
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
	if seen[keyAgent] == string(ignition.AgentBuiltin) {
		in.Agent, in.AgentURL, in.AgentBinary, in.AgentEmbed = seen[keyAgent], seen[keyAgentURL], seen[keyAgentBinary], on(keyAgentEmbed)
	}
	if profile == ignition.ProfileClassic {
		in.Host, in.IronicURLs = seen[keyURL], nil
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

// splitKeys splits a list of public keys. It splits only at commas that are followed by a key, because the options
// and comments of a key may also contain commas.
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
