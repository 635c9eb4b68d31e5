package action

import (
	"slices"

	"ironworks/models"
)

// The actions that root and screens carry out by name.
const (
	Help         ID = "help"
	Palette      ID = "palette"
	Back         ID = "back"
	Older        ID = "history-back"
	Newer        ID = "history-forward"
	Quit         ID = "quit"
	Redraw       ID = "redraw"
	Suspend      ID = "suspend"
	PlayPause    ID = "replay-pause"
	PlayFaster   ID = "replay-faster"
	PlaySlower   ID = "replay-slower"
	PlayBack     ID = "replay-back"
	PlayAhead    ID = "replay-ahead"
	PlayPrevious ID = "replay-previous"
	PlayNext     ID = "replay-next"
	PlayTo       ID = "replay-to"
	Refresh      ID = "refresh"
	ReadOnly     ID = "read-only"
	Mouse        ID = "mouse"
	Copy         ID = "copy"
	Messages     ID = "messages"
	GoFleet      ID = "fleet"
	GoEvents     ID = "events"
	GoDrivers    ID = "conductors"
	GoConnect    ID = "connect"
	GoTasks      ID = "tasks"
	GoIgnition   ID = "ignition"
	GoWatch      ID = "watch"
	Up           ID = "up"
	Down         ID = "down"
	PageUp       ID = "page-up"
	PageDown     ID = "page-down"
	Top          ID = "top"
	Bottom       ID = "bottom"
	ScrollLeft   ID = "left"
	ScrollRight  ID = "right"
	Open         ID = "open"
	Sort         ID = "sort"
	Wide         ID = "wide"
	Mark         ID = "mark"
	MarkAll      ID = "mark-all"
	MarkRange    ID = "mark-range"
	ClearMarks   ID = "clear-marks"
	Filter       ID = "filter"
	ClearFilter  ID = "clear-filter"
	Search       ID = "search"
	NextMatch    ID = "next-match"
	PrevMatch    ID = "previous-match"
	WrapLines    ID = "wrap"
	NextTab      ID = "next-tab"
	PrevTab      ID = "previous-tab"
	ShowOverview ID = "overview"
	ShowTimeline ID = "timeline"
	ShowSteps    ID = "steps"
	ShowDisks    ID = "disks"
	ShowNetwork  ID = "network"
	ShowBMC      ID = "bmc"
	ShowLog      ID = "log"
	ShowHistory  ID = "history"
	ShowRaw      ID = "raw"
	Pause        ID = "pause"
	Diff         ID = "diff"
	Retry        ID = "retry-failed"
	Leave        ID = "stop-following"
	DropEnded    ID = "drop-ended"
	NodeVerbs    ID = "verbs"
	Validate     ID = "validate"
	Explain      ID = "explain"
	Check        ID = "check"
	PinDisk      ID = "pin-disk"
)

// The actions of a node's BMC tab.
const (
	BMCRead            ID = "bmc-read"
	ExplainBMC         ID = "explain-bmc"
	BMCLogin           ID = "bmc-login"
	BMCTrust           ID = "bmc-trust"
	BMCConsole         ID = "bmc-console"
	BMCPower           ID = "bmc-power"
	BMCBootOnce        ID = "bmc-boot-once"
	BMCInsert          ID = "bmc-insert"
	BMCEject           ID = "bmc-eject"
	BMCClearJobs       ID = "bmc-clear-jobs"
	BMCResetController ID = "bmc-reset-controller"
)

// The actions of a log.
const (
	LogFollow  ID = "log-follow"
	LogFilter  ID = "log-filter"
	LogLevel   ID = "log-level"
	LogTimes   ID = "log-times"
	LogError   ID = "log-error"
	LogSources ID = "log-sources"
	LogSerial  ID = "log-serial"
	LogSave    ID = "log-save"
)

