package agentlog

import (
	"context"
	"errors"
	"slices"
	"time"

	"ironworks/models"
)

// Options configure a [Follower] and its sources.
type Options struct {
	// Sources are the sources to use. If empty, all usable sources are used except the serial console, because reading
	// it disturbs its other readers.
	Sources []models.LogSource
	// Address returns the agent's last address in Ironic, as in agent_url (https://10.0.0.31:9999), or a bare host; ""
	// if there is none. It is called about once a second, by several goroutines, and must not block. Without this
	// function, the sources SSH and status are not used.
	Address func(models.NodeRef) string
	// SSH configures the SSH connections to machines.
	SSH SSHOptions
	// Trust has the host keys of machines, shared with shells; nil creates a separate Trust.
	Trust *Trust
	// Push has the lines that machines push; nil without a receiver.
	Push Subscriber
	// Serial opens the serial consoles of nodes; nil if they cannot be read.
	Serial SerialConsoles
	// Archive is a folder with a conductor's archives, or one file: a path, or ssh://[user@]host/path. Empty means
	// no archive.
	Archive string
	// Since omits lines that are older; the zero time means no limit.
	Since time.Time
	// Once makes the Follower return the existing lines and end, instead of waiting for further lines.
	Once bool
	// ServerClock returns how far Ironic's clock is ahead of the console's, and whether that is known.
	ServerClock func() (time.Duration, bool)
}

// Subscriber provides the lines that machines push; [Receiver] implements it.
type Subscriber interface {
	// Subscribe returns the lines that a node has pushed so far, and further lines until ctx ends. When ctx has ended,
	// it closes the channel.
	Subscribe(ctx context.Context, node models.NodeRef) <-chan Batch
}

// SSHOptions configure SSH connections. Empty fields default to ssh_config, and to the defaults of
// ssh.
type SSHOptions struct {
	// User is the login name; core, if ssh_config has none.
	User string
	// Port is the port; 22, if ssh_config has none.
	Port int
	// Keys are files of private keys, tried before all others.
	Keys []string
	// Jump is like ssh's ProxyJump: [user@]host[:port], several separated by commas; "none"
	// connects directly, whatever ssh_config says.
	Jump string
	// Config is the ssh_config to read instead of the user's and the system's; "none" means that no ssh_config is read.
	Config string
	// Home is the user's home directory, for ~, the default keys and known_hosts.
	Home string
	// Agent is the socket of ssh-agent (SSH_AUTH_SOCK); empty means no agent.
	Agent string
	// HostKeys returns the public keys, in the format of authorized_keys, in the Ignition configurations of the images
	// that a node may have booted: a host with one of these keys is verified. only reports that the node has its own
	// image, so that no other key is accepted. The function may be nil, and it returns no keys if no image has one.
	HostKeys func(context.Context, models.NodeRef) (keys []string, only bool)
}

// sources returns the sources that the options select, the best one first.
func (o *Options) sources() ([]models.LogSource, error) {
	wanted := o.Sources
	if len(wanted) == 0 {
		wanted = slices.DeleteFunc(models.LogSources(), func(s models.LogSource) bool { return s == models.LogSerial })
	}
	use := o.addUsable(nil, wanted)
	if len(use) == 0 {
		return nil, errors.New("no log source is usable")
	}
	return use, nil
}

// addUsable returns the sources some and the usable sources of more, the best one first.
func (o *Options) addUsable(some, more []models.LogSource) []models.LogSource {
	var use []models.LogSource
	for _, s := range models.LogSources() {
		if slices.Contains(some, s) || slices.Contains(more, s) && o.supports(s) {
			use = append(use, s)
		}
	}
	return use
}

func (o *Options) supports(s models.LogSource) bool {
	switch s {
	case models.LogSSH, models.LogStatus:
		return o.Address != nil
	case models.LogPush:
		return o.Push != nil
	case models.LogArchive:
		return o.Archive != ""
	case models.LogSerial:
		return o.Serial != nil
	case models.LogServe:
	}
	return false
}
