package action

import (
	"slices"
	"strings"

	"ironworks/models"
)

// all contains the built-in actions. It is never modified.
var all = slices.Concat(everywhere(), replaying(), team(), lists(), networks(), controllers(), logs(), ignition(), deployment(), enrolling(), inspectionRules(), stepFiles(), hardware(), comparing(), nodes())

// view returns an action for scope s. The action sends no changes to Ironic or BMCs; for one that does, see sending.
func view(s Scope, id ID, name, help string, foot int, keys ...string) Action {
	return Action{ID: id, Scope: s, Keys: keys, Name: name, Help: help, Foot: foot}
}

// viewIn returns a variant of view that always uses scope s.
func viewIn(s Scope) func(id ID, name, help string, foot int, keys ...string) Action {
	return func(id ID, name, help string, foot int, keys ...string) Action {
		return view(s, id, name, help, foot, keys...)
	}
}

// sending returns an action like a that sends changes. danger is the worst effect of these changes.
func sending(danger models.Danger, a Action) Action {
	a.Changes, a.Danger = true, danger
	return a
}

// asking returns an action like a that asks for arguments in a form.
func asking(a Action) Action {
	a.Form = true
	return a
}

func everywhere() []Action {
	view := viewIn(Everywhere)
	return []Action{
		view(GoFleet, "fleet", "show all nodes, live", 0, "1"),
		view(GoEvents, "events", "show changes since the console opened", 0, "2"),
		view(GoDrivers, "drivers", "show conductors, hardware types and interfaces", 0, "3"),
		view(GoConnect, "connect", "show contexts and their connections", 0, "4"),
		view(GoTasks, "tasks", "show tasks and their results", 0, "5"),
		view(GoIgnition, "ignition", "build and serve ramdisks, check user data", 0, "6"),
		view(GoWatch, "watch", "watch running operations, phase by phase", 0, "7"),
		view(GoEnroll, "enroll", "enroll nodes from a file or from BMC addresses", 0),
		view(GoRules, "rules", "show inspection rules, and test them on stored inventories", 0),
		view(GoTemplates, "templates", "show and edit deploy templates", 0),
		view(GoRunbooks, "runbooks", "show, edit and run runbooks", 0),
		view(Help, "keys", "list the actions of this screen", 99, "?"),
		view(Palette, "go to", "go to a screen, node or context, or run an action by name", 90, ":"),
		view(Back, "back", "go back; clears the filter or the marks first", 80, "esc"),
		view(Older, "", "go to the previous screen", 0, "["),
		view(Newer, "", "go to the next screen", 0, "]"),
		view(Refresh, "refresh", "refresh now; reconnects after a lost connection", 0, "ctrl+r"),
		view(ReadOnly, "read-only", "toggle read-only mode", 0, "ctrl+o"),
		{ID: DeployResume, Scope: Everywhere, Name: "resume", Help: "resume interrupted deployments; repeats their checks", Changes: true},
		view(Copy, "copy", "copy a UUID, row, request or command", 0, "y"),
		view(Messages, "messages", "show past messages", 0, "!"),
		view(Mouse, "mouse", "turn the mouse on or off: click, scroll", 0),
		view(Redraw, "redraw", "redraw the screen", 0, "ctrl+l"),
		view(Suspend, "", "suspend to the shell; fg returns", 0, "ctrl+z"),
		view(Quit, "quit", "quit; operations continue on the nodes", 0, "q", "ctrl+c"),
	}
}

func replaying() []Action {
	view := viewIn(Replay)
	return []Action{
		view(PlayPause, "pause", "pause or play; restarts at the end", 1, "."),
		view(PlayTo, "go to", "jump to a state, step or error of the recording", 2, "#"),
		view(PlayFaster, "faster", "play twice as fast", 3, ">"),
		view(PlaySlower, "slower", "play half as fast", 4, "<"),
		view(PlayBack, "", "30 s back", 0, "{"),
		view(PlayAhead, "", "30 s forward", 0, "}"),
		view(PlayPrevious, "", "previous change", 0, "("),
		view(PlayNext, "next", "next change", 5, ")"),
	}
}

