package cmd

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"ironworks/cmd/cli"
)

// TestPackaging checks that the recipe of the container image and the systemd unit match the program, because no CI
// builds them.
func TestPackaging(t *testing.T) {
	t.Parallel()
	recipe, unit := packaged(t, "packaging/Containerfile"), packaged(t, "packaging/ironworks-serve.service")
	goVersion := only(t, `(?m)^go (\d+\.\d+)`, packaged(t, "go.mod"))
	if image := only(t, `(?m)^FROM docker.io/library/golang:(\S+) AS build`, recipe); image != goVersion {
		t.Errorf("the image builds with Go %s, go.mod requires %s", image, goVersion)
	}
	if linked := only(t, `-X (\S+)=`, recipe); linked != only(t, `-X (\S+)=`, packaged(t, "Makefile")) {
		t.Errorf("the image sets %s", linked)
	}
	var entry []string
	if err := json.Unmarshal([]byte(only(t, `(?m)^ENTRYPOINT (.*)`, recipe)), &entry); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{entry, strings.Fields(only(t, `(?m)^ExecStart=(.*)`, unit))} {
		found, rest, err := newApp(cli.Process{}).rootCommand().Find(args[1:])
		if err == nil {
			err = found.ParseFlags(rest)
		}
		if err != nil || found.CommandPath() != "ironworks serve" || !strings.HasSuffix(args[0], "/ironworks") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func packaged(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// only returns the first group of a pattern that must match exactly once.
func only(t *testing.T, pattern, text string) string {
	t.Helper()
	all := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
	if len(all) != 1 {
		t.Fatalf("%q: %d matches", pattern, len(all))
	}
	return all[0][1]
}
