// Package stepfile reads, checks and writes files that define deploy templates (API 1.55) and runbooks (API 1.92). It
// compares them with the objects in Ironic. It does no I/O.
package stepfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ironworks/document"
	"ironworks/models"
	"ironworks/models/hints"
)

// Item is a deploy template or a runbook.
type Item struct {
	Kind       Kind
	UUID, Name string
	// Fields holds the fields from the file or from Ironic, without UUID and name.
	Fields *hints.PythonDict
}

// maxText is the maximum length of names, owners and descriptions.
const maxText = 255

// The interfaces whose steps a file may contain (ironic/conductor/steps.py, 39.0.0).
var interfaces = []string{"bios", "deploy", "firmware", "management", "power", "raid", "vendor"} //nolint:gochecknoglobals // a constant

var (
	anyTrait    = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
	runbookName = regexp.MustCompile(`^[A-Za-z0-9\-._~]+$`)
)

// Parse reads objects of the given kind from YAML or JSON. The data may be one object, a list of objects, or an
// object that contains the collection. The API and the baremetal command write these forms. If the data is invalid,
// the error is a *document.Error with all problems.
func Parse(data []byte, file string, kind Kind) ([]Item, error) {
	return parse(data, file, &reader{kind: kind, names: map[string]int{}})
}

func parse(data []byte, file string, r *reader) ([]Item, error) {
	docs, err := document.Parse(data, file)
	if err != nil {
		return nil, err
	}
	for _, doc := range docs {
		r.document(doc)
	}
	if len(r.items) == 0 && len(r.Problems) == 0 {
		r.Problems = append(r.Problems, document.Problem{Why: fmt.Sprintf("no %ss; use a list of objects, each with name and steps", r.kind.Noun())})
	}
	if err := r.Err(file); err != nil {
		return nil, err
	}
	return r.items, nil
}

type reader struct {
	document.Checker
	kind  Kind
	items []Item
	// names maps the name of each object to its line in the file.
	names map[string]int
	// keepsMasks means that masked secrets are not an error.
	keepsMasks bool
}

func (r *reader) document(v document.Value) {
	list := v
	if v.Kind == document.Object && v.Has(r.kind.Collection()) {
		list = v.Get(r.kind.Collection())
	}
	if list.Kind != document.List {
		r.item(list)
		return
	}
	for _, item := range list.Items {
		r.item(item)
	}
}

// answerKeys lists keys from the API's responses that a file may contain and that are ignored.
var answerKeys = []string{"created_at", "updated_at", "links"} //nolint:gochecknoglobals // a constant

func (r *reader) item(v document.Value) {
	if v.Kind != document.Object {
		r.Problem(v, "a %s must be an object with name and steps, not %s", r.kind.Noun(), v.Kind)
		return
	}
	item := Item{Kind: r.kind, Fields: &hints.PythonDict{}}
	for _, m := range v.Members {
		switch {
		case slices.Contains(answerKeys, m.Key):
		case m.Key == "uuid":
			item.UUID = r.UUID(m.Value)
		case m.Key == "name":
			item.Name = r.name(m.Value)
		case slices.Contains(r.kind.fields(), m.Key):
			r.field(m.Key, m.Value)
			item.Fields.Set(m.Key, m.Value.Python())
		default:
			r.Unknown(m, append([]string{"uuid", "name"}, r.kind.fields()...), "a "+r.kind.Noun())
		}
	}
	if !v.Has("name") {
		r.Problem(v, "the %s has no name", r.kind.Noun())
	}
	if steps := v.Get("steps"); steps.Kind == document.List && len(steps.Items) > 0 {
		item.Fields.Set("steps", r.steps(steps))
	} else if steps.Kind == document.List || !v.Has("steps") {
		r.Problem(v, "the %s has no steps", r.kind.Noun())
	}
	r.items = append(r.items, item)
}

func (r *reader) name(v document.Value) string {
	name := v.Literal
	switch {
	case v.Kind != document.Text || name == "":
		r.Problem(v, "name is %s, not a string", v.Kind)
	case utf8.RuneCountInString(name) > maxText:
		r.Problem(v, "name has %d characters; Ironic allows at most %d", utf8.RuneCountInString(name), maxText)
	case r.kind == Template && !anyTrait.MatchString(name):
		r.Problem(v, "name %q is not a trait: the name of a template is the trait that selects it, such as CUSTOM_%s", name, traitLike(name))
	case r.kind == Runbook && !runbookName.MatchString(name):
		r.Problem(v, "name %q has characters other than letters, digits and - . _ ~", name)
	}
	if line := r.names[name]; line != 0 && name != "" {
		r.Problem(v, "the %[2]s on line %[3]d also has the name %[1]s", name, r.kind.Noun(), line)
	}
	r.names[name] = v.Line
	return name
}

