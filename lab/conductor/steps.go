package conductor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ironworks/lab/api"
	"ironworks/lab/db"
	"ironworks/python"
)

// stepKind is the kind of operation to which a step belongs: deployment, cleaning or servicing.
type stepKind string

const (
	deploySteps  stepKind = "deploy"
	cleanSteps   stepKind = "clean"
	serviceSteps stepKind = "service"
)

// operation holds the names and provision states in which the operations that run steps differ.
type operation struct {
	gerund                string // the operation's name in flags such as deployment_reboot
	working, wait, failed string // provision states
	message, history      string // the operation's name in messages and in the history
	exception             string // the exception that Ironic raises for a failed step
	disabled              string // the flag in driver_internal_info that the ramdisk is not booted
	fault                 string // the reason for maintenance after a failure
}

var operations = map[stepKind]operation{
	deploySteps: {
		gerund: "deployment", working: deploying, wait: deployWait, failed: deployFail, exception: kindDeployFailure,
	},
	cleanSteps: {
		gerund: "cleaning", working: cleaning, wait: cleanWait, failed: cleanFail, exception: "NodeCleaningFailure",
		message: "cleaning", history: "cleaning", disabled: "cleaning_disable_ramdisk", fault: faultClean,
	},
	serviceSteps: {
		gerund: "servicing", working: servicing, wait: serviceWait, failed: serviceFail, exception: "NodeServicingFailure",
		message: "service", history: "servicing", disabled: "service_disable_ramdisk", fault: faultService,
	},
}

// step returns a pointer to the field of the node that holds the current step.
func (k stepKind) step(n *db.Node) *db.Dict {
	switch k {
	case cleanSteps:
		return &n.CleanStep
	case serviceSteps:
		return &n.ServiceStep
	default:
		return &n.DeployStep
	}
}

// interfaceRank returns the rank of an interface. Of steps with equal priority, that with the highest rank runs first.
func interfaceRank(name string) int {
	if name == "network" {
		return len(api.StepInterfaces) + 1
	}
	return len(api.StepInterfaces) - slices.Index(api.StepInterfaces, name)
}

// sortSteps sorts steps by descending priority. It sorts steps with equal priority by interface.
func sortSteps(steps []db.Dict) {
	slices.SortStableFunc(steps, func(a, b db.Dict) int {
		return cmp.Or(cmp.Compare(toInt(b["priority"]), toInt(a["priority"])), cmp.Compare(interfaceRank(b.Text("interface")), interfaceRank(a.Text("interface"))))
	})
}

func stepID(step db.Dict) string { return step.Text("interface") + "." + step.Text("step") }

func sameStep(a, b db.Dict) bool { return stepID(a) == stepID(b) }

func findStep(steps []db.Dict, step db.Dict) db.Dict {
	for _, s := range steps {
		if sameStep(s, step) {
			return s
		}
	}
	return nil
}

// driverSteps returns the steps of all interfaces, or only those with a priority if enabledOnly is set.
func (t *task) driverSteps(kind stepKind, enabledOnly, sorted bool) []db.Dict {
	var steps []db.Dict
	for _, name := range api.StepInterfaces {
		if name == "deploy" {
			steps = append(steps, t.driver.deploy.steps(t, kind)...)
			continue
		}
		steps = append(steps, declaredSteps(t.driver, name, kind)...)
		if name == "raid" && t.driver.names["raid"] == "agent" {
			steps = append(steps, t.inBandSteps(kind, "raid")...)
		}
	}
	if enabledOnly {
		steps = slices.DeleteFunc(steps, func(s db.Dict) bool { return toInt(s["priority"]) == 0 })
	}
	if sorted {
		sortSteps(steps)
	}
	return steps
}

// inBandSteps returns the agent's steps for the named interface, or for all if name is empty.
func (t *task) inBandSteps(kind stepKind, name string) []db.Dict {
	cached, _ := dictOf(t.internal("agent_cached_" + string(kind) + "_steps"))
	var steps []db.Dict
	for _, key := range slices.Sorted(maps.Keys(cached)) {
		if name == "" || key == name {
			for _, step := range dictsOf(cached[key]) {
				steps = append(steps, step.Clone())
			}
		}
	}
	return steps
}

// isReserved reports whether Ironic itself provides the step. Such steps belong to no interface.
func isReserved(step db.Dict) bool {
	return slices.Contains([]string{"power_on", "power_off", "reboot", "hold", "wait"}, step.Text("step"))
}

