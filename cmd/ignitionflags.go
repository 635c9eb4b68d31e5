package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ironworks/agentlog"
	"ironworks/config"
	"ironworks/ignition"
	"ironworks/ignition/prepare"
	"ironworks/ignition/sshkey"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/session"
)

// ramdiskFlags are the inputs of a ramdisk's configuration.
type ramdiskFlags struct {
	in         prepare.Inputs
	registries []string
	sshKeys    []string
	// tlsName is the flag for how Ironic is verified: --tls where it is free.
	tlsName string
}

func (r *ramdiskFlags) register(f *pflag.FlagSet, tlsName string) {
	r.tlsName = tlsName
	in := &r.in
	f.StringVar(&in.Profile, "profile", "", "whose configuration: default, classic (build.py) or metal3 (image-customization-controller)")
	f.StringArrayVar(&in.IronicURLs, "host", nil, "Ironic, as machines reach it: HOST, HOST:PORT or URL; may be repeated (default: that of the context)")
	f.StringVar(&in.TLS, tlsName, "", "how Ironic is verified: off, ca, system, insecure; classic: off, on, insecure (default: by the URL and --ca)")
	f.StringVar(&in.CAFile, "ca", "", "PEM file of the CA that signed Ironic's certificate (default: that of the context)")
	f.StringVar(&in.Image, "image", "", "container image of the agent, best with a digest (default "+ignition.DefaultAgentImage+")")
	f.StringArrayVar(&r.registries, "registry", nil, "classic: the image is REGISTRY/ironic-agent")
	f.BoolVar(&in.InsecureRegistry, "insecure-registry", false, "classic: do not verify the registry")
	f.StringArrayVar(&in.Registries, "registry-tls", nil, "treat a registry as HOST=verified, HOST=insecure or HOST=ca:FILE; may be repeated")
	f.StringVar(&in.PullSecretFile, "pull-secret", "", "file with the logins for registries, as podman login writes it")
	f.StringArrayVar(&r.sshKeys, "ssh-key", nil, "file with public keys, or a key itself; may be repeated (default: ~/.ssh/*.pub, else the SSH agent's)")
	f.BoolVar(&in.SSHAgent, "ssh-agent", false, "take the keys of the SSH agent, too")
	f.BoolVar(&in.AllowKeyOptions, "allow-key-options", false, "take keys with options such as command=…")
	f.BoolVar(&in.NoLogin, "no-ssh-key", false, "nobody can log in to the ramdisk")
	f.StringVar(&in.Hostname, "hostname", "", "name of the machine")
	f.StringArrayVar(&in.KeyFiles, "keyfile", nil, "connection of NetworkManager, or a folder of .nmconnection files; may be repeated")
	f.StringArrayVar(&in.IPOptions, "ip-option", nil, "kernel argument for the network of the installed system, such as ip=dhcp6; may be repeated")
	f.StringVar(&in.CopyNetwork, "copy-network", "", "take the ramdisk's network over to the installed system: auto, always, never")
	f.StringVar(&in.HTTPProxy, "http-proxy", "", "proxy for http: URL, or @FILE with the URL, where it has a password")
	f.StringVar(&in.HTTPSProxy, "https-proxy", "", "proxy for https, as --http-proxy")
	f.StringSliceVar(&in.NoProxy, "no-proxy", nil, "hosts and networks without a proxy")
	f.StringArrayVar(&in.NTPServers, "ntp-server", nil, "time server; may be repeated")
	f.StringSliceVar(&in.VLANs, "vlan", nil, "IFACE.ID, an interface, a MAC or all")
	f.StringSliceVar(&in.Collectors, "collector", nil, "what inspection gathers (default: what the image says)")
	f.StringVar(&in.InspectionCallback, "inspection-callback", "", "URL for inspection data (default: the agent uses Ironic)")
	f.StringArrayVar(&in.Options, "option", nil, "setting of the agent, NAME=VALUE or GROUP.NAME=VALUE; classic: a line of its file; may be repeated")
	f.BoolVar(&in.Debug, "debug", false, "the agent logs everything, user data with its secrets, too")
	f.StringVar(&in.JournalPush, "journal-push", "", "the ramdisk sends its journal to the console there, https://HOST:PORT as machines reach it (see ironworks logs --listen)")
	f.BoolVar(&in.SSHHostKey, "ssh-host-key", false, "give the ramdisk's SSH server a key that the console knows, instead of one of each boot")
	f.StringVar(&in.ExtraFile, "extra", "", "Ignition or Butane to merge in; what it says wins")
	f.StringVar(&in.NMStateFile, "nmstate", "", "metal3: output of nmstatectl gc")
	f.StringVar(&in.RegistriesFile, "registries-conf", "", "metal3: a registries.conf")
}

// inputs are the flags as prepare takes them.
func (r *ramdiskFlags) inputs() (prepare.Inputs, error) {
	in := r.in
	if len(r.registries) > 1 {
		return in, usagef("--registry: several; --registry-tls says how to treat a registry")
	}
	if len(r.registries) == 1 {
		in.Registry = r.registries[0]
	}
	for _, text := range r.sshKeys {
		if looksLikeKey(text) {
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
			return in, usagef("%s: %w", name, err)
		}
		*proxy = strings.TrimSpace(string(text))
	}
	return in, nil
}

// looksLikeKey tells a key from the name of a file. A private one is taken for a key,
// too: it is refused without being shown.
func looksLikeKey(text string) bool {
	if strings.Contains(text, "PRIVATE KEY") || strings.Contains(text, "\n") {
		return true
	}
	if keys, err := sshkey.Parse(text); err == nil && len(keys) > 0 {
		return true
	}
	for _, kind := range []string{"ssh-", "ecdsa-", "sk-"} {
		if strings.HasPrefix(text, kind) && strings.Contains(text, " ") {
			return true
		}
	}
	return false
}

