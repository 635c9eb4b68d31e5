package ignition

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
)

// ramdiskJSON is a configuration as it is written to JSON. It is used because Ignition's own types write empty
// objects, which older spec versions reject.
type ramdiskJSON struct {
	Ignition struct {
		Version  string        `json:"version"`
		Security *securityJSON `json:"security,omitempty"`
	} `json:"ignition"`
	Passwd  *passwdJSON  `json:"passwd,omitempty"`
	Storage *storageJSON `json:"storage,omitempty"`
	Systemd *systemdJSON `json:"systemd,omitempty"`
}

type passwdJSON struct {
	Users []userJSON `json:"users"`
}

type userJSON struct {
	Name string   `json:"name"`
	Keys []string `json:"sshAuthorizedKeys,omitempty"`
}

type storageJSON struct {
	Files []fileJSON `json:"files"`
}

type fileJSON struct {
	Path      string        `json:"path"`
	Overwrite *bool         `json:"overwrite,omitempty"`
	Contents  *contentJSON  `json:"contents,omitempty"`
	Append    []contentJSON `json:"append,omitempty"`
	Mode      *int          `json:"mode,omitempty"`
}

type contentJSON struct {
	Source       string            `json:"source"`
	Compression  string            `json:"compression,omitempty"`
	Verification *verificationJSON `json:"verification,omitempty"`
}

type verificationJSON struct {
	Hash string `json:"hash"`
}

type securityJSON struct {
	TLS tlsJSON `json:"tls"`
}

// tlsJSON holds the certificates that Ignition trusts in addition to the certificates in its initramfs.
type tlsJSON struct {
	CertificateAuthorities []contentJSON `json:"certificateAuthorities"`
}

type systemdJSON struct {
	Units []unitJSON `json:"units"`
}

type unitJSON struct {
	Name     string `json:"name"`
	Enabled  *bool  `json:"enabled,omitempty"`
	Contents string `json:"contents"`
}

func (c *ramdiskJSON) addFile(file fileJSON) {
	if c.Storage == nil {
		c.Storage = &storageJSON{}
	}
	c.Storage.Files = append(c.Storage.Files, file)
}

func (c *ramdiskJSON) addUnit(unit unitJSON) {
	if c.Systemd == nil {
		c.Systemd = &systemdJSON{}
	}
	c.Systemd.Units = append(c.Systemd.Units, unit)
}

// coreUser is the user name for logging in to CoreOS live images.
const coreUser = "core"

func (c *ramdiskJSON) addKeys(keys ...string) {
	if len(keys) > 0 {
		c.Passwd = &passwdJSON{Users: []userJSON{{Name: coreUser, Keys: keys}}}
	}
}

// encode returns the configuration as a single line without HTML escapes, because space in an image is limited.
func (c *ramdiskJSON) encode() ([]byte, error) { return encodeJSON(c) }

func encodeJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// dataSource returns content as a base64-encoded data URL.
func dataSource(content []byte) contentJSON {
	return contentJSON{Source: "data:;base64," + base64.StdEncoding.EncodeToString(content)}
}

func (f RamdiskFile) json() fileJSON {
	mode, overwrite := f.Mode, f.Overwrite
	out := fileJSON{Path: f.Path, Mode: &mode}
	source := dataSource(f.Content)
	if f.Append {
		out.Append = []contentJSON{source}
		return out
	}
	out.Overwrite, out.Contents = &overwrite, &source
	return out
}

func (u RamdiskUnit) json() unitJSON {
	enabled := u.Enabled
	return unitJSON{Name: u.Name, Enabled: &enabled, Contents: u.Contents}
}
