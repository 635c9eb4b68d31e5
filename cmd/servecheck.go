package cmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/session"
	"ironworks/sshserver"
	"ironworks/sshserver/access"
)

// checkServer checks the address, the keys and the API once, as the server would, and shows who may log in. It does
// not listen, because the server may be running.
func (a *app) checkServer(ctx context.Context, opened *session.Session, server *sshserver.Server, settings *config.Serve, list *access.List) error {
	if err := checkListen(ctx, settings.Listen); err != nil {
		return cli.Usagef("serve: --listen %s: %w", settings.Listen, err)
	}
	logins, refused, authorities := list.Keys(time.Now())
	for _, err := range refused {
		a.PrintMessage("cannot log in: %v", err)
	}
	if len(logins) == 0 && authorities == 0 {
		return cli.Usagef("serve: no user can log in")
	}
	if _, err := opened.Client.Conductors(ctx); err != nil {
		return err
	}
	v, _ := opened.Client.Version()
	users := make([]string, len(logins))
	for i, l := range logins {
		if users[i] = fmt.Sprintf("%s (%s)", l.Name, l.Role); l.Nodes != "" {
			users[i] = fmt.Sprintf("%s (%s, %s)", l.Name, l.Role, l.Nodes)
		}
	}
	if authorities > 0 {
		users = append(users, "all users with certificates signed by "+strings.Join(settings.Access.UserCA, ", "))
	}
	return a.PrintOut("context %s: Ironic answers, API %s\nhost key %s: %s\nusers: %s\n",
		opened.Context.Name, v, settings.HostKey, server.Fingerprint(), strings.Join(users, ", "))
}

// checkListen returns the reason why a server could not listen on address. It finds only those reasons that can be
// detected without listening.
func checkListen(ctx context.Context, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if _, err := net.DefaultResolver.LookupPort(ctx, "tcp", port); err != nil {
		return err
	}
	if host == "" {
		return nil
	}
	_, err = net.DefaultResolver.LookupHost(ctx, host)
	return err
}

// writableFolder creates a folder, and returns an error if files cannot be written in it. Otherwise, each session
// would fail later. For "" it does nothing.
func writableFolder(path string) error {
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(path, ".check-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
