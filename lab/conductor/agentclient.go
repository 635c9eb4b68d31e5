package conductor

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ironworks/lab/api"
	"ironworks/lab/conductor/requests"
	"ironworks/lab/db"
	"ironworks/python"
)

// agentClient returns the HTTP client for the node's agent. It requires TLS 1.3 ([agent]tls_minimum_version). If the
// agent has sent its certificate, the client trusts no other.
func (t *task) agentClient() *http.Client {
	value := t.internal("agent_verify_ca")
	if value == nil {
		value = t.node.DriverInfo["agent_verify_ca"]
	}
	config := &tls.Config{MinVersion: tls.VersionTLS13}
	if path, ok := value.(string); ok {
		t.c.mu.Lock()
		certificate := t.c.certificates[path]
		t.c.mu.Unlock()
		if certificate != "" {
			config.RootCAs = x509.NewCertPool()
			config.RootCAs.AppendCertsFromPEM([]byte(certificate))
		}
	}
	if verify, ok := python.Bool(value); ok && value != nil {
		config.InsecureSkipVerify = !verify //nolint:gosec // set by driver_info.agent_verify_ca
	}
	return requests.NewClient(config)
}

// agentTries is the value of [agent]max_command_attempts.
const agentTries = 3

// command sends the named command to the agent and returns the agent's representation of it. It makes up to agentTries
// attempts if the connection fails. If wait is set, the agent responds only when the command has ended.
func (t *task) command(ctx context.Context, name string, params db.Dict, wait bool) (db.Dict, error) {
	var err error
	for range agentTries {
		var answer db.Dict
		if answer, err = t.commandOnce(ctx, name, params, wait); err == nil || !isKind(err, kindAgentConnection) || ctx.Err() != nil {
			return answer, err
		}
	}
	return nil, err
}

func (t *task) commandOnce(ctx context.Context, name string, params db.Dict, wait bool) (db.Dict, error) {
	base, query, err := t.commandsURL()
	if err != nil {
		return nil, err
	}
	query.Set("wait", fmt.Sprint(wait))
	body, err := json.Marshal(map[string]any{"name": name, "params": params})
	if err != nil {
		return nil, fmt.Errorf("writing the command %s: %w", name, err)
	}
	got, err := t.askAgent(ctx, http.MethodPost, base+"?"+query.Encode(), body)
	var answer db.Dict
	if err != nil {
		if answer = t.runningCommand(ctx, name); answer == nil {
			return nil, failure(kindAgentConnection, "Connection to agent failed: Failed to connect to the agent running on node %s for invoking command %s. Error: %v", t.node.UUID, name, err)
		}
	} else if json.Unmarshal(got.Body, &answer) != nil {
		return nil, failure("IronicException", "Unable to decode response as JSON.\nRequest URL: %s\nRequest body: \"%s\"\nResponse status code: %d\nResponse: \"%s\"", base, body, got.Status, got.Body)
	}
	if got.Status >= http.StatusBadRequest {
		fault := answer.Text("faultstring")
		if got.Status == http.StatusConflict || strings.Contains(strings.ToLower(fault), "agent is busy") {
			return nil, failure(kindAgentInProgress, "Node %s command \"%s\" failed. Agent is presently executing a command. Error %s", t.node.UUID, name, fault)
		}
		return nil, failure(kindAgentAPI, "Agent API for node %s returned HTTP status code %d with error: %s", t.node.UUID, got.Status, fault)
	}
	if e, ok := dictOf(answer["command_error"]); ok && e.Text("type") == "TypeError" {
		return nil, failure(kindAgentAPI, "Agent API for node %s returned HTTP status code %s with error: %s", t.node.UUID, python.Str(e["code"]), commandError(answer))
	}
	return answer, nil
}

// commandsURL returns the URL of the agent's commands, and the query parameters that authenticate the conductor.
func (t *task) commandsURL() (string, url.Values, error) {
	base, _ := t.internal("agent_url").(string)
	if base == "" {
		// Ironic uses this message instead of the exception's default message.
		return "", nil, failure(kindAgentConnection, "Agent driver requires agent_url in driver_internal_info")
	}
	query := url.Values{}
	if token, _ := t.internal("agent_secret_token").(string); token != "" {
		query.Set("agent_token", token)
	}
	return base + "/v1/commands/", query, nil
}

