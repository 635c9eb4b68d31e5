package terminal_test

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"ironworks/test/terminal"
)

func TestRecording(t *testing.T) {
	t.Parallel()
	var record strings.Builder
	s, err := terminal.Start(t.Context(), terminal.Options{
		Command: exec.Command("sh", "-c", `printf '\342'; sleep 0.1; printf '\202\254 <&>\033[1m'; read x; stty size`),
		Width:   40, Height: 7, Record: &record,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Until(t, "€ <&>")
	if err := s.Resize(50, 8); err != nil {
		t.Fatal(err)
	}
	s.Type("\r")
	s.Ends(t, 0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(record.String()), "\n")
	var header struct {
		Version, Width, Height int
		Env                    map[string]string
	}
	if err := json.Unmarshal([]byte(lines[0]), &header); err != nil {
		t.Fatal(err, lines[0])
	}
	if header.Version != 2 || header.Width != 40 || header.Height != 7 || header.Env["TERM"] != "xterm-256color" {
		t.Error(lines[0])
	}
	output, last, resized := "", 0.0, ""
	for _, line := range lines[1:] {
		var event [3]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatal(err, line)
		}
		at := event[0].(float64)
		if at < last {
			t.Errorf("goes back in time: %s", line)
		}
		last = at
		switch event[1] {
		case "o":
			output += event[2].(string)
		case "r":
			resized += event[2].(string)
		default:
			t.Error("unexpected event:", line)
		}
	}
	if resized != "50x8" || !strings.Contains(output, "€ <&>\x1b[1m") || !strings.HasSuffix(output, "8 50\r\n") || strings.Contains(output, "\ufffd") {
		t.Errorf("resized %q, output %q", resized, output)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestRecordingThatFails(t *testing.T) {
	t.Parallel()
	s, err := terminal.Start(t.Context(), terminal.Options{Command: exec.Command("echo", "x"), Record: full{}})
	if err != nil {
		t.Fatal(err)
	}
	s.Ends(t, 0)
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Error(err)
	}
	if err := s.Resize(0, 1); err == nil {
		t.Error("a terminal without columns")
	}
}
