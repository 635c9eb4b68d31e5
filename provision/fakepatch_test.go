package provision_test

import (
	"encoding/json"
	"strings"

	"ironworks/models"
)

// fillNulls adds null for each field that the operations name but the node does not have.
func fillNulls(node map[string]any, ops []models.PatchOp) {
	for _, op := range ops {
		field := strings.Split(strings.TrimPrefix(op.Path, "/"), "/")[0]
		if _, there := node[field]; !there {
			node[field] = nil
		}
	}
}

func (f *fakeAPI) raw(id string) json.RawMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.nodes[id].Raw
}

// patch changes a node that was decoded from JSON. As in Ironic, it fails if a field to remove or replace is missing.
func (f *fakeAPI) patch(id string, ops []models.PatchOp) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.nodes[id]
	if n.Raw == nil {
		return nil
	}
	var node map[string]any
	if err := json.Unmarshal(n.Raw, &node); err != nil {
		return err
	}
	var copied []models.PatchOp // a copy, because the node keeps references to the values
	if raw, err := json.Marshal(ops); err != nil {
		return err
	} else if err := json.Unmarshal(raw, &copied); err != nil {
		return err
	}
	fillNulls(node, ops)
	for _, op := range copied {
		object, parts := node, strings.Split(strings.TrimPrefix(op.Path, "/"), "/")
		for _, part := range parts[:len(parts)-1] {
			object, _ = object[part].(map[string]any)
		}
		last := parts[len(parts)-1]
		_, there := object[last]
		switch {
		case object == nil:
			return &models.Fault{Kind: models.FaultBadRequest, Status: 400, Message: "there is no object for '" + op.Path + "'"}
		case op.Op != "add" && !there:
			return &models.Fault{Kind: models.FaultBadRequest, Status: 400, Message: "can't " + op.Op + " a non-existent object '" + last + "'"}
		case op.Op == "remove":
			delete(object, last)
		default:
			object[last] = op.Value
		}
	}
	fillNulls(node, ops)
	raw, err := json.Marshal(node)
	if err != nil {
		return err
	}
	changed, err := models.DecodeNode(raw)
	if err != nil {
		return err
	}
	if n.InstanceUUID != "" && changed.InstanceUUID != "" && changed.InstanceUUID != n.InstanceUUID {
		return &models.Fault{Kind: models.FaultConflict, Status: 409, Message: "Node " + id + " is associated with instance " + n.InstanceUUID + "."}
	}
	f.nodes[id] = *changed
	return nil
}