func team() []Action {
	view := viewIn(Team)
	return []Action{
		view(Who, "who", "show the connected users; follow one of them, read-only", 0),
		view(SayAll, "say", "send a line to all connected users", 0),
	}
}

func lists() []Action {
	return []Action{
		view(List, Open, "open", "open the selected item", 1, "enter"),
		view(List, Up, "", "move up", 0, "up", "k"),
		view(List, Down, "", "move down", 0, "down", "j"),
		view(List, PageUp, "", "page up", 0, "pgup", "ctrl+u"),
		view(List, PageDown, "", "page down", 0, "pgdown", "ctrl+f"),
		view(List, Top, "", "go to the first row", 0, "home", "g"),
		view(List, Bottom, "", "go to the last row", 0, "end", "G"),
		view(List, ScrollLeft, "", "scroll left", 0, "left", "h"),
		view(List, ScrollRight, "", "scroll right", 0, "right", "l"),

		view(Reading, Up, "", "scroll up", 0, "up", "k"),
		view(Reading, Down, "", "scroll down", 0, "down", "j"),
		view(Reading, PageUp, "", "page up", 0, "pgup", "ctrl+u"),
		view(Reading, PageDown, "", "page down", 0, "pgdown", "ctrl+f"),
		view(Reading, Top, "", "go to the beginning", 0, "home", "g"),
		view(Reading, Bottom, "", "go to the end", 0, "end", "G"),
		view(Reading, ScrollLeft, "", "scroll left", 0, "left", "h"),
		view(Reading, ScrollRight, "", "scroll right", 0, "right", "l"),
		view(Reading, Search, "search", "search the text", 20, "/"),
		view(Reading, NextMatch, "", "next match", 0, "n"),
		view(Reading, PrevMatch, "", "previous match", 0, "N"),
		view(Reading, WrapLines, "", "toggle line wrapping", 0, "w"),

		view(Filtered, Filter, "filter", "filter rows: text, key:value, !not, ~fuzzy", 20, "/"),
		view(Filtered, ClearFilter, "", "clear the filter", 0, "ctrl+x"),
		view(Filtered, Sort, "sort", "sort by a column; again to reverse", 0, "s"),
		view(Filtered, Wide, "wide", "toggle all columns", 0, "w"),

		view(Fleet, SortLeft, "", "sort by the column to the left", 0, ",", "shift+left"),
		view(Fleet, SortRight, "", "sort by the column to the right", 0, ";", "shift+right"),
		view(Fleet, SortReverse, "", "reverse the order", 0, "z"),
		view(Fleet, Group, "", "group by a field, with counts; enter folds a group; again to ungroup", 0, "b"),
		view(Fleet, Preview, "", "show or hide the preview of the node at the cursor (needs 140 columns)", 0, "p"),
		view(Fleet, Mark, "mark", "mark or unmark the node", 10, "space"),
		view(Fleet, MarkRange, "", "mark from the last mark to the cursor", 0, "V"),
		view(Fleet, MarkAll, "", "mark all visible", 0, "*"),
		view(Fleet, ClearMarks, "", "clear all marks", 0, "-"),

		view(Fleet, GoEnroll, "enroll", "enroll nodes from a file or from BMC addresses", 95, "n"),
		view(Fleet, ShowLog, "log", "show the ramdisk log, live", 0, "L"),
		view(Node, ShowOverview, "overview", "show the summary", 0),
		view(Node, ShowTimeline, "timeline", "show the duration of each phase", 0),
		view(Node, ShowSteps, "steps", "show the steps of the operation", 0),
		view(Node, ShowDisks, "disks", "show disks and root device hints", 0),
		view(Node, ShowNetwork, "network", "show ports and port groups", 0),
		view(Node, ShowBMC, "bmc", "query the machine's BMC (Redfish)", 0),
		view(Node, ShowLog, "log", "show the ramdisk log, live", 0, "L"),
		view(Node, ShowHistory, "history", "show the node history that Ironic recorded", 0),
		view(Node, ShowRaw, "raw", "show all fields", 0),
		view(Node, NextTab, "next tab", "next tab", 2, "tab"),
		view(Node, PrevTab, "", "previous tab", 0, "shift+tab"),
		{ID: PinDisk, Scope: Node, Name: "pin", Help: "in Disks, set root device hints for the disk (shows the request first)", Changes: true},
		view(NodeDisks, Open, "pin", "set root device hints for the disk (shows the request first)", 1, "enter"),
		view(NodeDisks, Preview, "details", "show all facts about the disk, and which hints match it", 2, "p"),
		view(Node, Diff, "diff", "in Raw, mark changes since the previous fetch", 0, "="),
		view(Conductors, NextTab, "drivers", "switch between conductors and hardware types", 2, "tab"),
		view(Events, Pause, "pause", "pause or resume following", 2, "F"),
		view(Events, Explain, "explain", "explain why the node failed or is stuck", 3, "e"),
		view(Explaining, ExplainBMC, "query BMC", "query the node's BMC and test the ISO download from here", 2, "Q"),
		view(Explaining, Open, "run", "run the suggested action, or show the selected explanation", 1, "enter"),
		view(Connect, Check, "check", "test the connection of every context", 2, "c"),
		view(Task, Retry, "retry failed", "retry on the failed nodes", 2, "r"),
		view(Task, Explain, "explain", "explain why the node failed or is stuck", 3, "e"),
		view(Watch, NextTab, "log", "switch between nodes and log", 2, "tab"),
		view(Watch, DropEnded, "hide finished", "hide finished nodes", 10, "-"),
		view(Task, CancelNode, "cancel", "cancel the node: send nothing more, stop following; a running operation continues", 4, "x"),
		view(Task, StopFollowing, "", "stop following; operations continue on the nodes", 0, "X"),
	}
}

