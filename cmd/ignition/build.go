package ignition

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/ignition/sshkey"
	"ironworks/ignition/userdata"
	"ironworks/session"
)

type ramdiskFlags struct {
	in         prepare.Inputs
	registries []string
	sshKeys    []string
	// tlsName is the name of the flag that sets how Ironic's certificate is verified. It is "tls", unless another
	// flag of the command already has that name.
	tlsName string
}

func (r *ramdiskFlags) register(f *pflag.FlagSet, tlsName string) {
	r.tlsName = tlsName
	in := &r.in
	f.StringVar(&in.Profile, "profile", "", "profile: default, classic (build.py) or metal3 (image-customization-controller)")
	f.StringArrayVar(&in.IronicURLs, "host", nil, "address at which machines reach Ironic: HOST, HOST:PORT or URL; may be repeated (default: URL of the context)")
	f.StringVar(&in.TLS, tlsName, "", "TLS verification of Ironic: off, ca, system, insecure; classic: off, on, insecure (default: depends on the URL and --ca)")
	f.StringVar(&in.CAFile, "ca", "", "PEM file of the CA that signed Ironic's certificate (default: CA of the context)")
	f.StringVar(&in.Agent, "agent", "", "agent: container, or builtin for ironworks-agent, which needs no podman and no registry (default container)")
	f.StringVar(&in.AgentURL, "agent-url", "", "URL from which machines fetch the builtin agent (default: ignition serve serves it)")
	f.BoolVar(&in.AgentEmbed, "agent-embed", false, "include the builtin agent in the configuration (about 5 MiB)")
	f.StringVar(&in.AgentBinary, "agent-binary", "", "executable of the builtin agent (default: ironworks-agent-ARCH or ironworks-agent next to ironworks)")
	f.StringVar(&in.Image, "image", "", "container image of the agent, preferably with a digest (default "+ignition.DefaultAgentImage+")")
	f.StringArrayVar(&r.registries, "registry", nil, "classic: registry of the image REGISTRY/ironic-agent")
	f.BoolVar(&in.InsecureRegistry, "insecure-registry", false, "classic: skip verification of the registry")
	f.StringArrayVar(&in.Registries, "registry-tls", nil, "verification of a registry: HOST=verified, HOST=insecure or HOST=ca:FILE; may be repeated")
	f.StringVar(&in.PullSecretFile, "pull-secret", "", "file with registry credentials, as written by podman login")
	f.StringArrayVar(&r.sshKeys, "ssh-key", nil, "public key, or file with public keys; may be repeated (default: ~/.ssh/*.pub, or else the SSH agent's keys)")
	f.BoolVar(&in.SSHAgent, "ssh-agent", false, "also use the keys in the SSH agent")
	f.BoolVar(&in.AllowKeyOptions, "allow-key-options", false, "accept keys with options such as command=…")
	f.BoolVar(&in.NoLogin, "no-ssh-key", false, "ramdisk without login")
	f.StringVar(&in.Hostname, "hostname", "", "hostname of the machine")
	f.StringArrayVar(&in.KeyFiles, "keyfile", nil, "NetworkManager keyfile, or directory of .nmconnection files; may be repeated")
	f.StringArrayVar(&in.IPOptions, "ip-option", nil, "kernel argument for the network of the installed system, such as ip=dhcp6; may be repeated")
	f.StringVar(&in.CopyNetwork, "copy-network", "", "copy the ramdisk's network configuration to the installed system: auto, always, never")
	f.StringVar(&in.HTTPProxy, "http-proxy", "", "proxy for http: URL, or @FILE with a URL that has a password")
	f.StringVar(&in.HTTPSProxy, "https-proxy", "", "proxy for https, as with --http-proxy")
	f.StringSliceVar(&in.NoProxy, "no-proxy", nil, "hosts and networks without a proxy")
	f.StringArrayVar(&in.NTPServers, "ntp-server", nil, "time server; may be repeated")
	f.StringSliceVar(&in.VLANs, "vlan", nil, "VLAN: IFACE.ID, an interface, a MAC address or all")
	f.StringSliceVar(&in.Collectors, "collector", nil, "inspection collector (default: the collectors of the image)")
	f.StringVar(&in.InspectionCallback, "inspection-callback", "", "URL for inspection data (default: Ironic)")
	f.StringArrayVar(&in.Options, "option", nil, "agent setting, NAME=VALUE or GROUP.NAME=VALUE; classic: a line of the agent's file; may be repeated")
	f.BoolVar(&in.Debug, "debug", false, "debug logs of the agent, including user data and its secrets")
	f.StringVar(&in.JournalPush, "journal-push", "", "URL of the console for pushed journals, as seen by machines: https://HOST:PORT (see ironworks logs --listen)")
	f.BoolVar(&in.SSHHostKey, "ssh-host-key", false, "SSH host key known to the console, instead of a new key on each boot")
	f.StringVar(&in.ExtraFile, "extra", "", "Ignition or Butane file to merge; its values take precedence")
	f.StringVar(&in.NMStateFile, "nmstate", "", "metal3: file with the output of nmstatectl gc")
	f.StringVar(&in.RegistriesFile, "registries-conf", "", "metal3: registries.conf file")
}

