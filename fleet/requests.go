package fleet

import "slices"

// PollNow starts the next round immediately, because the user wants current data or an action was sent.
func (p *Poller) PollNow() {
	select {
	case p.wake <- struct{}{}:
	default: // a call before this one already starts the next round immediately
	}
}

// PollNode starts the next round immediately, and makes it read the given node. It is called when an action was sent
// to the node, or when the node may have been deleted. A node that Ironic does not know is removed from the store.
func (p *Poller) PollNode(uuid string) {
	p.watchMu.Lock()
	if !slices.Contains(p.polled, uuid) {
		p.polled = append(p.polled, uuid)
	}
	p.watchMu.Unlock()
	p.PollNow()
}

// Refresh starts the next round immediately, and a full listing after it.
func (p *Poller) Refresh() {
	p.watchMu.Lock()
	p.refresh = true
	p.watchMu.Unlock()
	p.PollNow()
}

// Watch makes the poller read the given node in every period in which it is in transition. Nodes that are open,
// marked or being deployed from this console should be watched. The effect lasts until Unwatch has been called as
// often as Watch.
func (p *Poller) Watch(uuid string) {
	p.watchMu.Lock()
	defer p.watchMu.Unlock()
	p.watched[uuid]++
}

// Unwatch ends the effect of one call of Watch.
func (p *Poller) Unwatch(uuid string) {
	p.watchMu.Lock()
	defer p.watchMu.Unlock()
	if p.watched[uuid]--; p.watched[uuid] <= 0 {
		delete(p.watched, uuid)
	}
}

// NeedFields adds API fields for filters and columns to all further requests. A new field starts a full listing.
func (p *Poller) NeedFields(fields ...string) {
	p.watchMu.Lock()
	p.needed = append(p.needed, fields...)
	p.watchMu.Unlock()
	p.PollNow()
}

// applyRequests starts the listing that Refresh or NeedFields requested, once the first listing has ended.
func (p *Poller) applyRequests() {
	if p.list.phase != steady && p.list.phase != sweeping {
		return
	}
	p.watchMu.Lock()
	needed, refresh := p.needed, p.refresh
	p.needed, p.refresh = nil, false
	p.watchMu.Unlock()
	before := len(p.opts.Fields)
	for _, f := range needed {
		if !slices.Contains(p.opts.Fields, f) {
			p.opts.Fields = append(p.opts.Fields, f)
		}
	}
	switch {
	case len(p.opts.Fields) > before, refresh && p.list.phase == steady:
		p.beginSweep()
	case refresh: // the running sweep started before the request, so another one must follow
		p.watchMu.Lock()
		p.refresh = true
		p.watchMu.Unlock()
	}
}

// maxSingle is the maximum number of nodes that one round reads one by one.
const maxSingle = 20

// watchedNodes returns the nodes that a round should read one by one. If there are more than maxSingle, it skips the
// nodes that the round has already read, and returns at most maxSingle of the remaining nodes, in turn. If more than
// maxSingle nodes requested by PollNode remain, it also requests a sweep, which finds deleted nodes sooner.
func (p *Poller) watchedNodes(read map[string]bool) []string {
	p.watchMu.Lock()
	defer p.watchMu.Unlock()
	looks := p.polled
	p.polled = nil
	ids := slices.Clone(looks)
	for id := range p.watched {
		if row, _, ok := p.store.Get(id); ok && row.Node.ProvisionState.Busy() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) <= maxSingle {
		return ids
	}
	unread := func(id string) bool { return !read[id] }
	ids = keep(ids, unread)
	if len(keep(looks, unread)) > maxSingle {
		p.requireSweep(sweepUUIDs)
	}
	if len(ids) <= maxSingle {
		return ids
	}
	from, _ := slices.BinarySearch(ids, p.lastSingle)
	ids = append(ids[from:], ids[:from]...)[:maxSingle]
	p.lastSingle = ids[maxSingle-1] + "\x00"
	return ids
}

func keep(ids []string, wanted func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !wanted(id) })
}