func controllers() []Action {
	view := viewIn(NodeBMC)
	return []Action{
		view(BMCRead, "read", "query the BMC again", 3, "enter", "Q"),
		view(BMCLogin, "log in", "enter credentials for the BMC", 4, "u"),
		view(BMCTrust, "trust", "trust the certificate that the BMC presents", 0, "T"),
		view(BMCConsole, "console", "show the addresses of the machine's consoles", 0),
		asking(sending(models.DangerNone, view(BMCBootOnce, "", "set the device for the next boot only", 0))),
		// Changing the CD may cause disks to be erased if an operation is running.
		asking(sending(models.DangerMayErase, view(BMCInsert, "insert", "insert an ISO into the virtual CD drive", 7, "i"))),
		sending(models.DangerMayErase, view(BMCEject, "eject", "eject the virtual CD", 8, "X")),
		asking(sending(models.DangerInterrupts, view(BMCPower, "", "control power through the BMC, bypassing Ironic", 0))),
		sending(models.DangerInterrupts, view(BMCClearJobs, "", "delete pending BMC jobs", 0)),
		sending(models.DangerInterrupts, view(BMCResetController, "", "restart the BMC; the machine keeps running", 0)),
	}
}

func networks() []Action {
	change, interrupt := models.DangerNone, models.DangerInterrupts
	view := viewIn(NodeNet)
	return []Action{
		view(Open, "edit", "edit the port (shows the request first)", 1, "enter"),
		asking(sending(change, view(PortCreate, "new port", "create a port", 2, "n"))),
		asking(sending(change, view(PortEdit, "", "edit the port (shows the request first)", 0))),
		sending(change, view(PortMissing, "add missing", "create the missing ports", 4, "+")),
		sending(interrupt, view(PortDelete, "", "delete the port", 0, "X")),
		asking(sending(change, view(GroupCreate, "", "create a port group", 0))),
		asking(sending(change, view(GroupEdit, "", "edit a port group and its members", 0))),
		asking(sending(interrupt, view(GroupDelete, "", "delete a port group; its ports are kept", 0))),
		asking(sending(change, view(VIFAttach, "", "attach a VIF", 0))),
		asking(sending(interrupt, view(VIFDetach, "", "detach a VIF", 0))),
	}
}

