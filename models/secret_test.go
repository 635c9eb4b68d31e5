package models

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const hunter = "hunter2"

func TestSecretIsMasked(t *testing.T) {
	t.Parallel()
	s := Secret(hunter)
	conn := Connection{Auth: AuthPassword, Username: "admin", Password: s, Keystone: Keystone{Token: s, ApplicationCredentialSecret: s}}
	holders := map[string]any{
		"secret": s, "pointer": &s, "connection": conn, "pointer to a connection": &conn, "list": []Secret{s},
		"map": map[string]Secret{"k": s}, "any": []any{s}, "request": ProvisionRequest{Verb: VerbRescue, RescuePassword: s},
		"error": fmt.Errorf("login: %w", errors.New(s.String())),
	}
	for name, v := range holders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := map[string]string{"Sprint": fmt.Sprint(v), "Sprintln": fmt.Sprintln(v)}
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%t", "%10s", "%T %v"} {
				out[verb] = fmt.Sprintf(strings.Replace(verb, "%T ", "", 1), v)
			}
			if data, err := json.Marshal(v); err == nil {
				out["json"] = string(data)
			}
			if data, err := yaml.Marshal(v); err == nil {
				out["yaml"] = string(data)
			}
			if data, err := xml.Marshal(v); err == nil {
				out["xml"] = string(data)
			}
			var text, js bytes.Buffer
			slog.New(slog.NewTextHandler(&text, nil)).Info("login", "v", v)
			slog.New(slog.NewJSONHandler(&js, nil)).Info("login", "v", v)
			out["slog text"], out["slog json"] = text.String(), js.String()
			for how, got := range out {
				if strings.Contains(got, hunter) || strings.Contains(strings.ToLower(got), fmt.Sprintf("%x", hunter)) {
					t.Errorf("%s shows the secret: %s", how, got)
				}
			}
		})
	}
}

func TestSecret(t *testing.T) {
	t.Parallel()
	s := Secret(hunter)
	if s.Reveal() != hunter || !s.IsSet() || s.String() != Mask {
		t.Error("a secret has to be revealed on purpose only")
	}
	if empty := Secret(""); empty.IsSet() || fmt.Sprintf("%v", empty) != "" {
		t.Error("an empty secret has nothing to mask")
	}
	var read struct{ P Secret }
	if err := json.Unmarshal([]byte(`{"P":"x"}`), &read); err != nil || read.P.Reveal() != "x" {
		t.Errorf("a secret is read as it is: %q %v", read.P.Reveal(), err)
	}
}