// traitLike replaces the characters that a trait cannot contain.
func traitLike(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z':
			return c - 'a' + 'A'
		case c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			return c
		}
		return '_'
	}, name)
}

func (r *reader) field(key string, v document.Value) {
	want := map[string]document.Kind{
		"description": document.Text, "owner": document.Text, "extra": document.Object, "public": document.Bool,
		"disable_ramdisk": document.Bool, "steps": document.List, "traits": document.List,
	}[key]
	nullable := key != "steps" && key != "traits"
	switch {
	case v.Kind == document.Null && nullable:
	case v.Kind != want:
		r.Problem(v, "%s is %s, not %s", key, v.Kind, want)
	case want == document.Text && utf8.RuneCountInString(v.Literal) > maxText:
		r.Problem(v, "%s has %d characters; Ironic allows at most %d", key, utf8.RuneCountInString(v.Literal), maxText)
	case key == "traits":
		for _, t := range v.Items {
			if t.Kind != document.Text || !anyTrait.MatchString(t.Literal) || len(t.Literal) > maxText {
				r.Problem(t, "%q is not a valid trait; use a name such as CUSTOM_%s", t.Literal, traitLike(t.Literal))
			}
		}
	}
}

// steps checks the steps, and adds optional fields that the file omits.
func (r *reader) steps(v document.Value) hints.PythonList {
	var list hints.PythonList
	lines := map[string]int{}
	for _, step := range v.Items {
		if step.Kind != document.Object {
			r.Problem(step, "a step must be an object with interface, step and %s, not %s", r.kind.order(), step.Kind)
			continue
		}
		list = append(list, r.step(step))
		iface, name := step.Get("interface"), step.Get("step")
		id := iface.Literal + "." + name.Literal
		if line := lines[id]; line != 0 {
			r.Problem(step, "step %s is also on line %d: Ironic accepts each step only once", id, line)
		}
		lines[id] = step.Line
	}
	return list
}

func (r *reader) step(v document.Value) *hints.PythonDict {
	for _, m := range v.Members {
		if !slices.Contains(r.kind.stepKeys(), m.Key) {
			r.Unknown(m, r.kind.stepKeys(), "a step")
		}
	}
	for _, key := range []string{"interface", "step", r.kind.order()} {
		if !v.Has(key) {
			r.Problem(v, "the step has no %s", key)
		}
	}
	iface, name, args, order := v.Get("interface"), v.Get("step"), v.Get("args"), v.Get(r.kind.order())
	if v.Has("interface") && !slices.Contains(interfaces, iface.Literal) {
		r.Problem(iface, "interface %q has no steps; available: %s", iface.Literal, strings.Join(interfaces, ", "))
	}
	if v.Has("step") && (name.Kind != document.Text || name.Literal == "") {
		r.Problem(name, "step %q is not a valid step name", name.Literal)
	}
	d := &hints.PythonDict{}
	d.Set("interface", iface.Literal)
	d.Set("step", name.Literal)
	d.Set("args", &hints.PythonDict{})
	switch {
	case args.Kind == document.Object:
		r.masks(args)
		d.Set("args", args.Python())
	case v.Has("args"):
		r.Problem(args, "args is %s, not an object", args.Kind)
	}
	n, err := strconv.Atoi(order.Literal)
	if v.Has(r.kind.order()) && (err != nil || n < 0 || order.Kind != document.Number && order.Kind != document.Text) {
		r.Problem(order, "%s %q is not a whole number ≥ 0", r.kind.order(), order.Literal)
	}
	d.Set(r.kind.order(), hints.PythonInt(strconv.Itoa(n)))
	return d
}

// masks adds a problem if v is the mask that the API shows instead of a secret, unless keepsMasks is set.
func (r *reader) masks(v document.Value) {
	if v.Kind == document.Text && v.Literal == models.Mask && !r.keepsMasks {
		r.Problem(v, "%s is Ironic's mask for a secret; enter the secret itself", models.Mask)
	}
	for _, item := range v.Items {
		r.masks(item)
	}
	for _, m := range v.Members {
		r.masks(m.Value)
	}
}

