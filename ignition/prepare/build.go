package prepare

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"ironworks/agentlog"
	"ironworks/ignition"
	"ironworks/models"
	"ironworks/printable"
)

// These values of the Field of an [ignition.InputError] identify inputs that [ignition.Ramdisk] does not have.
const (
	FieldNMState        ignition.RamdiskField = "nmstate"
	FieldRegistriesFile ignition.RamdiskField = "registries file"
)

// Flag returns the flag of "ironworks ignition build" that sets an input, such as --ssh-key for [ignition.FieldSSHKey].
// Most flags are named after their input.
func Flag(field ignition.RamdiskField) string {
	switch field {
	case ignition.FieldIronicURL:
		return "--host"
	case ignition.FieldProxy:
		return "--http-proxy"
	case ignition.FieldExtra:
		return "--extra"
	case FieldRegistriesFile:
		return "--registries-conf"
	default:
		return "--" + strings.ReplaceAll(string(field), " ", "-")
	}
}

// nodeWord is the placeholder that inputs can contain instead of a node's name.
const nodeWord = "{node}"

// maxFile limits the size of an input file, in bytes. A larger file would not fit into a ramdisk.
const maxFile = 16 << 20

// ForNode returns the inputs for one node. The node's name replaces {node} in the hostname, in the paths of keyfiles
// and in the ip= options. It is also the default hostname.
func (in Inputs) ForNode(name string) Inputs {
	replace := func(text string) string { return strings.ReplaceAll(text, nodeWord, name) }
	each := func(texts []string) []string {
		var out []string
		for _, text := range texts {
			out = append(out, replace(text))
		}
		return out
	}
	if in.Hostname == "" && in.Profile != string(ignition.ProfileClassic) {
		in.Hostname = nodeWord
	}
	in.Hostname, in.node = replace(in.Hostname), name
	in.KeyFiles, in.IPOptions = each(in.KeyFiles), each(in.IPOptions)
	return in
}

// Build reads the input files and builds the configuration. The returned error joins the problems of all inputs;
// [ignition.InputErrors] splits it into errors with their fields.
func (m Maker) Build(ctx context.Context, in Inputs) (Built, error) {
	profile, err := ignition.ParseProfile(in.Profile)
	if err != nil {
		return Built{}, err
	}
	r := &reading{ctx: ctx, maker: m, in: in, profile: profile}
	build := r.ramdisk
	switch {
	case profile == ignition.ProfileClassic && in.Image == "" && len(in.Registries) == 0:
		build = r.classic
	case profile == ignition.ProfileMetal3 && (in.NMStateFile != "" || in.RegistriesFile != ""):
		build = r.metal3
	}
	finish := build()
	r.refuseForeign()
	if err := errors.Join(r.problems...); err != nil {
		// Also validate the inputs that could be read, so that all problems are reported at once.
		if _, also := finish(); also != nil {
			err = errors.Join(err, also)
		}
		return Built{}, onceEach(err)
	}
	doc, err := finish()
	if err != nil {
		return Built{}, err
	}
	doc.Notes = append(r.notes, doc.Notes...)
	preview, err := newPreview(doc)
	if err != nil {
		return Built{}, err
	}
	if r.keep != nil && !m.Preview {
		if err := r.keep(); err != nil {
			return Built{}, err
		}
	}
	return Built{Document: doc, Preview: preview}, nil
}

// onceEach removes errors that merely result from an unreadable input.
func onceEach(err error) error {
	seen := map[ignition.RamdiskField]bool{}
	var kept []error
	for _, each := range ignition.InputErrors(err) {
		if each.Cause == nil && each.Value == "" && seen[each.Field] {
			continue
		}
		seen[each.Field] = true
		kept = append(kept, each)
	}
	if len(kept) == 0 {
		return err
	}
	return errors.Join(kept...)
}

type reading struct {
	ctx      context.Context //nolint:containedctx // of one call
	maker    Maker
	in       Inputs
	profile  ignition.Profile
	problems []error
	notes    []ignition.RamdiskNote
	keep     func() error // stores the identity in the console
}

func (r *reading) refuse(field ignition.RamdiskField, value, why, hint string, cause error) {
	r.problems = append(r.problems, &ignition.InputError{Field: field, Value: value, Why: why, Hint: hint, Cause: cause})
}

func (r *reading) noteKey(format string, args ...any) {
	r.notes = append(r.notes, ignition.RamdiskNote{Field: ignition.FieldSSHKey, Text: printable.Line(fmt.Sprintf(format, args...))})
}

