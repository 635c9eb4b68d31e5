// Package checkup collects facts about the configuration, this machine and Ironic. [ironworks/models/doctor]
// evaluates them.
package checkup

import (
	"context"
	"errors"
	"time"

	"ironworks/config"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/provision"
	"ironworks/session"
	"ironworks/wire"
)

// maxAnswer is the maximum size, in bytes, of a response from an unknown server.
const maxAnswer = 1 << 20

// Facts collects all facts: first those about this machine, then those about Ironic and the nodes listed in names. It
// changes nothing. configErr is the error from reading the configuration, or nil. say is called with progress
// messages.
func Facts(ctx context.Context, h *session.Host, cfg *config.Config, configErr error, names []string, say func(string)) *doctor.Facts {
	x := &cfg.Current
	h.MaskContext(x)
	f := &doctor.Facts{Now: time.Now(), Auth: x.Connection.Auth, Config: configFacts(cfg, configErr), Local: localFacts(ctx, h, cfg)}
	if configErr != nil {
		return f
	}
	asked := *x
	asked.ReadOnly = true
	s, err := session.Open(*h, asked, func(string) {})
	if err != nil {
		f.Config.Problems = problems(err)
		return f
	}
	defer s.Close()
	gatherer := provision.Doctor{
		API: s.Client, Connection: x.Connection, Web: provision.NewWeb(), Progress: say,
		Reach: func(ctx context.Context, target, what string) models.Reach {
			o := wire.Options{TLS: x.Connection.TLS, Timeout: x.Connection.Timeout, Largest: maxAnswer}
			if o.Timeout == 0 {
				o.Timeout = ironicclient.DefaultTimeout
			}
			return wire.Reach(ctx, o, target, what)
		},
	}
	gatherer.Gather(ctx, f, names)
	return f
}

// configFacts summarizes the configuration, without secrets.
func configFacts(cfg *config.Config, err error) doctor.Config {
	x := &cfg.Current
	c := doctor.Config{
		Context: x.Name, Source: x.Source, Guessed: x.Guessed, Problems: problems(err), Warnings: cfg.Warnings,
		ReadOnly: x.ReadOnly, MaxMinor: x.Connection.MaxMinor, User: x.Connection.Username, TLS: x.Connection.TLS,
		Endpoint: models.MaskURL(x.Connection.Endpoint),
	}
	if x.Connection.Auth.Keystone() && c.Endpoint == "" {
		c.Endpoint = models.MaskURL(x.Connection.Keystone.AuthURL)
	}
	if x.Guessed {
		c.Searched = cfg.SearchedPlaces()
	}
	return c
}

// problems returns the message of each error that err joins.
func problems(err error) []string {
	if err == nil {
		return nil
	}
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return []string{err.Error()}
	}
	var all []string
	for _, e := range joined.Unwrap() {
		all = append(all, problems(e)...)
	}
	return all
}
