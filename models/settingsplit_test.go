package models

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitSettings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		``:                                {},
		`a=1  b=2`:                        {"a=1", "b=2"},
		`description="two words" owner=x`: {"description=two words", "owner=x"},
		`'properties.a=b c' d-`:           {"properties.a=b c", "d-"},
		`properties.skip_block_devices=[{"name":"/dev/sda"}]`:  {`properties.skip_block_devices=[{"name":"/dev/sda"}]`},
		`extra.a={"b": "c d", "e": [1, "]"]} extra.f=2`:        {`extra.a={"b": "c d", "e": [1, "]"]}`, "extra.f=2"},
		`extra.a='{"b": "c"}' x-`:                              {`extra.a={"b": "c"}`, "x-"},
		`traits+=[a] b=c`:                                      nil,
		`extra.a=[{name:/dev/sda}]`:                            nil,
		`extra.a=b{c} d`:                                       {"extra.a=b{c}", "d"},
		`driver_info.redfish_address=[fd00::1]:443 x=1`:        {"driver_info.redfish_address=[fd00::1]:443", "x=1"},
		`instance_info.kernel_append_params="a=\"b\" c" extra`: {`instance_info.kernel_append_params=a=\b\ c`, "extra"},
		`a="open`: nil,
		`a='open`: nil,
		`ü=ö`:     {"ü=ö"},
	} {
		got, err := SplitSettings(text)
		if (err != nil) != (want == nil) || err == nil && !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestTyped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`extra.a=12`:    `extra.a = 12 (number)`,
		`extra.a="12"`:  `extra.a = "12" (text)`,
		`extra.a=0x12`:  `extra.a = "0x12" (text)`,
		`extra.a=true`:  `extra.a = true (true or false)`,
		`extra.a=null`:  `extra.a = null (null)`,
		`extra.a=`:      `extra.a = "" (text)`,
		`extra.a-`:      `remove extra.a`,
		`traits+=A`:     `traits+=A`,
		`name=12`:       `name = "12" (text)`,
		`protected=yes`: `protected = true (true or false)`,
		`properties.skip_block_devices=[{"name":"/dev/sda"}]`: `properties.skip_block_devices = [{"name":"/dev/sda"}] (list)`,
		`driver_info.redfish_password=hunter2`:                `driver_info.redfish_password = ****** (text)`,
		`driver_info.redfish_address=[fd00::1]`:               `driver_info.redfish_address = "[fd00::1]" (text)`,
	} {
		s, err := ParseSetting(text)
		if err != nil {
			t.Fatal(text, err)
		}
		if got := s.Typed(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	// If the shell has removed the quotes, the value must be rejected instead of being stored as text.
	for _, text := range []string{`properties.skip_block_devices=[{name:/dev/sda}]`, `extra.a={b: c}`, `extra.a=[1,`} {
		if _, err := ParseSetting(text); err == nil || !strings.Contains(err.Error(), "looks like JSON but is invalid") || !strings.Contains(err.Error(), "single quotes") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}
