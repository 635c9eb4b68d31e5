package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/plan"
)

// Facts returns the facts that the preflight of n has collected, or nil before that preflight. The caller must not
// change them.
func (a *DeployAction) Facts(n *models.Node) *plan.Facts {
	if r := a.checked(n); r != nil {
		return r.facts
	}
	return nil
}

// Cached returns a Preflighter that caches the responses it receives. It is meant for forms, which repeat the checks
// after every change and must not connect to the BMC each time. The checks of the deployment itself use a Preflighter
// without a cache.
func (p *Preflighter) Cached() *Preflighter {
	fresh := p.Fresh()
	cache := &cachingReader{
		Reader: p.Reader, inventories: map[string]answer[json.RawMessage]{}, validations: map[string]answer[[]models.Validation]{},
		drivers: map[string]answer[[]models.Driver]{}, conductors: map[string]answer[[]models.Conductor]{},
		templates: map[string]answer[[]models.DeployTemplate]{}, offered: map[string]*plan.OfferedSteps{},
	}
	fresh.Reader = cache
	if p.Offered != nil {
		fresh.Offered = func(uuid string) *plan.OfferedSteps { return cache.offeredBy(uuid, p.Offered) }
	}
	if p.Images != nil {
		fresh.Images = &cachingWeb{web: p.Images, heads: map[string]answer[WebAnswer]{}, parts: map[string]answer[webPart]{}}
	}
	if p.Registry != nil {
		fresh.Registry = &cachingRegistry{registry: p.Registry, artifacts: map[string]answer[bool]{}}
	}
	return fresh
}

// answer is a cached response, or a cached "not found" error.
type answer[T any] struct {
	value T
	err   error
}

// cachingReader caches the answers of a Reader. It does not cache errors, except for "not found".
type cachingReader struct {
	Reader

	mu          sync.Mutex
	inventories map[string]answer[json.RawMessage]
	validations map[string]answer[[]models.Validation]
	drivers     map[string]answer[[]models.Driver]
	conductors  map[string]answer[[]models.Conductor]
	templates   map[string]answer[[]models.DeployTemplate]
	offered     map[string]*plan.OfferedSteps

	listing sync.Mutex
	pages   []*ironicclient.NodePage
	listed  bool
}

// cached returns the cached answer for key. If there is none, it calls ask, and caches the answer unless it is an
// error other than "not found".
func cached[T any](mu *sync.Mutex, cache map[string]answer[T], key string, ask func() (T, error)) (T, error) {
	mu.Lock()
	known, is := cache[key]
	mu.Unlock()
	if is {
		return known.value, known.err
	}
	value, err := ask()
	if err == nil || models.IsFault(err, models.FaultNotFound) {
		mu.Lock()
		cache[key] = answer[T]{value, err}
		mu.Unlock()
	}
	return value, err
}

func (r *cachingReader) Inventory(ctx context.Context, node string) (json.RawMessage, error) {
	return cached(&r.mu, r.inventories, node, func() (json.RawMessage, error) { return r.Reader.Inventory(ctx, node) })
}

func (r *cachingReader) Validate(ctx context.Context, id string) ([]models.Validation, error) {
	return cached(&r.mu, r.validations, id, func() ([]models.Validation, error) { return r.Reader.Validate(ctx, id) })
}

func (r *cachingReader) Drivers(ctx context.Context) ([]models.Driver, error) {
	return cached(&r.mu, r.drivers, "", func() ([]models.Driver, error) { return r.Reader.Drivers(ctx) })
}

func (r *cachingReader) Conductors(ctx context.Context) ([]models.Conductor, error) {
	return cached(&r.mu, r.conductors, "", func() ([]models.Conductor, error) { return r.Reader.Conductors(ctx) })
}

func (r *cachingReader) offeredBy(uuid string, ask func(uuid string) *plan.OfferedSteps) *plan.OfferedSteps {
	r.mu.Lock()
	defer r.mu.Unlock()
	steps, is := r.offered[uuid]
	if !is {
		steps = ask(uuid)
		r.offered[uuid] = steps
	}
	return steps
}

// DeployTemplates lists the deploy templates. It fails if the underlying Reader cannot list them.
func (r *cachingReader) DeployTemplates(ctx context.Context) ([]models.DeployTemplate, error) {
	list, can := r.Reader.(templater)
	if !can {
		return nil, errors.New(noTemplates)
	}
	return cached(&r.mu, r.templates, "", func() ([]models.DeployTemplate, error) { return list.DeployTemplates(ctx) })
}

// EachPage lists the nodes once and then repeats the cached pages. If the first caller stops early, later callers get
// only the pages up to that point.
func (r *cachingReader) EachPage(ctx context.Context, q ironicclient.NodeQuery, yield func(*ironicclient.NodePage) error) error {
	list, can := r.Reader.(lister)
	if !can {
		return errors.New(noList)
	}
	r.listing.Lock()
	defer r.listing.Unlock()
	if r.listed {
		for _, page := range r.pages {
			if err := yield(page); err != nil {
				return err
			}
		}
		return nil
	}
	var pages []*ironicclient.NodePage
	var enough error
	err := list.EachPage(ctx, q, func(page *ironicclient.NodePage) error {
		pages = append(pages, page)
		enough = yield(page)
		return enough
	})
	if err == nil || enough != nil {
		r.pages, r.listed = pages, true
	}
	return err
}

// cachingWeb caches what web servers report about images.
type cachingWeb struct {
	web   ImageWeb
	mu    sync.Mutex
	heads map[string]answer[WebAnswer]
	parts map[string]answer[webPart]
}

// webPart is the response to a GET request: the headers, and the part of the body that was read.
type webPart struct {
	answer WebAnswer
	data   []byte
}

func (r *cachingWeb) Head(ctx context.Context, address string) (WebAnswer, error) {
	return cached(&r.mu, r.heads, address, func() (WebAnswer, error) { return r.web.Head(ctx, address) })
}

func (r *cachingWeb) Get(ctx context.Context, address string, most int, part bool) (WebAnswer, []byte, error) {
	got, err := cached(&r.mu, r.parts, fmt.Sprint(most, part, address), func() (webPart, error) {
		answer, data, err := r.web.Get(ctx, address, most, part)
		return webPart{answer, data}, err
	})
	return got.answer, got.data, err
}

// cachingRegistry caches what registries report about images.
type cachingRegistry struct {
	registry  ImageRegistry
	mu        sync.Mutex
	artifacts map[string]answer[bool]
}

func (r *cachingRegistry) Artifact(ctx context.Context, image plan.OCIReference) (bool, error) {
	return cached(&r.mu, r.artifacts, fmt.Sprint(image), func() (bool, error) { return r.registry.Artifact(ctx, image) })
}
