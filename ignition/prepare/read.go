package prepare

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"ironworks/ignition"
	"ironworks/ignition/sshkey"
	"ironworks/ignition/userdata"
	"ironworks/models"
)

// ironicURLs returns the URLs of Ironic from the inputs. If there are none, it returns the URL from the context.
func (r *reading) ironicURLs() []string {
	if r.fromContext() && r.maker.Ironic.URL != "" {
		return []string{r.maker.Ironic.URL}
	}
	return r.in.IronicURLs
}

// fromContext reports whether Ironic's address and its other settings come from the context.
func (r *reading) fromContext() bool { return len(r.in.IronicURLs) == 0 }

// ofHTTP reports whether the context's Ironic uses plain HTTP, so that its TLS settings are for other services.
func (r *reading) ofHTTP() bool { return strings.HasPrefix(r.maker.Ironic.URL, "http:") }

func (r *reading) tls() ignition.TLSMode {
	if r.in.TLS == "" && r.fromContext() && r.maker.Ironic.Insecure && !r.ofHTTP() && r.in.CAFile == "" {
		return ignition.TLSInsecure
	}
	return ignition.TLSMode(r.in.TLS)
}

func (r *reading) ca() string {
	switch {
	case r.in.CAFile != "":
		return r.file(ignition.FieldCA, r.in.CAFile)
	case r.fromContext() && !r.ofHTTP() && (r.in.TLS == "" && !r.maker.Ironic.Insecure || r.in.TLS == string(ignition.TLSCA)):
		return r.maker.Ironic.CA
	}
	return ""
}

// registries parses the registries, which have the form HOST=verified, HOST=insecure or HOST=ca:FILE.
func (r *reading) registries() []ignition.Registry {
	var list []ignition.Registry
	for _, text := range r.in.Registries {
		host, mode, ok := strings.Cut(text, "=")
		registry := ignition.Registry{Host: strings.TrimSpace(host), Mode: ignition.RegistryMode(strings.TrimSpace(mode))}
		if file, isCA := strings.CutPrefix(mode, "ca:"); isCA {
			registry.Mode, registry.CA = ignition.RegistryCA, r.file(ignition.FieldRegistry, file)
			if registry.CA == "" {
				continue
			}
		}
		if !ok || registry.Mode == "" {
			r.refuse(ignition.FieldRegistry, text, "has no verification mode", "use HOST=verified, HOST=insecure or HOST=ca:FILE", nil)
			continue
		}
		list = append(list, registry)
	}
	return list
}

// keyFiles reads the named keyfiles. In named folders, it reads the files that NetworkManager would read.
func (r *reading) keyFiles() []ignition.KeyFile {
	var files []ignition.KeyFile
	for _, path := range r.in.KeyFiles {
		paths := []string{path}
		if entries, err := r.maker.Dir(path); err == nil {
			if paths = filesIn(path, entries, "", ".nmconnection"); paths == nil {
				r.refuse(ignition.FieldKeyFile, path, "is a directory without .nmconnection files", "", nil)
			}
		}
		for _, each := range paths {
			if content := r.file(ignition.FieldKeyFile, each); content != "" {
				files = append(files, ignition.KeyFile{Name: filepath.Base(each), Content: models.Secret(content)})
			}
		}
	}
	return files
}

