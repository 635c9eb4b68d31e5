package nodefile_test

import (
	"fmt"
	"strings"
	"testing"

	"ironworks/enroll/nodefile"
)

// bomb returns a small file that expands to millions of values.
func bomb() string {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 7 {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	return text
}

func TestTrees(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, want, wantErr string
		format              nodefile.Format
	}{
		"baremetal create with parts": {
			text: "nodes:\n- name: n1\n  driver: ipmi\n  driver_info: {ipmi_address: 10.0.0.1, ipmi_password: 0123}\n  traits: [CUSTOM_A]\n" +
				"  ports: [{address: '52:54:00:00:00:01'}]\n  portgroups: [{name: bond, ports: [{address: '52:54:00:00:00:02'}]}]\n",
			format: nodefile.Baremetal,
			want: `2 {"driver":"ipmi","driver_info":{"ipmi_address":"10.0.0.1","ipmi_password":"0123"},"name":"n1"}` +
				` {"address":"52:54:00:00:00:01"} {"address":"52:54:00:00:00:02"} [CUSTOM_A]` + "\n",
		},
		"a node without a driver": {
			text: "nodes:\n- name: n1\n", format: nodefile.Baremetal,
			want: `2 {"name":"n1"} PROBLEMS no driver; add driver: redfish, or another driver that a conductor supports` + "\n",
		},
		"Bifrost": {
			text: "n1:\n  driver: ipmi\n  driver_info: {ipmi_address: 10.0.0.1, ipmi_username: admin, ipmi_password: x}\n" +
				"  properties: {cpu_arch: x86_64, ram: '3072', disk_size: '10', cpus: '1'}\n  nics: [{mac: '52:54:00:00:00:01'}]\n  ipv4_address: 192.168.1.5\n",
			format: nodefile.Bifrost,
			want: `1 {"driver":"ipmi","driver_info":{"ipmi_address":"10.0.0.1","ipmi_password":"x","ipmi_username":"admin"},"name":"n1",` +
				`"properties":{"cpu_arch":"x86_64","cpus":"1","local_gb":"10","memory_mb":"3072"}} {"address":"52:54:00:00:00:01"}` + "\n",
		},
		"TripleO": {
			text: `{"nodes": [{"name": "n1", "pm_type": "pxe_ipmitool", "pm_addr": "10.0.0.1", "pm_user": "admin", "pm_password": "x",
				"mac": ["52:54:00:00:00:01"], "cpu": "4", "memory": "6144", "disk": "40", "arch": "x86_64", "capabilities": "profile:control"}]}`,
			format: nodefile.Instackenv,
			want: `1 {"driver":"ipmi","driver_info":{"ipmi_address":"10.0.0.1","ipmi_password":"x","ipmi_username":"admin"},"name":"n1",` +
				`"properties":{"capabilities":"profile:control","cpu_arch":"x86_64","cpus":"4","local_gb":"40","memory_mb":"6144"},"resource_class":"baremetal"} {"address":"52:54:00:00:00:01"}` + "\n",
		},
		"an unknown key":      {text: "nodes: []\nracks: []\n", wantErr: `f.yaml:2: unknown key "racks"; baremetal create accepts nodes and chassis`},
		"a key twice":         {text: "nodes:\n- name: a\n  name: b\n", wantErr: "f.yaml:3: "},
		"a list at the top":   {text: "- name: a\n", wantErr: "f.yaml:1: found a list; expected an object with a nodes key, as in files for baremetal create"},
		"a bomb of aliases":   {text: bomb(), wantErr: "f.yaml"},
		"nothing recognized":  {text: "racks: 7\n", wantErr: "f.yaml:1: unknown format with the keys racks"},
		"YAML that is broken": {text: "nodes: [\n", wantErr: "f.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := nodefile.Options{File: "f.yaml", Format: nodefile.Auto}.Read([]byte(c.text))
			if c.wantErr != "" {
				if err == nil || !strings.HasPrefix(err.Error(), c.wantErr) {
					t.Errorf("error %v, want %s", err, c.wantErr)
				}
				return
			}
			if err != nil || file.Format != c.format {
				t.Fatalf("%v, format %s", err, file.Format)
			}
			if got := show(t, file.Nodes); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}