func logs() []Action {
	view := viewIn(Log)
	return []Action{
		view(LogFollow, "follow", "pause or resume following", 3, "F"),
		view(LogFilter, "filter", "filter lines: text, level:warn, unit:x, node:x, !not, ~fuzzy", 21, "&"),
		view(ClearFilter, "", "clear the filter and the minimum level", 0, "ctrl+x"),
		view(LogLevel, "", "cycle minimum level", 0, "v"),
		view(LogError, "error", "go to the first error; again for the next error", 22, "f"),
		view(LogTimes, "", "cycle timestamps: clock, since boot, none", 0, "t"),
		view(LogSources, "sources", "show log sources and their problems", 23, "enter"),
		{ID: LogSerial, Scope: Log, Keys: []string{"$"}, Name: "serial console", Help: "read the serial console through Ironic (asks first: disconnects other readers); again to stop", Changes: true},
		view(LogSave, "save", "save the visible lines to a file", 24, "ctrl+s"),
	}
}

func ignition() []Action {
	return []Action{
		view(Filling, EditField, "edit", "edit the field or change its value; enter saves, esc cancels", 1, "enter", "space"),
		view(Filling, Up, "", "go to the previous field", 0, "up", "k"),
		view(Filling, Down, "", "go to the next field", 0, "down", "j"),
		view(Filling, ScrollLeft, "", "previous value", 0, "left", "h"),
		view(Filling, ScrollRight, "", "next value", 0, "right", "l"),
		view(Filling, PageUp, "", "page up in the preview, or else in the fields", 0, "pgup", "ctrl+u"),
		view(Filling, PageDown, "", "page down in the preview, or else in the fields", 0, "pgdown", "ctrl+f"),
		view(Filling, Top, "", "go to the first field", 0, "home", "g"),
		view(Filling, Bottom, "", "go to the last field", 0, "end", "G"),
		view(Filling, ResetField, "", "reset the field", 0, "backspace", "delete"),

		view(Ignition, NextTab, "next tab", "next tab", 2, "tab"),
		view(Ignition, PrevTab, "", "previous tab", 0, "shift+tab"),
		view(Ignition, IgnitionSave, "save", "write the configuration to a file", 3, "ctrl+s"),
		view(Ignition, IgnitionEmbed, "embed", "embed the configuration in a live ISO or a copy of it", 4, "i"),
		view(Ignition, IgnitionServe, "serve", "serve an ISO, or kernel and initrd, to BMCs", 5, "@"),
		sending(models.DangerNone, view(Ignition, IgnitionApply, "apply", "set the ramdisk of nodes (shows the requests first)", 6, "E")),
		view(Ignition, IgnitionWrap, "initrd", "build an initrd from the configuration, or append it to an initramfs", 7, "W"),
		view(Ignition, IgnitionCheck, "check a file", "check a Butane or Ignition file; n and N go to its problems", 8, "c"),
		view(Ignition, IgnitionStop, "", "stop serving", 0, "x"),
	}
}

func deployment() []Action {
	return []Action{
		view(Deploy, NextTab, "next page", "next page", 3, "tab"),
		view(Deploy, PrevTab, "", "previous page", 0, "shift+tab"),
		view(Deploy, DeployNext, "review", "go to the next page with a failed check, or to Review", 2, "r"),
		view(Deploy, PlanSave, "save", "save the plan to a file", 6, "ctrl+s"),
		view(Deploy, PlanLoad, "load", "load a plan from a file", 7, "o"),
		view(Deploy, PlanEdit, "edit YAML", "edit the plan as YAML in $VISUAL or $EDITOR", 8, "Y"),
		view(Deploy, DeployNodeNext, "", "next node", 0, ")"),
		view(Deploy, DeployNodePrev, "", "previous node", 0, "("),
		view(Deploy, ChecksDown, "", "page down in the checks", 0, "ctrl+n"),
		view(Deploy, ChecksUp, "", "page up in the checks", 0, "ctrl+p"),

		view(DeployDisk, Open, "pick", "set the most stable hint that matches only this disk", 1, "enter"),
		view(DeployDisk, HintsTo, "move hints", "write hints to instance_info, or to properties (which survive an undeploy)", 5, "z"),
		view(DeployDisk, HintsWrite, "edit hints", "edit the hints as JSON", 4, `"`),
		view(DeployDisk, HintsDrop, "", "remove the plan's hints", 0, "x"),

		view(DeployStep, Open, "change", "change or replace the step", 1, "enter"),
		view(DeployStep, StepAdd, "add", "add a step", 4, "n"),
		view(DeployStep, StepRemove, "remove", "remove the step from the plan", 5, "x"),
		view(DeployStep, StepTraits, "traits", "choose instance traits, which select deploy templates", 4, "+"),
		view(DeployStep, StepEarlier, "", "move the step earlier", 0, "K", "shift+up"),
		view(DeployStep, StepLater, "", "move the step later", 0, "J", "shift+down"),

		sending(models.DangerErases, view(Review, DeployGo, "deploy", "deploy, after confirmation", 1, "D")),
		view(Review, CheckOverride, "override", "override failed checks; asks for the node name", 4, "O"),
	}
}

