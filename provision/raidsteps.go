package provision

import (
	"ironworks/models"
	"ironworks/models/steps"
)

// raidStepProblems returns why a RAID step of the operator's fails on a node, beyond the types of its arguments:
// create_configuration without a target RAID (create_configuration of ironic/drivers/modules/redfish/raid.py and
// agent.py), and a raid_config that the node's raid interface refuses.
func (a verbAction) raidStepProblems(n *models.Node, s models.Step) []steps.Problem {
	switch s.Label() {
	case "raid.create_configuration":
		now, err := RAIDOf(n)
		if err == nil && len(now.Target) == 0 && !a.setsRAID {
			return []steps.Problem{{Text: s.Label() + ": the node has no target RAID: set target_raid_config first", Certain: true}}
		}
	case "raid.apply_configuration":
		config, is := s.Args["raid_config"].(map[string]any)
		if !is {
			return nil
		}
		target, err := NewRAID(config)
		if err != nil {
			return []steps.Problem{{Text: s.Label() + ": " + err.Error(), Certain: true, Argument: "raid_config"}}
		}
		var problems []steps.Problem
		for _, text := range RAIDProblems(n, target) {
			problems = append(problems, steps.Problem{Text: s.Label() + ": " + text, Certain: true, Argument: "raid_config"})
		}
		return problems
	}
	return nil
}