// askAgent sends one request to the agent.
func (t *task) askAgent(ctx context.Context, method, address string, body []byte) (requests.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body)) //nolint:gosec // the agent's own address
	if err != nil {
		return requests.Response{}, fmt.Errorf("preparing the request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	return requests.Do(t.agentClient(), request)
}

// runningCommand returns the agent's latest command if it has the given name and is still running. In that situation,
// the agent received the request and only the response was lost. Otherwise runningCommand returns nil.
func (t *task) runningCommand(ctx context.Context, name string) db.Dict {
	commands, err := t.commandsStatus(ctx)
	if err != nil || len(commands) == 0 {
		return nil
	}
	last := commands[len(commands)-1]
	if last.Text("command_name") != shortName(name) || last.Text("command_status") != "RUNNING" {
		return nil
	}
	return last
}

func shortName(name string) string { return name[strings.IndexByte(name, '.')+1:] }

// commandsStatus returns the agent's commands with their states, the latest command last.
func (t *task) commandsStatus(ctx context.Context) ([]db.Dict, error) {
	base, query, err := t.commandsURL()
	if err != nil {
		return nil, err
	}
	var got requests.Response
	for try := 1; ; try++ {
		if got, err = t.askAgent(ctx, http.MethodGet, base+"?"+query.Encode(), nil); err == nil {
			break
		}
		if try == agentTries || ctx.Err() != nil {
			return nil, failure(kindAgentConnection, "Connection to agent failed: Failed to connect to the agent running on node %s to collect commands status. Error: %v", t.node.UUID, err)
		}
	}
	var answer db.Dict
	if err := json.Unmarshal(got.Body, &answer); err != nil {
		return nil, errors.New("Expecting value: line 1 column 1 (char 0)") //nolint:revive,staticcheck // Python's message
	}
	if _, ok := answer["commands"]; !ok {
		return nil, errors.New("'commands'") // the message of a Python KeyError
	}
	return dictsOf(answer["commands"]), nil
}

// commandError returns the error message of a failed command.
func commandError(command db.Dict) string {
	switch e := command["command_error"].(type) {
	case nil:
		return "Invalid agent response"
	case string:
		return e
	default:
		d, _ := dictOf(e)
		return cmp.Or(d.Text("details"), d.Text("message"), python.Repr(e))
	}
}

// agentNode returns the node as it is sent to the agent, with its secrets masked, except the configdrive if
// configdrive is true.
func (t *task) agentNode(configdrive bool) db.Dict {
	n := t.node
	info := n.InstanceInfo.Clone()
	drive, hasDrive := info["configdrive"]
	delete(info, "configdrive")
	info = mask(info)
	if hasDrive {
		info["configdrive"] = python.Masked
		if configdrive {
			info["configdrive"] = drive
		}
	}
	d := db.Dict{
		"id": n.ID, "uuid": n.UUID, "name": orNull(n.Name), "driver": n.Driver, "driver_info": mask(n.DriverInfo),
		"driver_internal_info": mask(n.DriverInternalInfo), "properties": n.Properties, "instance_info": info,
		"instance_uuid": orNull(n.InstanceUUID), "extra": n.Extra, "provision_state": n.ProvisionState,
		"target_provision_state": orNull(n.TargetProvisionState), "power_state": orNull(n.PowerState),
		"raid_config": n.RAIDConfig, "target_raid_config": n.TargetRAIDConfig, "clean_step": n.CleanStep,
		"deploy_step": n.DeployStep, "service_step": n.ServiceStep, "automated_clean": n.AutomatedClean,
		"resource_class": orNull(n.ResourceClass), "network_data": n.NetworkData, "traits": n.Traits, "owner": orNull(n.Owner),
	}
	for _, kind := range api.InterfaceKinds {
		d[kind+"_interface"] = n.Interfaces[kind]
	}
	return d
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (t *task) agentPorts() []db.Dict {
	all := []db.Dict{}
	for _, p := range t.ports() {
		all = append(all, db.Dict{
			"uuid": p.UUID, "address": p.Address, "pxe_enabled": p.PXEEnabled, "extra": p.Extra,
			"physical_network": orNull(p.PhysicalNetwork), "local_link_connection": p.LocalLinkConnection, "internal_info": p.InternalInfo,
		})
	}
	return all
}

// refreshSteps requests the agent's steps of the given kind and stores them in the node.
func (t *task) refreshSteps(ctx context.Context, kind stepKind) error {
	name := string(kind)
	answer, err := t.command(ctx, name+".get_"+name+"_steps", db.Dict{"node": t.agentNode(false), "ports": t.agentPorts()}, true)
	switch {
	case isKind(err, kindAgentInProgress):
		return nil
	case kind == serviceSteps && isKind(err, kindAgentAPI):
		answer = db.Dict{"service_steps": []any{}, "hardware_manager_version": 0}
	case err != nil:
		return err
	}
	result, _ := dictOf(answer["command_result"])
	bad := func(format string, args ...any) error { return failure(operations[kind].exception, format, args...) }
	var absent []string
	for _, key := range []string{name + "_steps", "hardware_manager_version"} {
		if _, ok := result[key]; !ok {
			absent = append(absent, python.Repr(key))
		}
	}
	if len(absent) > 0 {
		return bad("agent get_%s_steps for node %s returned an invalid result. Keys: {%s} are missing from result: %s.", name, t.node.UUID, strings.Join(absent, ", "), python.Repr(result))
	}
	byManager, _ := dictOf(result[name+"_steps"])
	byInterface := map[string]any{}
	for _, manager := range slices.Sorted(maps.Keys(byManager)) {
		for _, step := range dictsOf(byManager[manager]) {
			for _, key := range []string{"interface", "step", "priority"} {
				if _, ok := step[key]; !ok {
					return bad("agent get_%s_steps for node %s returned an invalid %s step. Keys: {%s} are missing from step: %s.", name, t.node.UUID, name, python.Repr(key), python.Repr(step))
				}
			}
			if kind == cleanSteps {
				step["requires_ramdisk"] = true
			}
			list, _ := byInterface[step.Text("interface")].([]any)
			byInterface[step.Text("interface")] = append(list, map[string]any(step))
		}
	}
	t.setInternal("hardware_manager_version", result["hardware_manager_version"])
	t.setInternal("agent_cached_"+name+"_steps", byInterface)
	t.stamp("agent_cached_" + name + "_steps_refreshed")
	t.save()
	return nil
}

// executeInBand starts a step on the agent and returns the state in which the node waits for its end.
func (t *task) executeInBand(ctx context.Context, kind stepKind, step db.Dict) (string, error) {
	name := string(kind)
	params := db.Dict{
		"step": step, "node": t.agentNode(kind == deploySteps), "ports": t.agentPorts(),
		name + "_version": t.internal("hardware_manager_version"),
	}
	answer, err := t.command(ctx, name+".execute_"+name+"_step", params, false)
	if err != nil {
		return "", err
	}
	if answer.Text("command_status") == "" {
		return "", failure(operations[kind].exception, "Agent on node %s returned bad command result: %s", t.node.UUID, python.Repr(answer))
	}
	return operations[kind].wait, nil
}

// collectLogs requests the agent's logs and stores them. Errors are ignored.
func (t *task) collectLogs(ctx context.Context, label string) {
	if t.c.options.LogsCollect == "never" {
		return
	}
	answer, err := t.command(ctx, "log.collect_system_logs", db.Dict{}, true)
	if err != nil {
		return
	}
	result, _ := dictOf(answer["command_result"])
	t.storeLogs(result.Text("system_logs"), label)
}

// storeLogs stores the logs, a base64-encoded archive, under the file name that Ironic would use.
func (t *task) storeLogs(encoded, label string) {
	archive, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(archive) == 0 || t.c.options.LogsCollect == "never" {
		return
	}
	fields := []string{t.node.UUID}
	for _, field := range []string{t.node.Name, t.node.InstanceUUID, label} {
		if field != "" {
			fields = append(fields, field)
		}
	}
	fields = append(fields, t.c.now().Format("2006-01-02-15-04-05"))
	t.c.options.Logs(strings.Join(fields, "_")+".tar.gz", archive)
}
