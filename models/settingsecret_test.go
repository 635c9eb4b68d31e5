package models

import (
	"strings"
	"testing"
)

func TestMaskSettings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "owner=rack7": "owner=rack7", "driver_info.redfish_password=": "driver_info.redfish_password=",
		"driver_info.redfish_password=hunter2":                          "driver_info.redfish_password=******",
		"owner=x driver_info.IPMI_Password='a b' name=y":                "owner=x driver_info.IPMI_Password=****** name=y",
		`driver_info.snmp_auth_key_secret="a=b c`:                       "driver_info.snmp_auth_key_secret=******",
		"'driver_info.redfish_password=a b'":                            "'driver_info.redfish_password=******'",
		"driver_info.redfish_password- traits+=CUSTOM_TOKEN_RING":       "driver_info.redfish_password- traits+=CUSTOM_TOKEN_RING",
		"driver_info.agent_token=x driver_info.redfish_username=hunter": "driver_info.agent_token=****** driver_info.redfish_username=hunter",
	} {
		if got := MaskSettings(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		for _, part := range SecretSettings(text) {
			if part[0] > part[1] || strings.Contains(text[part[0]:part[1]], "owner") {
				t.Errorf("%q hides %v", text, part)
			}
		}
	}
}
