package ports_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/ports"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		noun      ports.Noun
		args      string
		now       string
		body, ops string
		err       string
	}{
		{noun: ports.Port, args: "address=52-54-00-AA-00-01 pxe_enabled=no", body: `{"address":"52:54:00:aa:00:01","pxe_enabled":false}`, now: `{"pxe_enabled":true,"address":"52:54:00:aa:00:01"}`, ops: `[{"op":"add","path":"/pxe_enabled","value":false}]`},
		{noun: ports.Port, args: "local_link_connection.switch_id=0a local_link_connection.port_id=7", body: `{"local_link_connection":{"port_id":"7","switch_id":"0a"}}`, now: `{"local_link_connection":{"port_id":"7"}}`, ops: `[{"op":"add","path":"/local_link_connection/switch_id","value":"0a"}]`},
		{noun: ports.Port, args: `extra.a=7 extra.b=x extra.c={"d":[1]}`, body: `{"extra":{"a":7,"b":"x","c":{"d":[1]}}}`, now: `{"extra":{"a":7}}`, ops: `[{"op":"add","path":"/extra/b","value":"x"},{"op":"add","path":"/extra/c","value":{"d":[1]}}]`},
		{noun: ports.Port, args: "physical_network- extra.a- name-", body: `{}`, now: `{"physical_network":"p","extra":{},"name":null}`, ops: `[{"op":"remove","path":"/physical_network"}]`},
		{noun: ports.Group, args: "mode=802.3ad properties.miimon=100 members=a,b", body: `{"mode":"802.3ad","properties":{"miimon":100}}`, now: `{"mode":"802.3ad"}`, ops: `[{"op":"add","path":"/properties/miimon","value":100}]`},

		{noun: ports.Port, args: "speed=1", err: `a port has no field "speed"; available: address,`},
		{noun: ports.Port, args: "pxe-enabled=1", err: `(did you mean "pxe_enabled"?)`},
		{noun: ports.Port, args: "mode=x", err: `a port has no field "mode"`},
		{noun: ports.Port, args: "address=", err: `"" is not a MAC address`},
		{noun: ports.Port, args: "address=52:54:00:00:00:0g", err: "is not a MAC address"},
		{noun: ports.Port, args: "address-", err: "address cannot be removed"},
		{noun: ports.Port, args: "pxe_enabled-", err: "pxe_enabled cannot be removed"},
		{noun: ports.Port, args: "name=", err: "the value is empty; KEY- removes a field"},
		{noun: ports.Port, args: "name.a=1", err: "name has no fields"},
		{noun: ports.Port, args: "extra=1", err: "set a single key, such as extra.NAME=VALUE"},
		{noun: ports.Port, args: "extra.a.b=1", err: `"a.b" is not allowed as a key`},
		{noun: ports.Port, args: `extra.a={"b`, err: "not valid JSON"},
		{noun: ports.Port, args: "local_link_connection.switchid=1", err: `(did you mean "switch_id"?)`},
		{noun: ports.Port, args: "name+=a", err: "+= is only allowed for members of a port group"},
		{noun: ports.Port, args: "name=a name=b", err: "name is given twice"},
		{noun: ports.Port, args: "name", err: "use KEY=VALUE, or KEY- to remove the field"},
	} {
		t.Run(string(test.noun)+" "+test.args, func(t *testing.T) {
			t.Parallel()
			list, err := test.noun.Parse(strings.Fields(test.args))
			if test.err != "" {
				var wrong *models.SettingError
				if !errors.As(err, &wrong) || !strings.Contains(err.Error(), test.err) {
					t.Errorf("%v, want %s", err, test.err)
				}
				return
			}
			var now map[string]any
			if err := errors.Join(err, json.Unmarshal([]byte(test.now), &now)); err != nil {
				t.Fatal(err)
			}
			if body, _ := json.Marshal(ports.Body(list)); string(body) != test.body {
				t.Errorf("body %s", body)
			}
			if ops, _ := json.Marshal(ports.Ops(list, now)); string(ops) != test.ops {
				t.Errorf("operations %s", ops)
			}
			for _, op := range ports.Ops(list, now) {
				if err := op.Check(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestCheckLink(t *testing.T) {
	t.Parallel()
	for link, lacks := range map[string]string{
		`{}`: "", `{"switch_id":"a","port_id":"b"}`: "", `{"port_id":"b","hostname":"h"}`: "", `{"network_type":"unmanaged"}`: "",
		`{"switch_id":"a"}`: "port_id", `{"port_id":"b"}`: "switch_id", `{"switch_info":"x"}`: "port_id",
	} {
		var object map[string]any
		if err := json.Unmarshal([]byte(link), &object); err != nil {
			t.Fatal(err)
		}
		if got := ports.CheckLink(object); got != lacks {
			t.Errorf("%s lacks %q, want %q", link, got, lacks)
		}
	}
}

func FuzzSettings(f *testing.F) {
	for _, arg := range []string{"address=52:54:00:aa:00:01", "extra.a={\"b\": 1}", "members+=a,b", "name-", "local_link_connection.port_id=x"} {
		f.Add(arg)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		for _, noun := range []ports.Noun{ports.Port, ports.Group} {
			list, err := noun.Parse([]string{arg})
			if err != nil {
				continue
			}
			if _, err := json.Marshal(ports.Body(list)); err != nil {
				t.Error(err)
			}
			for _, op := range ports.Ops(list, nil) {
				if err := op.Check(); err != nil && !strings.Contains(err.Error(), "mask") {
					t.Errorf("%q: %v", arg, err)
				}
			}
		}
	})
}