func enrolling() []Action {
	start := view(Enroll, EnrollGo, "enroll", "create and change the nodes and bring them to the goal state, after confirmation", 4, "E")
	return []Action{
		view(Enroll, NextTab, "next tab", "next tab", 2, "tab"),
		view(Enroll, PrevTab, "", "previous tab", 0, "shift+tab"),
		view(Enroll, EnrollCompare, "compare", "read the input and compare it with Ironic (sends nothing)", 3, "c"),
		sending(models.DangerMayErase, start),
		view(Enroll, Explain, "", "explain why the node failed or is stuck", 0, "e"),
		view(Enroll, ChecksDown, "", "page down in the details", 0, "ctrl+n"),
		view(Enroll, ChecksUp, "", "page up in the details", 0, "ctrl+p"),
	}
}

func inspectionRules() []Action {
	apply := view(Rules, RulesApply, "apply", "create and change rules from a file, after confirmation", 4, "E")
	remove := view(Rules, RulesDelete, "delete", "delete the rule, after confirmation", 2, "X")
	return []Action{
		view(Rules, NextTab, "next tab", "next tab", 3, "tab"),
		view(Rules, PrevTab, "", "previous tab", 0, "shift+tab"),
		view(Rules, RulesTest, "test", "test the rules in a file or in Ironic (sends nothing)", 5, "c"),
		sending(models.DangerInterrupts, apply), sending(models.DangerInterrupts, remove),
		view(Rules, ChecksDown, "", "page down in the details", 0, "ctrl+n"),
		view(Rules, ChecksUp, "", "page up in the details", 0, "ctrl+p"),
	}
}

func stepFiles() []Action {
	view := viewIn(StepFiles)
	return []Action{
		view(Open, "edit", "edit as YAML in $VISUAL or $EDITOR; shows the difference and asks before sending", 1, "enter"),
		sending(models.DangerNone, view(StepsNew, "new", "write a new template or runbook in the editor; asks before sending", 3, "n")),
		sending(models.DangerInterrupts, view(StepsApply, "apply", "create and change templates or runbooks from a file, after confirmation", 4, "E")),
		sending(models.DangerInterrupts, view(StepsDelete, "delete", "delete the template or runbook, after confirmation", 5, "X")),
		sending(models.DangerErases, view(StepsRun, "run", "clean or service nodes with the runbook, after checks and a confirmation", 2, "C")),
		view(ChecksDown, "", "page down in the details", 0, "ctrl+n"),
		view(ChecksUp, "", "page up in the details", 0, "ctrl+p"),
	}
}

func hardware() []Action {
	apply := view(Hardware, HardwareApply, "apply", "apply the changes by cleaning or servicing the node, after confirmation", 2, "E")
	reset := view(Hardware, HardwareReset, "reset", "reset all BIOS settings, or delete all RAID volumes, after confirmation", 5, "X")
	return []Action{
		view(Hardware, NextTab, "next tab", "next tab", 4, "tab"),
		view(Hardware, PrevTab, "", "previous tab", 0, "shift+tab"),
		view(Hardware, Open, "edit", "edit the setting or volume, or update the component; sends nothing before a confirmation", 1, "enter"),
		sending(models.DangerInterrupts, apply),
		view(Hardware, HardwareGolden, "golden node", "compare BIOS settings with a golden node, and copy its values (sends nothing)", 3, "c"),
		view(Hardware, HardwareAdd, "add", "add a RAID volume (sends nothing)", 0, "n"),
		view(Hardware, HardwareDrives, "drives", "read the machine's drives from its BMC, and show which ones the target RAID uses", 0, "Q"),
		view(Hardware, HardwareRemove, "", "remove the RAID volume from the target (sends nothing)", 0, "x"),
		sending(models.DangerMayErase, reset),
		view(Hardware, Filter, "filter", "filter by text", 20, "/"),
		view(Hardware, ClearFilter, "", "clear the filter", 0, "ctrl+x"),
	}
}

