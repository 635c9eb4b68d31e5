package ramdisk

import (
	"strings"

	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/ui/screen"
)

// Copies returns what the current tab offers for copying. On the File tab, this is the current problem, the report,
// the path of the file, and the command line that checks the file. On the other tabs, it is the served addresses, the
// configuration, and the command line that builds the configuration.
func (s *Screen) Copies() []screen.Copyable {
	var list []screen.Copyable
	addShaped := func(name, text string, shape screen.Shape) {
		if text != "" {
			list = append(list, screen.Copyable{Name: name, Text: text, Shape: shape})
		}
	}
	add := func(name, text string) { addShaped(name, text, screen.OneLine) }
	if s.tab == tabFile {
		if s.bench.File == "" {
			return nil
		}
		if s.check.known && s.check.problem < len(s.check.report.Problems) {
			add("problem", s.check.report.Problems[s.check.problem].String())
		}
		var facts []string
		for _, line := range s.check.facts {
			text := ""
			for _, span := range line {
				text += span.Text
			}
			facts = append(facts, strings.TrimRight(text, " "))
		}
		addShaped("report", strings.Join(facts, "\n"), screen.Lines)
		add("path", s.bench.File)
		add("command", s.command("ignition", "check", s.bench.File))
		return list
	}
	if s.bench.Serving != nil {
		for _, target := range s.bench.Serving.Targets() {
			for _, a := range addresses(target) {
				add(strings.TrimSpace(target.Node.Label()+" "+a.Name), a.Text)
			}
		}
	}
	add("command", s.command(append([]string{"ignition", "build"}, buildWords(inputsOf(s.bench.Values))...)...))
	addShaped("configuration, secrets masked", s.built.Preview.Text, screen.Lines)
	return list
}

// command returns the command line that runs the program with args, including the flags that select the current
// context.
func (s *Screen) command(args ...string) string { return s.env.CommandLine(args...) }

// buildWords returns the flags that pass the inputs to "ironworks ignition build".
func buildWords(in prepare.Inputs) []string {
	var words []string
	one := func(flag, value string) {
		if value != "" {
			words = append(words, flag, value)
		}
	}
	each := func(flag string, values []string) {
		for _, value := range values {
			one(flag, value)
		}
	}
	on := func(flag string, set bool) {
		if set {
			words = append(words, flag)
		}
	}
	if in.Profile != string(ignition.ProfileDefault) {
		one("--profile", in.Profile)
	}
	one("--host", in.Host)
	each("--host", in.IronicURLs)
	one("--tls", in.TLS)
	one("--ca", in.CAFile)
	words = append(words, agentWords(in)...)
	one("--image", in.Image)
	one("--registry", in.Registry)
	on("--insecure-registry", in.InsecureRegistry)
	each("--registry-tls", in.Registries)
	one("--pull-secret", in.PullSecretFile)
	each("--ssh-key", in.SSHKeyFiles)
	each("--ssh-key", in.SSHKeys)
	on("--ssh-agent", in.SSHAgent)
	on("--allow-key-options", in.AllowKeyOptions)
	on("--no-ssh-key", in.NoLogin)
	one("--hostname", in.Hostname)
	each("--keyfile", in.KeyFiles)
	each("--ip-option", in.IPOptions)
	if in.CopyNetwork != string(ignition.CopyNetworkAuto) {
		one("--copy-network", in.CopyNetwork)
	}
	one("--http-proxy", in.HTTPProxy)
	one("--https-proxy", in.HTTPSProxy)
	one("--no-proxy", strings.Join(in.NoProxy, ","))
	each("--ntp-server", in.NTPServers)
	one("--vlan", strings.Join(in.VLANs, ","))
	one("--collector", strings.Join(in.Collectors, ","))
	one("--inspection-callback", in.InspectionCallback)
	each("--option", in.Options)
	on("--debug", in.Debug)
	one("--journal-push", in.JournalPush)
	on("--ssh-host-key", in.SSHHostKey)
	one("--extra", in.ExtraFile)
	one("--nmstate", in.NMStateFile)
	one("--registries-conf", in.RegistriesFile)
	return words
}

// agentWords returns the flags that concern the builtin agent. It returns nil if another agent is selected.
func agentWords(in prepare.Inputs) []string {
	if in.Agent != string(ignition.AgentBuiltin) {
		return nil
	}
	words := []string{"--agent", in.Agent}
	if in.AgentBinary != "" {
		words = append(words, "--agent-binary", in.AgentBinary)
	}
	if in.AgentURL != "" {
		words = append(words, "--agent-url", in.AgentURL)
	}
	if in.AgentEmbed {
		words = append(words, "--agent-embed")
	}
	return words
}
