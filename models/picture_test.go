package models

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

const pictured = `{
	"uuid": "u-1", "name": "r7-n01", "provision_state": "deploying", "target_provision_state": "active", "power_state": "power on",
	"provision_updated_at": "2026-11-22T14:00:00.123456+00:00", "created_at": "2026-11-20T10:00:00+00:00", "automated_clean": false,
	"traits": ["CUSTOM_A"], "last_error": "why", "maintenance": true, "resource_class": "gp",
	"deploy_step": {"interface": "deploy", "step": "install_coreos", "priority": "80", "args": {"n": 1, "api_token": "s3cr3t"}},
	"clean_step": {},
	"properties": {"root_device": {"wwn": "0x5"}, "memory_mb": 4096, "nothing": null},
	"driver_info": {"redfish_address": "https://root:s3cr3t@10.0.0.1/x?sig=s3cr3t", "redfish_password": "s3cr3t", "deploy_iso": "https://h/i.iso?token=s3cr3t",
		"kernel_append_params": "nofb api-token=x ipa.token=s3cr3t coreos.live.rootfs_url=http://u:s3cr3t@h/r"},
	"instance_info": {"configdrive": {"user_data": "s3cr3t"}, "image_source": "http://h/i", "list": [{"password": "s3cr3t"}]},
	"driver_internal_info": {"agent_url": "https://10.0.0.9:9999", "agent_version": "11.5", "agent_last_heartbeat": "2026-11-22T14:00:01.500000",
		"deploy_steps": [{"interface": "deploy", "step": "install_coreos", "priority": 80, "args": {"secret": "s3cr3t"}, "abortable": true}, {"interface": "deploy", "step": "boot_instance", "priority": 20}],
		"deploy_step_index": 0}
}`

// TestPictureRoundTrip checks that all data shown on screens survives encoding and decoding.
func TestPictureRoundTrip(t *testing.T) {
	n, err := DecodeNode([]byte(pictured))
	if err != nil {
		t.Fatal(err)
	}
	want := Picture{At: n.ProvisionUpdatedAt.Time, Node: n.WithoutSecrets()}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Picture
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if p := got.Node.DeployStep.Priority; p == nil || *p != 80 || len(got.Node.Internal.DeploySteps) != 2 || !got.Node.Internal.DeploySteps[0].Abortable {
		t.Errorf("steps: %+v", got.Node)
	}
	if !got.Node.Internal.LastPowerState.IsZero() || got.Node.Internal.LastHeartbeat.IsZero() || got.Node.Internal.CleanIndex != nil {
		t.Errorf("internal: %+v", got.Node.Internal)
	}
	var empty Picture
	if text, err = json.Marshal(Picture{}); err == nil {
		err = json.Unmarshal(text, &empty)
	}
	if err != nil || !reflect.DeepEqual(empty, Picture{}) {
		t.Errorf("nothing at all: %v %+v", err, empty)
	}
}

func TestWithoutSecrets(t *testing.T) {
	n, err := DecodeNode([]byte(pictured))
	if err != nil {
		t.Fatal(err)
	}
	before, _ := json.Marshal(n)
	safe := n.WithoutSecrets()
	text, err := json.Marshal(&safe)
	if err != nil || strings.Contains(string(text), "s3cr3t") || safe.Raw != nil {
		t.Errorf("%v %s", err, text)
	}
	for _, want := range []string{`"redfish_address":"https://root@10.0.0.1/x?******"`, `"image_source":"http://h/i"`, `"memory_mb":4096`, `nofb api-token=****** ipa.token=`, `"configdrive":"******"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if after, _ := json.Marshal(n); string(after) != string(before) || !strings.Contains(string(after), "s3cr3t") {
		t.Error("the node itself was changed")
	}
}
