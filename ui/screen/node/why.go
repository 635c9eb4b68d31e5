package node

import "ironworks/ui/action"

// Why says why an action cannot be done now.
func (s *Screen) Why(id action.ID) string {
	if a, ok := action.Find(id); ok && a.Scope == action.Nodes {
		return s.whyNode()
	}
	if s.tab == logTab {
		if why := s.shownLog().Why(id); why != "" {
			return why
		}
	}
	if a, ok := action.Find(id); ok && a.Scope == action.NodeBMC {
		return s.whyBMC(id)
	}
	switch id {
	case action.PinDisk:
		return s.whyPin()
	case action.Open:
		if _, some := s.diskRows.Cursor(); some && s.tab == disksTab {
			return ""
		}
		if _, some := s.timeline.list.Cursor(); some && s.tab == timelineTab {
			return ""
		}
		return "there is no more to it than what is shown"
	case action.Diff:
		switch {
		case s.tab != rawTab:
			return "the Raw tab has it"
		case s.raw.before == nil:
			return "the node was read only once so far; ctrl+r reads it again"
		}
	case action.NextMatch, action.PrevMatch:
		if p := s.pane(); p != nil && p.Query() == "" {
			return "nothing is searched for"
		}
	case action.WrapLines:
		if s.tab == overviewTab || s.tab == bmcTabPlace {
			return "lines are wrapped already"
		}
	default:
	}
	return ""
}

// whyNode says why nothing at all can be done to the node.
func (s *Screen) whyNode() string {
	switch {
	case s.session == nil:
		return "there is no connection"
	case s.gone():
		return "the node was deleted"
	case !s.known():
		return "the node is not known yet"
	}
	return "" // the root knows what is legal
}
