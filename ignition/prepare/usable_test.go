package prepare_test

import (
	"errors"
	"strings"
	"testing"

	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
)

func TestUsable(t *testing.T) {
	t.Parallel()
	const asGiven = "{ \"ignition\": {\"version\": \"3.4.0\"} }\n"
	for _, test := range []struct {
		name, data, want string
	}{
		{"Ignition stays to the byte", asGiven, asGiven},
		{"Butane is translated", "variant: fcos\nversion: 1.5.0\n", `{"ignition":{"version":"3.4.0"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := prepare.Usable([]byte(test.data), "worker")
			if err != nil || string(got) != test.want {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestUsableRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, data, says string
		kind             userdata.Kind
	}{
		{"an error, with its place", "variant: fcos\nversion: 1.5.0\nstorrage: {}\n", "worker.bu:3:1: error: ", userdata.KindButane},
		{"what is something else", "#cloud-config\n{}\n", "worker.bu: error: #cloud-config", userdata.KindCloudConfig},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := prepare.Usable([]byte(test.data), "worker.bu")
			var bad *prepare.UnbootableError
			if got != nil || !errors.As(err, &bad) {
				t.Fatalf("%q, %v", got, err)
			}
			if bad.Kind != test.kind || !strings.HasPrefix(err.Error(), test.says) {
				t.Errorf("%s: %v", bad.Kind, err)
			}
			for _, p := range bad.Problems {
				if p.Severity != userdata.SeverityError {
					t.Errorf("%v is no error", p)
				}
			}
		})
	}
}
