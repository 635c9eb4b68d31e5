package session

import (
	"context"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/provision"
)

// Shells opens shells on the machines of nodes, as the context's logs connect to them.
type Shells struct {
	ssh     agentlog.SSHOptions
	trust   *agentlog.Trust
	runner  *provision.Runner
	address func(models.NodeRef) string
}

// Shells opens shells on the machines of some nodes. A given address is that of their machine.
func (s *Session) Shells(runner *provision.Runner, nodes []models.Node, given string) *Shells {
	return &Shells{ssh: s.sshOptions(), trust: agentlog.NewTrust(), runner: runner, address: newAgents(nodes, given).Address}
}

// Why returns why no shell can be opened on a node's machine, nil if one may. It contacts nothing.
func (s *Shells) Why(n *models.Node) *models.Refusal {
	if s.address(n.Ref()) != "" {
		return nil
	}
	return (&models.Refusal{
		Kind: models.RefusedState, Action: "ssh", Node: n.Label(), Why: "ramdisk not running: Ironic has no address for its agent",
		Hint: "wait for the ramdisk, or pass --address HOST to connect to an instance",
	}).WithScreenHint("ironworks ssh --address HOST connects to an instance")
}

// Open connects to the machine of a node, and audits that. ctx bounds the lifetime of the connection.
func (s *Shells) Open(ctx context.Context, n *models.Node) (*agentlog.Shell, error) {
	if why := s.Why(n); why != nil {
		return nil, why
	}
	return s.runner.OpenShell(ctx, n.Ref(), agentlog.ShellOptions{
		SSH: s.ssh, Trust: s.trust, Address: s.address(n.Ref()), Instance: n.ProvisionState == models.StateActive,
	})
}
