package firstboot

import (
	"testing"

	"github.com/coreos/ignition/v2/config/v3_6"
	"github.com/coreos/ignition/v2/config/v3_6/types"
)

func TestFamiliesAreRead(t *testing.T) {
	t.Parallel()
	for _, i := range Families() {
		for _, name := range []string{"/etc/hosts", "/usr/local/bin", "/root", "/bin"} {
			if _, err := i.tree.lookup(name, fromInitramfs, true); err != nil {
				t.Errorf("%s: %s: %v", i.Name, name, err)
			}
		}
		if failures := Run(parse(t, `{"ignition": {"version": "3.4.0"}}`), i); failures != nil {
			t.Errorf("%s: an empty configuration: %+v", i.Name, failures)
		}
	}
}

func parse(t *testing.T, text string) (c types.Config) {
	t.Helper()
	c, report, err := v3_6.ParseCompatibleVersion([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v %s", text, err, report)
	}
	return c
}