// The actions of the Ignition screen.
const (
	EditField     ID = "edit"
	ResetField    ID = "reset-field"
	IgnitionCheck ID = "ignition-check"
	IgnitionSave  ID = "ignition-save"
	IgnitionEmbed ID = "ignition-embed"
	IgnitionWrap  ID = "ignition-wrap"
	IgnitionServe ID = "ignition-serve"
	IgnitionStop  ID = "ignition-stop"
	IgnitionApply ID = "ignition-apply"
)

// The actions of the Deploy wizard; DeployWizard opens it on nodes, and DeployResume goes
// on with what was interrupted.
const (
	DeployWizard   ID = "deploy-wizard"
	DeployResume   ID = "deploy-resume"
	DeployNext     ID = "deploy-review"
	DeployNodeNext ID = "deploy-next-node"
	DeployNodePrev ID = "deploy-previous-node"
	ChecksDown     ID = "checks-down"
	ChecksUp       ID = "checks-up"
	PlanSave       ID = "plan-save"
	PlanLoad       ID = "plan-load"
	PlanEdit       ID = "plan-edit"
	HintsTo        ID = "hints-to"
	HintsWrite     ID = "hints-write"
	HintsDrop      ID = "hints-drop"
	StepAdd        ID = "step-add"
	StepRemove     ID = "step-remove"
	StepEarlier    ID = "step-earlier"
	StepLater      ID = "step-later"
	StepTraits     ID = "step-traits"
	CheckOverride  ID = "check-override"
	DeployGo       ID = "deploy-start"
)

// The actions on nodes that are no provision verb.
const (
	PowerOn        ID = "power-on"
	PowerOff       ID = "power-off"
	SoftOff        ID = "power-soft-off"
	Reboot         ID = "power-reboot"
	SoftReboot     ID = "power-soft-reboot"
	MaintenanceOn  ID = "maintenance-on"
	MaintenanceOff ID = "maintenance-off"
	BootDevice     ID = "boot-device"
	Protect        ID = "protect"
	Unprotect      ID = "unprotect"
	Retire         ID = "retire"
	Unretire       ID = "unretire"
	Set            ID = "set"
)

// all is read-only; it is a variable because Go has no constant lists.
var all = slices.Concat(everywhere(), replaying(), lists(), controllers(), logs(), ignition(), deployment(), nodes())

// at is an action of a scope that changes nothing.
func at(s Scope, id ID, name, help string, foot int, keys ...string) Action {
	return Action{ID: id, Scope: s, Keys: keys, Name: name, Help: help, Foot: foot}
}

// within is at for the actions of one scope.
func within(s Scope) func(id ID, name, help string, foot int, keys ...string) Action {
	return func(id ID, name, help string, foot int, keys ...string) Action {
		return at(s, id, name, help, foot, keys...)
	}
}

func everywhere() []Action {
	at := within(Everywhere)
	return []Action{
		at(GoFleet, "fleet", "all nodes, live", 0, "1"),
		at(GoEvents, "events", "everything that happened since the console was opened", 0, "2"),
		at(GoDrivers, "drivers", "conductors, hardware types and their interfaces", 0, "3"),
		at(GoConnect, "connect", "contexts, their health, and how to get to them", 0, "4"),
		at(GoTasks, "tasks", "what was done from here, and how it went", 0, "5"),
		at(GoIgnition, "ignition", "make a ramdisk, check user data, make either bootable", 0, "6"),
		at(GoWatch, "watch", "work under way: a bar of phases for each node, and what is left", 0, "7"),
		at(Help, "keys", "list what can be done here, and do it", 91, "?"),
		at(Palette, "go to", "go to a screen, node or context, or do anything by name", 90, ":"),
		at(Back, "back", "back to where I came from; first drop the filter or the marks", 80, "esc"),
		at(Older, "", "to the screen before", 0, "["),
		at(Newer, "", "to the screen after", 0, "]"),
		at(Refresh, "refresh", "ask Ironic now; reconnect when contact is lost", 0, "ctrl+r"),
		at(ReadOnly, "read-only", "refuse every change, or allow changes again", 0, "ctrl+o"),
		{ID: DeployResume, Scope: Everywhere, Name: "resume", Help: "go on with deployments that were interrupted, each after its checks", Changes: true},
		at(Copy, "copy", "copy a uuid, a row, a request or a command", 0, "y"),
		at(Messages, "messages", "the messages that were shown", 0, "!"),
		at(Mouse, "mouse", "let the mouse scroll, or leave it to the terminal", 0),
		at(Redraw, "redraw", "paint the whole screen again", 0, "ctrl+l"),
		at(Suspend, "", "leave for the shell; fg comes back", 0, "ctrl+z"),
		at(Quit, "quit", "leave the console; nodes go on by themselves", 0, "q", "ctrl+c"),
	}
}

