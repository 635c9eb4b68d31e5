package nodefile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ironworks/enroll"
	"ironworks/enroll/nodefile"
)

// show returns nodes as text, one per line, with secrets revealed.
func show(t *testing.T, nodes []enroll.Node) string {
	t.Helper()
	var b strings.Builder
	for i := range nodes {
		n := &nodes[i]
		text, err := json.Marshal(n.Body())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%d %s", n.Source.Line, text)
		for _, p := range n.AllPorts() {
			text, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, " %s", text)
		}
		if n.Traits != nil {
			fmt.Fprintf(&b, " %v", n.Traits)
		}
		if len(n.Problems) > 0 {
			fmt.Fprintf(&b, " PROBLEMS %s", strings.Join(n.Problems, "; "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestSpreadsheets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want, wantErr string }{
		"common headers": {
			text: "Name,BMC IP,User,Password,MAC\nn1,10.0.0.1,admin,s3cret,52:54:00:00:00:01\n",
			want: `2 {"driver":"redfish","driver_info":{"redfish_address":"https://10.0.0.1","redfish_password":"s3cret","redfish_username":"admin"},"name":"n1"} {"address":"52:54:00:00:00:01"}` + "\n",
		},
		"semicolons, a byte order mark, quoted separators and comments": {
			text: "\ufeff# racks\nname;bmc;password\n\nn1;10.0.0.1;\"a;b\"\n",
			want: `4 {"driver":"redfish","driver_info":{"redfish_address":"https://10.0.0.1","redfish_password":"a;b"},"name":"n1"}` + "\n",
		},
		"tabs, several MACs in a cell and in columns": {
			text: "name\tmac\tNIC2 MAC\nn1\t52:54:00:00:00:01 52-54-00-00-00-02\t525400000003\n",
			want: `2 {"driver":"redfish","name":"n1"} {"address":"52:54:00:00:00:01"} {"address":"52:54:00:00:00:02"} {"address":"52:54:00:00:00:03"}` + "\n",
		},
		"IPMI by its header": {
			text: "name,ipmi address,ipmi user,ipmi password\nn1,10.0.0.1,admin,x\n",
			want: `2 {"driver":"ipmi","driver_info":{"ipmi_address":"10.0.0.1","ipmi_password":"x","ipmi_username":"admin"},"name":"n1"}` + "\n",
		},
		"a driver per row": {
			text: "name,driver,bmc,user,password\na,ilo,10.0.0.1,u,p\nb,redfish,http://10.0.0.2:8000,u,p\n",
			want: `2 {"driver":"ilo","driver_info":{"ilo_address":"10.0.0.1","ilo_password":"p","ilo_username":"u"},"name":"a"}` + "\n" +
				`3 {"driver":"redfish","driver_info":{"redfish_address":"http://10.0.0.2:8000","redfish_password":"p","redfish_username":"u"},"name":"b"}` + "\n",
		},
		"fields by their own names": {
			text: "name,driver_info.redfish_verify_ca,properties.cpus,properties.capabilities,automated_clean,extra.slot,port.pxe_enabled,mac,traits\n" +
				"n1,false,8,boot_mode:uefi,false,007,no,52:54:00:00:00:01,CUSTOM_A;CUSTOM_B\n",
			want: `2 {"automated_clean":false,"driver":"redfish","driver_info":{"redfish_verify_ca":false},"extra":{"slot":"007"},"name":"n1","properties":{"capabilities":"boot_mode:uefi","cpus":8}}` +
				` {"address":"52:54:00:00:00:01","pxe_enabled":false} [CUSTOM_A CUSTOM_B]` + "\n",
		},
		"an unknown column goes to extra": {
			text: "name,Cost Centre\nn1,47\n", want: `2 {"driver":"redfish","extra":{"cost_centre":"47"},"name":"n1"}` + "\n",
		},
		"a row with too many cells": {
			text: "name,bmc\nn1,10.0.0.1,oops\n",
			want: `2 {"driver":"redfish","driver_info":{"redfish_address":"https://10.0.0.1"},"name":"n1"} PROBLEMS 3 cells for 2 columns; quote cells that contain the separator` + "\n",
		},
		"a bad boolean": {
			text: "name,automated_clean\nn1,perhaps\n",
			want: `2 {"driver":"redfish","name":"n1"} PROBLEMS automated_clean: must be true or false` + "\n",
		},
		"a system of a BMC without systems": {
			text: "name,driver,bmc,system\nn1,ipmi,10.0.0.1,/redfish/v1/Systems/1\n",
			want: `2 {"driver":"ipmi","driver_info":{"ipmi_address":"10.0.0.1"},"name":"n1"} PROBLEMS system "/redfish/v1/Systems/1": only Redfish BMCs have systems, but the driver is ipmi` + "\n",
		},
		"Bifrost's old inventory": {
			text: "52:54:00:00:00:01,root,undefined,192.168.122.1,1,8192,512,NA,NA,aaaaaaaa-0000-4000-8000-000000000001,hostname0,192.168.1.2,,,,,agent_ipmitool\n",
			want: `1 {"driver":"ipmi","driver_info":{"ipmi_address":"192.168.122.1","ipmi_password":"undefined","ipmi_username":"root"},"name":"hostname0",` +
				`"properties":{"cpu_arch":"x86_64","cpus":"1","local_gb":"512","memory_mb":"8192"},"uuid":"aaaaaaaa-0000-4000-8000-000000000001"} {"address":"52:54:00:00:00:01"}` + "\n",
		},
		"only a header":        {text: "name,bmc\n", wantErr: "f.csv:1: the file has a header but no nodes"},
		"no header":            {text: "n1 10.0.0.1\nn2 10.0.0.2\n", wantErr: "f.csv:1: no column with a name, BMC address or MAC address: n1 10.0.0.1; the first line must be a header such as name,bmc,user,password,mac"},
		"two columns of one":   {text: "name,bmc,BMC\na,b,c\n", wantErr: `f.csv:1: columns "bmc" and "BMC" both set bmc`},
		"an unfinished quote":  {text: "name,bmc\n\"n1,10.0.0.1\n", wantErr: `f.csv:2: invalid CSV: extraneous or missing " in quoted-field; double the quotes within a quoted cell`},
		"an empty file":        {text: " \n", wantErr: "f.csv: the file is empty"},
		"a binary file":        {text: "name\x00", wantErr: "f.csv:1: a NUL byte: this is not a text file"},
		"a spreadsheet itself": {text: "PK\x03\x04\xff\xfe", wantErr: "f.csv:1: byte 0xff is not UTF-8; save the file as UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := nodefile.Options{File: "f.csv", Format: nodefile.Auto}.Read([]byte(c.text))
			if c.wantErr != "" {
				if err == nil || err.Error() != c.wantErr {
					t.Errorf("error %v, want %s", err, c.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := show(t, file.Nodes); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// written is a node with all kinds of data that the formats can represent.
const written = `{"nodes": [{"uuid": "aaaaaaaa-0000-4000-8000-000000000001", "name": "n1", "driver": "redfish", "resource_class": "big",
 "driver_info": {"redfish_address": "https://10.0.0.1", "redfish_password": "s3cret", "redfish_verify_ca": false},
 "properties": {"cpus": 8, "memory_mb": "1024", "root_device": {"size": ">= 100"}, "capabilities": "true"},
 "extra": {"rack": "r1", "unit": "07", "on": true, "off": "true", "none": null, "empty": "", "serial": "\"1", "text": " x ", "quote": "\"", "list": [1, "2"]}, "traits": ["CUSTOM_A"],
 "ports": [{"address": "52:54:00:00:00:01", "pxe_enabled": false, "local_link_connection": {"switch_id": "0a:1b:2c:3d:4e:5f", "port_id": "1"}}, {"address": "52:54:00:00:00:02"}]}]}`

// TestWriteAndRead checks that the fields that a format supports are unchanged after writing and reading.
func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	file, err := nodefile.Options{File: "n.json", Format: nodefile.Auto}.Read([]byte(written))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []nodefile.Format{nodefile.Baremetal, nodefile.Bifrost, nodefile.CSV} { // Metal3's format is tested in its own package
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if _, err := nodefile.Write(&out, format, file.Nodes); err != nil {
				t.Fatal(err)
			}
			again, err := nodefile.Options{File: "again", Format: nodefile.Auto}.Read(out.Bytes())
			if err != nil || again.Format != format {
				t.Fatalf("%v, format %s:\n%s", err, again.Format, out.String())
			}
			for i := range again.Nodes {
				again.Nodes[i].Source.Line = file.Nodes[i].Source.Line
			}
			if got, want := show(t, again.Nodes), show(t, file.Nodes); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// TestUnknownSecretIsAPlaceholder checks that an unknown secret is written as a placeholder, and that the placeholder
// is read as an unknown secret.
func TestUnknownSecretIsAPlaceholder(t *testing.T) {
	t.Parallel()
	file, err := nodefile.Options{File: "n.json", Format: nodefile.Auto}.Read([]byte(written))
	if err != nil {
		t.Fatal(err)
	}
	file.Nodes[0].SetSecret("redfish_password", "")
	var out bytes.Buffer
	if _, err := nodefile.Write(&out, nodefile.Baremetal, file.Nodes); err != nil || !strings.Contains(out.String(), "redfish_password: PASSWORD\n") {
		t.Errorf("%v\n%s", err, out.String())
	}
	again, err := nodefile.Options{File: "n.yaml", Format: nodefile.Auto}.Read(out.Bytes())
	if err != nil || again.Nodes[0].Secrets["redfish_password"].IsSet() {
		t.Errorf("%v, %v", err, again.Nodes[0].Secrets)
	}
}

// broken reports whether any of the nodes has problems. Such nodes cannot be compared after writing, because no
// format can represent problems.
func broken(nodes []enroll.Node) bool {
	return slices.ContainsFunc(nodes, func(n enroll.Node) bool { return len(n.Problems) > 0 })
}

// FuzzRead checks that every node that Read returns can be written. Reading the written file must yield the same
// values for all fields that the format supports.
func FuzzRead(f *testing.F) {
	f.Add([]byte(written))
	f.Add([]byte("name;bmc\nn1;10.0.0.1\n"))
	f.Add([]byte("n1: {driver: ipmi, nics: [{mac: '52:54:00:00:00:01'}]}\n"))
	f.Add([]byte(`{"nodes": [{"pm_type": "ipmi", "pm_addr": "10.0.0.1", "mac": ["52:54:00:00:00:01"], "memory": 1024}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := nodefile.Options{File: "f", Format: nodefile.Auto}.Read(data)
		if err != nil {
			return
		}
		for i := range file.Nodes {
			if _, err := json.Marshal(file.Nodes[i].Body()); err != nil {
				t.Errorf("a body that is no JSON: %v", err)
			}
		}
		for _, format := range nodefile.Written() {
			var out bytes.Buffer
			notes, err := nodefile.Write(&out, format, file.Nodes)
			if err != nil {
				t.Errorf("%s: %v", format, err)
			}
			if format != nodefile.Baremetal && format != nodefile.CSV || len(notes) > 0 || broken(file.Nodes) {
				continue
			}
			again, err := nodefile.Options{File: "f", Format: format}.Read(out.Bytes())
			if err != nil {
				t.Fatalf("%s: %v\n%s", format, err, out.String())
			}
			for i := range again.Nodes {
				again.Nodes[i].Source.Line, file.Nodes[i].Source.Line = 0, 0
			}
			if got, want := show(t, again.Nodes), show(t, file.Nodes); got != want {
				t.Errorf("%s: got\n%swant\n%s\n%s", format, got, want, out.String())
			}
		}
	})
}
