package filter

import (
	"errors"
	"strings"
	"testing"

	"ironworks/models"
)

func TestLogFilter(t *testing.T) {
	t.Parallel()
	l := models.LogLine{
		Node: models.NodeRef{UUID: "00000001-0000-4000-8000-000000000000", Name: "r7-n01"}, Source: models.LogSSH, Unit: "ironic-agent", Level: models.LogError,
		Text: "Command failed: coreos-installer: Größe 12", Known: "no-disk",
	}
	for line, want := range map[string]bool{
		"": true, "COREOS": true, "größe": true, "GRÖSSE": false, "agent": true, "r7-n01": true, "zebra": false,
		"node:n01": true, "node:=r7-n01": true, "node:=r7": false, "unit:ironic": true, "unit:kernel": false, "unit:kernel,ironic": true,
		"source:ssh": true, "source:push": false, "level:warn": true, "level:error": true, "level:crit": false, "level:=warning": false, "level:=err": true,
		"level:info !unit:agent": false, "!zebra": true, "!coreos": false, "~cmdfld": true, "~xyz": false, `"failed: core"`: true, `"failed core"`: false,
		"known:": true, "known:disk": true, "!known:": false, "known:net": false, "coreos-installer installer": true,
	} {
		f, err := ParseLogFilter(line)
		if err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		if f.Match(&l) != want || f.String() != line || f.IsZero() != (line == "") {
			t.Errorf("%q does not match as it should: %v", line, !want)
		}
	}
	for line, want := range map[string]string{
		"color:red": `unknown filter key "color"; available: known, level, node, source, unit`, "level:loud": `unknown level "loud"`, `"open`: "unclosed quote", "!": "empty search text", "level:": "unknown level",
	} {
		var wrong *Error
		if _, err := ParseLogFilter(line); !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
}

func TestLogLevelsHaveNames(t *testing.T) {
	t.Parallel()
	for l := models.LogCritical; l <= models.LogDebug; l++ {
		if got, err := models.ParseLogLevel(strings.ToUpper(l.String())); err != nil || got != l {
			t.Errorf("%s comes back as %s, %v", l, got, err)
		}
	}
	if got := models.LogLevel(0).String(); got != "critical" {
		t.Errorf("an emergency is %s", got)
	}
}
