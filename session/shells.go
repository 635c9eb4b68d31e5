package session

import (
	"cmp"
	"context"
	"io"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/shell"
)

// Shells opens shells on the machines of nodes. It uses the same SSH settings as the context's logs.
type Shells struct {
	ssh     agentlog.SSHOptions
	trust   *agentlog.Trust
	runner  *provision.Runner
	address func(models.NodeRef) string
	// term is the value of $TERM.
	term string
}

// Shells returns a Shells for the machines of the given nodes.
func (s *Session) Shells(runner *provision.Runner, nodes []models.Node) *Shells {
	return s.newShells(runner, agentlog.NewTrust(), newAgents(nodes, "").Address)
}

func (s *Session) newShells(runner *provision.Runner, trust *agentlog.Trust, address func(models.NodeRef) string) *Shells {
	return &Shells{ssh: s.sshOptions(), trust: trust, runner: runner, address: address, term: cmp.Or(s.Variable("TERM"), "dumb")}
}

// Host returns the host of a node's last known ramdisk, or "" if it is unknown.
func (s *Shells) Host(n models.NodeRef) string { return agentlog.HostOf(s.address(n)) }

// Refusal returns the reason why no shell can be opened on a node's machine, or nil if that may be possible. It
// contacts nothing. For an instance, it returns nil, because the instance's address can be passed to Open.
func (s *Shells) Refusal(n *models.Node) *models.Refusal {
	if n.RunsInstance() || n.Internal == nil || s.address(n.Ref()) != "" { // nodes in lists lack driver_internal_info; Open reads it
		return nil
	}
	return noAddress(n)
}

func noAddress(n *models.Node) *models.Refusal {
	return (&models.Refusal{
		Kind: models.RefusedState, Action: "ssh", Node: n.Label(), Why: "ramdisk not running: Ironic has no address for its agent",
		Hint: "wait for the ramdisk, or pass --address HOST to connect to an instance",
	}).WithScreenHint("ironworks ssh --address HOST connects to an instance")
}

// Open connects to a node's machine at the given address, and records the connection in the audit log. If address is
// empty, Open uses the last known address. ctx limits the lifetime of the connection.
func (s *Shells) Open(ctx context.Context, n *models.Node, address string) (*Shell, error) {
	if address == "" {
		address = s.address(n.Ref())
	}
	if address == "" {
		now, err := s.runner.API.Node(ctx, n.UUID)
		if err != nil {
			return nil, err
		}
		if n = now; n.Internal == nil || n.Internal.AgentURL == "" {
			return nil, noAddress(n)
		}
		address = n.Internal.AgentURL
	}
	opened, err := s.runner.OpenShell(ctx, n.Ref(), agentlog.ShellOptions{
		SSH: s.ssh, Trust: s.trust, Address: address, Instance: n.RunsInstance(),
	})
	if err != nil {
		return nil, err
	}
	return &Shell{Shell: opened, term: s.term}, nil
}

// Shell is a connection through which commands can be run on a machine.
type Shell struct {
	*agentlog.Shell
	term string
}

// AtTerminal runs a command at the operator's terminal and waits until it ends. An empty command is a login shell.
func (s *Shell) AtTerminal(ctx context.Context, in io.Reader, out io.Writer, command string) (status int, err error) {
	return shell.Run(ctx, s.Shell, in, out, s.term, command)
}
