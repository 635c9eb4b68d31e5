package lab

import (
	"context"
	"slices"
	"sync"
)

// chapter is an action on a node. The next chapter starts when the node has reached the state ends.
type chapter struct {
	verb string
	ends string
}

var (
	manage  = chapter{"manage", "manageable"}
	inspect = chapter{"inspect", "manageable"}
	provide = chapter{"provide", "available"}
	deploy  = chapter{"active", "active"}
)

// stories maps nodes to the actions that a new lab starts without a user's request, so that operations run and some
// nodes need attention.
var stories = map[string][]chapter{
	"r7-n01": {manage, provide, deploy},
	"r7-n02": {manage, inspect, provide, deploy},
	"r7-n03": {manage, provide, deploy},
	"r7-n04": {manage, inspect, provide},
	"r7-n05": {manage},
	"r7-n06": {manage},
	"r7-n07": {manage, provide, deploy},
	"r7-n08": {manage, provide},
	"r7-n09": {manage, inspect},
	"r7-n10": {manage, inspect},
	"r7-n11": {manage, provide, deploy},
}

// skipCleaningNodes lists the nodes that become available without cleaning, so that deployments start early.
var skipCleaningNodes = []string{"r7-n01", "r7-n02", "r7-n03", "r7-n04", "r7-n07", "r7-n11"}

// readyNode is inspected through its BMC, without a boot, so that one node is available right after the start.
const readyNode = "r7-n04"

// playStories plays the stories of the named nodes. It returns when all stories have ended or ctx is done.
func playStories(ctx context.Context, c *client, names []string) {
	var telling sync.WaitGroup
	for _, name := range names {
		if story := stories[name]; story != nil {
			telling.Go(func() { c.play(ctx, name, story) })
		}
	}
	telling.Wait()
}

// play plays one story. It ends if the node is in an unexpected state, or Ironic rejects an action.
func (c *client) play(ctx context.Context, name string, story []chapter) {
	for _, chapter := range story {
		body := map[string]any{"target": chapter.verb}
		if chapter.verb == deploy.verb {
			body["deploy_steps"] = []any{map[string]any{"interface": "deploy", "step": "install_coreos", "args": map[string]any{}, "priority": 80}}
			body["configdrive"] = map[string]any{"user_data": map[string]any{"ignition": map[string]any{"version": "3.4.0"}}}
		}
		if c.provision(ctx, name, body) != nil || !c.waitForState(ctx, name, chapter.ends) {
			return
		}
	}
}

var restingStates = []string{
	"enroll", "manageable", "available", "active", "error", "rescue",
	"deploy failed", "clean failed", "inspect failed",
}

// waitForState waits until the node is unlocked and in a stable state, and reports whether it is the wanted one.
func (c *client) waitForState(ctx context.Context, name, want string) bool {
	for {
		state, reservation, err := c.state(ctx, name)
		if err != nil || reservation == "" && slices.Contains(restingStates, state) {
			return err == nil && state == want
		}
		if !pace(1).wait(ctx, pollInterval) {
			return false
		}
	}
}
