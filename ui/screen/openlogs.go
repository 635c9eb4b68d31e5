package screen

import "slices"

// logsAtMost is how many logs are followed and kept at once: each may take 40 MiB, and
// holds a connection.
const logsAtMost = 3

// Resting is a log that can be put to rest: it ends what it follows and forgets its
// lines, until somebody looks at it again.
type Resting interface{ Rest() }

// OpenLogs are the logs of the screens that are kept to go back to. The ones that were
// looked at last go on, so that many visited nodes are not many connections.
type OpenLogs struct{ open []Resting }

// Use says that a log is looked at; of more than can be kept, the one that nobody looked
// at for longest rests.
func (o *OpenLogs) Use(l Resting) {
	if o == nil {
		return
	}
	o.Leave(l)
	o.open = append(o.open, l)
	if len(o.open) > logsAtMost {
		o.open[0].Rest()
		o.open = o.open[1:]
	}
}

// Leave forgets a log that has ended.
func (o *OpenLogs) Leave(l Resting) {
	if o != nil {
		o.open = slices.DeleteFunc(o.open, func(other Resting) bool { return other == l })
	}
}
