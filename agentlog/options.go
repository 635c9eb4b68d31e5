package agentlog

import (
	"context"
	"errors"
	"slices"
	"time"

	"ironworks/models"
)

// Options configures a [Follower] and its sources.
type Options struct {
	// Sources lists the sources to use. If empty, all usable sources are used except the serial console, because
	// reading it disturbs other readers of the console.
	Sources []models.LogSource
	// Address returns the agent's last address in Ironic, either in the form of agent_url (https://10.0.0.31:9999) or
	// as a bare host, or "" if there is none. It is called about once a second, by several goroutines, and must not
	// block. If Address is nil, the SSH and status sources are not used.
	Address func(models.NodeRef) string
	// SSH configures the SSH connections to machines.
	SSH SSHOptions
	// Trust remembers the host keys of machines and can be shared with shells. If nil, the Follower has its own.
	Trust *Trust
	// Push provides the lines that machines push. It is nil if there is no receiver.
	Push Subscriber
	// Serial opens the serial consoles of nodes. It is nil if they cannot be read.
	Serial SerialConsoles
	// Archive is the path of a folder with a conductor's archives, or of a single archive. The path may be on another
	// host: ssh://[user@]host/path. If empty, no archive is read.
	Archive string
	// Since excludes older lines. If zero, no lines are excluded.
	Since time.Time
	// Once makes the Follower end after the existing lines instead of waiting for further ones.
	Once bool
	// ServerClock returns how far Ironic's clock is ahead of the console's, and whether that is known.
	ServerClock func() (time.Duration, bool)
}

// Subscriber provides the lines that machines push; [Receiver] implements it.
type Subscriber interface {
	// Subscribe sends the lines that a node has pushed so far, and further lines until ctx is canceled. It then
	// closes the channel.
	Subscribe(ctx context.Context, node models.NodeRef) <-chan Batch
}

// SSHOptions configures SSH connections. Empty fields default to ssh_config and then to the defaults of ssh.
type SSHOptions struct {
	// User is the login name. If neither this field nor ssh_config sets one, it is core.
	User string
	// Port is the TCP port. If neither this field nor ssh_config sets one, it is 22.
	Port int
	// Keys lists private key files. Their keys are tried before all others.
	Keys []string
	// Jump lists the jump hosts like ssh's ProxyJump: [user@]host[:port],… "none" means a direct connection, whatever
	// ssh_config says.
	Jump string
	// Config is the ssh_config to read instead of the user's and the system's; "none" means to read none.
	Config string
	// Home is the user's home directory. It is used to expand ~, and to find the default keys and known_hosts.
	Home string
	// Agent is the path of ssh-agent's socket (SSH_AUTH_SOCK). If empty, no agent is used.
	Agent string
	// HostKeys returns the public host keys, in the format of authorized_keys, from the Ignition configurations of all
	// images that a node may have booted; there may be none. A host with one of these keys is verified. If only is
	// true, the node has its own image, and no other key is accepted. HostKeys may be nil.
	HostKeys func(context.Context, models.NodeRef) (keys []string, only bool)
}

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

// addUsable returns all elements of some and the usable elements of more, in order of preference.
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
