package screen

import (
	"time"

	"ironworks/replay"
)

// Replay plays a recording in the place of a live Ironic; *replay.Player has it. None of
// it waits for anything.
type Replay interface {
	State() replay.State
	Pause(on bool)
	SetSpeed(speed float64)
	Seek(to time.Time)
	Moments() []replay.Moment
}
