package ui

// The messages that this package shows to the operator. Column headers and key hints are defined next to their
// tables.
const (
	// Parts of the header.
	textNoConnection   = "no connection"
	textPictureAge     = "%s · data %s · %s"
	textNoAnswerFor    = "no answer for "
	textCatchingUp     = "catching up · data "
	textConductorsDown = "%d of %d conductors down · %s"

	textTitleTasks = " · %s running"

	// Messages shown if the window is too small.
	textTooSmall   = "too small (minimum 30×7); {quit} quits"
	textDialogOpen = "a dialog is open"

	// The reasons why actions are disabled.
	textNoEditor        = "no editor configured; set $VISUAL or $EDITOR"
	textNoExplain       = "explanations are not available here"
	textAlreadyExplain  = "already shown; {refresh} refreshes"
	textNoNodeSelected  = "no node selected"
	textNotConnected    = "not connected"
	textReplayReadOnly  = "not available while a recording plays"
	textNoOlderScreen   = "no previous screen"
	textNoNewerScreen   = "no next screen"
	textNothingToCopy   = "nothing to copy"
	textContextUnusable = "unusable ({connect} shows details): "

	// Titles and labels in menus.
	textHelpTitle    = "Actions"
	textPaletteTitle = "Go to or run"
	textNoNode       = "no node"
	textMarkedNodes  = "%d marked nodes"
	textMomentsTitle = "Jump to"
	textBeginning    = "beginning"

	// Messages in toasts.
	textToastCut       = "… ({messages} shows all)"
	textMouseOn        = "mouse on: click selects, a second click opens; shift-drag selects text"
	textMouseOff       = "mouse off"
	textCopyTooLong    = "%s is too long for the clipboard (%d bytes, limit %d); copy the command instead"
	textNoOtherChange  = "no more changes in the recording"
	textChangesAllowed = "read-only mode off"
	textChangesRefused = "read-only mode on"
	textPasteTooLong   = "paste refused: more than 256 KiB; pass files to a command on standard input"
	textNoMessages     = "No messages yet."

	// Messages about other users.
	textWhoTitle      = "Connected users; enter follows"
	textYou           = "this is your session"
	textFollows       = "follows session "
	textFollowing     = "Following %s (session %d%s), read-only; esc stops"
	textFollowSize    = ", %d×%d"
	textFollowWait    = " Waiting for the next change on that screen…"
	textFollowedEnded = "the session that you followed has ended"
	textSayTitle      = "Message to all users"
	textSayHelp       = "A line that every connected user sees."
	textSaid          = "message sent"
	textCrash         = "the console crashed (this is a bug): %v"
)
