// Command record runs the builders that ironworks reproduces, with the cases of package builders as their input. It
// writes digests of their configurations, or compares these configurations with those of ironworks.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"ironworks/ignition"
	"ironworks/test/builders"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("record", flag.ContinueOnError)
	agentImage := flags.String("agent-image", os.Getenv("IRONWORKS_AGENT_IMAGE"), "checkout of openshift/ironic-agent-image")
	icc := flags.String("icc", os.Getenv("IRONWORKS_ICC"), "checkout of openshift/image-customization-controller, with its vendor folder")
	dir := flags.String("out", "test/builders/testdata", "directory of the digests")
	compare := flags.Bool("compare", false, "compare ironworks with the originals and write nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *agentImage == "" || *icc == "" {
		return errors.New("-agent-image and -icc are needed, or IRONWORKS_AGENT_IMAGE and IRONWORKS_ICC")
	}
	classic, err := runClassic(ctx, *agentImage)
	if err != nil {
		return fmt.Errorf("running build.py: %w", err)
	}
	metal3, err := runMetal3(ctx, *icc)
	if err != nil {
		return fmt.Errorf("running image-customization-controller's builder: %w", err)
	}
	if !*compare {
		return errors.Join(write(*dir, builders.ClassicFile, classic), write(*dir, builders.Metal3File, metal3))
	}
	wrong := 0
	report := func(name string, want builders.Digest, deviation builders.Deviation, build func() (ignition.Document, error)) {
		if text := builders.Compare(want, deviation, build); text != "" {
			wrong++
			fmt.Fprintf(out, "%s: %s\n", name, text)
		}
	}
	for _, c := range builders.ClassicCases() {
		report("classic "+c.Name, classic.Cases[c.Name], c.Deviation, c.Input.Build)
	}
	for _, c := range builders.Metal3Cases() {
		report("metal3 "+c.Name, metal3.Cases[c.Name], c.Deviation, c.Input.Build)
	}
	fmt.Fprintf(out, "%d cases of %s, %d cases of %s, %d differ\n", len(classic.Cases), classic.Source, len(metal3.Cases), metal3.Source, wrong)
	if wrong > 0 {
		return errors.New("configurations differ")
	}
	return nil
}

func write(dir, name string, record builders.Record) error {
	// One case per line, so that a diff of two records is readable.
	var b strings.Builder
	source, err := json.Marshal(record.Source)
	if err != nil {
		return err
	}
	fmt.Fprintf(&b, "{\"source\": %s, \"cases\": {", source)
	for i, key := range slices.Sorted(maps.Keys(record.Cases)) {
		label, err := json.Marshal(key)
		if err != nil {
			return err
		}
		digest, err := json.Marshal(record.Cases[key])
		if err != nil {
			return err
		}
		comma := ","
		if i == 0 {
			comma = ""
		}
		fmt.Fprintf(&b, "%s\n%s: %s", comma, label, digest)
	}
	b.WriteString("\n}}\n")
	return os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o644) //nolint:gosec // digests are for all to read
}
