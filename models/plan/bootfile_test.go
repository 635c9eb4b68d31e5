package plan

import (
	"fmt"
	"testing"

	"ironworks/models"
)

func TestBootFiles(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		info map[string]any
		want string
	}{
		"an ISO":                {map[string]any{"deploy_iso": "http://h/i", "deploy_kernel": "k", "deploy_ramdisk": "r"}, "[driver_info.deploy_iso=http://h/i]"},
		"an ISO of an old node": {map[string]any{"redfish_deploy_iso": "http://h/i"}, "[driver_info.redfish_deploy_iso=http://h/i]"},
		"a pair":                {map[string]any{"deploy_kernel": "k", "deploy_ramdisk": "r"}, "[driver_info.deploy_kernel=k driver_info.deploy_ramdisk=r]"},
		"half a pair":           {map[string]any{"deploy_kernel": "k"}, "[]"},
		"a number":              {map[string]any{"deploy_iso": 5}, "[]"},
		"nothing":               {nil, "[]"},
	} {
		var got []string
		for _, f := range BootFiles((&models.Node{DriverInfo: tt.info})) {
			got = append(got, f.Field+"="+f.Address)
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
}
