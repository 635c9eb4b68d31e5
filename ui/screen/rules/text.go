package rules

// Texts that are used more than once, or are too long for the lines that use them.
const (
	textNone        = "No inspection rules. {rules-test} tests a file, {rules-apply} creates its rules."
	textTesting     = "testing on %s…"
	textTestTitle   = "Test inspection rules"
	textTestFile    = "YAML or JSON; empty for the rules in Ironic"
	textTestActive  = "also run the rules in Ironic, except those that the file replaces"
	textApplyTitle  = "Create and change inspection rules"
	textApplyFile   = "YAML or JSON; rules that are not in the file are kept"
	textApplyHidden = "rewrite conditions and actions of sensitive rules (these cannot be compared)"
	textNothingToDo = "inspection rules: nothing to change"
	textDeleteAsk   = "Delete %s? Nodes are unchanged."
	textHidden      = "Ironic hides the conditions and actions of this sensitive rule."
	textAllNodes    = "all nodes"
)
