package action

// Actions that the console's root or a screen runs by ID.
const (
	Help          ID = "help"
	Palette       ID = "palette"
	Back          ID = "back"
	Older         ID = "history-back"
	Newer         ID = "history-forward"
	Quit          ID = "quit"
	Redraw        ID = "redraw"
	Suspend       ID = "suspend"
	PlayPause     ID = "replay-pause"
	PlayFaster    ID = "replay-faster"
	PlaySlower    ID = "replay-slower"
	PlayBack      ID = "replay-back"
	PlayAhead     ID = "replay-ahead"
	PlayPrevious  ID = "replay-previous"
	PlayNext      ID = "replay-next"
	PlayTo        ID = "replay-to"
	Who           ID = "who"
	SayAll        ID = "say"
	Refresh       ID = "refresh"
	ReadOnly      ID = "read-only"
	Mouse         ID = "mouse"
	Copy          ID = "copy"
	Messages      ID = "messages"
	GoFleet       ID = "fleet"
	GoEvents      ID = "events"
	GoDrivers     ID = "conductors"
	GoConnect     ID = "connect"
	GoTasks       ID = "tasks"
	GoIgnition    ID = "ignition"
	GoWatch       ID = "watch"
	GoEnroll      ID = "enroll"
	GoRules       ID = "rules"
	GoTemplates   ID = "templates"
	GoRunbooks    ID = "runbooks"
	Up            ID = "up"
	Down          ID = "down"
	PageUp        ID = "page-up"
	PageDown      ID = "page-down"
	Top           ID = "top"
	Bottom        ID = "bottom"
	ScrollLeft    ID = "left"
	ScrollRight   ID = "right"
	Open          ID = "open"
	Sort          ID = "sort"
	SortLeft      ID = "sort-left"
	SortRight     ID = "sort-right"
	SortReverse   ID = "sort-reverse"
	Preview       ID = "preview"
	Group         ID = "group"
	Wide          ID = "wide"
	Mark          ID = "mark"
	MarkAll       ID = "mark-all"
	MarkRange     ID = "mark-range"
	ClearMarks    ID = "clear-marks"
	Filter        ID = "filter"
	ClearFilter   ID = "clear-filter"
	Search        ID = "search"
	NextMatch     ID = "next-match"
	PrevMatch     ID = "previous-match"
	WrapLines     ID = "wrap"
	NextTab       ID = "next-tab"
	PrevTab       ID = "previous-tab"
	ShowOverview  ID = "overview"
	ShowTimeline  ID = "timeline"
	ShowSteps     ID = "steps"
	ShowDisks     ID = "disks"
	ShowNetwork   ID = "network"
	ShowBMC       ID = "bmc"
	ShowLog       ID = "log"
	ShowHistory   ID = "history"
	ShowRaw       ID = "raw"
	Pause         ID = "pause"
	Diff          ID = "diff"
	Retry         ID = "retry-failed"
	StopFollowing ID = "stop-following"
	CancelNode    ID = "cancel-node"
	DropEnded     ID = "drop-ended"
	NodeVerbs     ID = "verbs"
	Validate      ID = "validate"
	Explain       ID = "explain"
	Check         ID = "check"
	PinDisk       ID = "pin-disk"
)

// Actions of the BMC tab.
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

// Actions of the Network tab.
const (
	PortCreate  ID = "port-create"
	PortEdit    ID = "port-set"
	PortDelete  ID = "port-delete"
	PortMissing ID = "port-missing"
	GroupCreate ID = "portgroup-create"
	GroupEdit   ID = "portgroup-set"
	GroupDelete ID = "portgroup-delete"
	VIFAttach   ID = "vif-attach"
	VIFDetach   ID = "vif-detach"
)

// Actions of screens that show a log.
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

// Actions of the Ignition screen.
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

// Actions of the Deploy wizard. DeployWizard opens it for nodes; DeployResume resumes interrupted deployments.
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

// Actions of the screens that show a machine's settings. The Show actions open these screens for a node.
const (
	ShowInspection ID = "inspection"
	ShowBIOS       ID = "bios"
	ShowFirmware   ID = "firmware"
	ShowCompare    ID = "compare"
	ShowRAID       ID = "raid"
	HardwareAdd    ID = "hardware-add"
	HardwareRemove ID = "hardware-remove"
	HardwareApply  ID = "hardware-apply"
	HardwareGolden ID = "hardware-golden"
	HardwareDrives ID = "hardware-drives"
	HardwareReset  ID = "hardware-reset"
)

// Actions of the screens of deploy templates and runbooks.
const (
	StepsNew    ID = "steps-new"
	StepsApply  ID = "steps-apply"
	StepsDelete ID = "steps-delete"
	StepsRun    ID = "runbook-run"
)

// Actions of the Rules screen.
const (
	RulesTest   ID = "rules-test"
	RulesApply  ID = "rules-apply"
	RulesDelete ID = "rules-delete"
)

// Actions of the Enroll screen.
const (
	EnrollCompare ID = "enroll-compare"
	EnrollGo      ID = "enroll-start"
)

// Actions on nodes other than provision verbs.
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
	Delete         ID = "delete"
	Set            ID = "set"
	BringUp        ID = "bring-up"
	MakeAvailable  ID = "make-available"
	Shell          ID = "shell"
	WebConsole     ID = "web-console"
)
