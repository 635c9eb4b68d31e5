package provision

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/printable"
	"ironworks/provision/images"
)

// Facts returns the facts of n's preflight, or nil before the preflight. The caller must not change them.
func (a *DeployAction) Facts(n *models.Node) *plan.Facts {
	return a.checked(n).facts
}

// Cached returns a Preflighter that caches the responses it receives. It is for forms, which repeat the checks after
// every change and must not connect to the BMC each time, but not for deployments.
func (p *Preflighter) Cached() *Preflighter {
	fresh := p.Fresh()
	fresh.Reader = &cachingReader{Reader: p.Reader}
	if p.Offered != nil {
		var offered memo[*plan.OfferedSteps]
		fresh.Offered = func(uuid string) *plan.OfferedSteps {
			steps, _ := offered.get(uuid, func() (*plan.OfferedSteps, error) { return p.Offered(uuid), nil })
			return steps
		}
	}
	if p.Images != nil {
		fresh.Images = &cachingWeb{web: p.Images}
	}
	if p.Registry != nil {
		fresh.Registry = &cachingRegistry{registry: p.Registry}
	}
	return fresh
}

// memo stores answers by key. The zero value is ready for use.
type memo[T any] struct {
	mu      sync.Mutex
	answers map[string]*answer[T]
}

// answer is a response, or a "not found" error, once it is known.
type answer[T any] struct {
	mu    sync.Mutex
	known bool
	value T
	err   error
}

// get returns the stored answer for key. If there is none, it calls ask, while other calls with the same key wait. It
// stores the answer unless it is an error other than "not found".
func (m *memo[T]) get(key string, ask func() (T, error)) (T, error) {
	m.mu.Lock()
	if m.answers == nil {
		m.answers = map[string]*answer[T]{}
	}
	a := m.answers[key]
	if a == nil {
		a = &answer[T]{}
		m.answers[key] = a
	}
	m.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.known {
		a.value, a.err = ask()
		a.known = a.err == nil || models.IsFault(a.err, models.FaultNotFound)
	}
	return a.value, a.err
}

// onceList is a list that is read only once. If that fails, problem is the reason.
type onceList[T any] struct {
	once    sync.Once
	list    []T
	problem string
}

func (o *onceList[T]) get(read func() ([]T, error)) (list []T, problem string) {
	o.once.Do(func() {
		var err error
		if o.list, err = read(); err != nil {
			o.problem = printable.Line(err.Error())
		}
	})
	return o.list, o.problem
}

// cachingReader caches the answers of a Reader. It does not cache errors, except for "not found".
type cachingReader struct {
	Reader
	inventories memo[json.RawMessage]
	validations memo[[]models.Validation]
	drivers     memo[[]models.Driver]
	conductors  memo[[]models.Conductor]
	templates   memo[[]models.DeployTemplate]

	listing sync.Mutex
	pages   []*ironicclient.NodePage
	listed  bool
}

func (r *cachingReader) Inventory(ctx context.Context, node string) (json.RawMessage, error) {
	return r.inventories.get(node, func() (json.RawMessage, error) { return r.Reader.Inventory(ctx, node) })
}

func (r *cachingReader) Validate(ctx context.Context, id string) ([]models.Validation, error) {
	return r.validations.get(id, func() ([]models.Validation, error) { return r.Reader.Validate(ctx, id) })
}

func (r *cachingReader) Drivers(ctx context.Context) ([]models.Driver, error) {
	return r.drivers.get("", func() ([]models.Driver, error) { return r.Reader.Drivers(ctx) })
}

func (r *cachingReader) Conductors(ctx context.Context) ([]models.Conductor, error) {
	return r.conductors.get("", func() ([]models.Conductor, error) { return r.Reader.Conductors(ctx) })
}

func (r *cachingReader) DeployTemplates(ctx context.Context) ([]models.DeployTemplate, error) {
	return r.templates.get("", func() ([]models.DeployTemplate, error) { return r.Reader.DeployTemplates(ctx) })
}

// EachPage lists the nodes once and then repeats the pages, up to the point at which the first caller stopped.
func (r *cachingReader) EachPage(ctx context.Context, q ironicclient.NodeQuery, yield func(*ironicclient.NodePage) error) error {
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
	err := r.Reader.EachPage(ctx, q, func(page *ironicclient.NodePage) error {
		pages = append(pages, page)
		enough = yield(page)
		return enough
	})
	if err == nil || enough != nil {
		r.pages, r.listed = pages, true
	}
	return err
}

type cachingWeb struct {
	web   images.Servers
	heads memo[images.Answer]
	parts memo[webPart]
}

type webPart struct {
	answer images.Answer
	data   []byte
}

func (r *cachingWeb) Head(ctx context.Context, address string) (images.Answer, error) {
	return r.heads.get(address, func() (images.Answer, error) { return r.web.Head(ctx, address) })
}

func (r *cachingWeb) Get(ctx context.Context, address string, most int, part bool) (images.Answer, []byte, error) {
	got, err := r.parts.get(fmt.Sprint(most, part, address), func() (webPart, error) {
		answer, data, err := r.web.Get(ctx, address, most, part)
		return webPart{answer, data}, err
	})
	return got.answer, got.data, err
}

type cachingRegistry struct {
	registry  images.Registries
	artifacts memo[bool]
}

func (r *cachingRegistry) Artifact(ctx context.Context, image plan.OCIReference) (bool, error) {
	return r.artifacts.get(fmt.Sprint(image), func() (bool, error) { return r.registry.Artifact(ctx, image) })
}
