package cmd

import (
	"context"
	"maps"
	"time"

	"ironworks/config"
	"ironworks/sshserver/access"
)

// usersEvery is the interval at which the users in the configuration are read again.
const usersEvery = 2 * time.Second

// watchUsers applies changes to serve.users in the configuration until ctx ends. The server ends the sessions of
// users whose role or nodes have changed. A change is applied only when two consecutive reads agree, because an
// editor may still be writing the file. While the configuration is invalid, the previous users remain.
func (a *app) watchUsers(ctx context.Context, list *access.List, current map[string]access.Grant) {
	options := a.Options
	options.Flags = a.Flags
	ticker := time.NewTicker(usersEvery)
	defer ticker.Stop()
	previous, problem := current, ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		hands, err := config.LoadConsoleSettings(options)
		if err != nil {
			if text := err.Error(); text != problem {
				problem = text
				a.PrintMessage("users not reloaded: %v", err)
			}
			continue
		}
		problem = ""
		users := hands.Serve.Access.Users
		if maps.Equal(users, previous) && !maps.Equal(users, current) {
			list.SetUsers(users)
			current = users
			a.PrintMessage("users reloaded from the configuration")
		}
		previous = users
	}
}
