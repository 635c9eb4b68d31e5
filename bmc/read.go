package bmc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stmcginnis/gofish/schemas"
)

// Responses are decoded into our own types, which have only the fields that are used. gofish's types reject a whole
// drive because of one field of the wrong type, send three requests at once, and follow an endless list.

// ref is a link to another Redfish resource.
type ref struct {
	ID string `json:"@odata.id"`
}

// condition holds the value of Status, a field of Redfish resources.
type condition struct{ State, Health, HealthRollup string }

func (c condition) absent() bool { return c.State == "Absent" }

// resource holds the fields that this package uses and that all Redfish resources have.
type resource struct {
	ref
	ID     string `json:"Id"`
	Name   string
	Status condition
}

// setPath stores the path from which a resource was read, because some controllers omit or misspell it.
func (r *resource) setPath(at string) {
	if at != "" {
		r.ref.ID = at
	}
	if r.ID == "" {
		r.ID = last(r.ref.ID)
	}
}

func setPath(one any, at string) {
	if r, is := one.(interface{ setPath(at string) }); is {
		r.setPath(at)
	}
}

// partialError reports that some members of a list could not be read.
type partialError struct {
	failed int
	first  error
}

// Error returns the number of failures and the first failure.
func (p *partialError) Error() string { return fmt.Sprintf("%d failed: %v", p.failed, p.first) }

// Unwrap returns the first error.
func (p *partialError) Unwrap() error { return p.first }

func (p *partialError) add(err error) {
	if p.failed++; p.first == nil {
		p.first = err
	}
}

func (p *partialError) err() error {
	if p.failed == 0 {
		return nil
	}
	return p
}

// unreadableError reports that a resource could not be read.
type unreadableError struct {
	at  string
	err error
}

func (u *unreadableError) Error() string { return last(u.at) + ": " + u.err.Error() }
func (u *unreadableError) Unwrap() error { return u.err }

// get reads a resource. A field of the wrong type is recorded and skipped.
func (s *session) get(ctx context.Context, path string, into any) error {
	_, err := s.getWithETag(ctx, path, into)
	return err
}

// getLinked reads the resource to which a link leads, if there is one.
func (s *session) getLinked(ctx context.Context, at ref, into any) error {
	if at.ID == "" {
		return nil
	}
	return s.get(ctx, at.ID, into)
}

func (s *session) getWithETag(ctx context.Context, path string, into any) (string, error) {
	resp, err := s.client.WithContext(ctx).Get(path) //nolint:bodyclose // the cleanup does
	if err != nil && s.renew(ctx, err) {
		resp, err = s.client.WithContext(ctx).Get(path) //nolint:bodyclose // the cleanup does
	}
	defer schemas.DeferredCleanupHTTPResponse(resp)
	if err != nil {
		return "", &unreadableError{path, err}
	}
	if resp.StatusCode == http.StatusNoContent {
		return "", nil
	}
	if err := s.skipTypeError(path, json.NewDecoder(resp.Body).Decode(into)); err != nil {
		return "", &unreadableError{path, err}
	}
	return resp.Header.Get("ETag"), nil
}

// skipTypeError records an err about a field of the wrong type, which encoding/json skips. It returns other errors.
func (s *session) skipTypeError(path string, err error) error {
	kind, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok || kind.Field == "" {
		return err
	}
	s.typeErrors = append(s.typeErrors, fmt.Errorf("%s: %s is a %s", last(path), kind.Field, kind.Value))
	return nil
}

// last returns the last segment of a path.
func last(path string) string {
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndex(path, "/")+1:]
}

// collection is a page of a Redfish collection, whose members are links or whole resources.
type collection struct {
	Members []json.RawMessage
	Next    string   `json:"Members@odata.nextLink"`
	Count   *float64 `json:"Members@odata.count"`
}

// pages reads the members of a collection, page by page, up to the given maximum.
func (s *session) pages(ctx context.Context, path string, most int) ([]json.RawMessage, error) {
	var all []json.RawMessage
	seen := map[string]bool{}
	for next := path; next != "" && !seen[next]; {
		if len(seen) == mostPages {
			return all, ownErrorf("more than %d pages; the rest is skipped", mostPages)
		}
		seen[next] = true
		var page collection
		if err := s.get(ctx, next, &page); err != nil {
			return all, err
		}
		for _, member := range page.Members {
			if string(member) != "null" {
				all = append(all, member)
			}
		}
		if len(all) > most {
			return all[:most], ownErrorf("more than %d; the rest is skipped", most)
		}
		if next = page.Next; seen[next] {
			return all, ownErrorf("the server returned the same page twice; the list may be incomplete")
		}
	}
	return all, nil
}