func comparing() []Action {
	apply := view(Compare, HardwareApply, "copy", "copy the golden node's BIOS settings to the nodes that differ, after confirmation", 2, "E")
	return []Action{
		view(Compare, NextTab, "next tab", "next tab", 4, "tab"),
		view(Compare, PrevTab, "", "previous tab", 0, "shift+tab"),
		view(Compare, HardwareGolden, "golden node", "choose the golden node", 3, "c"),
		sending(models.DangerInterrupts, apply),
	}
}

// Verb returns the ID of the action that runs provision verb v.
func Verb(v models.Verb) ID { return ID(v) }

// AsVerb returns the provision verb that the action runs, and false if the action does not run one.
func AsVerb(id ID) (models.Verb, bool) {
	v := models.Verb(id)
	if !slices.Contains(models.Verbs(), v) {
		return "", false
	}
	return v, true
}

func nodes() []Action {
	change := func(id ID, key, help string, danger models.Danger, form bool) Action {
		a := Action{ID: id, Scope: Nodes, Name: string(id), Help: help, Changes: true, Danger: danger, Form: form}
		if key != "" {
			a.Keys = []string{key}
		}
		return a
	}
	verb := func(v models.Verb, key string, form bool) Action {
		help := v.Help()
		danger := models.VerbEffect(v, &models.Node{}, nil).Danger
		if v == models.VerbService {
			danger = models.DangerErases // some service steps erase disks
		}
		return change(Verb(v), key, strings.ToLower(help[:1])+help[1:], danger, form)
	}
	return []Action{
		{ID: NodeVerbs, Scope: Nodes, Keys: []string{"a"}, Name: "act", Help: "list actions for the node", Foot: 5},
		{ID: DeployWizard, Scope: Nodes, Keys: []string{"d"}, Name: "deploy", Help: "prepare and check a deployment; nothing is sent before Review", Foot: 6},
		{ID: Explain, Scope: Nodes, Keys: []string{"e"}, Name: "explain", Help: "explain why the node failed or is stuck", Foot: 7},
		{ID: Validate, Scope: Nodes, Name: "validate", Help: "validate the driver interfaces; contacts the BMC"},
		change(Shell, "S", "open a shell on the machine, using the SSH settings for logs", models.DangerNone, false),
		change(WebConsole, "", "show the URL of the graphical console; enables the console temporarily", models.DangerNone, false),
		change(BringUp, "", "manage, inspect if not yet inspected, and provide (shows the requests first)", models.DangerMayErase, false),
		change(MakeAvailable, "", "manage and provide, without inspection (shows the requests first)", models.DangerMayErase, false),
		verb(models.VerbManage, "M", false),
		verb(models.VerbInspect, "I", false),
		verb(models.VerbClean, "C", true),
		verb(models.VerbProvide, "P", false),
		verb(models.VerbAdopt, "", false),
		verb(models.VerbDeploy, "D", true),
		verb(models.VerbRebuild, "B", true),
		verb(models.VerbUndeploy, "U", false),
		verb(models.VerbRescue, "", true),
		verb(models.VerbUnrescue, "", false),
		verb(models.VerbService, "", true),
		verb(models.VerbAbort, "A", false),
		verb(models.VerbUnhold, "H", false),
		change(PowerOn, "", "power on", models.DangerInterrupts, false),
		change(PowerOff, "", "hard power off", models.DangerInterrupts, false),
		change(SoftOff, "", "shut down the operating system", models.DangerInterrupts, false),
		change(Reboot, "R", "hard reboot", models.DangerInterrupts, false),
		change(SoftReboot, "", "reboot the operating system", models.DangerInterrupts, false),
		change(MaintenanceOn, "m", "set maintenance, with a reason", models.DangerInterrupts, true),
		change(MaintenanceOff, "", "clear maintenance", models.DangerInterrupts, false),
		change(BootDevice, "", "set the boot device", models.DangerNone, true),
		{ID: ShowInspection, Scope: Nodes, Name: "inspection", Help: "show inspection data, volumes and vendor methods"},
		{ID: ShowBIOS, Scope: Nodes, Name: "bios", Help: "show and change the BIOS settings of the node"},
		{ID: ShowFirmware, Scope: Nodes, Name: "firmware", Help: "show and update the firmware of the node"},
		{ID: ShowCompare, Scope: Nodes, Name: "compare", Help: "compare BIOS settings with a golden node, and firmware versions by model"},
		{ID: ShowRAID, Scope: Nodes, Name: "raid", Help: "show and change the RAID of the node"},
		change(Protect, "", "protect from undeploy and rebuild", models.DangerNone, true),
		change(Unprotect, "", "remove the protection", models.DangerNone, false),
		change(Retire, "", "mark as retired", models.DangerNone, true),
		change(Unretire, "", "clear the retired mark", models.DangerNone, false),
		change(Delete, "", "delete the node from Ironic; the machine is not changed", models.DangerForgets, false),
		change(Set, "", "edit node fields and traits", models.DangerNone, true),
	}
}