func replaying() []Action {
	at := within(Replay)
	return []Action{
		at(PlayPause, "pause", "stop the recording, or go on; at its end begin anew", 1, "."),
		at(PlayTo, "go to", "go to a state, a step or the first known error of the recording", 2, "#"),
		at(PlayFaster, "faster", "play twice as fast", 3, ">"),
		at(PlaySlower, "slower", "play half as fast", 4, "<"),
		at(PlayBack, "", "half a minute back", 0, "{"),
		at(PlayAhead, "", "half a minute on", 0, "}"),
		at(PlayPrevious, "", "to the change before", 0, "("),
		at(PlayNext, "next", "to the next change", 5, ")"),
	}
}

func lists() []Action {
	return []Action{
		at(List, Open, "open", "open what the cursor is on", 1, "enter"),
		at(List, Up, "", "up", 0, "up", "k"),
		at(List, Down, "", "down", 0, "down", "j"),
		at(List, PageUp, "", "a page up", 0, "pgup", "ctrl+u"),
		at(List, PageDown, "", "a page down", 0, "pgdown", "ctrl+f"),
		at(List, Top, "", "to the first", 0, "home", "g"),
		at(List, Bottom, "", "to the last", 0, "end", "G"),
		at(List, ScrollLeft, "", "columns to the left", 0, "left", "h"),
		at(List, ScrollRight, "", "columns to the right", 0, "right", "l"),

		at(Reading, Up, "", "a line up", 0, "up", "k"),
		at(Reading, Down, "", "a line down", 0, "down", "j"),
		at(Reading, PageUp, "", "a page up", 0, "pgup", "ctrl+u"),
		at(Reading, PageDown, "", "a page down", 0, "pgdown", "ctrl+f"),
		at(Reading, Top, "", "to the beginning", 0, "home", "g"),
		at(Reading, Bottom, "", "to the end", 0, "end", "G"),
		at(Reading, ScrollLeft, "", "to the left", 0, "left", "h"),
		at(Reading, ScrollRight, "", "to the right", 0, "right", "l"),
		at(Reading, Search, "search", "search the text", 20, "/"),
		at(Reading, NextMatch, "", "next match", 0, "n"),
		at(Reading, PrevMatch, "", "previous match", 0, "N"),
		at(Reading, WrapLines, "", "wrap long lines, or cut them", 0, "w"),

		at(Filtered, Filter, "filter", "show only some: text, key:value, !not, ~letters", 20, "/"),
		at(Filtered, ClearFilter, "", "show all again", 0, "ctrl+x"),
		at(Filtered, Sort, "sort", "sort by any column; again turns the order around", 0, "s"),
		at(Filtered, Wide, "wide", "all columns, or those that fit", 0, "w"),

		at(Fleet, Mark, "mark", "mark a node, to act on several", 10, "space"),
		at(Fleet, MarkRange, "", "mark from the last mark to here", 0, "V"),
		at(Fleet, MarkAll, "", "mark all that are shown", 0, "*"),
		at(Fleet, ClearMarks, "", "forget the marks", 0, "-"),

		at(Fleet, ShowLog, "log", "the log of its ramdisk, live", 0, "L"),
		at(Node, ShowOverview, "overview", "what goes on, in short", 0),
		at(Node, ShowTimeline, "timeline", "how long each phase takes, and took others", 0),
		at(Node, ShowSteps, "steps", "the steps that run, and those that wait", 0),
		at(Node, ShowDisks, "disks", "the disks, and which of them the hints pick", 0),
		at(Node, ShowNetwork, "network", "ports and portgroups", 0),
		at(Node, ShowBMC, "bmc", "what the machine's BMC says of it, asked when this is opened", 0),
		at(Node, ShowLog, "log", "the log of its ramdisk, live", 0, "L"),
		at(Node, ShowHistory, "history", "what Ironic wrote down about it", 0),
		at(Node, ShowRaw, "raw", "all fields as Ironic has them", 0),
		at(Node, NextTab, "next tab", "next tab", 2, "tab"),
		at(Node, PrevTab, "", "previous tab", 0, "shift+tab"),
		{ID: PinDisk, Scope: Node, Keys: []string{"p"}, Name: "pin", Help: "in Disks, write the hint that tells the disk from all others; shows what is sent first", Changes: true},
		{ID: PinDisk, Scope: NodeDisks, Keys: []string{"p"}, Name: "pin", Help: "write the hint that tells the disk from all others; shows what is sent first", Changes: true, Foot: 2},
		at(Node, Diff, "diff", "in Raw, mark what changed since the fetch before", 0, "="),
		at(Conductors, NextTab, "drivers", "from conductors to hardware types and back", 2, "tab"),
		at(Events, Pause, "pause", "stop following the newest, or follow again", 2, "p"),
		at(Events, Explain, "explain", "why the node failed or does not go on, and what to do next", 3, "e"),
		at(Explaining, ExplainBMC, "ask the BMC", "ask the node's BMC, too, and for its ISO from here", 2, "b"),
		at(Explaining, Open, "do it", "do what is next, in the same way as by its own key; or show the other explanation in full", 1, "enter"),
		at(Connect, Check, "check", "ask every context whether its Ironic answers", 2, "p"),
		at(Task, Retry, "retry failed", "try again for the nodes that failed", 2, "r"),
		at(Task, Explain, "explain", "why the node failed or does not go on, and what to do next", 3, "e"),
		at(Watch, NextTab, "log", "from the nodes to the log below them and back", 2, "tab"),
		at(Watch, DropEnded, "drop ended", "leave out the nodes that nothing goes on with any more", 10, "-"),
		at(Task, Leave, "", "stop following; the nodes go on by themselves", 0, "X"),
	}
}

