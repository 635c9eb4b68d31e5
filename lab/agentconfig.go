package lab

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/vincent-petithory/dataurl"

	"ironworks/ignition/image"
	"ironworks/lab/machine"
)

// agentConfigPath is the path of the agent's configuration file within the Ignition of a deploy ramdisk.
const agentConfigPath = "/etc/ironic-python-agent.conf"

// agentConfig holds the parts of a boot medium's Ignition that the lab uses.
type agentConfig struct {
	// APIURL is Ironic's URL. It is empty if the configuration does not contain it.
	APIURL string
	// NoInspection reports whether there are neither inspection collectors nor an inspection callback URL.
	NoInspection bool
	// NoAgent reports whether the Ignition configures no agent. Nothing on the machine then calls Ironic.
	NoAgent bool
	// Units contains the names of the Ignition's systemd units. It is nil if the medium contains no Ignition.
	Units []string
	// LoginKeys contains the SSH keys of the core user, each in the format of a line in authorized_keys.
	LoginKeys []string
	// Files maps the paths of the Ignition's files to their contents. Files larger than maxConfigFile are left out.
	Files map[string][]byte
}

// maxConfigFile is the maximum size, in bytes, of a file that is kept in agentConfig.Files.
const maxConfigFile = 1 << 20

// file returns the content of the Ignition's file at path, or nil if there is none.
func (c *agentConfig) file(path string) []byte { return c.Files[path] }

// bootConfig reads the configuration from the Ignition embedded in a live image. For other media, it is empty.
func bootConfig(media machine.Media) (agentConfig, error) {
	var config agentConfig
	file, err := os.Open(media.Path)
	if err != nil {
		return config, fmt.Errorf("reading the medium: %w", err)
	}
	defer func() { _ = file.Close() }()
	text, err := image.Embedded(file, media.Size)
	switch {
	case errors.Is(err, image.ErrNotISO), errors.Is(err, image.ErrNoArea), errors.Is(err, image.ErrNotEmbedded):
		return config, nil
	case err != nil:
		return config, fmt.Errorf("reading the medium: %w", err)
	}
	if err := config.readIgnition(text, 0); err != nil {
		return config, fmt.Errorf("reading the Ignition of the medium: %w", err)
	}
	config.NoAgent = config.APIURL == ""
	return config, nil
}

// maxMerges is the maximum depth of configs that are nested by merge or replace.
const maxMerges = 8

type resource struct {
	Source      string `json:"source"`
	Compression string `json:"compression"`
}

func (r resource) content() ([]byte, error) {
	url, err := dataurl.DecodeString(r.Source)
	if err != nil {
		return nil, fmt.Errorf("reading %.40q: %w", r.Source, err)
	}
	if r.Compression != "gzip" {
		return url.Data, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(url.Data))
	if err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	content, err := io.ReadAll(io.LimitReader(z, 16<<20))
	if err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	return content, nil
}

// readIgnition parses an Ignition config, and the embedded configs that are merged into it or replace it.
func (c *agentConfig) readIgnition(text []byte, depth int) error {
	var config struct {
		Ignition struct {
			Config struct {
				Merge   []resource `json:"merge"`
				Replace resource   `json:"replace"`
			} `json:"config"`
		} `json:"ignition"`
		Passwd struct {
			Users []struct {
				Name string   `json:"name"`
				Keys []string `json:"sshAuthorizedKeys"`
			} `json:"users"`
		} `json:"passwd"`
		Storage struct {
			Files []struct {
				Path     string   `json:"path"`
				Contents resource `json:"contents"`
			} `json:"files"`
		} `json:"storage"`
		Systemd struct {
			Units []struct {
				Name string `json:"name"`
			} `json:"units"`
		} `json:"systemd"`
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return fmt.Errorf("reading the JSON: %w", err)
	}
	for _, child := range append(config.Ignition.Config.Merge, config.Ignition.Config.Replace) {
		if child.Source == "" || !strings.HasPrefix(child.Source, "data:") || depth == maxMerges {
			continue
		}
		content, err := child.content()
		if err != nil {
			return err
		}
		if err := c.readIgnition(content, depth+1); err != nil {
			return err
		}
	}
	if c.Units == nil {
		c.Units = []string{}
	}
	for _, unit := range config.Systemd.Units {
		c.Units = append(c.Units, unit.Name)
	}
	for _, user := range config.Passwd.Users {
		if user.Name == sshUser {
			c.LoginKeys = append(c.LoginKeys, user.Keys...)
		}
	}
	for _, file := range config.Storage.Files {
		content, err := file.Contents.content()
		switch {
		case file.Path == agentConfigPath && err != nil:
			return fmt.Errorf("%s: %w", file.Path, err)
		case file.Path == agentConfigPath:
			c.readAgent(content)
		case err == nil && len(content) <= maxConfigFile:
			if c.Files == nil {
				c.Files = map[string][]byte{}
			}
			c.Files[file.Path] = content
		}
	}
	return nil
}

// readAgent reads the agent's own configuration file, which is in the INI format of oslo.config.
func (c *agentConfig) readAgent(text []byte) {
	c.NoInspection = true
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		key, value, found := strings.Cut(lines.Text(), "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !found || strings.HasPrefix(key, "#") || value == "" {
			continue
		}
		switch strings.ReplaceAll(key, "-", "_") {
		case "api_url":
			// The option accepts several URLs, separated by commas; the agent uses the first.
			c.APIURL, _, _ = strings.Cut(value, ",")
		case "inspection_callback_url", "inspection_collectors":
			c.NoInspection = false
		}
	}
}
