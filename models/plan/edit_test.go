package plan_test

import (
	"testing"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
)

func TestPlanChanges(t *testing.T) {
	t.Parallel()
	iso := func(f *plan.Fields) { f.Ramdisk.ISO = "http://new" }
	hints := func(f *plan.Fields) { f.RootDevice.Hints = hints.Make(hints.Serial, "NEW") }
	for name, test := range map[string]struct {
		plan   string
		change func(p *plan.Plan)
		want   string
	}{
		"all that there are": {
			"nodes: [a, b]\n", func(p *plan.Plan) { p.Change([]string{"a", "b"}, plan.PartRamdisk, iso) },
			"nodes: [a, b]\nramdisk:\n  iso: http://new\n",
		},
		"one has a part of its own": {
			"nodes: [a, {name: b, ramdisk: {iso: http://b}}]\n", func(p *plan.Plan) { p.Change([]string{"a", "b"}, plan.PartRamdisk, iso) },
			"nodes: [a, {name: b, ramdisk: {iso: http://new}}]\nramdisk:\n  iso: http://new\n",
		},
		"a part of its own that is another": {
			"nodes: [a, {name: b, kind: direct}]\n", func(p *plan.Plan) { p.Change([]string{"a", "b"}, plan.PartRootDevice, hints) },
			"nodes: [a, {name: b, kind: direct}]\nroot_device:\n  hints:\n    serial: NEW\n",
		},
		"not the others": {
			"nodes: [a, b]\nramdisk: {params: quiet}\n", func(p *plan.Plan) { p.Change([]string{"a"}, plan.PartRamdisk, iso) },
			"nodes: [{name: a, ramdisk: {iso: http://new, params: quiet}}, b]\nramdisk: {params: quiet}\n",
		},
		"one of several": {
			"nodes: [a, b]\n", func(p *plan.Plan) { p.ChangeOne("b", plan.PartRootDevice, hints) },
			"nodes: [a, {name: b, root_device: {hints: {serial: NEW}}}]\n",
		},
		"the only one": {
			"nodes: [a]\n", func(p *plan.Plan) { p.ChangeOne("a", plan.PartRootDevice, hints) },
			"nodes: [a]\nroot_device:\n  hints:\n    serial: NEW\n",
		},
		"no allocation for one of several": {
			"nodes: [a, b, c]\nallocate: true\n",
			func(p *plan.Plan) {
				p.Change([]string{"a"}, plan.PartAllocate, func(f *plan.Fields) { f.Allocate = &plan.Allocate{Off: true} })
			},
			"nodes: [{name: a, allocate: false}, b, c]\nallocate: true\n",
		},
		"traits of all": {
			"nodes: [a, {name: b, traits: [CUSTOM_B]}]\n",
			func(p *plan.Plan) {
				p.Change([]string{"a", "b"}, plan.PartTraits, func(f *plan.Fields) { f.Traits = []string{"CUSTOM_A"} })
			},
			"nodes: [a, {name: b, traits: [CUSTOM_A]}]\ntraits: [CUSTOM_A]\n",
		},
		"nobody": {
			"nodes: [a]\n", func(p *plan.Plan) { p.Change([]string{"b"}, plan.PartRamdisk, iso) }, "nodes: [a]\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, err := plan.Decode([]byte(test.plan))
			if err != nil {
				t.Fatal(err)
			}
			deployPlan := before.Clone()
			test.change(deployPlan)
			want, err := plan.Decode([]byte(test.want))
			if err != nil {
				t.Fatal(err)
			}
			for _, node := range []string{"a", "b"} {
				got, wanted := plan.Plan{Fields: deployPlan.For(node)}, plan.Plan{Fields: want.For(node)}
				g, errG := got.Encode()
				w, errW := wanted.Encode()
				if errG != nil || errW != nil || string(g) != string(w) {
					t.Errorf("%s: %v %v\n%s\nwant\n%s", node, errG, errW, g, w)
				}
			}
			if text, err := before.Encode(); err != nil || string(text) != test.plan {
				t.Errorf("the plan before is another: %v\n%s", err, text)
			}
			if _, err := deployPlan.Encode(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPlanNames(t *testing.T) {
	t.Parallel()
	deployPlan, err := plan.Decode([]byte("nodes: [{name: n1, kind: direct}, {name: uuid-2, kind: ramdisk}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		ref  models.NodeRef
		name string
		kind plan.Kind
	}{
		{models.NodeRef{UUID: "uuid-1", Name: "n1"}, "n1", plan.KindDirect},
		{models.NodeRef{UUID: "uuid-2", Name: "n2"}, "uuid-2", plan.KindRamdisk},
		{models.NodeRef{UUID: "uuid-3"}, "", ""},
	} {
		if name, kind := deployPlan.NameOf(test.ref), deployPlan.ForNode(test.ref).Kind; name != test.name || kind != test.kind {
			t.Errorf("%v: %q, %q", test.ref, name, kind)
		}
	}
}