func controllers() []Action {
	at := within(NodeBMC)
	list := []Action{
		at(BMCRead, "read", "ask the BMC again", 3, "enter"),
		at(BMCLogin, "log in", "give the user and the password of the BMC", 4, "u"),
		at(BMCTrust, "trust", "take the certificate that was refused, and no other", 0, "t"),
		at(BMCConsole, "console", "where the machine's consoles are", 0, "c"),
		at(BMCBootOnce, "boot once", "what the next boot is from", 6, "b"),
		at(BMCInsert, "insert", "put an ISO into the virtual CD", 7, "i"),
		at(BMCEject, "eject", "take what is in the virtual CD out", 8, "X"),
		at(BMCPower, "power", "switch the machine past Ironic", 9, "O"),
		at(BMCClearJobs, "", "delete the jobs that wait in the BMC", 0),
		at(BMCResetController, "", "restart the BMC itself; the machine goes on", 0),
	}
	for i := range list {
		switch a := &list[i]; a.ID {
		case BMCBootOnce, BMCInsert:
			a.Changes, a.Form = true, true
		case BMCPower:
			a.Changes, a.Form, a.Danger = true, true, models.DangerInterrupts
		case BMCEject, BMCClearJobs, BMCResetController:
			a.Changes, a.Danger = true, models.DangerInterrupts
		default: // it changes nothing
		}
	}
	return list
}