// Decode reads an object from the API.
func Decode(raw json.RawMessage, kind Kind) (Item, error) {
	value, err := hints.DecodePython(raw)
	if err != nil {
		return Item{}, err
	}
	d, ok := value.(*hints.PythonDict)
	if !ok {
		return Item{}, fmt.Errorf("a %s is %s, not an object", kind.Noun(), hints.PythonTypeName(value))
	}
	item := Item{Kind: kind, UUID: d.Text("uuid"), Name: d.Text("name"), Fields: &hints.PythonDict{}}
	for _, key := range kind.fields() {
		if d.Has(key) {
			item.Fields.Set(key, d.Get(key))
		}
	}
	if steps, ok := item.Fields.Get("steps").(hints.PythonList); ok {
		item.Fields.Set("steps", inOrder(steps, kind))
	}
	return item, nil
}

// ranked returns steps in the order in which they run. Steps of the same rank are sorted by name, because Ironic's
// list has no order.
func ranked(steps hints.PythonList, kind Kind) hints.PythonList {
	sorted := slices.Clone(steps)
	slices.SortStableFunc(sorted, func(a, b any) int {
		x, _ := a.(*hints.PythonDict)
		y, _ := b.(*hints.PythonDict)
		return cmp.Or(cmp.Compare(rank(x, kind), rank(y, kind)), cmp.Compare(stepName(x), stepName(y)))
	})
	return sorted
}

// rank returns a number by which steps are sorted: the highest priority or the lowest order runs first.
func rank(step *hints.PythonDict, kind Kind) int {
	n, _ := strconv.Atoi(hints.PythonStr(step.Get(kind.order())))
	if kind == Template {
		return -n
	}
	return n
}

func stepName(step *hints.PythonDict) string { return step.Text("interface") + "." + step.Text("step") }

// inOrder returns steps with their keys in the order in which files contain them.
func inOrder(steps hints.PythonList, kind Kind) hints.PythonList {
	ordered := make(hints.PythonList, len(steps))
	for i, step := range steps {
		ordered[i] = step
		if d, ok := step.(*hints.PythonDict); ok {
			ordered[i] = d.Ordered(kind.stepKeys()...)
		}
	}
	return ordered
}

// Body returns the body of the POST request. It lacks a runbook's traits, which have a separate path.
func (i *Item) Body() *hints.PythonDict {
	d := i.document()
	if i.Kind == Runbook {
		d.Delete("traits")
	}
	return d
}

// Traits returns the traits of a runbook. given is true if a runbook sets them, even to an empty list.
func (i *Item) Traits() (traits hints.PythonList, given bool) {
	traits, given = i.Fields.Get("traits").(hints.PythonList)
	return traits, given && i.Kind == Runbook
}

// Flag returns the value of a boolean field, or false if the field is not set.
func (i *Item) Flag(field string) bool {
	value, _ := i.Fields.Get(field).(bool)
	return value
}

func (i *Item) document() *hints.PythonDict {
	d := &hints.PythonDict{}
	if i.UUID != "" {
		d.Set("uuid", i.UUID)
	}
	d.Set("name", i.Name)
	for _, key := range i.Kind.fields() {
		if i.Fields.Has(key) {
			d.Set(key, i.Fields.Get(key))
		}
	}
	return d
}

// flowFrom is the depth from which values are written on one line, which is that of a step's arguments.
const flowFrom = 4

// YAML returns the content of a file from which [Parse] can read the objects. It omits empty fields.
func YAML(list []Item) ([]byte, error) {
	bodies := make(hints.PythonList, len(list))
	for i := range list {
		d := list[i].document()
		for _, key := range d.Keys() {
			if !hints.PythonTruthy(d.Get(key)) {
				d.Delete(key)
			}
		}
		if steps, ok := d.Get("steps").(hints.PythonList); ok {
			d.Set("steps", ranked(steps, list[i].Kind))
		}
		bodies[i] = d
	}
	return document.YAML(bodies, flowFrom)
}

// StepNames returns the names of the steps, as interface.step, in the order in which they run.
func (i *Item) StepNames() []string {
	steps, _ := i.Fields.Get("steps").(hints.PythonList)
	var names []string
	for _, step := range ranked(steps, i.Kind) {
		if d, ok := step.(*hints.PythonDict); ok {
			names = append(names, stepName(d))
		}
	}
	return names
}

