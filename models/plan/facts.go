package plan

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/hints"
)

// Facts are what is known before a deployment of one node. Checks read nothing else.
type Facts struct {
	Now time.Time
	// Version is that of Ironic's API; zero when it is not known.
	Version models.APIVersion
	// Node is the node as a whole, with Raw.
	Node *models.Node
	// Verb is deploy, or rebuild: a deployment of what is deployed already. Empty is
	// deploy.
	Verb models.Verb
	// Plan is what is to be done with it, Kind and Steps what comes of that: see
	// [Facts.Resolve].
	Plan  Fields
	Kind  Kind
	Steps []models.Step
	// Outcomes are the kinds that may come of it, Kind first: more than one where Ironic
	// chooses the deploy interface when the deployment starts. What writes a disk comes
	// before what does not.
	Outcomes []Kind
	// Hints are those that will count once the plan's are written.
	Hints hints.NodeHints
	// Mine is the instance_uuid that this very deployment has given the node earlier.
	Mine string

	// Inventory is nil where Ironic has none, or where it could not be read: then
	// InventoryError says why.
	Inventory      *hints.Inventory
	InventoryError string
	// MaxInventoryAge is how old it may be; zero is for ever.
	MaxInventoryAge time.Duration

	// Validations are Ironic's answer for the node as it is now, before what the plan
	// changes.
	Validations   []models.Validation
	ValidateError string
	Drivers       []models.Driver
	DriversError  string
	// Conductors that Ironic has, dead ones too.
	Conductors      []models.Conductor
	ConductorsError string

	// Others are the disks of the other nodes as far as they were looked at;
	// OthersError says why not all were.
	Others      []OtherDisks
	OthersError string

	// Image is what was asked about a direct deployment's image; nil where nothing was.
	Image *ImageFacts
	// Registry is what was asked about an oci:// image; nil where nothing was.
	Registry *RegistryFacts

	// Templates are Ironic's deploy templates; TemplatesError says why they could not be
	// read. They are not looked for where the instance has no traits.
	Templates      []models.DeployTemplate
	TemplatesError string

	// Offered is nil where no agent's list of steps was kept.
	Offered *OfferedSteps

	// UserData is what a checker found in it; nil where there is none.
	UserData *UserDataFacts
	// ConfigDriveText says that the configdrive is no object but a URL or base64.
	ConfigDriveText bool
}

// OtherDisks are the disks of another node.
type OtherDisks struct {
	Node  models.NodeRef
	Disks []hints.Disk
}

// UserDataFacts is what a checker of user data found. It holds no secrets.
type UserDataFacts struct {
	// Kind is what it is: ignition, butane, cloud-config, …
	Kind string
	// Language is the reader that it is written for; empty for none that is known here.
	Language UserDataReader
	// OK says that it is valid in its language.
	OK       bool
	Findings []UserDataFinding
	// Sent is how many bytes are sent for it.
	Sent int
}

// UserDataFinding is one thing that is wrong with user data.
type UserDataFinding struct {
	// Error says that it must not be sent; else it is doubtful.
	Error bool
	ID    string
	Text  string
}

// Resolve fills in what follows from the node and the plan: the kind, the steps with
// their priorities, and the hints that will count.
func (f *Facts) Resolve() error {
	templates := f.templateSteps()
	f.Outcomes = f.outcomes(templates)
	f.Kind = f.Outcomes[0]
	f.Steps = deploymentSteps(f.Kind, f.Plan.Steps, templates)
	hints, err := hints.Of(f.Node)
	if err != nil {
		return err
	}
	f.Hints = withRootDevice(hints, f.Plan.RootDevice)
	return nil
}

// outcomes are the kinds that may come of the deployment.
func (f *Facts) outcomes(templates []OrderedStep) []Kind {
	switch {
	case f.autodetects():
		return f.autodetected()
	case f.Plan.Kind != "":
		return []Kind{f.Plan.Kind}
	}
	steps := f.Plan.Steps
	for _, s := range templates {
		if IsInstallStep(s.Step) { // what else templates bring does not make it another kind
			steps = append(slices.Clone(steps), s.Step)
		}
	}
	return []Kind{kindOf(f.DeployInterface(), steps)}
}

// Rebuilds says that the instance stays, and is deployed once more.
func (f *Facts) Rebuilds() bool { return f.Verb == models.VerbRebuild }

