package ironicclient

import (
	"encoding/json"
	"fmt"
	"net/http"

	"ironworks/models"
)

// Request is a request to Ironic as it would be sent, for those who want to see it
// before.
type Request struct {
	Method string
	// Path begins with /v1/ and is escaped. What the endpoint has before it is not in it.
	Path string
	Body []byte
}

// PatchRequest is what [Client.PatchNode] sends for the same arguments, byte for byte,
// and refuses what that refuses.
func PatchRequest(id string, ops []models.PatchOp) (Request, error) {
	cl := call{op: "change node " + models.Printable(id), method: http.MethodPatch, path: segments("nodes", id)}
	if hostile(cl.path) {
		return Request{}, notSent(cl, "a name in it is empty or dots only")
	}
	for _, op := range ops {
		if err := op.Check(); err != nil {
			return Request{}, notSent(cl, err.Error())
		}
	}
	body, err := json.Marshal(ops)
	if err != nil {
		return Request{}, fmt.Errorf("%s: %w", cl.op, err)
	}
	return Request{Method: cl.method, Path: "/v1/" + cl.path, Body: body}, nil
}
