package serve_test

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"ironworks/ignition/serve"
)

// network is a fake network. sources maps each host to the local address that is used for connections to this host.
type network struct {
	sources    map[string]string
	interfaces []serve.Candidate
	fails      error
}

var errNoRoute = errors.New("no route to host")

func (n network) Source(_ context.Context, host string) (netip.Addr, error) {
	source, ok := n.sources[host]
	if !ok {
		return netip.Addr{}, errNoRoute
	}
	return netip.MustParseAddr(source), nil
}

func (n network) Interfaces() ([]serve.Candidate, error) { return slices.Clone(n.interfaces), n.fails }

func at(addr, name string) serve.Candidate {
	return serve.Candidate{Addr: netip.MustParseAddr(addr), Interface: name}
}

func TestCandidates(t *testing.T) {
	made := network{
		interfaces: []serve.Candidate{
			at("127.0.0.1", "lo"), at("::1", "lo"), at("192.0.2.10", "eth0"), at("fe80::1", "eth0"), at("2001:db8::10", "eth0"),
			at("198.51.100.10", "eth1"),
		},
		sources: map[string]string{
			"198.51.100.1": "198.51.100.10", "bmc2": "198.51.100.10", "ironic.example": "192.0.2.10", "2001:db8::1": "2001:db8::10",
			"203.0.113.1": "203.0.113.10", "localhost": "127.0.0.1", "fe80::2": "fe80::1",
		},
	}
	tests := []struct {
		name    string
		targets []string
		want    []string
		fails   string
	}{
		{name: "no targets", want: []string{"192.0.2.10 eth0", "198.51.100.10 eth1", "2001:db8::10 eth0", "127.0.0.1 lo", "::1 lo"}},
		{
			name: "most targets first", targets: []string{"https://ironic.example:6385/", "https://198.51.100.1/redfish/v1", "bmc2:8000", "bmc2"},
			want: []string{"198.51.100.10 eth1 198.51.100.1 bmc2", "192.0.2.10 eth0 ironic.example", "2001:db8::10 eth0", "127.0.0.1 lo", "::1 lo"},
		},
		{
			name: "IPv6", targets: []string{"https://[2001:db8::1]", "[2001:db8::1]:443", "2001:db8::1", "[2001:db8::1]"},
			want: []string{"2001:db8::10 eth0 2001:db8::1", "192.0.2.10 eth0", "198.51.100.10 eth1", "127.0.0.1 lo", "::1 lo"},
		},
		{
			name: "an address that no interface has", targets: []string{"203.0.113.1"},
			want: []string{"203.0.113.10  203.0.113.1", "192.0.2.10 eth0", "198.51.100.10 eth1", "2001:db8::10 eth0", "127.0.0.1 lo", "::1 lo"},
		},
		{
			name: "the same machine", targets: []string{"http://localhost:6385"},
			want: []string{"127.0.0.1 lo localhost", "192.0.2.10 eth0", "198.51.100.10 eth1", "2001:db8::10 eth0", "::1 lo"},
		},
		{
			name: "one link only", targets: []string{"fe80::2"},
			want: []string{"192.0.2.10 eth0", "198.51.100.10 eth1", "2001:db8::10 eth0", "127.0.0.1 lo", "::1 lo"},
		},
		{
			name: "no way", targets: []string{"nowhere", "", "bmc2"}, fails: "route to nowhere: no route to host",
			want: []string{"198.51.100.10 eth1 bmc2", "192.0.2.10 eth0", "2001:db8::10 eth0", "127.0.0.1 lo", "::1 lo"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list, err := serve.Candidates(t.Context(), made, test.targets)
			if (err == nil) != (test.fails == "") || err != nil && !strings.Contains(err.Error(), test.fails) {
				t.Errorf("error %v", err)
			}
			var got []string
			for _, c := range list {
				got = append(got, strings.TrimSpace(c.Addr.String()+" "+c.Interface+" "+strings.Join(c.For, " ")))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("candidates\n%q, want\n%q", got, test.want)
			}
		})
	}
}

func TestCandidatesOfNoNetwork(t *testing.T) {
	list, err := serve.Candidates(t.Context(), network{fails: errNoRoute, sources: map[string]string{"a": "192.0.2.1"}}, []string{"a"})
	if !errors.Is(err, errNoRoute) || len(list) != 1 {
		t.Errorf("%v, error %v", list, err)
	}
}

func TestCandidatesOfThisMachine(t *testing.T) {
	list, err := serve.Candidates(t.Context(), serve.System{}, []string{"http://127.0.0.1:1/"})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 || !list[0].Loopback() || !slices.Equal(list[0].For, []string{"127.0.0.1"}) || list[0].Interface == "" {
		t.Errorf("candidates %+v", list)
	}
}

func TestValidHost(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"10.0.0.2": true, "fd00::2": true, "fe80::1%eth0": true, "boot.example": true, "my_host": true,
		"10.0.0.2:80": false, "boot.example:80": false, "[fd00::2]": false, "a b": false, "a/b": false, "http://h": false, "u@h": false, "h?x": false,
	} {
		if got := serve.ValidHost(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
