package contract

import (
	"encoding/json"
	"net/http"
	"testing"
)

// OnMachines returns the behaviors of nodes with a machine: a BMC, disks and an agent. Package machines runs them.
func OnMachines() []MachineBehavior {
	const (
		coreos = `{"interface": "deploy", "step": "install_coreos", "args": {}, "priority": 80}`
		drive  = `"configdrive": {"user_data": {"ignition": {"version": "3.0.0"}}}`
		deploy = `{"target": "active", ` + drive + `, "deploy_steps": [` + coreos + `]}`
		reason = "GET /v1/nodes/{node}/history"
	)
	until := func(state string) step {
		return step{call: "UNTIL /v1/nodes/{node}?fields=provision_state,reservation", see: "provision_state reservation", want: `200 provision_state="` + state + `" reservation=null`}
	}
	secureBoot := func(state string) step {
		return step{call: "UNTIL /v1/nodes/{node}?fields=secure_boot,reservation,last_error", see: "secure_boot reservation last_error", want: "200 secure_boot=" + state + " reservation=null last_error=null"}
	}
	ask := func(body string) step { return step{call: provisionCall, body: body, want: "202"} }
	return []MachineBehavior{
		{Scenario: "ok", behavior: behavior{name: "verified", steps: []step{
			ask(`{"target": "manage"}`), until("manageable"),
			{call: "GET /v1/nodes/{node}", see: "power_state boot_mode secure_boot last_error", want: `200 power_state="power off" boot_mode="uefi" secure_boot=false last_error=null`},
			{call: "GET /v1/nodes/{node}/validate", see: "power boot deploy management network", want: `200 power={"result":true} boot={"result":true} deploy={"result":true} management={"result":true} network={"result":true}`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "secure-boot-changes", state: "manageable", steps: []step{
			{call: "PUT /v1/nodes/{node}/states/secure_boot", body: `{"target": "on"}`, want: "202"},
			secureBoot("true"),
			{call: "PUT /v1/nodes/{node}/states/secure_boot", body: `{"target": "off"}`, want: "202"},
			secureBoot("false"),
		}}},
		{Scenario: "ok", behavior: behavior{name: "inspected-by-redfish", state: "manageable", steps: []step{
			ask(`{"target": "inspect"}`), until("manageable"),
			{call: "GET /v1/nodes/{node}", see: "properties last_error boot_mode inspection_finished_at?", want: `200 properties={"capabilities":"boot_mode:uefi","cpu_arch":"x86_64","cpus":16,"local_gb":446,"memory_mb":65536,"vendor":"ironworks"} last_error=null boot_mode=null inspection_finished_at=set`, old: `200 properties={"capabilities":"boot_mode:uefi","cpu_arch":"x86_64","cpus":16,"local_gb":"446","memory_mb":"65536","vendor":"ironworks"} last_error=null boot_mode=null inspection_finished_at=set`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "inspected-by-the-agent", since: 84, node: `{"inspect_interface": "agent"}`, state: "manageable", steps: []step{
			ask(`{"target": "inspect"}`), until("manageable"),
			{call: "GET /v1/nodes/{node}", see: "power_state last_error driver_internal_info.keys", want: `200 power_state="power off" last_error=null driver_internal_info.keys=["agent_last_heartbeat","last_power_state_change","vmedia_transport_protocol"]`},
			{call: "GET /v1/nodes/{node}/inventory", see: "body.keys inventory.keys plugin_data.keys", want: `200 keys=["inventory","plugin_data"] inventory.keys=["bmc_address","bmc_v6address","boot","cpu","disks","hostname","interfaces","memory","system_vendor"] plugin_data.keys=["all_interfaces","boot_interface","configuration","error","macs","root_disk","valid_interfaces"]`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "deployed", state: "available", steps: []step{
			ask(deploy), until("active"),
			{call: "GET /v1/nodes/{node}", see: "target_provision_state deploy_step power_state last_error instance_info driver_internal_info.keys driver_internal_info.deploy_steps", want: `200 target_provision_state=null deploy_step={} power_state="power on" last_error=null instance_info={"configdrive":"******"} driver_internal_info.keys=["agent_cached_deploy_steps_refreshed","agent_last_heartbeat","agent_version","deploy_steps","hardware_manager_version","last_power_state_change","vmedia_transport_protocol"] driver_internal_info.deploy_steps=null`, old: `200 target_provision_state=null deploy_step={} power_state="power on" last_error=null instance_info={"configdrive":"******"} driver_internal_info.keys=["agent_cached_deploy_steps_refreshed","agent_last_heartbeat","agent_version","deploy_steps","hardware_manager_version","last_power_state_change"] driver_internal_info.deploy_steps=null`},
			ask(`{"target": "deleted"}`), until("available"),
			{call: "GET /v1/nodes/{node}", see: "target_provision_state power_state last_error instance_info driver_internal_info.keys", want: `200 target_provision_state=null power_state="power off" last_error=null instance_info={} driver_internal_info.keys=["agent_cached_deploy_steps_refreshed","agent_last_heartbeat","agent_version","deploy_steps","hardware_manager_version","last_power_state_change","vmedia_transport_protocol"]`, old: `200 target_provision_state=null power_state="power off" last_error=null instance_info={} driver_internal_info.keys=["agent_cached_deploy_steps_refreshed","agent_last_heartbeat","agent_version","deploy_steps","hardware_manager_version","last_power_state_change"]`},
		}}},
		{Scenario: "long-step", behavior: behavior{name: "while-a-step-runs", state: "available", steps: []step{
			ask(deploy),
			{call: "UNTIL /v1/nodes/{node}?fields=provision_state,deploy_step,reservation", see: "provision_state deploy_step.step", want: `200 provision_state="wait call-back" deploy_step.step="install_coreos"`},
			{call: "GET /v1/nodes/{node}", see: "target_provision_state deploy_step driver_internal_info.keys driver_internal_info.deploy_steps.#.step driver_internal_info.deploy_steps.#.priority driver_internal_info.deploy_step_index instance_info", want: `200 target_provision_state="active" deploy_step={"args":{},"interface":"deploy","priority":80,"step":"install_coreos"} driver_internal_info.keys=["agent_cached_deploy_steps","agent_cached_deploy_steps_refreshed","agent_last_heartbeat","agent_secret_token","agent_url","agent_version","deploy_step_index","deploy_steps","hardware_manager_version","last_power_state_change","steps_validated","user_deploy_steps","vmedia_transport_protocol"] driver_internal_info.deploy_steps.#.step=["deploy","install_coreos","prepare_instance_boot","tear_down_agent","switch_to_tenant_network","boot_instance"] driver_internal_info.deploy_steps.#.priority=[100,80,60,40,30,20] driver_internal_info.deploy_step_index=1 instance_info={"configdrive":"******"}`, old: `200 target_provision_state="active" deploy_step={"args":{},"interface":"deploy","priority":80,"step":"install_coreos"} driver_internal_info.keys=["agent_cached_deploy_steps","agent_cached_deploy_steps_refreshed","agent_last_heartbeat","agent_secret_token","agent_url","agent_version","deploy_step_index","deploy_steps","hardware_manager_version","last_power_state_change","steps_validated","user_deploy_steps"] driver_internal_info.deploy_steps.#.step=["deploy","install_coreos","prepare_instance_boot","tear_down_agent","switch_to_tenant_network","boot_instance"] driver_internal_info.deploy_steps.#.priority=[100,80,60,40,30,20] driver_internal_info.deploy_step_index=1 instance_info={"configdrive":"******"}`},
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/extra/a", "value": 1}]`, want: "409 Node {node} can not be updated while a state transition is in progress."},
			{call: "GET /v1/lookup?node_uuid={node}", see: "config.agent_token", want: `200 config.agent_token="******"`},
			until("active"),
		}}},
		{Scenario: "ok", behavior: behavior{name: "deployed-without-steps", state: "available", steps: []step{
			ask(`{"target": "active"}`), until("active"),
			{call: "GET /v1/nodes/{node}", see: "power_state last_error deploy_step instance_info", want: `200 power_state="power on" last_error=null deploy_step={} instance_info={}`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "step-that-no-agent-has", state: "available", steps: []step{
			ask(`{"target": "active", "deploy_steps": [{"interface": "deploy", "step": "instal_coreos", "args": {}, "priority": 80}]}`), until("deploy failed"),
			{call: "GET /v1/nodes/{node}", see: "target_provision_state last_error deploy_step power_state driver_internal_info.keys", want: `200 target_provision_state="active" last_error=null deploy_step={} power_state="power off" driver_internal_info.keys=["agent_cached_deploy_steps_refreshed","agent_last_heartbeat","agent_version","deploy_steps","hardware_manager_version","last_power_state_change","vmedia_transport_protocol"]`, old: `200 target_provision_state="active" last_error="Failed to validate the final deploy steps list for node {node}: Validation of deploy steps from \"deploy steps\" argument failed.node does not support this deploy step: {'interface': 'deploy', 'step': 'instal_coreos', 'args': {}, 'priority': 80}" deploy_step={} power_state="power on" driver_internal_info.keys=["agent_cached_deploy_steps_refreshed","agent_last_heartbeat","agent_version","deploy_steps","hardware_manager_version","last_power_state_change"]`},
			{call: reason, version: "1.78", see: "history.#.event", want: `200 history.#.event=["Starting deployment with steps=[{'step': 'deploy', 'priority': 100, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}, {'step': 'prepare_instance_boot', 'priority': 60, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}, {'step': 't...","Failed to validate the final deploy steps list for node {node}: Validation of deploy steps from \"deploy steps\" argument failed.node does not support this deploy step: {'interface': 'deploy', 'step': 'instal_coreos', 'args..."]`, old: `200 history.#.event=["Failed to validate the final deploy steps list for node {node}: Validation of deploy steps from \"deploy steps\" argument failed.node does not support this deploy step: {'interface': 'deploy', 'step': 'instal_coreos', 'args..."]`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "argument-that-a-step-does-not-take", state: "available", steps: []step{
			ask(`{"target": "active", "deploy_steps": [{"interface": "deploy", "step": "install_coreos", "args": {"a": 1}, "priority": 80}]}`), until("deploy failed"),
			{call: reason, version: "1.78", see: "history.#.event", want: `200 history.#.event=["Starting deployment with steps=[{'step': 'deploy', 'priority': 100, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}, {'step': 'prepare_instance_boot', 'priority': 60, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}, {'step': 't...","Failed to validate the final deploy steps list for node {node}: Validation of deploy steps from \"deploy steps\" argument failed.deploy step {'interface': 'deploy', 'step': 'install_coreos', 'args': {'a': 1}, 'priority': 80..."]`, old: `200 history.#.event=["Failed to validate the final deploy steps list for node {node}: Validation of deploy steps from \"deploy steps\" argument failed.deploy step {'interface': 'deploy', 'step': 'install_coreos', 'args': {'a': 1}, 'priority': 80..."]`},
		}}},
		{Scenario: "no-disk-matches", behavior: behavior{name: "no-disk-matches", state: "available", steps: []step{
			ask(deploy), until("deploy failed"),
			{call: "UNTIL /v1/nodes/{node}", see: "target_provision_state last_error deploy_step power_state instance_info driver_internal_info.keys", want: `200 target_provision_state="active" last_error=null deploy_step={} power_state="power off" instance_info={"configdrive":"******"} driver_internal_info.keys=["agent_cached_deploy_steps_refreshed","agent_last_heartbeat","agent_version","deploy_steps","hardware_manager_version","last_power_state_change","vmedia_transport_protocol"]`, old: `200 target_provision_state="active" last_error="Deploy step deploy.install_coreos failed on node {node}. No suitable device was found for deployment using these hints {'wwn': '0x5000c500deadbeef'}" deploy_step={} power_state="power on" instance_info={"configdrive":"******"} driver_internal_info.keys=["agent_cached_deploy_steps_refreshed","agent_last_heartbeat","agent_version","deploy_steps","hardware_manager_version","last_power_state_change"]`},
			{call: reason + "?detail=true", version: "1.78", see: "history.#.event history.#.event_type history.#.severity", want: `200 history.#.event=["Starting deployment with steps=[{'step': 'deploy', 'priority': 100, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}, {'step': 'prepare_instance_boot', 'priority': 60, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}, {'step': 'tear_down_agent', 'priority': 40, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}, {'step': 'switch_to_tenant_network', 'priority': 30, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}, {'step': 'boot_instance', 'priority': 20, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}]","Deploy step deploy.install_coreos failed on node {node}. No suitable device was found for deployment using these hints {'wwn': '0x5000c500deadbeef'}"] history.#.event_type=["deployment_start","deploying"] history.#.severity=["INFO","ERROR"]`, old: `200 history.#.event=["Deploy step deploy.install_coreos failed on node {node}. No suitable device was found for deployment using these hints {'wwn': '0x5000c500deadbeef'}"] history.#.event_type=["deploying"] history.#.severity=["ERROR"]`},
			ask(`{"target": "deleted"}`), until("available"),
		}}},
		{Scenario: "install-fails-4-times", behavior: behavior{name: "installer-fails", state: "available", steps: []step{
			ask(deploy), until("deploy failed"),
			{call: reason, version: "1.78", see: "history.0.event", want: `200 history.0.event="Starting deployment with steps=[{'step': 'deploy', 'priority': 100, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}, {'step': 'prepare_instance_boot', 'priority': 60, 'abortable': True, 'argsinfo': None, 'interface': 'deploy'}, {'step': 't..."`, old: `200 history.0.event="Deploy step deploy.install_coreos failed on node {node}. coreos-installer failed with code 1: Error: install failed"`},
		}}},
		{Scenario: "long-step", behavior: behavior{name: "template-and-own-steps", state: "available", node: `{"instance_info": {"traits": ["{trait1}"]}}`, steps: []step{
			{call: "POST /v1/deploy_templates", body: `{"name": "{trait1}", "steps": [{"interface": "deploy", "step": "erase_devices_metadata", "args": {}, "priority": 95}, ` + coreos + `]}`, want: "201"},
			{call: "PUT /v1/nodes/{node}/traits/{trait1}", want: "204"},
			ask(`{"target": "active", ` + drive + `, "deploy_steps": [{"interface": "deploy", "step": "install_coreos", "args": {}, "priority": 90}]}`),
			{call: "UNTIL /v1/nodes/{node}?fields=provision_state,deploy_step,driver_internal_info", see: "driver_internal_info.deploy_steps.#.step driver_internal_info.deploy_steps.#.priority", want: `200 driver_internal_info.deploy_steps.#.step=["deploy","erase_devices_metadata","install_coreos","prepare_instance_boot","tear_down_agent","switch_to_tenant_network","boot_instance"] driver_internal_info.deploy_steps.#.priority=[100,95,90,60,40,30,20]`},
			until("active"),
		}}},
		{Scenario: "never-boots", behavior: behavior{name: "never-boots", state: "available", steps: []step{
			ask(deploy), until("wait call-back"),
			{call: "GET /v1/nodes/{node}", see: "deploy_step.step power_state driver_internal_info.keys last_error", want: `200 deploy_step.step="deploy" power_state="power on" driver_internal_info.keys=["deploy_step_index","deploy_steps","last_power_state_change","user_deploy_steps","vmedia_transport_protocol"] last_error=null`, old: `200 deploy_step.step="deploy" power_state="power on" driver_internal_info.keys=["deploy_step_index","deploy_steps","last_power_state_change","user_deploy_steps"] last_error=null`},
			ask(`{"target": "deleted"}`), until("available"),
			{call: "GET /v1/nodes/{node}", see: "deploy_step power_state last_error instance_info", want: `200 deploy_step={"abortable":true,"argsinfo":null,"interface":"deploy","priority":100,"step":"deploy"} power_state="power off" last_error=null instance_info={}`, old: `200 deploy_step={"argsinfo":null,"interface":"deploy","priority":100,"step":"deploy"} power_state="power off" last_error=null instance_info={}`},
		}}},
		{Scenario: "bmc-password", behavior: behavior{name: "bmc-password", steps: []step{
			ask(`{"target": "manage"}`), until("enroll"),
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state target_provision_state power_state reservation last_error", want: `~200 provision_state="enroll" target_provision_state=null power_state=null reservation=null last_error="Failed to get power state for node \{node\}\. Error: Redfish exception occurred\. Error: HTTP GET http\S+/redfish/v1/Systems/bmc-password returned code 401\. .*"`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "cleaned", state: "manageable", node: `{"automated_clean": true}`, steps: []step{
			ask(`{"target": "provide"}`), until("available"),
			{call: "GET /v1/nodes/{node}", see: "target_provision_state clean_step power_state last_error driver_internal_info.keys", want: `200 target_provision_state=null clean_step={} power_state="power off" last_error=null driver_internal_info.keys=["agent_cached_clean_steps_refreshed","agent_continue_if_ata_erase_failed","agent_continue_if_secure_erase_failed","agent_enable_ata_secure_erase","agent_enable_nvme_secure_erase","agent_erase_devices_iterations","agent_erase_devices_zeroize","agent_erase_skip_read_only","agent_last_heartbeat","agent_version","clean_steps","disk_erasure_concurrency","hardware_manager_version","last_power_state_change","vmedia_transport_protocol"]`, old: `200 target_provision_state=null clean_step={} power_state="power off" last_error=null driver_internal_info.keys=["agent_cached_clean_steps_refreshed","agent_continue_if_ata_erase_failed","agent_continue_if_secure_erase_failed","agent_enable_ata_secure_erase","agent_enable_nvme_secure_erase","agent_erase_devices_iterations","agent_erase_devices_zeroize","agent_erase_skip_read_only","agent_last_heartbeat","agent_version","clean_steps","disk_erasure_concurrency","hardware_manager_version","last_power_state_change"]`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "cleaned-by-hand", state: "manageable", steps: []step{
			ask(`{"target": "clean", "clean_steps": [{"interface": "deploy", "step": "erase_devices_metadata"}]}`), until("manageable"),
			{call: "GET /v1/nodes/{node}", see: "target_provision_state clean_step power_state last_error driver_internal_info.keys", want: `200 target_provision_state=null clean_step={} power_state="power off" last_error=null driver_internal_info.keys=["agent_cached_clean_steps_refreshed","agent_continue_if_ata_erase_failed","agent_continue_if_secure_erase_failed","agent_enable_ata_secure_erase","agent_enable_nvme_secure_erase","agent_erase_devices_iterations","agent_erase_devices_zeroize","agent_erase_skip_read_only","agent_last_heartbeat","agent_version","clean_steps","disk_erasure_concurrency","hardware_manager_version","last_power_state_change","vmedia_transport_protocol"]`, old: `200 target_provision_state=null clean_step={} power_state="power off" last_error=null driver_internal_info.keys=["agent_cached_clean_steps_refreshed","agent_continue_if_ata_erase_failed","agent_continue_if_secure_erase_failed","agent_enable_ata_secure_erase","agent_enable_nvme_secure_erase","agent_erase_devices_iterations","agent_erase_devices_zeroize","agent_erase_skip_read_only","agent_last_heartbeat","agent_version","clean_steps","disk_erasure_concurrency","hardware_manager_version","last_power_state_change"]`},
		}}},
		{Scenario: "clean-fails", behavior: behavior{name: "clean-fails-with-a-runbook", since: 112, state: "manageable", steps: []step{
			{call: "POST " + runbooksPath, body: `{"uuid": "{uuid1}", "name": "{word1}", "steps": [{"interface": "deploy", "step": "erase_devices_metadata", "order": 1}]}`, want: "201"},
			{call: "PUT " + oneRunbook + "/traits/{trait1}", want: "204"},
			{call: "PUT /v1/nodes/{node}/traits/{trait1}", want: "204"},
			ask(`{"target": "clean", "runbook": "{word1}"}`), until("clean failed"),
			{call: "UNTIL /v1/nodes/{node}", see: "target_provision_state last_error fault driver_internal_info.clean_steps driver_internal_info.declarative_cleaning", want: `200 target_provision_state="manageable" last_error="Clean step deploy.erase_devices_metadata failed on node {node}. Failed to erase the metadata on the device(s): \"/dev/sda\": Unexpected error while running command. Exit code: 1" fault="clean failure" driver_internal_info.clean_steps=[{"abortable":true,"args":{},"interface":"deploy","order":1,"priority":99,"step":"erase_devices_metadata"}] driver_internal_info.declarative_cleaning=true`},
		}}},
		{Scenario: "clean-fails", behavior: behavior{name: "clean-fails", state: "manageable", steps: []step{
			ask(`{"target": "clean", "clean_steps": [{"interface": "deploy", "step": "erase_devices_metadata"}]}`), until("clean failed"),
			{call: "UNTIL /v1/nodes/{node}", see: "target_provision_state clean_step last_error maintenance maintenance_reason fault power_state driver_internal_info.keys", want: `200 target_provision_state="manageable" clean_step={} last_error="Clean step deploy.erase_devices_metadata failed on node {node}. Failed to erase the metadata on the device(s): \"/dev/sda\": Unexpected error while running command. Exit code: 1" maintenance=true maintenance_reason="Clean step deploy.erase_devices_metadata failed on node {node}. Failed to erase the metadata on the device(s): \"/dev/sda\": Unexpected error while running command. Exit code: 1" fault="clean failure" power_state="power off" driver_internal_info.keys=["agent_cached_clean_steps_refreshed","agent_continue_if_ata_erase_failed","agent_continue_if_secure_erase_failed","agent_enable_ata_secure_erase","agent_enable_nvme_secure_erase","agent_erase_devices_iterations","agent_erase_devices_zeroize","agent_erase_skip_read_only","agent_last_heartbeat","agent_version","clean_steps","cleaning_disable_ramdisk","declarative_cleaning","disk_erasure_concurrency","hardware_manager_version","last_power_state_change","vmedia_transport_protocol"]`, old: `200 target_provision_state="manageable" clean_step={} last_error="Clean step deploy.erase_devices_metadata failed on node {node}. Failed to erase the metadata on the device(s): \"/dev/sda\": Unexpected error while running command. Exit code: 1" maintenance=true maintenance_reason="Clean step deploy.erase_devices_metadata failed on node {node}. Failed to erase the metadata on the device(s): \"/dev/sda\": Unexpected error while running command. Exit code: 1" fault="clean failure" power_state="power on" driver_internal_info.keys=["agent_cached_clean_steps","agent_cached_clean_steps_refreshed","agent_continue_if_ata_erase_failed","agent_continue_if_secure_erase_failed","agent_enable_ata_secure_erase","agent_enable_nvme_secure_erase","agent_erase_devices_iterations","agent_erase_devices_zeroize","agent_erase_skip_read_only","agent_last_heartbeat","agent_version","clean_steps","cleaning_disable_ramdisk","disk_erasure_concurrency","hardware_manager_version","last_power_state_change"]`},
			{call: reason, version: "1.78", see: "history.#.event", want: `200 history.#.event=["Clean step deploy.erase_devices_metadata failed on node {node}. Failed to erase the metadata on the device(s): \"/dev/sda\": Unexpected error while running command. Exit code: 1"]`},
			{call: provisionCall, body: `{"target": "manage"}`, want: "202"},
			until("manageable"),
			{call: "GET /v1/nodes/{node}", see: "maintenance fault last_error", want: `200 maintenance=true fault="clean failure" last_error="Clean step deploy.erase_devices_metadata failed on node {node}. Failed to erase the metadata on the device(s): \"/dev/sda\": Unexpected error while running command. Exit code: 1"`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "clean-step-that-no-agent-has", state: "manageable", steps: []step{
			ask(`{"target": "clean", "clean_steps": [{"interface": "deploy", "step": "polish"}]}`), until("clean failed"),
			{call: "UNTIL /v1/nodes/{node}", see: "last_error maintenance fault power_state", want: `200 last_error="Node failed to start the first cleaning step: node does not support this clean step: {'interface': 'deploy', 'step': 'polish'}" maintenance=false fault=null power_state="power off"`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "serviced", since: 87, state: "active", steps: []step{
			ask(`{"target": "service", "service_steps": [{"interface": "deploy", "step": "erase_devices_metadata"}]}`),
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state", want: `~200 provision_state="(active|service failed)"`},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state reservation service_step last_error maintenance fault", want: `200 provision_state="service failed" reservation=null service_step={} last_error="Node failed to start the first service step: node does not support this service step: {'interface': 'deploy', 'step': 'erase_devices_metadata'}" maintenance=false fault=null`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "rescued-without-a-medium", state: "active", steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/driver_info/rescue_iso"}]`, want: "200"},
			{call: provisionCall, body: `{"target": "rescue", "rescue_password": "secret"}`, want: "202", old: "500 Failed to rescue instance None for node {node}: Validation failed: Driver redfish does not support validate_rescue (disabled or not implemented)."},
			{call: "UNTIL /v1/nodes/{node}", see: "provision_state reservation last_error", want: `200 provision_state="rescue failed" reservation=null last_error="Failed to rescue: Error validating Redfish virtual media. Some parameters were missing in node's driver_info. Missing are: ['rescue_kernel', 'rescue_ramdisk']"`, old: `200 provision_state="active" reservation=null last_error=null`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "booted-from-an-iso", state: "available", node: `{"deploy_interface": "ramdisk"}`, steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/instance_info/boot_iso", "value": "{iso}"}]`},
			ask(`{"target": "active"}`), until("active"),
			{call: "GET /v1/nodes/{node}", see: "last_error power_state driver_internal_info.keys driver_internal_info.vmedia_transport_protocol", want: `200 last_error=null power_state="power on" driver_internal_info.keys=["deploy_steps","last_power_state_change","vmedia_transport_protocol"] driver_internal_info.vmedia_transport_protocol="HTTP"`, old: `200 last_error=null power_state="power on" driver_internal_info.keys=["deploy_steps","last_power_state_change"] driver_internal_info.vmedia_transport_protocol=absent`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "ramdisk-node-cleaned-without-a-ramdisk", state: "manageable", node: `{"deploy_interface": "ramdisk"}`, steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "remove", "path": "/driver_info/deploy_iso"}]`, want: "200"},
			{call: "GET /v1/nodes/{node}/validate", see: "boot", want: `200 boot={"reason":"Cannot validate image information for node {node} because one or more parameters are missing from its instance_info and insufficient information is present to boot from a remote volume. Missing are: ['kernel', 'ramdisk']","result":false}`},
			ask(`{"target": "clean", "clean_steps": [{"interface": "deploy", "step": "erase_devices_metadata"}]}`), until("clean failed"),
			{call: "GET /v1/nodes/{node}", see: "last_error maintenance fault power_state", want: `200 last_error="Failed to prepare node {node} for cleaning: Unable to find kernel, ramdisk for building ISO, or explicit ISO for {node}" maintenance=false fault=null power_state="power off"`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "autodetect-boots-an-iso", since: 115, state: "available", node: `{"deploy_interface": "autodetect"}`, steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/instance_info/boot_iso", "value": "{iso}"}, {"op": "add", "path": "/instance_info/ironic_ramdisk_deploy", "value": true}]`},
			ask(`{"target": "active"}`), until("active"),
			{call: "GET /v1/nodes/{node}", see: "deploy_interface last_error driver_internal_info.original_deploy_interface driver_internal_info.keys", want: `200 deploy_interface="ramdisk" last_error=null driver_internal_info.original_deploy_interface="autodetect" driver_internal_info.keys=["deploy_steps","last_power_state_change","original_deploy_interface","vmedia_transport_protocol"]`},
			ask(`{"target": "deleted"}`), until("available"),
			{call: "GET /v1/nodes/{node}", see: "deploy_interface last_error driver_internal_info.keys", want: `200 deploy_interface="autodetect" last_error=null driver_internal_info.keys=["deploy_steps","last_power_state_change","vmedia_transport_protocol"]`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "autodetect-cleans", since: 115, state: "manageable", node: `{"deploy_interface": "autodetect"}`, steps: []step{
			ask(`{"target": "clean", "clean_steps": [{"interface": "deploy", "step": "erase_devices_metadata"}]}`),
			{call: "UNTIL /v1/nodes/{node}?fields=provision_state,deploy_interface,driver_internal_info", see: "provision_state deploy_interface driver_internal_info.original_deploy_interface", want: `200 provision_state="clean wait" deploy_interface="direct" driver_internal_info.original_deploy_interface="autodetect"`},
			until("manageable"),
			{call: "GET /v1/nodes/{node}", see: "deploy_interface last_error driver_internal_info.original_deploy_interface", want: `200 deploy_interface="autodetect" last_error=null driver_internal_info.original_deploy_interface=absent`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "bootc-steps", since: 115, state: "available", node: `{"deploy_interface": "bootc"}`, steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/instance_info/image_source", "value": "oci://127.0.0.1:1/x/y:latest"}]`},
			ask(`{"target": "active"}`),
			{call: "UNTIL /v1/nodes/{node}", see: "driver_internal_info.deploy_steps.#.step driver_internal_info.deploy_steps.#.priority", want: `200 driver_internal_info.deploy_steps.#.step=["deploy","execute_bootc_install","prepare_instance_boot","set_boot_to_disk","tear_down_agent","switch_to_tenant_network","boot_instance"] driver_internal_info.deploy_steps.#.priority=[100,80,60,60,40,30,20]`},
			until("deploy failed"),
			{call: "GET /v1/nodes/{node}", see: "deploy_interface last_error", want: `200 deploy_interface="bootc" last_error=null`},
		}}},
		{Scenario: "two-disks-match", behavior: behavior{name: "autodetect-deploys-an-image", since: 115, state: "available", node: `{"deploy_interface": "autodetect"}`, steps: []step{
			{call: "PATCH /v1/nodes/{node}", body: `[{"op": "add", "path": "/instance_info/image_source", "value": "{iso}"}, {"op": "add", "path": "/instance_info/image_checksum", "value": "0123456789abcdef0123456789abcdef"}]`},
			ask(`{"target": "active"}`), until("deploy failed"),
			{call: "GET /v1/nodes/{node}", see: "deploy_interface driver_internal_info.original_deploy_interface provision_state", want: `200 deploy_interface="direct" driver_internal_info.original_deploy_interface="autodetect" provision_state="deploy failed"`},
			ask(`{"target": "deleted"}`), until("available"),
			{call: "GET /v1/nodes/{node}", see: "deploy_interface driver_internal_info.original_deploy_interface last_error", want: `200 deploy_interface="autodetect" driver_internal_info.original_deploy_interface=absent last_error=null`},
		}}},
		{Scenario: "ok", behavior: behavior{name: "power", state: "manageable", steps: []step{
			{call: "PUT /v1/nodes/{node}/states/power", body: `{"target": "power on"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "power_state target_power_state reservation last_error", want: `200 power_state="power on" target_power_state=null reservation=null last_error=null`},
			{call: "PUT /v1/nodes/{node}/states/power", body: `{"target": "power off"}`, want: "202"},
			{call: "UNTIL /v1/nodes/{node}", see: "power_state target_power_state reservation last_error", want: `200 power_state="power off" target_power_state=null reservation=null last_error=null`},
			{call: "PUT /v1/nodes/{node}/management/boot_device", body: `{"boot_device": "pxe", "persistent": true}`, want: "204"},
			{call: "GET /v1/nodes/{node}/management/boot_device", see: "body", want: `200 body={"boot_device":"pxe","persistent":true}`},
			{call: "PUT /v1/nodes/{node}/management/boot_device", body: `{"boot_device": "floppy"}`, want: "500 'floppy'"},
		}}},
		{Scenario: "ok", behavior: behavior{name: "indicators", state: "manageable", steps: []step{
			{call: "GET /v1/nodes/{node}/management/indicators", see: "body", want: `200 body={"indicators":[]}`, old: `500 'SimpleStorageCollection' object has no attribute 'drives'`},
			{call: "GET /v1/nodes/{node}/management/indicators/led@system", want: "400 Unknown indicator led for component system of node {node}"},
			{call: "GET /v1/nodes/{node}/management/indicators/led@fan", want: "400 Unknown indicator led for component fan of node {node}"},
			{call: "GET /v1/nodes/{node}/management/indicators/1@chassis", want: "400 Unknown indicator 1 for component chassis of node {node}"},
			{call: "PUT /v1/nodes/{node}/management/indicators/led@system", body: `{"state": "on"}`, want: "400 Unknown indicator led for component system of node {node}"},
			{call: "PUT /v1/nodes/{node}/management/indicators/led@system", body: `{"state": "bright"}`, want: "400 Unknown indicator led for component system of node {node}"},
		}}},
	}
}

// MachineBehavior is a behavior of a node that has its own machine.
type MachineBehavior struct {
	behavior
	// Scenario is the name of a lab scenario, or "long-step" for a machine whose steps last long enough to observe.
	Scenario string
}

// Name returns the name of the subtest.
func (b MachineBehavior) Name() string { return b.name }

// In reports whether a subject supports the API version that the behavior needs.
func (b MachineBehavior) In(s *Subject) bool { return s.has(b.since) }

// Run enrolls a machine and runs the behavior. node and ports are the request bodies with which the node and its
// ports are created.
func (b MachineBehavior) Run(t *testing.T, s *Subject, node map[string]any, ports []map[string]any) {
	t.Helper()
	c := newSession(t, s)
	c.patience, c.interval = machinePatience, machineInterval
	node["automated_clean"] = false
	if b.node != "" {
		if err := json.Unmarshal([]byte(c.fill(b.node)), &node); err != nil {
			t.Fatal(err)
		}
	}
	if info, ok := node["driver_info"].(map[string]any); ok {
		c.values["iso"], _ = info["deploy_iso"].(string)
	}
	c.values["node"] = c.post("/v1/nodes", node)
	for _, port := range ports {
		port["node_uuid"] = c.values["node"]
		c.post("/v1/ports", port)
	}
	if b.state != "" {
		c.set(b.state)
	}
	for i, step := range b.steps {
		c.step(i, step)
	}
}

// post creates an object and returns its UUID.
func (c *session) post(path string, body any) string {
	c.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	a := c.send(step{call: "POST " + path, body: string(raw)})
	uuid, _ := lookUp(a.body, "uuid").(string)
	if a.status != http.StatusCreated || uuid == "" {
		c.t.Fatalf("POST %s: %s", path, a.raw)
	}
	return uuid
}
