package explain_test

import (
	"regexp"
	"strings"
)

// Values that replace the names in formats. They must match no rule, see TestValuesMatchNoRule.
const (
	nodeUUID  = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123"
	otherUUID = "0f8a6c1e-55d2-4f0e-9b7c-2a1d3c4b5e6f"
	inner     = "[Errno 5] Input/output error"
)

var placeholder = regexp.MustCompile("\u27e8([^\u27e9]*)\u27e9")

// values maps a name in the source, or the last part of a dotted name, to the value that replaces it.
var values = map[string]string{
	"e": inner, "exc": inner, "ex": inner, "err": inner, "error": inner, "reason": inner, "details": inner, "msg": inner,
	"e.message": inner, "errors": inner, "err_msgs": inner, "error_msg": inner, "stderr": inner, "last_exc": inner,
	"ir_exception": inner, "ilo_exception": inner, "ioerror": inner, "stdout": "", "err_string": inner, "failures": inner,
	"errmsg":     "Clean step deploy.custom_step failed on node " + nodeUUID + ". " + inner,
	"error_text": inner, "details_str": "location: /tmp/x", "error_from_response": inner, "get_command_error": inner,

	"device": "/dev/sda", "dev": "/dev/sda", "block_device": "/dev/sda", "_device": "/dev/sda", "dev_name": "/dev/sda",
	"device_path": "/dev/sda", "raid_device": "/dev/md0", "component_device": "/dev/sda1", "part_device": "/dev/sda1",
	"step": "{'step': 'custom_step', 'interface': 'deploy'}", "clean_step": "{'step': 'custom_step', 'interface': 'deploy'}",
	"deploy_step": "{'step': 'custom_step', 'interface': 'deploy'}", "service_step": "{'step': 'custom_step', 'interface': 'deploy'}",
	"current_step": "{'step': 'custom_step', 'interface': 'deploy'}", "step_id": "deploy.custom_step", "step_type": "deploy",
	"host": "conductor-1", "hostname": "conductor-1", "driver": "example", "driver_name": "example", "hardware": "example",
	"state": "active", "provision_state": "active", "target_state": "active", "new_state": "active", "power_state": "power on",
	"actual_power_state": "None", "pstate": "power on", "status": "500", "status_code": "500", "method": "example",
	"url": "http://10.0.0.1/x", "image_href": "http://10.0.0.1/x", "href": "http://10.0.0.1/x", "image_ref": "oci://10.0.0.1/x",
	"image_url": "http://10.0.0.1/x", "geturl": "http://10.0.0.1/x", "boot_url": "http://10.0.0.1/x", "address": "10.0.0.2",
	"path": "/var/lib/x", "dir": "/var/lib/x", "file_path": "/var/lib/x", "filename": "x", "command": "example.run",
	"mode": "example", "count": "2", "size": "3", "index": "0", "timeout": "60", "exit_code": "1", "__name__": "OSError",
	"__class__": "OSError", "interface": "example", "port": "8000", "key": "example", "name": "example", "value": "example",
	"join": "example", "param": "example", "value.join": "example", "instance": otherUUID, "node": nodeUUID, "node_id": nodeUUID,
	"vif": otherUUID, "port_id": otherUUID, "vif_id": otherUUID, "image_id": otherUUID, "volume_id": otherUUID, "id": otherUUID,
	"network_id": otherUUID, "subnet_id": otherUUID, "allocation": otherUUID, "image_source": otherUUID, "op": "enabling",
	"missing_info": "['example']", "action": "example", "network_type": "example", "net_type": "example", "type": "example",
}

// fill replaces each name in text with its value.
func fill(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		name := placeholder.FindStringSubmatch(found)[1]
		if v, there := values[name]; there {
			return v
		}
		last := name[strings.LastIndex(name, ".")+1:]
		if v, there := values[last]; there {
			return v
		}
		if strings.Contains(strings.ToLower(last), "uuid") {
			if strings.Contains(name, "node") {
				return nodeUUID
			}
			return otherUUID
		}
		return "example"
	})
}
