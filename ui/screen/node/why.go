package node

import "ironworks/ui/action"

// DisabledReason returns the reason why an action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	if a, ok := action.Find(id); ok && a.Scope == action.Nodes {
		return s.whyNode()
	}
	if s.tab == logTab {
		if why := s.shownLog().DisabledReason(id); why != "" {
			return why
		}
	}
	if a, ok := action.Find(id); ok && a.Scope == action.NodeBMC {
		return s.whyBMC(id)
	}
	if a, ok := action.Find(id); ok && a.Scope == action.NodeNet {
		return s.whyPorts(id)
	}
	switch id {
	case action.PinDisk:
		return s.whyPin()
	case action.Preview:
		if _, some := s.diskRows.Cursor(); !some {
			return textNoDisk
		}
	case action.Open:
		switch s.tab {
		case disksTab:
			return s.whyPin()
		case networkTab:
			return s.whyPorts(action.PortEdit)
		}
		if _, some := s.timeline.list.Cursor(); some && s.tab == timelineTab {
			return ""
		}
		return textNoDetails
	case action.Diff:
		switch {
		case s.tab != rawTab:
			return textRawElsewhere
		case s.raw.before == nil:
			return s.env.Keys.Text(textReadOnce)
		}
	case action.NextMatch, action.PrevMatch:
		if p := s.pane(); p != nil && p.Query() == "" {
			return textNoSearch
		}
	case action.WrapLines:
		if s.tab == overviewTab || s.tab == bmcTabPlace {
			return textAlreadyWrapped
		}
	default:
	}
	return ""
}

// whyNode returns the reason why all actions on the node are disabled, or "" if they are not.
func (s *Screen) whyNode() string {
	switch {
	case s.session == nil:
		return textNotConnected
	case s.gone():
		return textNodeDeleted
	case !s.known():
		return textNodeUnknown
	}
	return "" // the root decides about each action
}