// file returns the content of the file at path, or "" if path is empty. It rejects empty files. The inputs of the
// metal3 profile are exempt, because tools write these files even when they are empty.
func (r *reading) file(field ignition.RamdiskField, path string) string {
	if path == "" {
		return ""
	}
	content, err := r.maker.read(path)
	switch {
	case err != nil && field == ignition.FieldPullSecret && strings.ContainsAny(path, "{\"\n"):
		r.refuse(field, models.Mask, "is not a file", "use the name of a file", nil) // the path may be the secret itself
	case err != nil:
		r.refuse(field, path, "cannot be read", "", err)
	case strings.TrimSpace(content) == "" && field != FieldNMState && field != FieldRegistriesFile:
		r.refuse(field, path, "is empty", "use a file with content, or omit it", nil)
		return ""
	}
	return content
}

func (m Maker) read(path string) (string, error) {
	file, err := m.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return "", err
	case len(content) > maxFile:
		return "", fmt.Errorf("it is larger than %d MiB", maxFile>>20)
	}
	return string(content), nil
}

// classic reads the inputs for build.py, and returns the function that builds the configuration.
func (r *reading) classic() func() (ignition.Document, error) {
	c := ignition.Classic{
		Registry: r.in.Registry, InsecureRegistry: r.in.InsecureRegistry,
		TLS: ignition.ClassicTLS(r.in.TLS), Options: r.in.Options,
	}
	if len(r.in.IronicURLs) > 0 {
		c.Host = r.in.IronicURLs[0]
	}
	if len(r.in.IronicURLs) > 1 {
		r.refuse(ignition.FieldIronicURL, strings.Join(r.in.IronicURLs, ","), "has several values, but this profile supports only one", otherProfile, nil)
	}
	var lines []string
	if !r.in.givesKeys() {
		lines = r.classicKey()
	} else {
		for _, key := range r.givenKeys() {
			lines = append(lines, key.Line)
		}
	}
	c.SSHKey = strings.Join(lines, "\n")
	return c.Build
}

const otherProfile = "use the profile default"

// metal3 reads the inputs for image-customization-controller, and returns the function that builds from them.
func (r *reading) metal3() func() (ignition.Document, error) {
	m := ignition.Metal3{
		NMState:        []byte(r.file(FieldNMState, r.in.NMStateFile)),
		RegistriesConf: []byte(r.file(FieldRegistriesFile, r.in.RegistriesFile)),
		KeyFiles:       r.keyFiles(),
		IronicBaseURL:  r.baseURL(), IronicInspectorBaseURL: r.in.InspectionCallback,
		AgentImage: cmp.Or(r.in.Image, ignition.DefaultAgentImage), IPOptions: strings.Join(r.in.IPOptions, " "),
		HTTPProxy: r.in.HTTPProxy, HTTPSProxy: r.in.HTTPSProxy, NoProxy: strings.Join(r.in.NoProxy, ","),
		Hostname: r.in.Hostname, NTPServers: r.in.NTPServers, VLANInterfaces: strings.Join(r.in.VLANs, ","),
	}
	if m.VLANInterfaces == "all" {
		m.VLANInterfaces = "always"
	}
	if ca := r.ca(); ca != "" {
		m.CABundle = []byte(ca)
	}
	secret := strings.TrimSpace(r.file(ignition.FieldPullSecret, r.in.PullSecretFile))
	if json.Valid([]byte(secret)) {
		secret = base64.StdEncoding.EncodeToString([]byte(secret))
	}
	m.PullSecret = models.Secret(secret)
	keys := r.sshKeys()
	switch {
	case len(keys) == 1:
		m.SSHKey = keys[0].Line
	case len(keys) > 1 && r.in.givesKeys():
		r.refuse(ignition.FieldSSHKey, "", "has several values, but this profile supports only one key", otherProfile, nil)
	case len(keys) > 1:
		m.SSHKey = keys[0].Line
		r.noteKey("this profile uses only one key: %s", keys[0])
	}
	return m.Build
}

// baseURL returns Ironic's URLs, separated by commas, also for hosts without scheme. The profile drops invalid URLs.
func (r *reading) baseURL() string {
	var urls []string
	for _, text := range r.ironicURLs() {
		if strings.Contains(text, "://") {
			urls = append(urls, text)
			continue
		}
		address, err := ignition.IronicURL(text, r.tls() != ignition.TLSOff && r.tls() != "")
		if err != nil {
			r.problems = append(r.problems, err)
			continue
		}
		urls = append(urls, address)
	}
	if len(urls) == 0 && len(r.problems) == 0 {
		r.refuse(ignition.FieldIronicURL, "", "is missing", "", nil)
	}
	return strings.Join(urls, ",")
}

