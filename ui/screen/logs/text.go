package logs

// Messages and help texts that this package shows to the user. Labels, column headers, key hints and other short
// texts are defined where they are used.
const (
	textNoErrors      = "no errors in the visible lines"
	textNoSearch      = "no search text; {search} searches"
	textAllShown      = "all lines are already shown"
	textNothingToSave = "no lines to save"
	textNoLines       = "no lines"
	textLost          = "%d lines dropped: rate too high"
	textKeptOf        = "recorded: "
	textLogsOf        = "logs of %d nodes, %d live"
	textNoMatch       = "None of %d lines matches the filter. {clear-filter} clears it."
	textNoneKept      = "No lines recorded for the %s. The console and ironworks logs record lines while they follow a log."
	textReadingKept   = "Loading recorded lines…"
	textNotFollowed   = "Logs are not available here."
	textNoNode        = "No running operations. Ramdisk logs appear here during deploy, clean and inspect."
	textNoRamdisk     = "no ramdisk in state %s"
	textNone          = "No lines: "
	textNoLineYet     = "No lines yet. Log sources:"
	textEarlierLogs   = "Logs of earlier operations: open them in Timeline (enter)."

	// Messages and labels for saving the log.
	textSaveHelp  = "%d visible lines; the file is readable by you only"
	textSaveTitle = "Save log"
	textExists    = " exists; set Replace to overwrite it"
	textSaved     = "saved %d lines to %s"

	// Messages and labels about the serial console.
	textSerialTitle  = "Read the serial console of "
	textSerialWhat   = "Output of the machine's serial line is added to this log. No input is sent."
	textSerialIPMI   = "With IPMI, a console allows only one reader: the current reader is disconnected."
	textSerialEnable = "A disabled console is enabled, and disabled again when you stop or leave. Ironic then clears the node's last error."
	textSerialAsk    = "Read the console?"
	textSerialKept   = "recorded log; read the console in the node's log tab"
	textSerialOne    = "only one console can be read at a time; open the node's log tab"

	// Messages and labels about the log's sources.
	textNotFollowedNode = "no longer followed"
	textLooking         = "searching…"
	textNoLog           = "No log is being followed."
	textSerialHint      = "{log-serial} also reads the machine's serial console."
	textSourcesTitle    = "Log sources"
)
