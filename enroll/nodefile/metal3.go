package nodefile

import (
	"ironworks/document"
	"ironworks/enroll/metal3"
)

// metal3 adds the nodes, the plan and the notes from Metal3's manifests to the result.
func (r *reader) metal3(docs []document.Value) error {
	found, err := metal3.Read(docs, r.file)
	if err != nil {
		return err
	}
	for i := range found.Nodes {
		r.add(&builder{node: found.Nodes[i]})
	}
	r.result.Plan = found.Plan
	r.result.Notes = append(r.result.Notes, found.Notes...)
	return nil
}
