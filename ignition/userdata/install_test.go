package userdata_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coreos/ignition/v2/config/v3_6"
	"github.com/coreos/ignition/v2/config/v3_6/types"
	"github.com/coreos/vcontext/validate"
	"github.com/vincent-petithory/dataurl"

	"ironworks/ignition/userdata"
)

// agentAdds returns userData with the hostname file that install_coreos adds.
func agentAdds(tb testing.TB, userData []byte) []byte {
	tb.Helper()
	var object map[string]any
	if err := json.Unmarshal(userData, &object); err != nil {
		tb.Fatal(err)
	}
	storage, ok := object["storage"].(map[string]any)
	if !ok {
		storage = map[string]any{}
		object["storage"] = storage
	}
	files, _ := storage["files"].([]any)
	storage["files"] = append(files, map[string]any{
		"path": "/etc/hostname", "mode": 420, "overwrite": true, "contents": map[string]any{"source": "data:,r7-n01.example.org"},
	})
	raw, err := json.Marshal(object)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

// bootIgnition processes a configuration and its parts in data URLs in the same way as Ignition's engine: it parses,
// merges and validates them.
func bootIgnition(tb testing.TB, raw []byte) (types.Config, error) {
	tb.Helper()
	config, err := renderIgnition(tb, raw)
	if err != nil {
		return config, err
	}
	if found := validate.Validate(config, "json"); found.IsFatal() {
		return config, fmt.Errorf("merged: %s", found.String())
	}
	return config, nil
}

func renderIgnition(tb testing.TB, raw []byte) (types.Config, error) {
	tb.Helper()
	config, found, err := v3_6.ParseCompatibleVersion(raw)
	if err != nil {
		return config, fmt.Errorf("%w: %s", err, found.String())
	}
	fetch := func(r types.Resource) (types.Config, bool, error) {
		if !strings.HasPrefix(*r.Source, "data:") {
			return types.Config{}, false, nil
		}
		decoded, err := dataurl.DecodeString(*r.Source)
		if err != nil {
			return types.Config{}, false, err
		}
		content := decoded.Data
		if r.Compression != nil && *r.Compression == "gzip" {
			content = gunzipped(tb, content)
		}
		child, err := renderIgnition(tb, content)
		return child, true, err
	}
	if replace := config.Ignition.Config.Replace; replace.Source != nil {
		child, known, err := fetch(replace)
		if err != nil || known {
			return child, err
		}
	}
	for _, part := range config.Ignition.Config.Merge {
		child, known, err := fetch(part)
		if err != nil {
			return config, err
		}
		if known {
			config = v3_6.Merge(config, child)
		}
	}
	return config, nil
}

func TestForInstall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, data, hostname string }{
		{"the least", `{"ignition":{"version":"3.0.0"}}`, "data:,r7-n01.example.org"},
		{"a file of the same name", checkedFile(`"path":"/etc/hostname","contents":{"source":"data:,mine"}`), "data:,mine"},
		{"Butane", "variant: fcos\nversion: 1.4.0\n", "data:,r7-n01.example.org"},
		{"packed", inBase64(gzipped(t, checkedWith(""))), "data:,r7-n01.example.org"},
		{"spec 3.6 with kernel arguments", `{"ignition":{"version":"3.6.0"},"kernelArguments":{"shouldExist":["a"]}}`, "data:,r7-n01.example.org"},
		{"replaced", `{"ignition":{"version":"3.4.0","config":{"replace":{"source":"` + dataURLOf(checkedWith("")) + `"}}}}`, "data:,r7-n01.example.org"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sent, err := userdata.ForInstall(userdata.Check([]byte(tt.data)))
			if err != nil {
				t.Fatal(err)
			}
			var wrapper struct {
				Ignition struct{ Version string }
			}
			if err := json.Unmarshal(sent, &wrapper); err != nil || wrapper.Ignition.Version != "3.1.0" {
				t.Errorf("%v: %s", err, sent)
			}
			config, err := bootIgnition(t, agentAdds(t, sent))
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, f := range config.Storage.Files {
				if f.Path == "/etc/hostname" {
					found++
					if *f.Contents.Source != tt.hostname {
						t.Errorf("hostname is %s", *f.Contents.Source)
					}
				}
			}
			if found != 1 {
				t.Errorf("%d files for the name", found)
			}
		})
	}
}

// TestHostnameClash verifies that without the wrapper, the file /etc/hostname in the user data would prevent the
// boot.
func TestHostnameClash(t *testing.T) {
	t.Parallel()
	if _, err := bootIgnition(t, agentAdds(t, []byte(checkedFile(`"path":"/etc/hostname","contents":{"source":"data:,mine"}`)))); err == nil {
		t.Error("Ignition takes a path that is there twice")
	}
}

func TestForInstallKeepsKernelArguments(t *testing.T) {
	t.Parallel()
	sent, err := userdata.ForInstall(userdata.Check([]byte(`{"ignition":{"version":"3.3.0"},"kernelArguments":{"shouldExist":["quiet"]}}`)))
	if err != nil {
		t.Fatal(err)
	}
	config, err := bootIgnition(t, agentAdds(t, sent))
	if err != nil || len(config.KernelArguments.ShouldExist) != 1 {
		t.Errorf("%v: %+v", err, config.KernelArguments)
	}
}

func TestForInstallRefuses(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"nothing": "", "cloud-config": "#cloud-config\n", "spec 2": `{"ignition":{"version":"2.2.0"}}`,
		"an error": checkedFile(`"path":"/etc/a","mode":644`), "experimental": `{"ignition":{"version":"3.7.0-experimental"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			r := userdata.Check([]byte(data))
			sent, err := userdata.ForInstall(r)
			var refused *userdata.RefusedError
			if sent != nil || !errors.As(err, &refused) || refused.Report.Kind != r.Kind || !strings.Contains(err.Error(), string(r.Problems[0].ID)) {
				t.Errorf("%s, %v", sent, err)
			}
		})
	}
	if _, err := userdata.ForInstall(userdata.Report{}); err == nil {
		t.Error("a report of nothing is taken")
	}
}
