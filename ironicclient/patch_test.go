package ironicclient

import (
	"net/http"
	"testing"

	"ironworks/models"
	"ironworks/models/request"
)

func TestPatchIsSentAsShown(t *testing.T) {
	tests := []struct {
		name, id string
		ops      []models.PatchOp
		want     string
	}{
		{
			"leaves", "uuid-1",
			[]models.PatchOp{
				{Op: "add", Path: "/driver_info/deploy_iso", Value: "http://192.0.2.1/a?b=<c>&d=ä"},
				{Op: "remove", Path: "/driver_info/deploy_kernel"},
			},
			`PATCH /v1/nodes/uuid-1 [{"op":"add","path":"/driver_info/deploy_iso","value":"http://192.0.2.1/a?b=\u003cc\u003e\u0026d=ä"},` +
				`{"op":"remove","path":"/driver_info/deploy_kernel"}]`,
		},
		{"a strange name", "a/b c", []models.PatchOp{{Op: "add", Path: "/name", Value: nil}}, `PATCH /v1/nodes/a%2Fb%20c [{"op":"add","path":"/name","value":null}]`},
		{"nothing", "n", nil, `PATCH /v1/nodes/n null`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newIronic(t, reply(http.StatusOK, `{"uuid":"n"}`))
			shown := request.Patch(test.id, test.ops)
			if _, err := client(t, f.URL, Options{}).Send(t.Context(), shown); err != nil {
				t.Fatal(err)
			}
			requests := f.all()
			sent := requests[len(requests)-1]
			for what, r := range map[string]string{
				"shown": shown.Method + " " + shown.Path + " " + string(shown.Payload()), "sent": sent.String() + " " + sent.body,
			} {
				if r != test.want {
					t.Errorf("%s\n%s, want\n%s", what, r, test.want)
				}
			}
		})
	}
}

func TestPatchRefuses(t *testing.T) {
	f := newIronic(t, reply(http.StatusOK, `{"uuid":"n"}`))
	good := []models.PatchOp{{Op: "add", Path: "/name", Value: "x"}}
	for name, test := range map[string]struct {
		id  string
		ops []models.PatchOp
	}{
		"no node":        {"", good},
		"dots":           {"..", good},
		"whole object":   {"n", []models.PatchOp{{Op: "add", Path: "/driver_info", Value: map[string]any{}}}},
		"masked":         {"n", []models.PatchOp{{Op: "add", Path: "/driver_info/a", Value: models.Mask}}},
		"no such path":   {"n", []models.PatchOp{{Op: "add", Path: "/driver_info/a.b", Value: 1}}},
		"no JSON at all": {"n", []models.PatchOp{{Op: "add", Path: "/driver_info/a", Value: func() {}}}},
	} {
		if _, err := client(t, f.URL, Options{}).Send(t.Context(), request.Patch(test.id, test.ops)); err == nil || len(f.all()) > 0 {
			t.Errorf("%s: %v, sent %q", name, err, f.all())
		}
	}
}