func (r *ramdiskFlags) inputs() (prepare.Inputs, error) {
	in := r.in
	if len(r.registries) > 1 {
		return in, cli.Usagef("--registry: only one registry is allowed; use --registry-tls for the verification of others")
	}
	if len(r.registries) == 1 {
		in.Registry = r.registries[0]
	}
	for _, text := range r.sshKeys {
		if sshkey.LooksLikeKey(text) {
			in.SSHKeys = append(in.SSHKeys, text)
		} else {
			in.SSHKeyFiles = append(in.SSHKeyFiles, text)
		}
	}
	for name, proxy := range map[string]*string{"--http-proxy": &in.HTTPProxy, "--https-proxy": &in.HTTPSProxy} {
		path, isFile := strings.CutPrefix(*proxy, "@")
		if !isFile {
			continue
		}
		text, err := os.ReadFile(path) //nolint:gosec // the user's own file
		if err != nil {
			return in, cli.Usagef("%s: %w", name, err)
		}
		*proxy = strings.TrimSpace(string(text))
	}
	return in, nil
}

// flag returns the command-line flag that sets an input, such as --host. The classic profile sets its registry with
// --registry; all other registries come from --registry-tls.
func (r *ramdiskFlags) flag(field ignition.RamdiskField) string {
	switch {
	case field == ignition.FieldTLS:
		return "--" + r.tlsName
	case field == ignition.FieldRegistry && (r.in.Profile != string(ignition.ProfileClassic) || len(r.in.Registries) > 0):
		return "--registry-tls"
	case field == ignition.FieldProxy:
		return "--http-proxy, --https-proxy, --no-proxy"
	case field == ignition.FieldOutput:
		return string(field)
	}
	return prepare.Flag(field)
}

// build makes the configuration. If flags are invalid, it prints all their problems and returns a usage error.
func (a *app) build(cmd *cobra.Command, r *ramdiskFlags, maker prepare.Maker, in prepare.Inputs) (prepare.Built, error) {
	built, err := maker.Build(cmd.Context(), in)
	return built, a.inputError(cmd, r, err)
}

// inputError converts the problems in err to a usage error that names the flags. If there are several problems, it
// prints all but the last, which the usage error contains. Other errors are returned unchanged.
func (a *app) inputError(cmd *cobra.Command, r *ramdiskFlags, err error) error {
	wrong := ignition.InputErrors(err)
	if len(wrong) == 0 {
		return err
	}
	for _, e := range wrong {
		text := r.flag(e.Field) + strings.TrimPrefix(e.Error(), string(e.Field))
		if e == wrong[len(wrong)-1] {
			return cli.Usagef("%s (see %s --help)", text, cmd.CommandPath())
		}
		a.PrintMessage("%s", text)
	}
	return err
}