func logs() []Action {
	at := within(Log)
	return []Action{
		at(LogFollow, "follow", "stop following the newest, or follow again", 3, "F"),
		at(LogFilter, "filter", "show only some lines: text, level:warn, unit:x, node:x, !not, ~letters", 21, "&"),
		at(ClearFilter, "", "show all lines again, of all levels", 0, "ctrl+x"),
		at(LogLevel, "", "leave out what only debugs; again: all but warnings and worse; all but errors; nothing", 0, "v"),
		at(LogError, "error", "to the first error; again: to the next", 22, "E"),
		at(LogTimes, "", "times as they were, since the boot, or none", 0, "t"),
		at(LogSources, "sources", "where the log comes from, why the other ways do not work, and what to do about it", 23, "i"),
		{ID: LogSerial, Scope: Log, Keys: []string{"c"}, Name: "serial console", Help: "read the machine's serial console, too, through Ironic; asks first, for it cuts off who reads it now; again: stop", Changes: true},
		at(LogSave, "save", "write the lines that are shown to a file", 24, "s"),
	}
}

func ignition() []Action {
	list := []Action{
		at(Filling, EditField, "edit", "write into the field, or change what is chosen; enter keeps it, esc drops it", 1, "enter", "space"),
		at(Filling, Up, "", "to the field before", 0, "up", "k"),
		at(Filling, Down, "", "to the next field", 0, "down", "j"),
		at(Filling, ScrollLeft, "", "what can be chosen before", 0, "left", "h"),
		at(Filling, ScrollRight, "", "what can be chosen next", 0, "right", "l"),
		at(Filling, PageUp, "", "the preview a page up; several fields up where it is on a tab", 0, "pgup", "ctrl+u"),
		at(Filling, PageDown, "", "the preview a page down; several fields down where it is on a tab", 0, "pgdown", "ctrl+f"),
		at(Filling, Top, "", "to the first field", 0, "home", "g"),
		at(Filling, Bottom, "", "to the last field", 0, "end", "G"),
		at(Filling, ResetField, "", "what the field held at the beginning", 0, "u"),

		at(Ignition, NextTab, "next tab", "next tab", 2, "tab"),
		at(Ignition, PrevTab, "", "previous tab", 0, "shift+tab"),
		at(Ignition, IgnitionSave, "save", "write the configuration to a file", 3, "s"),
		at(Ignition, IgnitionEmbed, "embed", "put the configuration into a live ISO, or into a copy of it", 4, "e"),
		at(Ignition, IgnitionServe, "serve", "serve an ISO, or kernel and initrd, to BMCs; what is fetched shows here", 5, "v"),
		at(Ignition, IgnitionApply, "apply", "write into nodes what they boot; shows what is sent first", 6, "A"),
		at(Ignition, IgnitionWrap, "initrd", "make an initrd of the configuration, or put it behind an initramfs", 7, "i"),
		at(Ignition, IgnitionCheck, "check a file", "check a file: Butane, Ignition and what people take for them; n and N go through its problems", 8, "c"),
		at(Ignition, IgnitionStop, "", "stop serving", 0, "x"),
	}
	for i := range list {
		list[i].Changes = list[i].ID == IgnitionApply
	}
	return list
}

