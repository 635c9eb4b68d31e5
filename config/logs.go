package config

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// Logs configures access to ramdisk logs.
type Logs struct {
	SSH LogsSSH `json:"ssh,omitzero"`
	// Archive is the place where logs are stored, for example by a conductor: a folder, a file, or
	// ssh://[user@]host[:port]/path.
	Archive string `json:"archive,omitempty"`
	// Listen is the HOST:PORT address on which the console receives journals that ramdisks push. If it is empty, the
	// console does not listen.
	Listen string `json:"listen,omitempty"`
	// Sources lists the log sources to use. If it is empty, all available sources are used.
	Sources []models.LogSource `json:"sources,omitempty"`
}

// LogsSSH configures SSH connections to ramdisks. ssh_config provides the values of empty fields.
type LogsSSH struct {
	User   string   `json:"user,omitempty"`
	Port   int      `json:"port,omitempty"`
	Keys   []string `json:"keys,omitempty"`   // paths of private keys
	Jump   string   `json:"jump,omitempty"`   // like ssh's ProxyJump
	Config string   `json:"config,omitempty"` // path of the ssh_config file, or "none"
}

// logSources returns the sources that can be configured. The serial console is not among them, because reading it
// disconnects other users.
func logSources() []string {
	return []string{string(models.LogSSH), string(models.LogPush), string(models.LogArchive), string(models.LogStatus)}
}

// readLogs parses n, the log settings. It makes paths absolute: home replaces ~, and dir is the base of relative
// paths.
func (c *candidate) readLogs(n *node, path, home, dir string) {
	s := sectionOf(n, path, map[string]valueType{
		"ssh": wantMapping, "archive": wantText, "listen": wantText, "sources": wantTextList,
	}, home, dir, &c.errs)
	if n := s.good["ssh"]; n != nil {
		c.readLogsSSH(n, join(path, "ssh"), home, dir)
	}
	c.Logs.Archive, c.Logs.Listen = s.text("archive"), s.text("listen")
	if remote, is := strings.CutPrefix(c.Logs.Archive, "ssh://"); !is {
		c.Logs.Archive = s.file("archive")
	} else if _, where, _ := strings.Cut(remote, "/"); where == "" {
		s.fail(s.good["archive"], "archive", "has no path", "use ssh://[user@]host[:port]/path")
	}
	if n := s.good["listen"]; n != nil {
		if _, port, err := net.SplitHostPort(n.text); err != nil || port == "" {
			s.fail(n, "listen", "is not a listen address", "use HOST:PORT, or :PORT for all interfaces")
		}
	}
	for i, item := range s.items("sources") {
		if known := logSources(); !slices.Contains(known, item.text) {
			hint := cmp.Or(didYouMean(item.text, known), "one of "+strings.Join(known, ", "))
			s.fail(item, fmt.Sprintf("sources[%d]", i), fmt.Sprintf("no source %q", printable.Line(item.text)), hint)
			continue
		}
		c.Logs.Sources = append(c.Logs.Sources, models.LogSource(item.text))
	}
}

func (c *candidate) readLogsSSH(n *node, path, home, dir string) {
	s := sectionOf(n, path, map[string]valueType{
		"user": wantText, "port": wantPort, "keys": wantTextList, "jump": wantText, "config": wantText,
	}, home, dir, &c.errs)
	ssh := &c.Logs.SSH
	ssh.User, ssh.Jump, ssh.Config = s.text("user"), s.text("jump"), s.text("config")
	if ssh.Config != "" && ssh.Config != "none" {
		ssh.Config = s.file("config")
	}
	ssh.Port, _ = strconv.Atoi(s.text("port")) // invalid ports have been rejected, and an unset port is 0
	for _, item := range s.items("keys") {
		ssh.Keys = append(ssh.Keys, expandPath(item.text, home, dir))
	}
}

// Journal limits the size and the age of the journal of logs and snapshots.
type Journal struct {
	// MaxSize is the maximum size on disk, and MaxAge the maximum age, as written in the file. They are "" if unset.
	MaxSize string `json:"max_size,omitempty"`
	MaxAge  string `json:"max_age,omitempty"`
	// Size is MaxSize in bytes, and Age is MaxAge as a duration. They are 0 if unset.
	Size int64         `json:"-"`
	Age  time.Duration `json:"-"`
}

// Minimum values of max_size, in bytes, and max_age.
const (
	leastSize = 1 << 20
	leastAge  = time.Hour
)

// readJournal parses n, the limits of the journal.
func (c *candidate) readJournal(n *node, path string) {
	s := sectionOf(n, path, map[string]valueType{"max_size": wantSize, "max_age": wantDuration}, "", "", &c.errs)
	if n := s.good["max_size"]; n != nil {
		size, err := models.ParseBytes(n.text)
		switch {
		case err != nil:
			s.fail(n, "max_size", err.Error(), "")
		case size < leastSize:
			s.fail(n, "max_size", n.text+" is too small for a log", "use 1MiB or more, for example 1GiB")
		}
		c.Journal.MaxSize, c.Journal.Size = n.text, size
	}
	if n := s.good["max_age"]; n != nil {
		age, err := models.ParseAge(n.text)
		switch {
		case err != nil:
			s.fail(n, "max_age", err.Error(), "")
		case age < leastAge:
			s.fail(n, "max_age", n.text+" is too short", "use 1h or more, for example 90d")
		}
		c.Journal.MaxAge, c.Journal.Age = n.text, age
	}
}