// checkUserSteps implements _validate_user_steps. Like Ironic, it removes reserved steps and steps for child nodes.
func (t *task) checkUserSteps(given []db.Dict, kind stepKind, prefix string, skipMissing, noRamdisk bool) ([]db.Dict, error) {
	known := t.driverSteps(kind, false, false)
	var problems []string
	var result []db.Dict
	for _, step := range given {
		if python.Truthy(step["execute_on_child_nodes"]) || isReserved(step) {
			continue
		}
		// If several declared steps have the same name, the last one applies.
		var declared db.Dict
		for _, s := range known {
			if sameStep(s, step) {
				declared = s
			}
		}
		if declared == nil {
			if !skipMissing {
				problems = append(problems, fmt.Sprintf("node does not support this %s step: %s", kind, python.Repr(step)))
			}
			continue
		}
		step = step.Clone()
		if kind != deploySteps && t.stepsChecked {
			completeStep(step, declared)
		}
		problems = append(problems, checkUserStep(step, declared, kind, noRamdisk)...)
		result = append(result, step)
	}
	if kind == deploySteps {
		problems = append(problems, duplicates(result)...)
	}
	if len(problems) > 0 {
		return nil, invalid("%s%s", prefix, strings.Join(problems, "; "))
	}
	return result, nil
}

func checkUserStep(step, declared db.Dict, kind stepKind, noRamdisk bool) []string {
	var problems []string
	info, _ := dictOf(declared["argsinfo"])
	args, _ := dictOf(step["args"])
	var unexpected []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if _, ok := info[name]; !ok {
			unexpected = append(unexpected, name)
		}
	}
	if len(unexpected) > 0 {
		problems = append(problems, fmt.Sprintf("%s step %s has these unexpected arguments: %s", kind, python.Repr(step), strings.Join(unexpected, ", ")))
	}
	if kind != deploySteps || toInt(step["priority"]) > 0 {
		var absent []string
		for _, name := range slices.Sorted(maps.Keys(info)) {
			arg, _ := dictOf(info[name])
			if _, given := args[name]; given || !python.Truthy(arg["required"]) {
				continue
			}
			if description := arg.Text("description"); description != "" {
				name += " (" + description + ")"
			}
			absent = append(absent, name)
		}
		if len(absent) > 0 {
			problems = append(problems, fmt.Sprintf("%s step %s is missing these required arguments: %s", kind, python.Repr(step), strings.Join(absent, ", ")))
		}
		if needs, declares := declared["requires_ramdisk"]; noRamdisk && (!declares || python.Truthy(needs)) {
			problems = append(problems, fmt.Sprintf("%s step %s requires booting a ramdisk", kind, python.Repr(step)))
		}
	}
	switch {
	case kind != deploySteps:
		completeStep(step, declared)
	case toInt(step["priority"]) > 0 && stepID(declared) == "deploy.deploy":
		problems = append(problems, fmt.Sprintf("deploy step %s on interface %s is a core step and cannot be overridden by user steps. It may be disabled by setting the priority to 0",
			step.Text("step"), step.Text("interface")))
	}
	return problems
}

// completeStep sets the fields of step that only the interface may define.
func completeStep(step, declared db.Dict) {
	step["abortable"] = python.Truthy(declared["abortable"])
	step["priority"] = toInt(declared["priority"])
}

func duplicates(steps []db.Dict) []string {
	count := map[string]int{}
	var twice []string
	for _, step := range steps {
		count[stepID(step)]++
		if count[stepID(step)] == 2 {
			twice = append(twice, stepID(step))
		}
	}
	if len(twice) == 0 {
		return nil
	}
	return []string{"deploy steps from all deploy templates matching this node's instance traits cannot have the same interface and step. " +
		"Duplicate deploy steps for " + strings.Join(twice, ", ")}
}

// userDeploySteps returns the client's steps, or those stored at the start of the deployment if given is empty.
func (t *task) userDeploySteps(given []db.Dict, skipMissing bool) ([]db.Dict, error) {
	if len(given) == 0 {
		given = dictsOf(t.internal("user_deploy_steps"))
	}
	if len(given) == 0 {
		return nil, nil
	}
	return t.checkUserSteps(given, deploySteps, `Validation of deploy steps from "deploy steps" argument failed.`, skipMissing, false)
}

// templateSteps checks and returns the steps of the deploy templates that the instance's traits select.
func (t *task) templateSteps(skipMissing bool) ([]db.Dict, error) {
	traits, _ := t.node.InstanceInfo["traits"].([]any)
	var steps []db.Dict
	var names []string
	if len(traits) > 0 {
		for _, template := range t.c.tables.DeployTemplates.List(func(d *db.DeployTemplate) bool { return slices.Contains(traits, any(d.Name)) }) {
			names = append(names, template.Name)
			for _, step := range template.Steps {
				steps = append(steps, db.Dict{"interface": step["interface"], "step": step["step"], "args": step["args"], "priority": step["priority"]})
			}
		}
	}
	prefix := fmt.Sprintf("Validation of deploy steps from deploy templates matching this node's instance traits failed. Matching deploy templates: %s. Errors: ", strings.Join(names, ","))
	return t.checkUserSteps(steps, deploySteps, prefix, skipMissing, false)
}

