package bmc

import "time"

// limits are what one use of a controller may cost. The zero value of each is its default.
type limits struct {
	silence time.Duration // without a byte
	answer  time.Duration // for a whole answer
	part    time.Duration // for one part of a probe
	whole   time.Duration // for a whole probe, or for an order
	task    time.Duration // until a task has ended
	pause   time.Duration // between two looks at a task
	busy    time.Duration // at most before a busy controller is asked again
	goodbye time.Duration // to end the session

	requests int   // in one session
	largest  int64 // bytes of an answer
	values   int   // objects, lists and values of an answer
}

// or fills in what is not set. Slow controllers need many seconds for one answer; the
// largest honest answers are pages of logs, of a megabyte or two.
func (l limits) or() limits {
	set(&l.silence, 30*time.Second)
	set(&l.answer, 45*time.Second)
	set(&l.part, 40*time.Second)
	set(&l.whole, 2*time.Minute)
	set(&l.task, time.Minute)
	set(&l.pause, 2*time.Second)
	set(&l.busy, 5*time.Second)
	set(&l.goodbye, 5*time.Second)
	set(&l.requests, 1500)
	set(&l.largest, 8<<20)
	set(&l.values, 200_000)
	return l
}

func set[T comparable](field *T, value T) {
	if *field == *new(T) {
		*field = value
	}
}

// How many of each are read: more is no honest machine, or nobody reads it.
const (
	mostMembers = 256
	mostChassis = 8
	mostLogs    = 12
	mostPages   = 10
	// mostSingle is how many entries of a log are read that come one by one.
	mostSingle = 25
)
