package show

import (
	"io"
	"strings"
	"testing"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/models"
	"ironworks/models/doctor"
)

func TestDoctorText(t *testing.T) {
	t.Parallel()
	all := []doctor.Diagnosis{
		{ID: "configuration", Group: "configuration", Result: doctor.OK, Title: "context a", Evidence: []models.Observation{{Field: "source", Value: "x"}}},
		{
			ID: "tcp", Group: "connection", Result: doctor.Fail, Title: "connection refused by 10.0.0.5:6385, and this is a long line that wraps",
			Evidence: []models.Observation{{Field: "url", Value: "http://10.0.0.5:6385/"}}, Hint: "check the port, and that the API is running; then run ironworks doctor again",
		},
		{ID: "tls", Group: "connection", Result: doctor.Unknown, Title: "skipped: no connection"},
		{ID: "http", Group: "connection", Result: doctor.Unknown, Title: "skipped: no connection"},
	}
	env := map[string]string{}
	a := &app{cli.NewApp(cli.Process{Stdout: io.Discard, Options: config.Options{Env: func(name string) string { return env[name] }}})}
	if got := a.doctorText(all, false); got != doctorGolden {
		t.Errorf("%s\nwant\n%s", got, doctorGolden)
	}
	if !strings.Contains(a.doctorText(all, true), "            source = x\n") {
		t.Error("--verbose shows no more")
	}
	env["LC_ALL"] = "C"
	if got := a.doctorText(all, false); !strings.Contains(got, "  x fail    connection") || !strings.Contains(got, "  + ok      context a") {
		t.Errorf("without UTF-8:\n%s", got)
	}
}

const doctorGolden = `configuration
  ● ok      context a

connection
  ✖ fail    connection refused by 10.0.0.5:6385, and this is a long line that
            wraps
            url = http://10.0.0.5:6385/
            → check the port, and that the API is running; then run ironworks
              doctor again
  ◌ unknown tls, http: skipped: no connection

1 ok, 0 warnings, 1 failed, 2 unknown
`