// DeployInterface is the one that the node will have: the plan's, or that of its kind.
func (f *Facts) DeployInterface() string {
	switch {
	case f.Plan.DeployInterface != "":
		return f.Plan.DeployInterface
	case f.Plan.Kind.deployInterface() != "":
		return f.Plan.Kind.deployInterface()
	}
	return f.Node.DeployInterface
}

// withRootDevice are the node's hints once those of a plan are written: those in properties take
// the instance's away, which would come first.
func withRootDevice(h hints.NodeHints, p RootDevice) hints.NodeHints {
	switch {
	case !p.Hints.Given():
		return h
	case p.To == hints.OfProperties:
		h.Instance, h.Properties, h.Source = hints.Hints{}, p.Hints, hints.OfProperties
	default:
		h.Instance, h.Source = p.Hints, hints.OfInstance
	}
	h.Hints = p.Hints
	return h
}

// search is the agent's search for the disk.
func (f *Facts) search() hints.Search {
	return hints.Search{By: hints.GenerationOf(f.Version), Hints: f.Hints.Hints, Skip: f.Hints.Skip}
}

// Target is the disk that the agent would take of those of the inventory; nil when
// there is none, or when that is not known.
func (f *Facts) Target() *hints.Disk {
	if f.Inventory == nil || !f.Kind.PicksDisk() {
		return nil
	}
	e := f.search().Explain(f.Inventory.Disks)
	i := slices.IndexFunc(e.Disks, func(c hints.DiskCheck) bool { return c.Picked })
	if i < 0 {
		return nil
	}
	return &e.Disks[i].Disk
}

// OnlyTarget is [Facts.Target] where no other disk would have done as well.
func (f *Facts) OnlyTarget() *hints.Disk {
	target := f.Target()
	if target == nil || f.untold() != nil {
		return nil
	}
	e := f.search().Explain(f.Inventory.Disks)
	if len(e.Matching()) != 1 || models.RAIDRoot(f.Node) != "" {
		return nil
	}
	return target
}

// extra is a value of the node's extra, nil when there is none.
func (f *Facts) extra(name string) any {
	var fields struct {
		Extra map[string]any `json:"extra"`
	}
	if json.Unmarshal(f.Node.Raw, &fields) != nil {
		return nil
	}
	return fields.Extra[name]
}

// finding is what a check found, before it is known what that means.
type finding struct {
	verdict  verdict
	text     string
	wayOut   string
	evidence []models.Observation
}

type verdict int

const (
	notAsked verdict = iota // it has nothing to do with this deployment
	fine
	found // what the check looks for is there
	notKnown
)

func good(text string, evidence ...models.Observation) finding {
	return finding{verdict: fine, text: text, evidence: evidence}
}

func bad(text, wayOut string, evidence ...models.Observation) finding {
	return finding{verdict: found, text: text, wayOut: wayOut, evidence: evidence}
}

func unknown(text, wayOut string, evidence ...models.Observation) finding {
	return finding{verdict: notKnown, text: text, wayOut: wayOut, evidence: evidence}
}

// sawAt is evidence of another time.
func (f *Facts) sawAt(at time.Time, field string, value any) models.Observation {
	e := models.Observed(field, value)
	if !at.IsZero() && f.Now.After(at) {
		e.AgeSeconds = int64(f.Now.Sub(at) / time.Second)
	}
	return e
}

// Checks does all checks on a node. Those that have nothing to do with the deployment,
// and those that are switched off, are left out. Where several outcomes are possible,
// the worst of their findings counts.
func Checks(f *Facts, choices CheckChoices) []Check {
	var checks []Check
	for _, c := range allChecks() {
		check, asked := f.check(c)
		if !asked {
			continue
		}
		if check, on := choices.decided(check); on {
			checks = append(checks, check)
		}
	}
	return checks
}

// Check does one check, whatever was decided about it; false when it has nothing to do with the
// deployment.
func (f *Facts) Check(id CheckID) (check Check, asked bool) {
	all := allChecks()
	i := slices.IndexFunc(all, func(c checker) bool { return c.id == id })
	if i < 0 {
		return Check{}, false
	}
	return f.check(all[i])
}