// printNotes prints the notes about a configuration, each with the flag that it concerns.
func (a *app) printNotes(r *ramdiskFlags, notes []ignition.RamdiskNote) {
	for _, note := range notes {
		a.PrintMessage("note: %s: %s", r.flag(note.Field), note.Text)
	}
}

// maker returns a [prepare.Maker] that reads the user's files and takes its defaults from the session's context. If s
// is nil, maker opens a session. If the flags name an Ironic or select the classic profile, no session is used.
func (a *app) maker(cmd *cobra.Command, r *ramdiskFlags, s *session.Session) (prepare.Maker, error) {
	switch {
	case len(r.in.IronicURLs) > 0 || r.in.Profile == string(ignition.ProfileClassic):
		s = nil
		if a.Files.State == "" {
			// Only the paths are needed, so errors in the configuration do not matter.
			_, _ = a.LoadConfig(cmd, false)
		}
	case s == nil:
		opened, err := a.Connect(cmd)
		if err != nil {
			return prepare.Maker{}, err
		}
		defer opened.Close()
		s = opened
	}
	host := a.Host()
	return host.Maker(cmd.Context(), s)
}

func (a *app) ignitionBuildCommand() *cobra.Command {
	var flags ramdiskFlags
	var out fileOutput
	var preview bool
	cmd := &cobra.Command{
		Use: "build", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := out.check(); err != nil {
				return err
			}
			in, err := flags.inputs()
			if err != nil {
				return err
			}
			maker, err := a.maker(cmd, &flags, nil)
			if err != nil {
				return err
			}
			maker.Preview = preview
			built, err := a.build(cmd, &flags, maker, in)
			if err != nil {
				return err
			}
			a.printNotes(&flags, built.Document.Notes)
			if preview {
				return a.write(cmd.Context(), out, strings.NewReader(previewText(built.Preview)))
			}
			return a.writeBuilt(cmd, out, built)
		},
	}
	flags.register(cmd.Flags(), "tls")
	out.register(cmd, "`FILE` to write, or - for standard output (the default)")
	out.registerForce(cmd)
	cmd.Flags().BoolVar(&preview, "preview", false, "readable summary: decoded, without secrets")
	return cmd
}

func (a *app) writeBuilt(cmd *cobra.Command, out fileOutput, built prepare.Built) error {
	if err := a.write(cmd.Context(), out, bytes.NewReader(append(bytes.Clone(built.Document.JSON), '\n'))); err != nil {
		return err
	}
	if !out.isStdout() {
		p := built.Preview
		a.PrintMessage("wrote %s: Ignition %s, %s; takes up %s of %s in a live image", out.path, p.Spec,
			userdata.SizeText(int64(p.Size)), userdata.SizeText(int64(p.Packed)), userdata.SizeText(userdata.EmbedLimit))
	}
	return nil
}

func previewText(p prepare.Preview) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Ignition %s, %s, %s packed\n", p.Spec, userdata.SizeText(int64(p.Size)), userdata.SizeText(int64(p.Packed)))
	b.WriteString("\nlogins\n")
	if len(p.Logins) == 0 {
		b.WriteString("  none\n")
	}
	for _, line := range p.Logins {
		b.WriteString("  " + line + "\n")
	}
	for _, f := range p.Files {
		fmt.Fprintf(&b, "\n%s  %04o, %s\n", f.Path, f.Mode, userdata.SizeText(int64(f.Size)))
		b.WriteString(previewContent(f.Text, f.Secret))
	}
	for _, u := range p.Units {
		state := "enabled"
		if !u.Enabled {
			state = "disabled"
		}
		fmt.Fprintf(&b, "\n%s  %s\n", u.Name, state)
		b.WriteString(previewContent(u.Text, u.Secret))
	}
	return b.String()
}

func previewContent(text string, secret bool) string {
	switch {
	case secret:
		return "  (hidden: may contain secrets)\n"
	case text == "":
		return "  (empty)\n"
	}
	lines := slices.Collect(strings.Lines(text))
	return "  " + strings.TrimRight(strings.Join(lines, "  "), "\n") + "\n"
}
