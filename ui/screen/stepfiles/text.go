package stepfiles

// Texts that are used more than once, or are too long for the lines that use them.
const (
	textNone        = "No %[1]ss. {steps-new} writes one in the editor, {steps-apply} creates %[1]ss from a file."
	textApplyTitle  = "Create and change %ss"
	textApplyFile   = "YAML or JSON; %ss that are not in the file are kept"
	textApplyHidden = "rewrite arguments with secrets (these cannot be compared)"
	textNothingToDo = "%ss: nothing to change"
	textDeleteTitle = "Delete %s"
	textDeleteAsk   = "Delete %s? Nodes are unchanged."
	textRunTitle    = "Run runbook %s"
	textRunHow      = "clean manageable nodes, or service active ones"
	textNoNodes     = "no nodes: mark nodes in the fleet, or add the trait to nodes"
	textEditAgain   = "continue editing"
	textSendFile    = "; use: %s %s apply -f - < FILE"
)
