package ignition

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
)

// ramdiskJSON is a configuration without the empty objects of Ignition's types, which older spec versions reject.
type ramdiskJSON struct {
	Ignition struct {
		Version  string `json:"version"`
		Security struct {
			TLS struct {
				// CertificateAuthorities lists certificates that Ignition trusts in addition to those in its initramfs.
				CertificateAuthorities []contentJSON `json:"certificateAuthorities"`
			} `json:"tls"`
		} `json:"security,omitzero"`
	} `json:"ignition"`
	Passwd struct {
		Users []userJSON `json:"users"`
	} `json:"passwd,omitzero"`
	Storage struct {
		Files []fileJSON `json:"files"`
	} `json:"storage,omitzero"`
	Systemd struct {
		Units []unitJSON `json:"units"`
	} `json:"systemd,omitzero"`
}

type userJSON struct {
	Name string   `json:"name"`
	Keys []string `json:"sshAuthorizedKeys,omitempty"`
}

type fileJSON struct {
	Path      string        `json:"path"`
	Overwrite *bool         `json:"overwrite,omitempty"`
	Contents  *contentJSON  `json:"contents,omitempty"`
	Append    []contentJSON `json:"append,omitempty"`
	Mode      *int          `json:"mode,omitempty"`
}

type contentJSON struct {
	Source       string           `json:"source"`
	Compression  string           `json:"compression,omitempty"`
	Verification verificationJSON `json:"verification,omitzero"`
}

type verificationJSON struct {
	Hash string `json:"hash"`
}

type unitJSON struct {
	Name     string `json:"name"`
	Enabled  bool   `json:"enabled"`
	Contents string `json:"contents"`
}

// coreUser is the user name for logging in to CoreOS live images.
const coreUser = "core"

func (c *ramdiskJSON) addKeys(keys ...string) {
	if len(keys) > 0 {
		c.Passwd.Users = []userJSON{{Name: coreUser, Keys: keys}}
	}
}

// encodeJSON returns the value as a single line without HTML escapes, because space in an image is limited.
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

func (f ramdiskFile) json() fileJSON {
	source := dataSource([]byte(f.content))
	if f.appended {
		return fileJSON{Path: f.path, Mode: &f.mode, Append: []contentJSON{source}}
	}
	return fileJSON{Path: f.path, Mode: &f.mode, Overwrite: new(true), Contents: &source}
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
