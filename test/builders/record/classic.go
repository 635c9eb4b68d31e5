package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ironworks/test/builders"
)

// runClassic runs build.py on all cases, with HOME set to a temporary folder.
func runClassic(ctx context.Context, checkout string) (builders.Record, error) {
	script := filepath.Join(checkout, "ignition", "build.py")
	record := builders.Record{Cases: map[string]builders.Digest{}}
	sum, err := sumOf(filepath.Join(checkout, "ignition"), "build.py", "ignition.json", "service")
	if err != nil {
		return record, err
	}
	record.Source = "openshift/ironic-agent-image ignition/{build.py,ignition.json,service} " + sum
	home, err := os.MkdirTemp("", "build-py-")
	if err != nil {
		return record, err
	}
	defer func() { _ = os.RemoveAll(home) }()
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		return record, err
	}
	for _, c := range builders.ClassicCases() {
		if err := os.WriteFile(filepath.Join(home, ".ssh", "id_x.pub"), []byte(c.Input.SSHKey), 0o600); err != nil {
			return record, err
		}
		args := []string{script, "--host=" + c.Input.Host, "--registry=" + c.Input.Registry, "--tls"}
		if c.Input.TLS == "" {
			args = args[:len(args)-1]
		} else {
			args = append(args, string(c.Input.TLS))
		}
		if c.Input.InsecureRegistry {
			args = append(args, "--insecure-registry")
		}
		for _, option := range c.Input.Options {
			args = append(args, "--option="+option)
		}
		cmd := exec.CommandContext(ctx, "python3", args...) //nolint:gosec // the user names the checkout
		cmd.Env = append(os.Environ(), "HOME="+home, "PYTHONUTF8=1")
		var complaint strings.Builder
		cmd.Stderr = &complaint
		out, err := cmd.Output()
		if err != nil {
			return record, fmt.Errorf("%s: %w: %s", c.Name, err, complaint.String())
		}
		record.Cases[c.Name] = builders.DigestOf(out)
	}
	return record, nil
}

// sumOf returns the SHA-256 sum of the named files of a folder, joined in this order.
func sumOf(dir string, names ...string) (string, error) {
	hash := sha256.New()
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join(dir, name)) //nolint:gosec // the user names the checkout
		if err != nil {
			return "", err
		}
		_, _ = hash.Write(raw)
	}
	return fmt.Sprintf("sha256:%x", hash.Sum(nil)), nil
}
