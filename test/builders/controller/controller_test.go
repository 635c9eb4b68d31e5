// Package controller compares the metal3 profile with the builder of
// image-customization-controller as of March 2024, the last version available as a
// Go module. It is a separate module, so that its dependencies are not those of
// ironworks:
//
//	cd test/builders/controller && go test ./...
//
// It does not compare what has changed since: the unit, and everything that depends
// on NTP servers, a CA bundle or a greeting. Package builders compares those with a
// newer version.
package controller

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openshift/image-customization-controller/pkg/ignition"

	"ironworks/test/builders"
)

func TestPartsThatHaveNotChanged(t *testing.T) {
	dir := t.TempDir()
	// The cases contain the output of nmstatectl instead of its input, so this nmstatectl only copies its input.
	if err := os.WriteFile(filepath.Join(dir, "nmstatectl"), []byte("#!/bin/sh\nexec cat\n"), 0o700); err != nil { //nolint:gosec // executable
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	compared := map[string]int{}
	for _, c := range builders.Metal3Cases() {
		if c.Deviation != builders.Same || !strings.HasPrefix(c.Name, "mixture") {
			continue
		}
		m := c.Input
		builder, err := ignition.New(m.NMState, m.RegistriesConf, m.IronicBaseURL, m.IronicInspectorBaseURL, m.AgentImage,
			m.PullSecret.Reveal(), m.SSHKey, m.IPOptions, m.HTTPProxy, m.HTTPSProxy, m.NoProxy, m.Hostname, m.VLANInterfaces)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		theirs, err := builder.Generate()
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		doc, err := m.Build()
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		want, got := builders.DigestOf(theirs), builders.DigestOf(doc.JSON)
		if want.Version != got.Version || want.Users != got.Users {
			t.Errorf("%s: the version or the users differ", c.Name)
		}
		ours := map[string]string{}
		for _, part := range got.Files {
			ours[part.Name] = part.Sum
		}
		for _, part := range want.Files {
			compared[part.Name]++
			if ours[part.Name] != part.Sum {
				t.Errorf("%s: %s differs", c.Name, part.Name)
			}
		}
	}
	for _, path := range []string{
		"/etc/ironic-python-agent.conf", "/etc/authfile.json", "/etc/NetworkManager/system-connections/eth1.nmconnection",
		"/etc/NetworkManager/conf.d/clientid.conf", "/etc/NetworkManager/dispatcher.d/01-hostname", "/etc/containers/registries.conf",
	} {
		if compared[path] < 50 {
			t.Errorf("%s was compared %d times", path, compared[path])
		}
	}
}