// expanded reads the members of a collection with their content, if the controller supports that. One request for all
// memory modules causes less load than thirty. After a failure, it does not ask for expanded collections again.
func (s *session) expanded(ctx context.Context, path string, most int) ([]json.RawMessage, error) {
	how := ""
	switch can := s.root.Features.ExpandQuery; {
	case strings.Contains(path, "?"):
	case can.NoLinks:
		how = "?$expand=.($levels=1)"
	case can.ExpandAll:
		how = "?$expand=*($levels=1)"
	}
	if how != "" {
		noted := len(s.typeErrors)
		raw, err := s.pages(ctx, path+how, most)
		if err == nil || len(raw) > 0 {
			return raw, err
		}
		s.typeErrors = s.typeErrors[:noted]
		s.root.Features.ExpandQuery.NoLinks, s.root.Features.ExpandQuery.ExpandAll = false, false
		if ctx.Err() != nil {
			return nil, err
		}
	}
	return s.pages(ctx, path, most)
}

// isLink reports whether a member of a collection is only a link, and returns the link.
func isLink(member json.RawMessage) (ref, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(member, &fields) != nil {
		return ref{}, false
	}
	var r ref
	_ = json.Unmarshal(member, &r)
	for name := range fields {
		if !strings.HasPrefix(name, "@") {
			return r, false
		}
	}
	return r, r.ID != ""
}

// members reads a collection and its members. Despite an error, it returns the members that could be read.
func members[T any](ctx context.Context, s *session, at ref, most int) ([]T, error) {
	if at.ID == "" {
		return nil, nil
	}
	raw, err := s.expanded(ctx, at.ID, most)
	out, more := resolve[T](ctx, s, raw)
	return out, errors.Join(err, more)
}

// resolve decodes the members of a collection. If a member is only a link, it reads the resource.
func resolve[T any](ctx context.Context, s *session, raw []json.RawMessage) ([]T, error) {
	out, failed := readEach(ctx, raw, func(member json.RawMessage, into *T) (string, error) {
		return s.decodeMember(ctx, member, into)
	})
	return out, failed.err()
}

// decodeMember decodes a member of a collection, or reads the resource if it is only a link. It returns its path.
func (s *session) decodeMember(ctx context.Context, member json.RawMessage, into any) (string, error) {
	link, is := isLink(member)
	if is {
		return link.ID, s.get(ctx, link.ID, into)
	}
	return link.ID, s.skipTypeError(link.ID, json.Unmarshal(member, into))
}

// readLinked reads the resources to which the links lead, up to the given maximum.
func readLinked[T any](ctx context.Context, s *session, links []ref, most int) ([]T, error) {
	wanted := slices.DeleteFunc(slices.Clone(links[:min(len(links), most)]), func(r ref) bool { return r.ID == "" })
	out, failed := readEach(ctx, wanted, func(link ref, into *T) (string, error) { return link.ID, s.get(ctx, link.ID, into) })
	if len(links) > most && ctx.Err() == nil {
		failed.add(ownErrorf("only %[2]d of %[1]d read", len(links), most))
	}
	return out, failed.err()
}

// readEach reads resources until the context is canceled, and skips unreadable ones. read returns a resource's path.
func readEach[T, S any](ctx context.Context, sources []S, read func(source S, into *T) (at string, err error)) ([]T, partialError) {
	var out []T
	var failed partialError
	for _, source := range sources {
		var one T
		at, err := read(source, &one)
		if err == nil {
			setPath(&one, at)
			out = append(out, one)
			continue
		}
		failed.add(err)
		if ctx.Err() != nil {
			break
		}
	}
	return out, failed
}

// action is an action that a Redfish resource offers, with the reset types that it allows.
type action struct {
	Target  string   `json:"target"`
	Info    string   `json:"@Redfish.ActionInfo"`
	Allowed []string `json:"ResetType@Redfish.AllowableValues"`
}

// resets returns the reset types that an action or its description lists, or nil.
func (s *session) resets(ctx context.Context, a action) ([]string, error) {
	if len(a.Allowed) > 0 || a.Info == "" {
		return a.Allowed, nil
	}
	return s.parameter(ctx, a.Info, "ResetType")
}

// parameter returns the allowed values of the named parameter, according to the description of an action.
func (s *session) parameter(ctx context.Context, info, name string) ([]string, error) {
	var described struct {
		Parameters []struct {
			Name    string
			Allowed []string `json:"AllowableValues"`
		}
	}
	if err := s.get(ctx, info, &described); err != nil {
		return nil, err
	}
	for _, p := range described.Parameters {
		if p.Name == name {
			return p.Allowed, nil
		}
	}
	return nil, nil
}
