package linux

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"ironworks/agent"
)

func TestParseTLVs(t *testing.T) {
	t.Parallel()
	frame := []byte{0x02, 0x07, 0x04, 1, 2, 3, 4, 5, 6, 0x06, 0x02, 0x00, 0x78, 0xfe, 0x05, 0x00, 0x80, 0xc2, 0x03, 0x01, 0x00, 0x00, 0xff}
	want := []any{[]any{1, "04010203040506"}, []any{3, "0078"}, []any{127, "0080c20301"}, []any{0, ""}}
	if got := parseTLVs(frame); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := parseTLVs([]byte{0x02, 0xff, 1}); !reflect.DeepEqual(got, []any{[]any{1, "01"}}) {
		t.Errorf("a cut frame is %v", got)
	}
}

func TestAnnouncedVLANs(t *testing.T) {
	t.Parallel()
	lldp := []any{[]any{127, "0080c203006404616263"}, []any{127, "0080c2010064"}, []any{1, "00"}, []any{127, "0080c203zz"}}
	if got := announcedVLANs(lldp); !slices.Equal(got, []string{"100"}) {
		t.Errorf("got %v, want 100", got)
	}
}

func TestFastestMode(t *testing.T) {
	t.Parallel()
	for want, set := range map[int][]byte{0: nil, 1000: {0x3f, 0}, 10000: {0x20, 0x10, 0, 0}, 25000: {0x20, 0x10, 0, 0x80}, 100000: {0, 0, 0, 0, 0x10}} {
		if got := fastestMode(set); got != want {
			t.Errorf("%v is %d Mbit/s, want %d", set, got, want)
		}
	}
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	run := programs("/")
	out, err := run(t.Context(), Command{Argv: []string{"sh", "-c", "echo out; echo err >&2; exit 3"}})
	if want := (agent.Output{Stdout: "out\n", Stderr: "err\n", Code: 3}); err != nil || out != want {
		t.Errorf("got %+v, %v", out, err)
	}
	if _, err := run(t.Context(), Command{Argv: []string{"no-such-program-here"}}); !errors.Is(err, agent.ErrNoProgram) {
		t.Errorf("a missing program: %v", err)
	}
	var seen []string
	argv := []string{"sh", "-c", `printf 'one\rtwo\n\nthree'`}
	if _, err := run(t.Context(), Command{Argv: argv, Line: func(line string) { seen = append(seen, line) }}); err != nil || !slices.Equal(seen, []string{"one", "two", "three"}) {
		t.Errorf("the lines are %q, %v", seen, err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := run(short, Command{Argv: []string{"sleep", "60"}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a program that runs too long: %v", err)
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	got := parameters("quiet ipa-api-url=http://a/?x=y BOOTIF=01-aa ipa-api-url=http://b")
	want := map[string]string{"ipa-api-url": "http://b", "BOOTIF": "01-aa"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if mac := normalMAC("01-AA-bb-cc-dd-ee-ff"); mac != "aa:bb:cc:dd:ee:ff" {
		t.Errorf("the address is %s", mac)
	}
}

// TestModuleSizes checks the sizes of memory modules in all units that SMBIOS uses.
func TestModuleSizes(t *testing.T) {
	t.Parallel()
	module := func(size uint16, large uint32) structure {
		data := make([]byte, 0x20)
		data[0x0c], data[0x0d] = byte(size), byte(size>>8)
		data[0x1c], data[0x1d], data[0x1e], data[0x1f] = byte(large), byte(large>>8), byte(large>>16), byte(large>>24)
		return structure{kind: smbiosMemory, data: data}
	}
	for _, c := range []struct {
		of   structure
		want int64
	}{
		{module(0, 0), 0},
		{module(0xffff, 0), 0},
		{module(0x4000, 0), 16384},
		{module(0x8000|2048, 0), 2},
		{module(0x7fff, 65536), 65536},
		{structure{kind: smbiosMemory, data: []byte{17, 4, 0, 0}}, 0},
	} {
		if got := moduleMiB(c.of); got != c.want {
			t.Errorf("%v has %d MiB, want %d", c.of.data, got, c.want)
		}
	}
}

func TestBMC(t *testing.T) {
	t.Parallel()
	h := Host{Root: t.TempDir(), Run: func(_ context.Context, c Command) (agent.Output, error) {
		switch c.Argv[1] + " " + c.Argv[len(c.Argv)-1] {
		case "-V -V":
			return agent.Output{Stdout: "ipmitool version 1.8.19"}, nil
		case "lan 2":
			return agent.Output{Stdout: "IP Address Source       : Static Address\nIP Address              : 192.0.2.7\nMAC Address             : 00:25:90:aa:bb:cc\n"}, nil
		case "lan6 enables":
			if c.Argv[3] == "2" {
				return agent.Output{Stdout: "IPv6/IPv4 Addressing Enables: both\n"}, nil
			}
		case "lan6 static_addr":
			return agent.Output{Stdout: "IPv6 Static Address 0:\n    Enabled:        yes\n    Address:        2001:db8::7/64\n    Status:         active\n"}, nil
		}
		return agent.Output{Code: 1, Stderr: "Invalid channel"}, nil
	}}
	if got := h.bmc(t.Context()); got != (bmcAddresses{}) {
		t.Errorf("a host without IPMI has %+v", got)
	}
	if err := os.MkdirAll(filepath.Join(h.Root, "dev"), 0o700); err != nil {
		t.Fatal(err)
	}
	// Any character device will do.
	if err := os.Symlink("/dev/null", filepath.Join(h.Root, "dev", "ipmi0")); err != nil {
		t.Fatal(err)
	}
	got := h.bmc(t.Context())
	if got.v4 == nil || *got.v4 != "192.0.2.7" || got.v6 == nil || *got.v6 != "2001:db8::7" || got.mac != "00:25:90:aa:bb:cc" {
		t.Errorf("the BMC has %v %v %s", got.v4, got.v6, got.mac)
	}
}
