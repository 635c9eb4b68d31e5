package agentlog

import (
	"context"
	"errors"
	"slices"
	"time"

	"ironworks/models"
)

// Options say which sources a [Follower] joins and what they work with.
type Options struct {
	// Sources are those to use; those that can be used, if empty, without the serial console:
	// to read it disturbs who else does.
	Sources []models.LogSource
	// Address gives the address that the agent of a node told Ironic last, as agent_url
	// has it (https://10.0.0.31:9999) or a bare host; "" while there is none. It is asked
	// about once a second, by several goroutines, and must not wait. Without it there is
	// neither SSH nor status.
	Address func(models.NodeRef) string
	// SSH is how machines are reached.
	SSH SSHOptions
	// Push gives the lines that a machine sends itself; nil where nothing listens.
	Push Subscriber
	// Serial lends the serial consoles of nodes; nil where they cannot be read.
	Serial SerialConsoles
	// Archive is a folder with what a conductor keeps, or one file: a path, or
	// ssh://[user@]host/path. Empty is none.
	Archive string
	// Since leaves out what is older; zero is all of it.
	Since time.Time
	// Once reads what there is and ends, instead of following.
	Once bool
	// ServerClock says how far Ironic's clock is ahead of the console's, if that is known.
	ServerClock func() (time.Duration, bool)
	// Now is the console's clock; that of the system if nil.
	Now func() time.Time
}

// Subscriber is who has the lines that machines send: a Receiver.
type Subscriber interface {
	// Subscribe gives what a node has sent and sends, until ctx ends, and closes the
	// channel then.
	Subscribe(ctx context.Context, node models.NodeRef) <-chan Batch
}

// SSHOptions are how machines are reached over SSH. What is empty comes from ssh_config,
// and is what ssh itself would take where that says nothing.
type SSHOptions struct {
	// User is who logs in; core, if ssh_config names nobody either.
	User string
	// Port is where; 22, if ssh_config names none either.
	Port int
	// Keys are files of private keys, tried before all others.
	Keys []string
	// Jump is as ssh's ProxyJump: [user@]host[:port], several with commas; "none" goes
	// straight whatever ssh_config says.
	Jump string
	// Config is the ssh_config to read instead of the user's and the system's; "none"
	// reads none.
	Config string
	// Home is the user's home directory, for ~, the default keys and known_hosts.
	Home string
	// Agent is the socket of ssh-agent (SSH_AUTH_SOCK); empty is none.
	Agent string
	// HostKeys gives the public keys, as authorized_keys has them, that the Ignition of the
	// images that a node may have booted carries: one of them is verified with that. Only
	// says that the node has an image of its own, and that no other key is taken. Nil or
	// none where no image carries one.
	HostKeys func(context.Context, models.NodeRef) (keys []string, only bool)
}

// sources are those that are used, the best one first.
func (o *Options) sources() ([]models.LogSource, error) {
	wanted := o.Sources
	if len(wanted) == 0 {
		wanted = slices.DeleteFunc(models.LogSources(), func(s models.LogSource) bool { return s == models.LogSerial })
	}
	use := o.with(nil, wanted)
	if len(use) == 0 {
		return nil, errors.New("none of the sources of the log can be used here")
	}
	return use, nil
}

// with are some sources and more of them, as far as they can be used, the best one first.
func (o *Options) with(some, more []models.LogSource) []models.LogSource {
	var use []models.LogSource
	for _, s := range models.LogSources() {
		if slices.Contains(some, s) || slices.Contains(more, s) && o.can(s) {
			use = append(use, s)
		}
	}
	return use
}

func (o *Options) can(s models.LogSource) bool {
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
