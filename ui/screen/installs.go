package screen

import (
	"time"

	"ironworks/models"
)

// Installs is how far the installers of nodes are, as the logs tell that some screen
// follows: all screens show the same.
type Installs struct {
	paces map[string]models.InstallPace
}

// Take notes what a line tells that was got at the server's time seen.
func (i *Installs) Take(l *models.LogLine, seen time.Time) {
	if l.Progress == nil {
		return
	}
	p := i.paces[l.Node.UUID]
	if !p.Take(l, seen) {
		return
	}
	if i.paces == nil {
		i.paces = map[string]models.InstallPace{}
	}
	i.paces[l.Node.UUID] = p
}

// Reset forgets all: what the logs told is told anew.
func (i *Installs) Reset() { i.paces = nil }

// Of is the pace of a node's installer, by its uuid.
func (i *Installs) Of(uuid string) models.InstallPace {
	if i == nil {
		return models.InstallPace{}
	}
	return i.paces[uuid]
}
