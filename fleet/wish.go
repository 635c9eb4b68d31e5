package fleet

import "slices"

// Hurry begins the next round now instead of when it is due: somebody asked, or an
// action was just sent.
func (p *Poller) Hurry() {
	select {
	case p.hurry <- struct{}{}:
	default: // the next round begins at once already
	}
}

// Look asks for one node in the next round, which begins now: it was acted on, or it
// may be gone. A node that Ironic no longer knows leaves the store.
func (p *Poller) Look(uuid string) {
	p.watchMu.Lock()
	if !slices.Contains(p.looks, uuid) {
		p.looks = append(p.looks, uuid)
	}
	p.watchMu.Unlock()
	p.Hurry()
}

// Refresh begins the next round now, and a full listing after it.
func (p *Poller) Refresh() {
	p.watchMu.Lock()
	p.refresh = true
	p.watchMu.Unlock()
	p.Hurry()
}

// Watch looks at a node by itself each period while it is in transition: one that is
// open, marked or being deployed from here. As many calls of Unwatch end that.
func (p *Poller) Watch(uuid string) {
	p.watchMu.Lock()
	defer p.watchMu.Unlock()
	p.watched[uuid]++
}

// Unwatch ends what one Watch began.
func (p *Poller) Unwatch(uuid string) {
	p.watchMu.Lock()
	defer p.watchMu.Unlock()
	if p.watched[uuid]--; p.watched[uuid] <= 0 {
		delete(p.watched, uuid)
	}
}

// Need adds API fields to what is asked of every node from now on, for a filter or a
// column that was just chosen. What is new is fetched with a full listing.
func (p *Poller) Need(fields ...string) {
	p.watchMu.Lock()
	p.needed = append(p.needed, fields...)
	p.watchMu.Unlock()
	p.Hurry()
}

// takeNeeds begins the listing that was asked for, with the fields that it needs; while
// the first one is under way that waits for its end.
func (p *Poller) takeNeeds() {
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
	case refresh: // the pages that this sweep has read are older than the wish
		p.watchMu.Lock()
		p.refresh = true
		p.watchMu.Unlock()
	}
}

// asideMost is how many nodes one round asks for by themselves.
const asideMost = 20

// watchedNodes are the nodes that a round asks for by themselves. Of more than a few it
// leaves out those that were read before in the round, and takes the others in turn; what
// of many is gone a sweep finds sooner.
func (p *Poller) watchedNodes(read map[string]bool) []string {
	p.watchMu.Lock()
	defer p.watchMu.Unlock()
	looks := p.looks
	p.looks = nil
	ids := slices.Clone(looks)
	for id := range p.watched {
		if row, _, ok := p.store.Get(id); ok && row.Node.ProvisionState.Busy() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) <= asideMost {
		return ids
	}
	unread := func(id string) bool { return !read[id] }
	ids = filter(ids, unread)
	if len(filter(looks, unread)) > asideMost {
		p.doubtful(doubtGone)
	}
	if len(ids) <= asideMost {
		return ids
	}
	from, _ := slices.BinarySearch(ids, p.aside)
	ids = append(ids[from:], ids[:from]...)[:asideMost]
	p.aside = ids[asideMost-1] + "\x00"
	return ids
}

func filter(ids []string, keep func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !keep(id) })
}
