package serving

import "testing"

func TestIsHost(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"10.0.0.2": true, "fd00::2": true, "fe80::1%eth0": true, "boot.example": true, "my_host": true,
		"10.0.0.2:80": false, "boot.example:80": false, "[fd00::2]": false, "a b": false, "a/b": false, "http://h": false, "u@h": false, "h?x": false,
	} {
		if got := isHost(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
