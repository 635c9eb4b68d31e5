package agent

import (
	"cmp"
	"slices"
)

// StepInfo describes a step that the agent offers to a conductor.
type StepInfo struct {
	Phase     string   `json:"phase"` // deploy, clean or service
	Interface string   `json:"interface"`
	Step      string   `json:"step"`
	Priority  int      `json:"priority"` // 0 means that the step runs only if requested
	Abortable bool     `json:"abortable"`
	Arguments []string `json:"arguments"`
}

// Steps returns the steps that an agent of the given version offers on real machines. They are sorted by phase and
// then by descending priority.
func Steps(version string) []StepInfo {
	options := Options{Version: version}
	var all []StepInfo
	for _, p := range []phase{deploying, cleaning, servicing} {
		var steps []StepInfo
		for _, o := range p.offers() {
			if !options.offersStep(o) {
				continue
			}
			kind := o.kind
			if kind == "" {
				kind = "deploy"
			}
			arguments := []string{}
			if o.args != nil {
				arguments = append(arguments, o.args.Keys()...)
			}
			steps = append(steps, StepInfo{p.name, kind, o.step, o.priority, o.abortable, arguments})
		}
		slices.SortStableFunc(steps, func(a, b StepInfo) int { return cmp.Compare(b.Priority, a.Priority) })
		all = append(all, steps...)
	}
	return all
}
