package prepare

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/coreos/ignition/v2/config/util"
	"github.com/coreos/ignition/v2/config/v3_6/types"

	"github.com/vincent-petithory/dataurl"

	"ironworks/ignition"
	"ironworks/ignition/image"
	"ironworks/ignition/sshkey"
	"ironworks/models"
	"ironworks/printable"
)

func newPreview(doc ignition.Document) (Preview, error) {
	var config types.Config
	if err := json.Unmarshal(doc.JSON, &config); err != nil {
		return Preview{}, fmt.Errorf("read the result: %w", err)
	}
	packed, err := image.Wrap(doc.JSON)
	if err != nil {
		return Preview{}, fmt.Errorf("compress the result: %w", err)
	}
	p := Preview{Spec: doc.Version, Size: len(doc.JSON), Packed: len(packed), Notes: doc.Notes, Logins: logins(config)}
	secret := slices.Clone(doc.SecretPaths)
	for _, file := range config.Storage.Files {
		mode := 0o644 // Ignition's default
		if file.Mode != nil {
			mode = *file.Mode
		}
		shown := PreviewFile{Path: printable.Line(file.Path), Mode: uint32(mode)} //nolint:gosec // validated
		if slices.Contains(secret, file.Path) || mode&0o077 == 0 {
			shown.Secret = true
			secret = append(secret, file.Path)
		}
		var all []byte
		for _, each := range append([]types.Resource{file.Contents}, file.Append...) {
			all = append(all, decoded(each)...)
		}
		shown.Size = len(all)
		if !shown.Secret && utf8.Valid(all) && bytes.IndexByte(all, 0) < 0 {
			shown.Text = printable.Lines(string(all))
		}
		p.Files = append(p.Files, shown)
	}
	for _, unit := range config.Systemd.Units {
		shown := PreviewUnit{Name: printable.Line(unit.Name), Enabled: util.IsTrue(unit.Enabled), Secret: slices.Contains(secret, unit.Name)}
		if !shown.Secret && unit.Contents != nil {
			shown.Text = printable.Lines(*unit.Contents)
		}
		p.Units = append(p.Units, shown)
	}
	p.Text, err = maskedText(doc.JSON, secret)
	return p, err
}

func logins(config types.Config) []string {
	var lines []string
	for _, user := range config.Passwd.Users {
		name := printable.Line(user.Name)
		for _, text := range user.SSHAuthorizedKeys {
			keys, _ := sshkey.Parse(string(text))
			if len(keys) == 0 {
				lines = append(lines, name+": unreadable key")
			}
			for _, key := range keys {
				lines = append(lines, name+": "+printable.Line(key.String()))
			}
		}
		if util.NotEmpty(user.PasswordHash) {
			lines = append(lines, name+": password")
		}
	}
	return lines
}

// decoded returns inline content after decompression. It returns nil for remote or invalid content.
func decoded(r types.Resource) []byte {
	if r.Source == nil {
		return nil
	}
	data, err := dataurl.DecodeString(*r.Source)
	if err != nil {
		return nil
	}
	if r.Compression == nil || *r.Compression != "gzip" {
		return data.Data
	}
	z, err := gzip.NewReader(bytes.NewReader(data.Data))
	if err != nil {
		return nil
	}
	plain, err := io.ReadAll(io.LimitReader(z, maxFile))
	if err != nil {
		return nil
	}
	return plain
}

// maskedText returns the configuration as indented JSON with secrets masked. secret lists the paths of secret files and
// the names of secret units.
func maskedText(text []byte, secret []string) (string, error) {
	var config map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&config); err != nil {
		return "", fmt.Errorf("read the result: %w", err)
	}
	mask(config, secret, false)
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(config); err != nil {
		return "", fmt.Errorf("show the result: %w", err)
	}
	return printable.Lines(strings.TrimSuffix(b.String(), "\n")), nil
}

// mask masks the secrets in value. If hidden is true, value is part of something secret.
func mask(value any, secret []string, hidden bool) {
	switch v := value.(type) {
	case []any:
		for _, each := range v {
			mask(each, secret, hidden)
		}
	case map[string]any:
		path, _ := v["path"].(string)
		name, _ := v["name"].(string)
		inside := hidden || path != "" && slices.Contains(secret, path) || name != "" && slices.Contains(secret, name)
		for key, child := range v {
			text, isText := child.(string)
			switch {
			case key == "passwordHash" || key == "httpHeaders" || (key == "contents" && isText && inside):
				v[key] = models.Mask
			case key == "source" && isText:
				v[key] = maskedSource(text, inside)
			case path == ignition.AgentProgramPath && key == "contents":
				shortenProgram(child)
			default:
				// Secrets in nested configurations are not recognized, so treat these configurations as secret.
				mask(child, secret, inside || key == "merge" || key == "replace" || key == "keyFile")
			}
		}
	}
}

func maskedSource(source string, hidden bool) string {
	if strings.HasPrefix(source, "data:") {
		if hidden {
			return models.Mask
		}
		return source
	}
	u, err := url.Parse(source)
	if err != nil {
		return models.Mask
	}
	if u.RawQuery != "" {
		u.RawQuery = models.Mask
	}
	if u.User == nil {
		return u.String()
	}
	u.User = url.User(models.Mask)
	return strings.Replace(u.String(), u.User.String()+"@", models.Mask+"@", 1) // URLs escape the mask's asterisks
}

// shortenProgram replaces the embedded agent program, which has several megabytes, with an ellipsis.
func shortenProgram(contents any) {
	if c, ok := contents.(map[string]any); ok {
		if source, ok := c["source"].(string); ok && strings.HasPrefix(source, "data:") {
			c["source"] = "data:…"
		}
	}
}