// check does one check for every outcome; false when it has nothing to do with any.
func (f *Facts) check(c checker) (check Check, asked bool) {
	kinds := f.possible()
	results := make([]Check, len(kinds))
	same := true
	for i, kind := range kinds {
		facts := *f
		facts.Kind = kind
		if result := c.do(&facts); result.verdict != notAsked {
			results[i] = result.check(c.id)
			if !asked || results[i].Severity.worse(check.Severity) {
				check, asked = results[i], true
			}
		}
		same = same && results[i].Text == results[0].Text
	}
	if same || check.Severity == CheckOK {
		return check, asked
	}
	var texts []string
	for i, kind := range kinds {
		if results[i].Severity == check.Severity {
			texts = append(texts, "if "+interfaceAutodetect+" switches to "+models.OrNone(kind.deployInterface())+": "+results[i].Text)
		}
	}
	check.Text = strings.Join(texts, "; ")
	return check, asked
}

func (f *Facts) possible() []Kind {
	if len(f.Outcomes) == 0 {
		return []Kind{f.Kind}
	}
	return f.Outcomes
}

// worse orders the severities: what is not known is worse than a warning, since it may
// hide an error.
func (s CheckSeverity) worse(than CheckSeverity) bool {
	order := []CheckSeverity{CheckOK, CheckWarn, CheckUnknown, CheckRefuse}
	return slices.Index(order, s) > slices.Index(order, than)
}

// check is the finding with what is fixed about its check.
func (r finding) check(id CheckID) Check {
	rule, _ := ruleOf(id)
	check := Check{ID: id, Severity: CheckOK, Text: models.Printable(r.text), WayOut: models.Printable(r.wayOut), Evidence: r.evidence}
	if check.Evidence == nil {
		check.Evidence = []models.Observation{}
	}
	switch r.verdict {
	case found:
		check.Severity = rule.Worst
	case notKnown:
		check.Severity = CheckUnknown
	case fine, notAsked:
	}
	return check
}

// checker is a check with what does it.
type checker struct {
	id CheckID
	do func(f *Facts) finding
}

func allChecks() []checker {
	return []checker{
		{CheckState, checkState},
		{CheckMaintenance, checkMaintenance},
		{CheckReserved, checkReserved},
		{CheckAllocation, checkAllocation},
		{CheckProtected, checkProtected},
		{CheckRetired, checkRetired},
		{CheckConsoleLock, checkConsoleLock},
		{CheckManagedByMetal3, checkMetal3},
		{CheckFault, checkFault},
		{CheckAPIVersion, checkAPIVersion},
		{CheckDeployInterface, checkDeployInterface},
		{CheckConductor, checkConductor},
		{CheckRamdisk, checkRamdisk},
		{CheckValidate, checkValidate},
		{CheckKernelParams, checkKernelParams},
		{CheckTraits, checkTraits},
		{CheckTemplates, checkTemplates},
		{CheckInstallStep, checkInstallStep},
		{CheckSteps, checkSteps},
		{CheckStepOrder, checkStepOrder},
		{CheckStepOffered, checkStepOffered},
		{CheckHints, checkHints},
		{CheckHintsDoubt, checkHintsDoubt},
		{CheckHintsPlaces, checkHintsPlaces},
		{CheckInventory, checkInventory},
		{CheckInventoryBy, checkInventoryBy},
		{CheckRootDevice, checkRootDevice},
		{CheckSingleDisk, checkSingleDisk},
		{CheckStableHint, checkStableHint},
		{CheckSharedDisk, checkSharedDisk},
		{CheckDataDisk, checkDataDisk},
		{CheckOddDisk, checkOddDisk},
		{CheckSameDisk, checkSameDisk},
		{CheckRAIDRoot, checkRAIDRoot},
		{CheckAssisted, checkAssisted},
		{CheckKickstart, checkKickstart},
		{CheckConfigDrive, checkConfigDrive},
		{CheckUserData, checkUserData},
		{CheckUserDataReader, checkUserDataReader},
		{CheckUserDataOdd, checkUserDataOdd},
		{CheckMetaData, checkMetaData},
		{CheckImage, checkImage},
		{CheckOCI, checkOCIReference},
		{CheckOCITag, checkOCITag},
		{CheckOCIKind, checkOCIKind},
		{CheckOCISecret, checkOCISecret},
		{CheckImageSum, checkImageSum},
		{CheckImageThere, checkImageReachable},
		{CheckImageFile, checkImageChecksumFile},
		{CheckImageSize, checkImageSize},
	}
}