// checkDeploySteps implements validate_user_deploy_steps_and_templates.
func (t *task) checkDeploySteps(given []db.Dict, skipMissing bool) error {
	if _, err := t.templateSteps(skipMissing); err != nil {
		return err
	}
	_, err := t.userDeploySteps(given, skipMissing)
	return err
}

// planDeployment plans the deploy steps. If the same step comes from several sources, the client's step takes
// precedence over a deploy template's step, and both take precedence over an interface's step.
func (t *task) planDeployment(reset, skipMissing bool) error {
	user, err := t.userDeploySteps(nil, skipMissing)
	if err != nil {
		return err
	}
	template, err := t.templateSteps(skipMissing)
	if err != nil {
		return err
	}
	for _, step := range template {
		if findStep(user, step) == nil {
			user = append(user, step)
		}
	}
	var steps []db.Dict
	for _, step := range t.driverSteps(deploySteps, true, false) {
		if findStep(user, step) == nil {
			steps = append(steps, step)
		}
	}
	for _, step := range user {
		if toInt(step["priority"]) > 0 {
			steps = append(steps, step)
		}
	}
	sortSteps(steps)
	t.setInternal("deploy_steps", listOf(steps))
	if reset {
		t.node.DeployStep = db.Dict{}
		t.setInternal("deploy_step_index", nil)
	}
	t.save()
	return nil
}

// planCleaning plans the clean steps: those that the client asked for, or else those of the interfaces.
func (t *task) planCleaning(noRamdisk, asked bool) error {
	steps := t.driverSteps(cleanSteps, true, true)
	if asked {
		var err error
		if steps, err = t.checkUserSteps(dictsOf(t.internal("clean_steps")), cleanSteps, "", false, noRamdisk); err != nil {
			return err
		}
	}
	t.storePlan(cleanSteps, steps)
	return nil
}

// planService plans the service steps that the client has requested.
func (t *task) planService(noRamdisk bool) error {
	steps, err := t.checkUserSteps(dictsOf(t.internal("service_steps")), serviceSteps, "", false, noRamdisk)
	if err != nil {
		return err
	}
	t.storePlan(serviceSteps, steps)
	return nil
}

// storePlan stores the planned steps of an operation, none of which has started.
func (t *task) storePlan(kind stepKind, steps []db.Dict) {
	*kind.step(t.node) = db.Dict{}
	t.setInternal(string(kind)+"_steps", listOf(steps))
	t.setInternal(string(kind)+"_step_index", nil)
	t.save()
}

// nextStep returns the index of the next step. After the last step, that is the number of steps or
// more.
func (t *task) nextStep(kind stepKind) int {
	skip := true
	key := "skip_current_" + string(kind) + "_step"
	if kept, ok := t.node.DriverInternalInfo[key]; ok {
		skip = python.Truthy(kept)
	}
	t.dropInternal(key, operations[kind].gerund+"_polling")
	if len(*kind.step(t.node)) == 0 {
		return 0
	}
	value, ok := t.node.DriverInternalInfo[string(kind)+"_step_index"]
	if !ok || value == nil {
		return len(t.steps(kind))
	}
	if skip {
		return toInt(value) + 1
	}
	return toInt(value)
}

// executeStep runs one step. It returns the provision state in which the node waits for the end of the step, or "" if
// the step is done. If over is true, a reserved step has already changed the node's state.
func (t *task) executeStep(ctx context.Context, kind stepKind, step db.Dict) (state string, over bool, err error) {
	t.dropInternal(operations[kind].gerund + "_polling")
	name := step.Text("interface")
	if isReserved(step) {
		over, err = t.reservedStep(ctx, step)
		return "", over, err
	}
	if name == "deploy" {
		state, err = t.driver.deploy.execute(ctx, t, kind, step)
		return state, false, err
	}
	if name == "raid" && t.driver.names["raid"] == "agent" {
		state, err = t.executeInBand(ctx, kind, step)
		return state, false, err
	}
	for _, declared := range interfaceSteps(name, t.driver.names[name]) {
		if declared.name == step.Text("step") {
			// A step may change its arguments, but messages should contain the original ones.
			args, _ := dictOf(step["args"])
			state, err = declared.do(ctx, t, args.Clone())
			return state, false, err
		}
	}
	return "", false, noSuchStep(name, t.driver.names[name], step)
}