// ramdisk reads the inputs that all profiles share. It returns the function that builds the configuration.
func (r *reading) ramdisk() func() (ignition.Document, error) {
	in := r.in
	d := ignition.Ramdisk{
		Agent: ignition.AgentKind(in.Agent), Program: r.program(),
		Profile: r.profile, IronicURLs: r.ironicURLs(), TLS: r.tls(), CA: r.ca(), Image: in.Image,
		Registries: r.registries(), PullSecret: models.Secret(r.file(ignition.FieldPullSecret, in.PullSecretFile)),
		SSHKeys: r.sshKeys(), AllowKeyOptions: in.AllowKeyOptions, NoLogin: in.NoLogin, Hostname: in.Hostname,
		KeyFiles: r.keyFiles(), IPOptions: in.IPOptions, CopyNetwork: ignition.CopyNetwork(in.CopyNetwork),
		Proxies:    ignition.Proxies{HTTP: in.HTTPProxy, HTTPS: in.HTTPSProxy, No: in.NoProxy},
		NTPServers: in.NTPServers, VLANs: in.VLANs, Collectors: in.Collectors, InspectionCallback: in.InspectionCallback,
		Debug: in.Debug, Extra: r.extra(),
	}
	if r.profile == ignition.ProfileMetal3 && !in.givesKeys() && len(d.SSHKeys) > 1 {
		r.noteKey("this profile uses only one key: %s", d.SSHKeys[0])
		d.SSHKeys = d.SSHKeys[:1]
	}
	id := r.identity()
	d.SSHHostKey = id.HostKey
	if in.JournalPush != "" {
		d.JournalPush = ignition.JournalPush{URL: in.JournalPush, Certificate: id.Certificate, Token: id.Token}
	}
	for _, text := range in.Options {
		option, err := ignition.ParseAgentOption(text)
		if err != nil {
			r.problems = append(r.problems, err)
			continue
		}
		d.Options = append(d.Options, option)
	}
	return d.WithDefaults().Build
}

func (r *reading) identity() agentlog.Identity {
	order := agentlog.IdentityOrder{Push: r.in.JournalPush != "", HostKey: r.in.SSHHostKey, Node: r.in.node}
	if !order.Push && !order.HostKey {
		return agentlog.Identity{}
	}
	field := ignition.FieldJournalPush
	if !order.Push {
		field = ignition.FieldSSHHostKey
	}
	if r.maker.Identity == nil {
		r.refuse(field, "", "needs a state directory", "set XDG_STATE_HOME or HOME", nil)
		return agentlog.Identity{}
	}
	id, keep, err := r.maker.Identity(order)
	if err != nil {
		r.refuse(field, "", "cannot be created", "", err)
	}
	r.keep = keep
	return id
}

// refuseForeign rejects inputs that belong to other profiles, so that they are not ignored silently.
func (r *reading) refuseForeign() {
	in := r.in
	classic, metal3 := r.profile == ignition.ProfileClassic, r.profile == ignition.ProfileMetal3
	refuse := func(given bool, field ignition.RamdiskField) {
		if given {
			r.refuse(field, "", fmt.Sprintf("is not supported by the profile %s", r.profile), otherProfile, nil)
		}
	}
	if !classic {
		refuse(in.Registry != "" || in.InsecureRegistry, ignition.FieldRegistry)
	}
	if !metal3 {
		refuse(in.NMStateFile != "", FieldNMState)
		refuse(in.RegistriesFile != "", FieldRegistriesFile)
	}
	if metal3 && in.NMStateFile+in.RegistriesFile != "" {
		refuse(len(in.Options) > 0 || in.Debug, ignition.FieldOption)
		refuse(len(in.Registries) > 0, ignition.FieldRegistry)
		refuse(in.ExtraFile != "", ignition.FieldExtra)
		refuse(len(in.Collectors) > 0, ignition.FieldCollector)
		refuse(in.JournalPush != "", ignition.FieldJournalPush)
		refuse(in.SSHHostKey, ignition.FieldSSHHostKey)
	}
	refuse(r.profile != ignition.ProfileDefault && in.Agent == string(ignition.AgentBuiltin), ignition.FieldAgent)
	if !classic || in.Image != "" || len(in.Registries) > 0 {
		return
	}
	refuse(in.CAFile != "", ignition.FieldCA)
	refuse(in.PullSecretFile != "", ignition.FieldPullSecret)
	refuse(in.Hostname != "", ignition.FieldHostname)
	refuse(len(in.KeyFiles) > 0, ignition.FieldKeyFile)
	refuse(len(in.IPOptions) > 0, ignition.FieldIPOption)
	refuse(in.CopyNetwork == string(ignition.CopyNetworkAlways), ignition.FieldCopyNetwork)
	refuse(in.HTTPProxy+in.HTTPSProxy != "" || len(in.NoProxy) > 0, ignition.FieldProxy)
	refuse(len(in.NTPServers) > 0, ignition.FieldNTP)
	refuse(len(in.VLANs) > 0, ignition.FieldVLAN)
	refuse(len(in.Collectors) > 0, ignition.FieldCollector)
	refuse(in.InspectionCallback != "", ignition.FieldCallback)
	refuse(in.Debug, ignition.FieldOption)
	refuse(in.ExtraFile != "", ignition.FieldExtra)
	refuse(in.JournalPush != "", ignition.FieldJournalPush)
	refuse(in.SSHHostKey, ignition.FieldSSHHostKey)
}
