package session

import (
	"context"

	"ironworks/config"
	"ironworks/enroll"
	"ironworks/provision"
)

// Enrolling compares nodes that the console is about to enroll with the nodes in the session's Ironic.
type Enrolling struct {
	s *Session
	// whyNoFiles is the reason why files cannot be read. It is set for the users of a server.
	whyNoFiles string
}

// Enrolling returns an Enrolling that uses the session's client.
func (s *Session) Enrolling() Enrolling { return Enrolling{s: s} }

// WithoutFiles returns an Enrolling that refuses to read files. The text in why is the reason that its errors state.
func (e Enrolling) WithoutFiles(why string) Enrolling {
	e.whyNoFiles = why
	return e
}

// API returns the client of the session.
func (e Enrolling) API() provision.EnrollAPI { return e.s.Client }

// Compare reads the input and compares it with Ironic. login is sent to the BMCs but not stored; its empty fields are
// filled from the environment, the context and the keyring. If Compare fails, it also returns the results obtained so
// far.
func (e Enrolling) Compare(
	ctx context.Context, in *provision.EnrollSource, login enroll.Login, progress func(done, of int),
) (provision.EnrollFound, enroll.Plan, error) {
	r := &provision.EnrollReader{API: e.s.Client, Mask: e.s.Mask, Progress: progress, WhyNoFiles: e.whyNoFiles}
	if len(in.Addresses) > 0 {
		given := BMCFlags{Login: config.BMCLogin{Username: login.Username, Password: login.Password, From: "the form"}, Insecure: login.Insecure}
		access, err := e.s.BMCAccess(&e.s.Context, given, e.s.reportError)
		if err != nil {
			return provision.EnrollFound{}, nil, err
		}
		// The operator has named the BMCs together with the login. However, users of a server must also enter the
		// password, because otherwise the server's own password would be sent to any address that they enter.
		access.Command = e.whyNoFiles == "" || login.Password.IsSet()
		r.BMCs = access.BMCs(e.s)
	}
	found, err := r.Read(ctx, in)
	if err != nil || len(found.Nodes) == 0 {
		return found, nil, err
	}
	plan, err := r.Compare(ctx, in, found.Nodes)
	return found, plan, err
}
