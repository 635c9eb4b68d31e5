package models

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestFaultMessages(t *testing.T) {
	t.Parallel()
	cause := errors.New("EOF\x1b[2J")
	tests := map[string]struct {
		fault Fault
		want  string
	}{
		"all of it": {
			Fault{Op: "deploy node n1", Status: 409, Message: "it is locked", Hint: "wait", RequestID: "req-1"},
			"deploy node n1: it is locked (HTTP 409) (wait) [req-1]",
		},
		"no answer":        {Fault{Op: "list nodes", Message: "no answer", Kind: FaultTimeout}, "list nodes: no answer"},
		"only a kind":      {Fault{Kind: FaultReset}, "reset"},
		"only a status":    {Fault{Kind: FaultServer, Status: 500}, "HTTP 500"},
		"only a cause":     {Fault{Kind: FaultReset, Err: cause}, `EOF\x1b[2J`},
		"message and more": {Fault{Message: "m", Err: cause}, "m"},
	}
	for name, tt := range tests {
		if got := tt.fault.Error(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestIsFault(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	err := fmt.Errorf("node n1: %w", &Fault{Kind: FaultLocked, Err: cause})
	switch {
	case !IsFault(err, FaultConflict, FaultLocked):
		t.Error("one of the kinds")
	case IsFault(err, FaultConflict), IsFault(err):
		t.Error("none of the kinds")
	case IsFault(cause, FaultLocked), IsFault(nil, FaultLocked):
		t.Error("no fault")
	case !errors.Is(err, cause):
		t.Error("the cause is lost")
	}
}

func TestCannotConnect(t *testing.T) {
	t.Parallel()
	want := map[FaultKind]bool{
		FaultDNS: true, FaultRefused: true, FaultUnreachable: true, FaultTimeout: true, FaultReset: true, FaultTLS: true,
		FaultNotIronic: true, FaultVersion: true, FaultUnauthorized: true, FaultConfig: true, FaultBadAnswer: true,
	}
	for _, k := range []FaultKind{
		FaultDNS, FaultRefused, FaultUnreachable, FaultTimeout, FaultReset, FaultTLS, FaultNotIronic, FaultBadAnswer,
		FaultRepeatedPage, FaultCanceled, FaultConfig, FaultUnauthorized, FaultForbidden, FaultNotFound, FaultNoConductor,
		FaultVersion, FaultNotAcceptable, FaultLocked, FaultConflict, FaultBadRequest, FaultUnavailable, FaultServer,
		FaultReadOnly, "new",
	} {
		if k.CannotConnect() != want[k] {
			t.Errorf("%s: %v", k, k.CannotConnect())
		}
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for text, minor := range map[string]int{"1.82": 82, " 1.115 ": 115, "1.1": 1} {
		if v, err := ParseAPIVersion(text); err != nil || v.Minor != minor || v.String() != strings.TrimSpace(text) {
			t.Errorf("%q: %v %v", text, v, err)
		}
	}
	for _, text := range []string{"", "1", "1.", "1.0", "1.-1", "2.5", "latest", "1.x\x1b", "1.99999999999999999999"} {
		if v, err := ParseAPIVersion(text); err == nil {
			t.Errorf("%q: %v", text, v)
		}
	}
	v := APIVersion{82}
	var needs *NeedsVersionError
	if err := v.Require(FeatureUnhold); !errors.As(err, &needs) || err.Error() != "unhold needs API 1.85; this Ironic has 1.82" {
		t.Errorf("%v", err)
	}
	if err := v.Require(FeatureHistory); err != nil || !v.Has(FeatureShards) || v.Has(FeatureHealth) {
		t.Errorf("%v", err)
	}
	if !(APIVersion{}).IsZero() || v.IsZero() {
		t.Error("IsZero")
	}
	for f, minor := range featureMinor {
		if f.Minor() != minor || minor < OldestMinor || minor > NewestMinor {
			t.Errorf("%s: 1.%d", f, minor)
		}
	}
}

func TestAuthKinds(t *testing.T) {
	t.Parallel()
	for kind, want := range map[AuthKind]bool{
		AuthNone: false, AuthHTTPBasic: false, AuthPassword: true, AuthToken: true, AuthApplicationCredential: true, "x": false,
	} {
		if kind.Keystone() != want {
			t.Errorf("%s: %v", kind, kind.Keystone())
		}
	}
}