func deployment() []Action {
	start := at(Review, DeployGo, "deploy", "ask for the node's name, or how many there are, and deploy", 1, "D")
	start.Changes, start.Danger = true, models.DangerErases
	return []Action{
		at(Deploy, NextTab, "next page", "next page", 3, "tab"),
		at(Deploy, PrevTab, "", "page before", 0, "shift+tab"),
		at(Deploy, DeployNext, "review", "to the next page that something refuses, or to Review", 2, "r"),
		at(Deploy, PlanSave, "save", "write the plan to a file, with its comments", 6, "ctrl+s", "S"),
		at(Deploy, PlanLoad, "load", "read a plan from a file", 7, "o"),
		at(Deploy, PlanEdit, "as YAML", "write the whole plan, as YAML, in $VISUAL or $EDITOR", 8, "E"),
		at(Deploy, DeployNodeNext, "", "of several nodes the next in hand", 0, ">"),
		at(Deploy, DeployNodePrev, "", "of several nodes the one before", 0, "<"),
		at(Deploy, ChecksDown, "", "the checks a page down", 0, "ctrl+n"),
		at(Deploy, ChecksUp, "", "the checks a page up", 0, "ctrl+p"),

		at(DeployDisk, Open, "pick", "write the most stable hint that fits this disk alone", 1, "enter"),
		at(DeployDisk, HintsTo, "where", "write the hints to instance_info, or to the properties, where they survive an undeploy", 5, "t"),
		at(DeployDisk, HintsWrite, "by hand", "write hints by hand", 4, "e"),
		at(DeployDisk, HintsDrop, "", "leave the hints as the node has them", 0, "x"),

		at(DeployStep, Open, "change", "change the step, or put another in its place", 1, "enter"),
		at(DeployStep, StepAdd, "add", "add a step", 4, "a"),
		at(DeployStep, StepRemove, "take out", "take a step of the plan out", 5, "x"),
		at(DeployStep, StepTraits, "traits", "choose the traits of the instance, which deploy templates are called by", 4, "T"),
		at(DeployStep, StepEarlier, "", "run the step earlier", 0, "K", "shift+up"),
		at(DeployStep, StepLater, "", "run the step later", 0, "J", "shift+down"),

		start,
		at(Review, CheckOverride, "override", "go on although a check refuses; the node's name has to be typed", 4, "x"),
	}
}

// Verb is the id of a provision verb.
func Verb(v models.Verb) ID { return ID(v) }

// AsVerb gives the provision verb of an id.
func AsVerb(id ID) (models.Verb, bool) {
	for _, v := range models.Verbs() {
		if ID(v) == id {
			return v, true
		}
	}
	return "", false
}

func nodes() []Action {
	at := func(id ID, key, help string, danger models.Danger, form bool) Action {
		a := Action{ID: id, Scope: Nodes, Name: string(id), Help: help, Changes: true, Danger: danger, Form: form}
		if key != "" {
			a.Keys = []string{key}
		}
		return a
	}
	verb := func(v models.Verb, key string, form bool) Action {
		return at(Verb(v), key, v.Help(), models.VerbEffect(v, &models.Node{}, nil).Danger, form)
	}
	list := []Action{
		{ID: NodeVerbs, Scope: Nodes, Keys: []string{"a"}, Name: "act", Help: "list what can be done to the node, and do it", Foot: 5},
		{ID: DeployWizard, Scope: Nodes, Keys: []string{"d"}, Name: "deploy", Help: "prepare a deployment page by page, with its checks; nothing is sent before Review", Foot: 6},
		{ID: Explain, Scope: Nodes, Keys: []string{"e"}, Name: "explain", Help: "why the node failed or does not go on, and what to do next", Foot: 7},
		{ID: Validate, Scope: Nodes, Name: "validate", Help: "ask each interface whether it could do its work; reaches into the BMC"},
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
		at(PowerOn, "", "switch on", models.DangerNone, false),
		at(PowerOff, "", "switch off, hard", models.DangerInterrupts, false),
		at(SoftOff, "", "ask the operating system to shut down", models.DangerInterrupts, false),
		at(Reboot, "R", "reset, hard", models.DangerInterrupts, false),
		at(SoftReboot, "", "ask the operating system to reboot", models.DangerInterrupts, false),
		at(MaintenanceOn, "m", "take out of Ironic's hands, with a reason", models.DangerNone, true),
		at(MaintenanceOff, "", "give back to Ironic", models.DangerNone, false),
		at(BootDevice, "", "set what is booted from", models.DangerNone, true),
		at(Protect, "", "guard against undeploy and rebuild", models.DangerNone, true),
		at(Unprotect, "", "lift the guard", models.DangerNone, false),
		at(Retire, "", "mark as leaving the fleet", models.DangerNone, true),
		at(Unretire, "", "lift the mark", models.DangerNone, false),
		at(Set, "", "change fields, leaf by leaf, and traits", models.DangerNone, true),
	}
	return list
}