// Screens returns the combinations of scopes that occur on a screen. Actions in one of them share no key.
func Screens() [][]Scope {
	return [][]Scope{
		{Everywhere, Fleet, List, Filtered, Nodes},
		{Everywhere, Node, Nodes, List},
		{Everywhere, Node, NodeDisks, Nodes, List},
		{Everywhere, Node, NodeNet, Nodes, List},
		{Everywhere, Node, NodeBMC, Nodes, Reading},
		{Everywhere, Node, Nodes, Reading},
		{Everywhere, Node, Nodes, Reading, Log},
		{Everywhere, Watch, Nodes, List},
		{Everywhere, Watch, Nodes, Reading, Log},
		{Everywhere, Events, List, Filtered, Nodes},
		{Everywhere, Conductors, List},
		{Everywhere, Connect, List},
		{Everywhere, Tasks, List},
		{Everywhere, Task, List},
		{Everywhere, Task, List, Nodes},
		{Everywhere, Explaining, List, Nodes},
		{Everywhere, Ignition, Filling},
		{Everywhere, Ignition, Reading},
		{Everywhere, Enroll, Filling},
		{Everywhere, Enroll, List},
		{Everywhere, Rules, List},
		{Everywhere, StepFiles, List},
		{Everywhere, Hardware, List, Nodes},
		{Everywhere, Compare, List},
		{Everywhere, Deploy, Filling},
		{Everywhere, Deploy, DeployDisk, List},
		{Everywhere, Deploy, DeployStep, List},
		{Everywhere, Deploy, Review, Reading},
		{Everywhere, Replay, Team, Fleet, List, Filtered, Nodes},
		{Everywhere, Replay, Team, Node, NodeDisks, Nodes, List},
		{Everywhere, Replay, Team, Node, NodeNet, Nodes, List},
		{Everywhere, Replay, Team, Node, NodeBMC, Nodes, Reading},
		{Everywhere, Replay, Team, Node, Nodes, Reading, Log},
		{Everywhere, Replay, Team, Watch, Nodes, List},
		{Everywhere, Replay, Team, Watch, Nodes, Reading, Log},
		{Everywhere, Replay, Team, Explaining, List, Nodes},
		{Everywhere, Replay, Team, Task, List},
		{Everywhere, Replay, Team, Events, List, Filtered, Nodes},
		{Everywhere, Replay, Team, Conductors, List},
		{Everywhere, Replay, Team, Connect, List},
		{Everywhere, Replay, Team, Tasks, List},
		{Everywhere, Replay, Team, Ignition, Filling},
	}
}
