package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"ironworks/ignition"
	"ironworks/test/builders"
)

// driver is the source of a program that is compiled in the original's module and calls the builder for each case
// that it reads.
const driver = `package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/openshift/image-customization-controller/pkg/ignition"
)

type input struct {
	NMState, RegistriesConf []byte
	IronicBaseURL, IronicInspectorBaseURL, AgentImage, PullSecret, SSHKey, IPOptions string
	HTTPProxy, HTTPSProxy, NoProxy, Hostname, VLANInterfaces string
	NTPServers []string
	CABundleFile string
}

type output struct {
	Config []byte
	Error string
}

func build(in input) (out output) {
	defer func() {
		if r := recover(); r != nil {
			out = output{Error: fmt.Sprint(r)}
		}
	}()
	b, err := ignition.New(in.NMState, in.RegistriesConf, in.IronicBaseURL, in.IronicInspectorBaseURL, in.AgentImage, in.PullSecret,
		in.SSHKey, in.IPOptions, in.HTTPProxy, in.HTTPSProxy, in.NoProxy, in.Hostname, in.VLANInterfaces, in.NTPServers, in.CABundleFile)
	if err == nil {
		out.Config, err = b.Generate()
	}
	if err != nil {
		return output{Error: err.Error()}
	}
	return out
}

func main() {
	var inputs []input
	if err := json.NewDecoder(os.Stdin).Decode(&inputs); err != nil {
		panic(err)
	}
	outputs := make([]output, len(inputs))
	for i, in := range inputs {
		outputs[i] = build(in)
	}
	if err := json.NewEncoder(os.Stdout).Encode(outputs); err != nil {
		panic(err)
	}
}
`

// metal3Input is the driver's input: the fields of a case, but the secret in plain text, and the CA bundle in a file.
type metal3Input struct {
	ignition.Metal3
	PullSecret, CABundleFile string
}

// runMetal3 runs the builder, compiled in a copy of the checkout, on all cases. The nmstatectl that the builder finds
// only copies its input, because the cases contain the output of nmstatectl.
func runMetal3(ctx context.Context, checkout string) (builders.Record, error) {
	record := builders.Record{Cases: map[string]builders.Digest{}}
	work, err := os.MkdirTemp("", "icc-")
	if err != nil {
		return record, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	sum, err := sumOf(filepath.Join(checkout, "pkg", "ignition"),
		"builder.go", "service_config.go", "file_embed.go", "nmstate.go")
	if err != nil {
		return record, err
	}
	record.Source = "openshift/image-customization-controller " +
		"pkg/ignition/{builder,service_config,file_embed,nmstate}.go " + sum
	program, err := buildDriver(ctx, checkout, work)
	if err != nil {
		return record, err
	}
	inputs, err := metal3Inputs(work)
	if err != nil {
		return record, err
	}
	raw, err := json.Marshal(inputs)
	if err != nil {
		return record, err
	}
	nmstatectl := filepath.Join(work, "nmstatectl")
	if err := os.WriteFile(nmstatectl, []byte("#!/bin/sh\nexec cat\n"), 0o700); err != nil { //nolint:gosec // it is run
		return record, err
	}
	cmd := exec.CommandContext(ctx, program) //nolint:gosec // it was just built
	cmd.Env = append(os.Environ(), "PATH="+work+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(raw), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return record, err
	}
	var outputs []struct {
		Config []byte
		Error  string
	}
	if err := json.Unmarshal(out, &outputs); err != nil {
		return record, err
	}
	for i, c := range builders.Metal3Cases() {
		record.Cases[c.Name] = builders.Digest{Outcome: builders.Failed}
		if outputs[i].Error == "" {
			record.Cases[c.Name] = builders.DigestOf(outputs[i].Config)
		}
	}
	return record, nil
}

func metal3Inputs(work string) ([]metal3Input, error) {
	var inputs []metal3Input
	for i, c := range builders.Metal3Cases() {
		in := metal3Input{Metal3: c.Input, PullSecret: c.Input.PullSecret.Reveal()}
		if in.CABundle != nil {
			in.CABundleFile = filepath.Join(work, fmt.Sprintf("ca-%d", i))
			if err := os.WriteFile(in.CABundleFile, in.CABundle, 0o600); err != nil {
				return nil, err
			}
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// buildDriver compiles the driver in a copy of the checkout, so that the checkout itself does not change.
func buildDriver(ctx context.Context, checkout, work string) (string, error) {
	tree := filepath.Join(work, "tree")
	if err := os.CopyFS(tree, os.DirFS(checkout)); err != nil {
		return "", fmt.Errorf("copying the checkout: %w", err)
	}
	place := filepath.Join(tree, "cmd", "ironworks-driver")
	if err := os.MkdirAll(place, 0o700); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(place, "main.go"), []byte(driver), 0o600); err != nil {
		return "", err
	}
	program := filepath.Join(work, "driver")
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=vendor", "-o", program, "./cmd/ironworks-driver") //nolint:gosec // fixed words
	cmd.Dir, cmd.Stderr = tree, os.Stderr
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	return program, cmd.Run()
}
