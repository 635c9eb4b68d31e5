package nodefile_test

import (
	"maps"
	"strings"
	"testing"

	"ironworks/enroll/nodefile"
)

func TestColumns(t *testing.T) {
	t.Parallel()
	file, err := nodefile.Options{File: "r.csv", Columns: map[string]string{"Farbe": "extra.color"}}.Read(
		[]byte("IP,BMC,Name,Hostname,Farbe,Root password,Memory,Foo Bar\n10.1.1.1,10.0.0.1,n1,h1,red,x3cret,256,y\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"IP": "extra.ip", "BMC": "bmc", "Name": "name", "Hostname": "extra.hostname", "Farbe": "extra.color", "Root password": "", "Memory": "extra.memory", "Foo Bar": "extra.foo_bar",
	}
	for _, c := range file.Columns {
		if c.Field != want[c.Header] {
			t.Errorf("%s, want %q", c, want[c.Header])
		}
	}
	if got := show(t, file.Nodes); strings.Contains(got, "x3cret") || !strings.Contains(got, `"color":"red"`) {
		t.Error(got)
	}
}

func TestSpreadsheetsInDetail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"Excel's separator line, and a digit string": {
			"sep=;\nName;BMC IP;User;Password;MAC1;MAC2;Serial;Rack\r\nn1;10.0.0.1;admin;\"p;\"\"x\";52:54:00:00:00:01;52:54:00:00:00:02;0042;7\r\n",
			`3 {"driver":"redfish","driver_info":{"redfish_address":"https://10.0.0.1","redfish_password":"p;\"x","redfish_username":"admin"},"extra":{"rack":"7","serial_number":"0042"},"name":"n1"} {"address":"52:54:00:00:00:01"} {"address":"52:54:00:00:00:02"}`,
		},
		"objects in cells, and fields of all ports": {
			"name\tdriver_info.redfish_address\tproperties.root_device\tproperties.root_device.wwn\tmac\tport.physical_network\tport2.physical_network\n" +
				"n1\thttps://b\t\t0x5\t52:54:00:00:00:01 52:54:00:00:00:02\tp1\tp2\nn2\thttps://c\t\"{\"\"size\"\": 5}\"\t\t\t\t\n",
			`2 {"driver":"redfish","driver_info":{"redfish_address":"https://b"},"name":"n1","properties":{"root_device":{"wwn":"0x5"}}} {"address":"52:54:00:00:00:01","physical_network":"p1"} {"address":"52:54:00:00:00:02","physical_network":"p2"}` + "\n" +
				`3 {"driver":"redfish","driver_info":{"redfish_address":"https://c"},"name":"n2","properties":{"root_device":{"size":5}}}`,
		},
		"ports and systems in addresses": {
			"host,IPMI IP\nn1,10.0.0.1:6230\nn2,http://[fd00::1]:8000/redfish/v1/Systems/3\nn3,fd00::1\n",
			`2 {"driver":"ipmi","driver_info":{"ipmi_address":"10.0.0.1","ipmi_port":"6230"},"name":"n1"}` + "\n" +
				`3 {"driver":"redfish","driver_info":{"redfish_address":"http://[fd00::1]:8000","redfish_system_id":"/redfish/v1/Systems/3"},"name":"n2"}` + "\n" +
				`4 {"driver":"ipmi","driver_info":{"ipmi_address":"fd00::1"},"name":"n3"}`,
		},
		"an address that is none": {
			"name,bmc\nn1,root:x@10.0.0.1 (old)\n",
			`2 {"driver":"redfish","name":"n1"} PROBLEMS BMC address "…@10.0.0.1 (old)": must be a host, an IP address or a URL`,
		},
		"Bifrost's hops": {
			"52:54:00:00:00:02,root,s3cret,192.0.2.1,1,8192,512,Control,VM,,host1,,1,2,3,4,agent_ipmitool\n",
			`1 {"driver":"ipmi","driver_info":{"ipmi_address":"192.0.2.1","ipmi_bridging":"dual","ipmi_password":"s3cret","ipmi_target_address":"2","ipmi_target_channel":"1","ipmi_transit_address":"4","ipmi_transit_channel":"3","ipmi_username":"root"},"name":"host1","properties":{"cpu_arch":"x86_64","cpus":"1","local_gb":"512","memory_mb":"8192"}} {"address":"52:54:00:00:00:02"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := nodefile.Options{File: "f", Format: nodefile.Auto}.Read([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(t, file.Nodes); strings.TrimSpace(got) != c.want {
				t.Errorf("got\n%s, want\n%s", got, c.want)
			}
		})
	}
}

func TestColumnsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text    string
		columns map[string]string
		want    string
	}{
		"unknown path":   {"name,port.uid\nn,1\n", nil, `f:1: column "port.uid": unknown port field "uid" (did you mean "uuid"?)`},
		"no such column": {"name,bmc\nn,1\n", map[string]string{"bcm": "bmc"}, `f:1: no column "bcm" (did you mean "bmc"?); columns: name, bmc`},
		"too many nodes": {"name\n" + strings.Repeat("n\n", nodefile.MaxNodes+1), nil, "more than 20000 nodes; split the file"},
	} {
		_, err := nodefile.Options{File: "f", Columns: c.columns}.Read([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestParseColumns checks that a choice maps a header to a field, and that the error for an invalid choice names the
// possible fields.
func TestParseColumns(t *testing.T) {
	t.Parallel()
	got, err := nodefile.ParseColumns([]string{"BMC IP=bmc", " a=b = extra.sum", "Notes="})
	if want := map[string]string{"BMC IP": "bmc", "a=b": "extra.sum", "Notes": ""}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no field":         {[]string{"BMC IP"}, `"BMC IP": use HEADER=FIELD, such as 'BMC IP=bmc'; fields: bmc, bmc.username`},
		"no header":        {[]string{"=bmc"}, `"=bmc": use HEADER=FIELD`},
		"a header twice":   {[]string{"x=bmc", "x=name"}, `column "x" is given twice`},
		"an object":        {[]string{"x=properties"}, `column "x": field "properties": use a path such as properties.capabilities; fields: bmc`},
		"a mistyped field": {[]string{"x=bmc.usrname"}, `column "x": unknown field "bmc.usrname" (did you mean "bmc.username"?); fields: bmc`},
		"a field of ports": {[]string{"x=port.mac"}, `column "x": unknown port field "mac"`},
	} {
		if _, err := nodefile.ParseColumns(c.args); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	for _, field := range nodefile.ColumnFields() {
		if strings.HasSuffix(field, ".") {
			field += "key"
		}
		if _, err := nodefile.ParseColumns([]string{"x=" + field}); err != nil {
			t.Errorf("offered field: %v", err)
		}
	}
}

// TestDriverOfSpreadsheet checks that the default driver applies only to rows without a driver.
func TestDriverOfSpreadsheet(t *testing.T) {
	t.Parallel()
	file, err := nodefile.Options{File: "r.csv", Columns: map[string]string{"Adresse": "bmc"}, Driver: "idrac"}.Read(
		[]byte("name,Adresse,driver\nn1,10.0.0.1,\nn2,10.0.0.2,ipmi\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := `2 {"driver":"idrac","driver_info":{"redfish_address":"https://10.0.0.1"},"name":"n1"}` + "\n" +
		`3 {"driver":"ipmi","driver_info":{"ipmi_address":"10.0.0.2"},"name":"n2"}` + "\n"
	if got := show(t, file.Nodes); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
