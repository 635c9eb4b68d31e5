package config

import "testing"

func TestBMCHosts(t *testing.T) {
	t.Parallel()
	hosts, err := ParseBMCHosts([]string{"10.0.0.0/8", "192.0.2.7", "fd00::/8", "bmc7.example.com", "*.rack7.example.com."})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{
		"10.0.7.1": true, "10.255.255.255": true, "11.0.0.1": false, "192.0.2.7": true, "192.0.2.8": false, "::ffff:10.0.0.1": true,
		"fd00::1": true, "fe80::1": false, "fd00::1%eth0": true, "bmc7.example.com": true, "BMC7.Example.Com.": true, "xbmc7.example.com": false,
		"a.rack7.example.com": true, "a.b.rack7.example.com": true, "rack7.example.com": false, ".rack7.example.com": false, "xrack7.example.com": false,
		"a.rack7.example.com.evil.org": false, "10.0.7.1.evil.org": false, "0x0a000701": false, "167773953": false, "010.0.7.1": false, "": false,
	} {
		if got := hosts.List(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
	if BMCHosts(nil).List("10.0.0.1") || !(BMCHosts{"*"}).List("stranger.example") {
		t.Error("none are all, or all are none")
	}
	for _, wrong := range []string{"", "10.0.0.0/33", "10.0.0", "300.1.2.3", "https://10.0.0.1", "a b", "*.", "**", "a.*.b", "10.0.0.1:443", "-a"} {
		if _, err := ParseBMCHosts([]string{"a", wrong}); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
