// Package serving implements the flags and the access log of commands that serve images.
package serving

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/pflag"

	"ironworks/cmd/cli"
	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/session"
)

// ListenFlags select the address at which images are served.
type ListenFlags struct{ Listen, advertise string }

// Resolve returns the address to listen on, and the host for URLs.
func (f ListenFlags) Resolve(ctx context.Context, a *cli.App, s *session.Session, nodes []models.Node) (listen, advertise string, err error) {
	candidates, trouble := serve.Candidates(ctx, serve.System{}, prepare.Clients(s.Endpoint(), nodes))
	if trouble != nil && len(nodes) > 0 {
		a.PrintMessage("warning: %v", trouble)
	}
	listen = f.Listen
	auto, port, isAuto := strings.Cut(f.Listen, ":")
	if auto == "auto" {
		if len(candidates) == 0 {
			return "", "", errors.New("--listen auto: this computer has no address that other machines can reach")
		}
		if !isAuto {
			port = "0"
		}
		listen = net.JoinHostPort(candidates[0].Addr.String(), port)
	}
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return "", "", cli.Usagef("--listen %s: must be HOST:PORT, auto or auto:PORT", f.Listen)
	}
	advertise = f.advertise
	ip := net.ParseIP(host)
	switch {
	case advertise != "":
	case host == "" || ip != nil && ip.IsUnspecified():
		if len(candidates) == 0 {
			return "", "", cli.Usagef("--listen %s: this computer has no address that other machines can reach; pass --advertise", f.Listen)
		}
		advertise = candidates[0].Addr.String()
	default:
		advertise = host
	}
	if f.Listen == "" && f.advertise == "" {
		offerAddress(a, candidates)
	}
	return listen, advertise, nil
}

// offerAddress suggests --listen auto for a server on the loopback interface, if this computer has an address that
// other machines can reach.
func offerAddress(a *cli.App, candidates []serve.Candidate) {
	if len(candidates) == 0 || candidates[0].Loopback() {
		return
	}
	best := candidates[0]
	clients := "other machines"
	if len(best.For) > 0 {
		clients = strings.Join(best.For, ", ")
	}
	via := ""
	if best.Interface != "" {
		via = fmt.Sprintf(" (%s)", best.Interface)
	}
	a.PrintMessage("only this computer can connect; pass --listen auto to listen on %s%s, which %s can reach", best.Addr, via, clients)
}

// Register adds the flags to a command.
func (f *ListenFlags) Register(flags *pflag.FlagSet) {
	flags.StringVar(&f.Listen, "listen", "", "listen address: HOST:PORT, auto or auto:PORT (default: a free port on 127.0.0.1)")
	flags.StringVar(&f.advertise, "advertise", "", "host name or address at which clients reach this computer (default: the listen address)")
}