// NeedsTraits returns the traits of which a node needs at least one. A template needs the trait with the template's
// name. A runbook needs one of its traits or, before API 1.112, the trait with its name. A runbook without traits
// runs on no node (ironic/api/controllers/v1/node.py, _handle_runbook).
func (i *Item) NeedsTraits() []string {
	traits, given := i.Traits()
	if !given {
		return []string{i.Name}
	}
	var names []string
	for _, t := range traits {
		if name, ok := t.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// OnNode returns the objects that may be used on a node with the given traits.
func OnNode(list []Item, traits []string) []Item {
	var may []Item
	for i := range list {
		if slices.ContainsFunc(list[i].NeedsTraits(), func(t string) bool { return slices.Contains(traits, t) }) {
			may = append(may, list[i])
		}
	}
	return may
}

// ParseEdit reads a file in which the operator has edited an existing object. Fields that were removed from the file
// become empty. Unchanged steps are omitted, so that masked secrets in them are not an error.
func ParseEdit(data []byte, file string, existing *Item) ([]Item, error) {
	items, err := parse(data, file, &reader{kind: existing.Kind, names: map[string]int{}, keepsMasks: true})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(items, func(item Item) bool {
		return item.UUID == existing.UUID || item.UUID == "" && item.Name == existing.Name
	})
	if i < 0 || !untouched(existing, &items[i]) {
		if items, err = Parse(data, file, existing.Kind); err != nil || i < 0 {
			return items, err
		}
	} else {
		items[i].Fields.Delete("steps")
	}
	for _, key := range existing.Kind.fields() {
		if now := existing.Fields.Get(key); key != "steps" && hints.PythonTruthy(now) && !items[i].Fields.Has(key) {
			items[i].Fields.Set(key, emptyValue(now))
		}
	}
	return items, nil
}

// untouched reports whether the edited steps equal the existing ones, masks included.
func untouched(existing, edited *Item) bool {
	kind := existing.Kind
	return hints.PythonSame(rankedValue(existing.Fields.Get("steps"), kind), rankedValue(edited.Fields.Get("steps"), kind))
}

// emptyValue returns the value that clears a field: false, an empty list or an empty object if the current value has
// that type, and otherwise nil.
func emptyValue(value any) any {
	switch value.(type) {
	case bool:
		return false
	case hints.PythonList:
		return hints.PythonList{}
	case *hints.PythonDict:
		return &hints.PythonDict{}
	}
	return nil
}

// Draft returns the text of a new object, for the operator to edit.
func (k Kind) Draft() string {
	return [...]string{
		`# The name is a trait: the template applies if the instance asks for it and the node has it.
# priority: the highest runs first; 0 disables a step of the driver.
name: CUSTOM_
steps:
  - {interface: deploy, step: erase_devices_metadata, priority: 95, args: {}}
`, `# A node needs one of the traits. order: the lowest runs first.
name: CUSTOM_
steps:
  - {interface: deploy, step: erase_devices_metadata, order: 1, args: {}}
disable_ramdisk: false
traits: [CUSTOM_]
`,
	}[k]
}

// Kind distinguishes files with deploy templates from files with runbooks.
type Kind int

// The kinds of objects that files can define.
const (
	Template Kind = iota // deploy templates: steps that run if an instance asks for the template's trait
	Runbook              // runbooks: steps for cleaning and servicing
)

// Noun returns the singular name of the kind for messages.
func (k Kind) Noun() string { return [...]string{"deploy template", "runbook"}[k] }

// Collection returns the API's name for a collection of this kind.
func (k Kind) Collection() string { return [...]string{"deploy_templates", "runbooks"}[k] }

func (k Kind) order() string { return [...]string{"priority", "order"}[k] }

func (k Kind) stepKeys() []string { return []string{"interface", "step", "args", k.order()} }

// fields returns the fields of an object, besides uuid and name, in the order in which files contain them.
func (k Kind) fields() []string {
	if k == Template {
		return []string{"description", "steps", "extra"}
	}
	return []string{"description", "steps", "disable_ramdisk", "public", "owner", "extra", "traits"}
}

// Feature returns the API feature that the given fields need, or "" if every supported Ironic has them.
func (k Kind) Feature(fields ...string) models.Feature {
	if k == Template {
		return ""
	}
	for _, f := range fields {
		if f == "description" || f == "traits" {
			return models.FeatureRunbookTraits
		}
	}
	return models.FeatureRunbooks
}
