package config

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// Logs configures access to ramdisk logs.
type Logs struct {
	SSH LogsSSH `json:"ssh,omitzero" yaml:"ssh,omitempty"`
	// Archive is the place where logs are stored, for example by a conductor: a folder, a file, or
	// ssh://[user@]host[:port]/path.
	Archive string `json:"archive,omitempty" yaml:"archive,omitempty"`
	// Listen is the HOST:PORT address on which the console receives journals that ramdisks push. If it is empty, the
	// console does not listen.
	Listen string `json:"listen,omitempty" yaml:"listen,omitempty"`
	// Sources lists the log sources to use. If it is empty, all available sources are used.
	Sources []models.LogSource `json:"sources,omitempty" yaml:"sources,omitempty"`
}

// LogsSSH configures SSH connections to ramdisks. ssh_config provides the values of empty fields.
type LogsSSH struct {
	User   string   `json:"user,omitempty"   yaml:"user,omitempty"`
	Port   int      `json:"port,omitempty"   yaml:"port,omitempty"`
	Keys   []string `json:"keys,omitempty"   yaml:"keys,omitempty"`   // paths of private keys
	Jump   string   `json:"jump,omitempty"   yaml:"jump,omitempty"`   // like ssh's ProxyJump
	Config string   `json:"config,omitempty" yaml:"config,omitempty"` // path of the ssh_config file, or "none"
}

func logsKeys() map[string]valueType {
	return map[string]valueType{"ssh": wantMapping, "archive": wantText, "listen": wantText, "sources": wantTextList}
}

func logsSSHKeys() map[string]valueType {
	return map[string]valueType{"user": wantText, "port": wantPort, "keys": wantTextList, "jump": wantText, "config": wantText}
}

// logSources returns the sources that can be configured. The serial console is not among them, because reading it
// disconnects other users.
func logSources() []string {
	return []string{string(models.LogSSH), string(models.LogPush), string(models.LogArchive), string(models.LogStatus)}
}

// readLogs parses n, the log settings. It makes paths absolute: home replaces ~, and dir is the base of relative
// paths.
func (c *candidate) readLogs(n *node, path, home, dir string) {
	good, errs := check(n, path, logsKeys())
	c.errs = append(c.errs, errs...)
	if n := good["ssh"]; n != nil {
		c.readLogsSSH(n, join(path, "ssh"), home, dir)
	}
	if n := good["archive"]; n != nil {
		c.logs.Archive = n.text
		if !strings.HasPrefix(n.text, "ssh://") {
			c.logs.Archive = expandPath(n.text, home, dir)
		} else if _, where, found := strings.Cut(strings.TrimPrefix(n.text, "ssh://"), "/"); !found || where == "" {
			c.errs = append(c.errs, n.fault(join(path, "archive"), "has no path", "use ssh://[user@]host[:port]/path"))
		}
	}
	if n := good["listen"]; n != nil {
		c.logs.Listen = n.text
		if _, port, err := net.SplitHostPort(n.text); err != nil || port == "" {
			c.errs = append(c.errs, n.fault(join(path, "listen"), "is not a listen address", "use HOST:PORT, or :PORT for all interfaces"))
		}
	}
	if n := good["sources"]; n != nil {
		for i, item := range n.items {
			known := false
			for _, s := range logSources() {
				known = known || item.text == s
			}
			if !known {
				key := fmt.Sprintf("%s[%d]", join(path, "sources"), i)
				hint := didYouMean(item.text, logSources())
				if hint == "" {
					hint = "one of " + strings.Join(logSources(), ", ")
				}
				c.errs = append(c.errs, item.fault(key, fmt.Sprintf("no source %q", printable.Line(item.text)), hint))
				continue
			}
			c.logs.Sources = append(c.logs.Sources, models.LogSource(item.text))
		}
	}
}

func (c *candidate) readLogsSSH(n *node, path, home, dir string) {
	good, errs := check(n, path, logsSSHKeys())
	c.errs = append(c.errs, errs...)
	text := func(key string) string {
		if good[key] == nil {
			return ""
		}
		return good[key].text
	}
	s := &c.logs.SSH
	s.User, s.Jump, s.Config = text("user"), text("jump"), text("config")
	s.Port, _ = strconv.Atoi(text("port")) // check has rejected invalid ports, and an unset port is 0
	if s.Config != "" && s.Config != "none" {
		s.Config = expandPath(s.Config, home, dir)
	}
	if keys := good["keys"]; keys != nil {
		for _, item := range keys.items {
			s.Keys = append(s.Keys, expandPath(item.text, home, dir))
		}
	}
}
