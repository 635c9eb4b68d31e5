package provision_test

import (
	"context"
	"errors"
	"testing"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/provision/images"
)

func TestCachedAsksOnce(t *testing.T) {
	t.Parallel()
	r := &reader{inventory: oneDisk}
	checks := &provision.Preflighter{Reader: r}
	of := sameFor(deployment(t))
	n := deployable(t)
	kept := checks.Cached()
	for range 3 {
		action := provision.Deploy(kept, of)
		action.Preflight(t.Context(), []models.Node{n})
		if f := action.Facts(&n); f == nil || f.Inventory == nil || f.Target() == nil {
			t.Fatalf("%+v", f)
		}
		if action.CheckedBy(checks) {
			t.Error("what is remembered may be carried out")
		}
	}
	if r.asked != 1 {
		t.Errorf("validity was asked for %d times", r.asked)
	}
	action := provision.Deploy(checks, of)
	if action.Facts(&n) != nil {
		t.Error("facts before anything was read")
	}
	action.Preflight(t.Context(), []models.Node{n})
	if r.asked != 2 || !action.CheckedBy(checks) {
		t.Errorf("validity was asked for %d times", r.asked)
	}
}

// unreachable is a reader whose first request fails.
type unreachable struct {
	*reader
	failed bool
}

func (f *unreachable) Validate(ctx context.Context, id string) ([]models.Validation, error) {
	if !f.failed {
		f.failed = true
		return nil, errors.New("no route to host")
	}
	return f.reader.Validate(ctx, id)
}

func TestCachedRetriesFailures(t *testing.T) {
	t.Parallel()
	kept := (&provision.Preflighter{Reader: &unreachable{reader: &reader{inventory: oneDisk}}}).Cached()
	n := deployable(t)
	for i, want := range []plan.CheckSeverity{plan.CheckUnknown, plan.CheckOK} {
		_, checks, err := kept.Fresh().Preflight(t.Context(), &n, deployment(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range checks {
			if c.ID == plan.CheckValidate && c.Severity != want {
				t.Errorf("%d: %s", i, c.Severity)
			}
		}
	}
}

func TestOverridesOfEachNode(t *testing.T) {
	t.Parallel()
	retired := func(uuid string) models.Node {
		n := deployable(t)
		n.UUID, n.Retired = uuid, true
		return n
	}
	nodes := []models.Node{retired("uuid-n1"), retired("uuid-n2")}
	action := provision.Deploy(&provision.Preflighter{Reader: &reader{inventory: oneDisk}}, sameFor(deployment(t)))
	action = action.WithOverrides(map[string][]plan.CheckID{"uuid-n1": {plan.CheckRetired}})
	action.Preflight(t.Context(), nodes)
	for i, refused := range []bool{false, true} {
		if r := action.Refuse(&nodes[i], models.APIVersion{}); (r != nil) != refused {
			t.Errorf("%s: %v", nodes[i].UUID, r)
		}
	}
}

// askedWeb counts the requests to a web server.
type askedWeb struct{ asked int }

func (w *askedWeb) Head(context.Context, string) (images.Answer, error) {
	w.asked++
	return images.Answer{Status: 200, Length: 1 << 30, Total: -1}, nil
}

func (w *askedWeb) Get(context.Context, string, int, bool) (images.Answer, []byte, error) {
	w.asked++
	return images.Answer{Status: 206, Length: 512, Total: 1 << 30}, make([]byte, 512), nil
}

// TestCachedQueriesTheWebOnce checks that responses from web servers and lists of deploy templates are cached as
// well.
func TestCachedQueriesTheWebOnce(t *testing.T) {
	t.Parallel()
	web := &askedWeb{}
	with := &templates{reader: &reader{inventory: oneDisk}}
	kept := (&provision.Preflighter{Reader: with, Images: web}).Cached()
	d := deployment(t)
	d.Fields.Kind, d.Fields.Traits = plan.KindDirect, []string{"CUSTOM_A"}
	d.Fields.Image = plan.Image{Source: "http://h/os.raw", Checksum: "d41d8cd98f00b204e9800998ecf8427e"}
	n := deployable(t)
	if _, _, err := kept.Preflight(t.Context(), &n, d, nil); err != nil {
		t.Fatal(err)
	}
	first := web.asked
	for range 3 {
		if _, _, err := kept.Fresh().Preflight(t.Context(), &n, d, nil); err != nil {
			t.Fatal(err)
		}
	}
	if first == 0 || web.asked != first || with.asked != 1 {
		t.Errorf("the web was asked %d times first and then %d times, for templates %d times", first, web.asked, with.asked)
	}
}
