package agentlog

import (
	"path"
	"regexp"
	"strings"
	"time"

	"ironworks/models"
)

// archiveName is how a conductor names what it keeps:
// UUID[_NAME][_INSTANCE][_cleaning|_inspect]_2026-11-22-13-00-00.tar.gz.
var archiveName = regexp.MustCompile(`^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})(?:_(.*))?_(\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)\.tar\.gz$`)

// ArchiveName is what the name of an archive says.
type ArchiveName struct {
	// Node is the node's uuid, in lower case.
	Node string
	// What is what lies between: the node's name, the instance, the kind of work.
	What string
	// Time is when it was kept, on the conductor's clock.
	Time time.Time
}

// ParseArchiveName reads the name of a file; ok is false for one that is no archive's.
func ParseArchiveName(name string) (a ArchiveName, ok bool) {
	m := archiveName.FindStringSubmatch(path.Base(name))
	if m == nil {
		return a, false
	}
	at, err := time.Parse("2006-01-02-15-04-05", m[3])
	if err != nil {
		return a, false
	}
	return ArchiveName{Node: strings.ToLower(m[1]), What: m[2], Time: at}, true
}

// newestArchive is the newest of a node among names, "" if there is none.
func newestArchive(names []string, node models.NodeRef) string {
	newest, at := "", time.Time{}
	for _, name := range names {
		a, ok := ParseArchiveName(name)
		if ok && a.Node == strings.ToLower(node.UUID) && (newest == "" || a.Time.After(at) || a.Time.Equal(at) && name > newest) {
			newest, at = name, a.Time
		}
	}
	return newest
}