// filesIn returns the paths of those entries of a folder that are files with the given prefix and suffix.
func filesIn(dir string, entries []fs.DirEntry, prefix, suffix string) []string {
	var paths []string
	for _, entry := range entries {
		if name := entry.Name(); !entry.IsDir() && strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

func (r *reading) extra() []byte {
	text := r.file(ignition.FieldExtra, r.in.ExtraFile)
	if text == "" {
		return nil
	}
	report := userdata.Check([]byte(text))
	if config := report.Ignition(); config != nil && report.OK() {
		return config
	}
	_, err := userdata.ForInstall(report)
	r.problems = append(r.problems, &ignition.InputError{
		Field: ignition.FieldExtra, Value: r.in.ExtraFile, Why: "cannot be merged", Cause: err,
		Hint: "for details, run ironworks ignition check", ScreenHint: "for details, check the file (c)",
	})
	return nil
}

func (in Inputs) givesKeys() bool {
	return len(in.SSHKeyFiles)+len(in.SSHKeys) > 0 || in.SSHAgent || in.NoLogin
}

func (r *reading) sshKeys() []sshkey.Key {
	switch {
	case r.in.NoLogin && len(r.in.SSHKeyFiles)+len(r.in.SSHKeys) == 0 && !r.in.SSHAgent:
		return nil
	case r.in.givesKeys():
		return r.givenKeys()
	}
	return r.defaultKeys()
}

// givenKeys returns the requested keys: from files, from the inputs themselves, and from the SSH agent.
func (r *reading) givenKeys() []sshkey.Key {
	var keys []sshkey.Key
	add := func(label, text string) {
		found, err := sshkey.Parse(text)
		if err != nil {
			r.refuse(ignition.FieldSSHKey, label, "is not usable", "", err)
		} else if len(found) == 0 {
			r.refuse(ignition.FieldSSHKey, label, "contains no key", "use a .pub file", nil)
		}
		keys = append(keys, found...)
	}
	for _, path := range r.in.SSHKeyFiles {
		text, err := r.maker.read(path)
		if err != nil {
			r.refuse(ignition.FieldSSHKey, path, "cannot be read", "", err)
			continue
		}
		add(path, text)
	}
	for _, text := range r.in.SSHKeys {
		add("", text)
	}
	if r.in.SSHAgent {
		var lines []string
		err := errors.New("no SSH agent: SSH_AUTH_SOCK is not set")
		if r.maker.AgentKeys != nil {
			lines, err = r.maker.AgentKeys(r.ctx)
		}
		if err == nil && len(lines) == 0 {
			err = errors.New("it contains no keys")
		}
		if err != nil {
			r.refuse(ignition.FieldSSHKey, "", "cannot be read from the SSH agent", "", err)
		}
		for _, line := range lines {
			add("", line)
		}
	}
	return uniqueKeys(keys)
}

// defaultKeys returns all usable keys from ~/.ssh/*.pub. If there are none, it returns the keys of the SSH agent.
// Unusable keys cause only notes, because the operator did not request them.
func (r *reading) defaultKeys() []sshkey.Key {
	var keys []sshkey.Key
	for _, path := range r.publicFiles("") {
		text, err := r.maker.read(path)
		if err == nil {
			var found []sshkey.Key
			found, err = sshkey.Parse(text)
			for _, key := range found {
				if len(key.Options) == 0 || r.in.AllowKeyOptions {
					keys = append(keys, key)
				}
			}
		}
		if err != nil {
			r.noteKey("%s is skipped: %v", path, err)
		}
	}
	if len(keys) > 0 {
		return uniqueKeys(keys)
	}
	if r.maker.AgentKeys == nil {
		return nil
	}
	lines, err := r.maker.AgentKeys(r.ctx)
	if err != nil {
		r.noteKey("SSH agent: %v", err)
	}
	for _, line := range lines {
		if found, err := sshkey.Parse(line); err == nil {
			keys = append(keys, found...)
		}
	}
	return uniqueKeys(keys)
}

// classicKey returns the content of the first ~/.ssh/id_*.pub. build.py also uses the first result of its glob.
func (r *reading) classicKey() []string {
	paths := r.publicFiles("id_")
	if len(paths) == 0 {
		return nil
	}
	if len(paths) > 1 {
		r.noteKey("using %s only, as build.py does", paths[0])
	}
	return []string{r.file(ignition.FieldSSHKey, paths[0])}
}

func (r *reading) publicFiles(prefix string) []string {
	if r.maker.Home == "" {
		return nil
	}
	dir := filepath.Join(r.maker.Home, ".ssh")
	entries, err := r.maker.Dir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.noteKey("%s cannot be read: %v", dir, err)
	}
	return filesIn(dir, entries, prefix, ".pub")
}

func uniqueKeys(keys []sshkey.Key) []sshkey.Key {
	seen := map[string]bool{}
	return slices.DeleteFunc(keys, func(key sshkey.Key) bool {
		twice := seen[key.Line]
		seen[key.Line] = true
		return twice
	})
}
