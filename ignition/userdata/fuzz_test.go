package userdata_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/coreos/ignition/v2/config/v3_6"

	"ironworks/ignition/userdata"
)

func gunzipped(tb testing.TB, packed []byte) []byte {
	tb.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		tb.Fatal(err)
	}
	content, err := io.ReadAll(io.LimitReader(z, 128<<20))
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

func seeds(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/*")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

// FuzzCheck compares Check with Ignition's own validation. Ignition must accept everything that Check accepts, and
// Check must reject everything that Ignition rejects. If only Check rejects a document, it must be for a problem that
// is documented as stricter than Ignition.
func FuzzCheck(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) { agree(t, data) })
}

// FuzzCheckFields does the same as FuzzCheck, but fuzzes the values of those fields that Check examines.
func FuzzCheckFields(f *testing.F) {
	f.Add("/etc/a", 420, "data:,a", "", "", "a.service", "[Unit]\nA=b\n", "core", "$6$a$b", "quiet", byte(4))
	f.Add("/etc/hostname", 644, "data:;base64,YQ==", "gzip", "sha512-00", "a@b.service", "[Install", "root", "*", "a=b", byte(0))
	f.Add("/etc", -1, "https://h/a?b", "xz", "sha256-", "a", "", "", "", "", byte(6))
	f.Add("etc/../a", 1<<30, "data:text/plain;a=\"b\",%zz", "gzip", "md5-0", "b.conf", "x=y", "a:b", "hunter2", "\x1b", byte(3))
	f.Fuzz(func(t *testing.T, path string, mode int, source, compression, hash, unit, contents, user, password, karg string, spec byte) {
		type object = map[string]any
		resource := object{"source": source, "compression": compression}
		if hash != "" {
			resource["verification"] = object{"hash": hash}
		}
		config := object{
			"ignition": object{"version": userdata.Spec(spec % 8).String()},
			"passwd":   object{"users": []any{object{"name": user, "passwordHash": password, "sshAuthorizedKeys": []any{karg}}}},
			"storage": object{
				"files":       []any{object{"path": path, "mode": mode, "contents": resource}},
				"directories": []any{object{"path": path + "/" + user, "mode": mode}},
				"links":       []any{object{"path": path + unit, "target": user}},
			},
			"systemd": object{"units": []any{object{"name": unit, "contents": contents, "enabled": mode%2 == 0, "dropins": []any{object{"name": unit, "contents": contents}}}}},
		}
		if spec%8 >= 3 {
			config["kernelArguments"] = object{"shouldExist": []any{karg}}
		}
		if mode%3 == 0 {
			config["ignition"].(object)["config"] = object{"merge": []any{resource}}
		}
		for _, without := range []string{"", "passwd", "systemd", "storage"} {
			delete(config, without)
			raw, err := json.Marshal(config)
			if err != nil {
				t.Fatal(err)
			}
			agree(t, raw)
		}
	})
}

// agree checks that the result of Check is consistent with Ignition's own validation.
func agree(t *testing.T, data []byte) {
	t.Helper()
	r := userdata.Check(data)
	raw, err := json.Marshal(r)
	if err != nil || !json.Valid(raw) {
		t.Fatal(err)
	}
	errors, stricter := 0, false
	for _, p := range r.Problems {
		if strings.ContainsFunc(p.Message+p.Path, func(c rune) bool { return !unicode.IsPrint(c) }) {
			t.Errorf("not printable: %q %q", p.Path, p.Message)
		}
		if p.Severity != p.ID.Severity() || (p.Line == 0) != (p.Column == 0) {
			t.Errorf("%+v", p)
		}
		if p.Severity == userdata.SeverityError {
			errors++
			stricter = stricter || p.ID.StricterThanIgnition()
		}
	}
	sent, refused := userdata.ForInstall(r)
	if r.OK() != (refused == nil) || r.OK() && errors > 0 {
		t.Fatalf("ok %v, %d errors, %v", r.OK(), errors, refused)
	}
	_, found, err := v3_6.ParseCompatibleVersion(data)
	switch {
	case r.Kind == userdata.KindIgnition && r.OK() && err != nil:
		t.Errorf("Ignition rejects it: %v %s", err, found.String())
	case !r.OK() && err == nil && !stricter:
		t.Errorf("Ignition takes it: %v", brief(r))
	}
	if refused != nil {
		return
	}
	if _, _, err := v3_6.ParseCompatibleVersion(sent); err != nil {
		t.Errorf("the wrapper is rejected: %v", err)
	}
	if _, _, err := v3_6.ParseCompatibleVersion(r.Ignition()); err != nil {
		t.Errorf("what is inside is rejected: %v", err)
	}
	if _, err := bootIgnition(t, agentAdds(t, sent)); err != nil {
		t.Errorf("it does not boot: %v", err)
	}
}
