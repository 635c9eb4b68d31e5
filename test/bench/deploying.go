package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"ironworks/audit"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/test/ironic"
)

// deployCount is the number of machines that are deployed together.
const deployCount = 100

// deploying deploys deployCount nodes at once, including checks and records. It compares the time with that of a
// client that only sends the same patch, validate and provision requests.
func deploying(ctx context.Context, s *ironic.Server, _ string, rounds int) error {
	client, err := ironicclient.New(models.Connection{Endpoint: s.URL}, ironicclient.Options{})
	if err != nil {
		return err
	}
	defer client.Close()
	book, err := audit.Open(filepath.Join(s.Dir, "audit.jsonl"))
	if err != nil {
		return err
	}
	defer func() { _ = book.Close() }()
	b := &deployBench{server: s, client: client, runner: &provision.Runner{API: client, Audit: book, Context: "bench"}}
	var ids []string
	for range 2 * deployCount {
		id, err := s.EnrollNode(ctx, map[string]any{"driver": "fake-hardware", "deploy_interface": "fake"})
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	for _, verb := range []models.Verb{models.VerbManage, models.VerbProvide} {
		if err := b.all(ctx, verb, ids); err != nil {
			return err
		}
	}
	var ours, theirs []time.Duration
	var ratios []float64
	for round := range rounds {
		// In each round, the two halves of the nodes swap roles, and the two methods swap their order.
		mine, others := ids[:deployCount], ids[deployCount:]
		var a, c time.Duration
		var err error
		if round%2 == 0 {
			if a, err = b.deploy(ctx, mine); err == nil {
				c, err = b.bare(ctx, others)
			}
		} else {
			mine, others = others, mine
			if c, err = b.bare(ctx, others); err == nil {
				a, err = b.deploy(ctx, mine)
			}
		}
		if err != nil {
			return err
		}
		if err := b.rest(ctx, ids); err != nil {
			return err
		}
		if err := b.all(ctx, models.VerbUndeploy, ids); err != nil {
			return err
		}
		ours, theirs, ratios = append(ours, a), append(theirs, c), append(ratios, float64(a)/float64(c))
	}
	fmt.Printf("  deploying: %d at once            %s\n", deployCount, spread(ours))
	fmt.Printf("  deploying: patch, validate, provision %s\n", spread(theirs))
	fmt.Printf("  deploying: ratio (≤ 1.1)          %s\n", spread(ratios))
	return nil
}

type deployBench struct {
	server *ironic.Server
	client *ironicclient.Client
	runner *provision.Runner
}

// all performs the verb on the nodes and waits until it has succeeded on all of them.
func (b *deployBench) all(ctx context.Context, verb models.Verb, ids []string) error {
	nodes, err := provision.FindNodes(ctx, b.client, ids)
	if err != nil {
		return err
	}
	plan := b.runner.Plan(provision.Provision(models.ProvisionRequest{Verb: verb}), nodes)
	return wanted(b.runner.Run(ctx, plan, provision.RunOptions{Wait: true}), provision.OutcomeDone)
}

// rest waits until all nodes are in a stable state.
func (b *deployBench) rest(ctx context.Context, ids []string) error {
	return ironic.Poll(ctx, time.Second, func(ctx context.Context) (bool, error) {
		nodes, err := provision.FindNodes(ctx, b.client, ids)
		for i := range nodes {
			if !nodes[i].ProvisionState.Resting() {
				return false, nil
			}
		}
		return err == nil, err
	})
}

func wanted(results []provision.Result, o provision.Outcome) error {
	for _, r := range results {
		if r.Outcome != o {
			return fmt.Errorf("%s: %s in %s: %w", r.Node.Label(), r.Outcome, r.State, r.Err)
		}
	}
	return nil
}

// deploy does what `ironworks deploy` does until Ironic has accepted all requests.
func (b *deployBench) deploy(ctx context.Context, ids []string) (time.Duration, error) {
	dir, err := os.MkdirTemp(b.server.Dir, "deployments")
	if err != nil {
		return 0, err
	}
	began := time.Now()
	nodes, err := provision.FindNodes(ctx, b.client, ids)
	if err != nil {
		return 0, err
	}
	checks := &provision.Preflighter{Reader: b.client, Deployments: &provision.Deployments{Dir: dir}}
	action := provision.Deploy(checks, func(*models.Node) (provision.Deployment, error) { return provision.Deployment{}, nil })
	action.Preflight(ctx, nodes)
	err = wanted(b.runner.Run(ctx, b.runner.Plan(action, nodes), provision.RunOptions{}), provision.OutcomeAccepted)
	return time.Since(began), err
}

// bare sends only the patch, validate and provision requests of the same deployments, with the same concurrency. It
// omits the other requests that the checks make.
func (b *deployBench) bare(ctx context.Context, ids []string) (time.Duration, error) {
	began := time.Now()
	err := b.each(ids, func(id string) error {
		return b.send(ctx, http.MethodGet, "/v1/nodes/"+id+"/validate", nil, http.StatusOK)
	})
	if err != nil {
		return 0, err
	}
	err = b.each(ids, func(id string) error {
		path := "/v1/nodes/" + id
		reserve := []map[string]any{{"op": "add", "path": "/instance_uuid", "value": id}}
		if err := b.send(ctx, http.MethodPatch, path, reserve, http.StatusOK); err != nil {
			return err
		}
		if err := b.send(ctx, http.MethodGet, path+"/validate", nil, http.StatusOK); err != nil {
			return err
		}
		return b.send(ctx, http.MethodPut, path+"/states/provision", map[string]any{"target": "active"}, http.StatusAccepted)
	})
	return time.Since(began), err
}

// each calls do for all IDs. Up to [provision.Concurrency] calls run at the same time.
func (b *deployBench) each(ids []string, do func(id string) error) error {
	var calls errgroup.Group
	calls.SetLimit(provision.Concurrency)
	for _, id := range ids {
		calls.Go(func() error { return do(id) })
	}
	return calls.Wait()
}

// send sends a request and repeats it while the node is locked, as ironicclient does.
func (b *deployBench) send(ctx context.Context, method, path string, body any, want int) error {
	for {
		status, answer, err := b.server.Do(ctx, method, path, body)
		switch {
		case err != nil:
			return err
		case status == want:
			return nil
		case status != http.StatusConflict && status != http.StatusServiceUnavailable:
			return fmt.Errorf("%s %s: %d %s", method, path, status, answer)
		}
		if err := wait(ctx, 2*time.Second); err != nil {
			return err
		}
	}
}