// flag names the flag of an input.
func (r *ramdiskFlags) flag(field ignition.RamdiskField) string {
	switch field {
	case ignition.FieldIronicURL:
		return "--host"
	case ignition.FieldTLS:
		return "--" + r.tlsName
	case ignition.FieldRegistry:
		if r.in.Profile == string(ignition.ProfileClassic) && len(r.in.Registries) == 0 {
			return "--registry"
		}
		return "--registry-tls"
	case ignition.FieldProxy:
		return "--http-proxy, --https-proxy, --no-proxy"
	case ignition.FieldExtra:
		return "--extra"
	case prepare.FieldRegistriesFile:
		return "--registries-conf"
	case ignition.FieldUnit, ignition.FieldFile, ignition.FieldOutput:
		return string(field)
	default:
		// The others are called what they are: "ssh key" is --ssh-key.
		return "--" + strings.ReplaceAll(string(field), " ", "-")
	}
}

// build makes the configuration; what is wrong with the flags is a usage error that
// names them all.
func (a *app) build(cmd *cobra.Command, r *ramdiskFlags, maker prepare.Maker, in prepare.Inputs) (prepare.Built, error) {
	built, err := maker.Build(cmd.Context(), in)
	wrong := ignition.InputErrors(err)
	if len(wrong) == 0 {
		return built, err
	}
	for _, e := range wrong {
		text := r.flag(e.Field) + strings.TrimPrefix(e.Error(), string(e.Field))
		if e == wrong[len(wrong)-1] {
			return built, usagef("%s (see %s --help)", text, cmd.CommandPath())
		}
		a.complain("%s", text)
	}
	return built, err
}

// tellNotes tells what deserves a look.
func (a *app) tellNotes(r *ramdiskFlags, notes []ignition.RamdiskNote) {
	for _, note := range notes {
		a.complain("note: %s: %s", r.flag(note.Field), note.Text)
	}
}

// maker reads the user's files, and takes from the context what no flag says; where no
// session is open, it opens one for that.
func (a *app) maker(cmd *cobra.Command, r *ramdiskFlags, s *session.Session) (prepare.Maker, error) {
	if len(r.in.IronicURLs) > 0 || r.in.Profile == string(ignition.ProfileClassic) {
		return a.makerWith(ignition.IronicEndpoint{}), nil
	}
	if s == nil {
		opened, err := a.connect(cmd)
		if err != nil {
			return prepare.Maker{}, err
		}
		defer opened.Client.Close()
		s = opened
	}
	endpoint, err := contextEndpoint(cmd.Context(), s)
	if err != nil {
		return prepare.Maker{}, err
	}
	return a.makerWith(endpoint), nil
}

// makerWith reads the user's files, and takes this for the Ironic of the context.
func (a *app) makerWith(endpoint ignition.IronicEndpoint) prepare.Maker {
	maker := prepare.System(a.options.Home, a.sshAgent(), endpoint)
	maker.Identity = a.imageIdentity
	return maker
}

// sshAgent is the socket of the user's SSH agent; empty without one.
func (a *app) sshAgent() string {
	if a.options.Env == nil {
		return ""
	}
	return a.options.Env("SSH_AUTH_SOCK")
}

// imageIdentity makes what the console knows machines by that boot an image.
func (a *app) imageIdentity(order prepare.IdentityOrder) (prepare.Identity, error) {
	if a.files.State == "" {
		// Nothing of the configuration was needed so far, and a mistake in it is none of
		// this command's.
		opts := a.options
		opts.Flags = a.flags
		cfg, _ := config.Load(opts)
		a.files = cfg.Files
	}
	images, err := agentlog.OpenImages(a.files.Pushes(), clock{}.Now)
	if err != nil {
		return prepare.Identity{}, err
	}
	id, err := images.Draft(agentlog.IdentityOrder{Node: order.Node, Push: order.Push, HostKey: order.HostKey})
	return prepare.Identity{
		Token: id.Token, Certificate: id.Certificate, HostKey: id.HostKey, Keep: func() error { return images.Keep(id) },
	}, err
}

// contextEndpoint is the Ironic of a session's context, or none when nothing was
// configured: a guess is good enough to look at, not to boot machines with.
func contextEndpoint(ctx context.Context, s *session.Session) (ignition.IronicEndpoint, error) {
	if s.Context.Guessed {
		return ignition.IronicEndpoint{}, nil
	}
	connection := s.Context.Connection
	endpoint := s.Client.Endpoint()
	if endpoint == "" {
		// Keystone knows it, once it is asked.
		_, err := s.Client.NodePage(ctx, ironicclient.NodeQuery{Fields: []string{"uuid"}, Limit: 1})
		if endpoint = s.Client.Endpoint(); endpoint == "" {
			return ignition.IronicEndpoint{}, errors.Join(errors.New("the context does not tell where Ironic is: give --host"), err)
		}
	}
	found := ignition.IronicEndpoint{URL: rootURL(endpoint), Insecure: connection.TLS.Insecure}
	if connection.TLS.CACert != "" {
		pem, err := os.ReadFile(connection.TLS.CACert)
		if err != nil {
			return found, fmt.Errorf("the CA of context %s: %w", models.Printable(s.Context.Name), err)
		}
		found.CA = string(pem)
	}
	return found, nil
}

// rootURL is where an agent begins: it adds the version itself.
func rootURL(endpoint string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(endpoint, "/"), "/v1"), "/")
}
