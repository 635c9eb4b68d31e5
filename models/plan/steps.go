package plan

import (
	"cmp"
	"slices"
	"strconv"

	"ironworks/models"
	"ironworks/models/steps"
)

// The priorities of deploy steps. The agent runs only between deploy, which starts it, and tear_down_agent, which
// stops it (ironic/drivers/modules/agent.py). PriorityInstall applies to the first step of a plan if it has no
// priority.
const (
	PriorityDeploy        = 100
	PriorityInstall       = 80
	PriorityTearDownAgent = 40
)

// OfferedSteps lists the deploy steps that a node's agent last reported
// (driver_internal_info.agent_cached_deploy_steps).
type OfferedSteps struct {
	At    models.Time   `json:"at"`
	Steps []OfferedStep `json:"steps"`
}

// OfferedStep is a step that the agent offers, with its arguments.
type OfferedStep struct {
	Interface string                 `json:"interface"`
	Step      string                 `json:"step"`
	Priority  int                    `json:"priority"`
	Args      map[string]StepArgInfo `json:"argsinfo"`
}

// StepArgInfo describes an argument that a step accepts.
type StepArgInfo struct {
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

func (o *OfferedSteps) find(s models.Step) *OfferedStep {
	i := slices.IndexFunc(o.Steps, func(f OfferedStep) bool { return f.Interface == s.Interface && f.Step == s.Step })
	if i < 0 {
		return nil
	}
	return &o.Steps[i]
}

// deploymentSteps returns the steps to send, with their priorities. It adds the step that defines the kind to the
// plan's steps, unless the plan or a template (brought) already includes it.
func deploymentSteps(kind Kind, steps []models.Step, brought []OrderedStep) []models.Step {
	installs := func(s models.Step) bool { return s.Interface == "deploy" && s.Step == kind.installStep() }
	there := slices.ContainsFunc(steps, installs) || slices.ContainsFunc(brought, func(s OrderedStep) bool { return installs(s.Step) })
	if name := kind.installStep(); name != "" && !there {
		p := PriorityInstall
		steps = append(slices.Clone(steps), models.Step{Interface: "deploy", Step: name, Priority: &p})
	}
	return WithPriorities(steps)
}

// WithPriorities returns the deploy steps with missing priorities added, because Ironic requires them. A step without
// a priority gets the priority of the preceding enabled step minus one, but at least 1, so that it runs after that
// step. If no enabled step precedes it, it gets PriorityInstall. Steps with priority 0 are disabled.
func WithPriorities(steps []models.Step) []models.Step {
	steps = slices.Clone(steps)
	next := PriorityInstall
	for i := range steps {
		if steps[i].Priority == nil {
			p := next
			steps[i].Priority = &p
		}
		if *steps[i].Priority > 0 {
			next = max(*steps[i].Priority-1, 1)
		}
	}
	return steps
}

// DriverSteps returns, in order, the steps that the given deploy interface itself provides
// (ironic/drivers/modules/agent.py and ansible/deploy.py in 39.0). For interfaces whose steps are not listed, it
// returns nil.
func DriverSteps(deployInterface string) []models.Step {
	step := func(name string, priority int) models.Step {
		return models.Step{Interface: "deploy", Step: name, Priority: &priority}
	}
	first, boot := step("deploy", PriorityDeploy), step("prepare_instance_boot", 60)
	last := []models.Step{step("tear_down_agent", PriorityTearDownAgent), step("switch_to_tenant_network", 30), step("boot_instance", 20)}
	switch Kind(deployInterface) {
	case KindCustomAgent:
		return append([]models.Step{first, boot}, last...)
	case KindDirect:
		return append([]models.Step{first, step("write_image", 80), boot}, last...)
	case KindBootc:
		return append([]models.Step{first, step("execute_bootc_install", 80), boot, step("set_boot_to_disk", 60)}, last...)
	case KindAnsible:
		return append([]models.Step{first, step("write_image", 80)}, last...)
	case KindInstallCoreOS, KindAssisted, KindAnaconda, KindRamdisk, KindFake, KindConfigured:
	}
	return nil
}

// orderedSteps returns the steps of a deployment in Ironic's order. They consist of the given steps, and of the
// driver's steps that the given steps do not replace. Steps are sorted by priority, and those with equal priorities
// by interface (ironic/conductor/steps.py, _get_all_deployment_steps). Disabled steps (priority 0) are omitted, and
// so are steps such as hold and wait, which _validate_user_steps drops.
func orderedSteps(deployInterface string, brought []OrderedStep) []OrderedStep {
	var merged []OrderedStep
	for _, s := range DriverSteps(deployInterface) {
		if !slices.ContainsFunc(brought, func(o OrderedStep) bool { return sameStep(o.Step, s) }) {
			merged = append(merged, OrderedStep{s, SourceDriver})
		}
	}
	merged = append(merged, brought...)
	merged = slices.DeleteFunc(merged, func(s OrderedStep) bool { return priorityOf(s.Step) == 0 || steps.Reserved(s.Step.Step) })
	slices.SortStableFunc(merged, func(a, b OrderedStep) int {
		return cmp.Or(cmp.Compare(priorityOf(b.Step), priorityOf(a.Step)), cmp.Compare(stepRank(b.Interface), stepRank(a.Interface)))
	})
	return merged
}

func priorityOf(s models.Step) int {
	if s.Priority == nil {
		return PriorityInstall
	}
	return *s.Priority
}

// stepRank returns the rank of an interface in DEPLOYING_INTERFACE_PRIORITY (ironic/conductor/steps.py). It returns 0
// for an interface that has no steps.
func stepRank(iface string) int {
	return slices.Index([]string{"raid", "bios", "deploy", "firmware", "management", "power", "vendor"}, iface) + 1
}

// IsInstallStep reports whether the step may install a system. It returns true for every enabled in-band step, except
// those that are part of every deployment and those that are known to do something else, such as erasing disks.
func IsInstallStep(s models.Step) bool {
	others := []string{
		"deploy", "prepare_instance_boot", "set_boot_to_disk", "tear_down_agent", "switch_to_tenant_network", "boot_instance", "hold", "wait",
		"erase_devices", "erase_devices_metadata", "erase_devices_express", "erase_pstore", "clean_uefi_nvram", "inject_files",
	}
	return s.Interface == "deploy" && !slices.Contains(others, s.Step) && priorityOf(s) > 0
}

// StepText formats a step with its priority, as in deploy.install_coreos@80.
func StepText(s models.Step) string { return s.Label() + "@" + strconv.Itoa(priorityOf(s)) }
