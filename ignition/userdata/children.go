package userdata

import (
	"bytes"
	"fmt"

	"github.com/coreos/ignition/v2/config/v3_6"
	"github.com/coreos/ignition/v2/config/v3_6/types"
	"github.com/coreos/vcontext/validate"
)

// maxMergedBytes limits how many bytes are copied in total when parts are merged.
const maxMergedBytes = 1 << 30

// effective checks the configuration merged with all parts in data URLs and the hostname file of the agent.
func (c *checker) effective(s *scope, data []byte, root *element) {
	before := c.errors
	config, ok := c.rendered(s, data, root)
	if !ok || c.errors > before {
		return
	}
	whole := config
	if c.children == 0 {
		config = besideHostname(config) // the rest is validated already
	}
	var fatal string
	if err := guarded(func() error {
		for _, entry := range validate.Validate(v3_6.Merge(agentsParent(), config), "json").Entries {
			if entry.Kind.IsFatal() {
				fatal = fmt.Sprintf("%s: %s", entry.Context, entry.Message)
			}
		}
		return nil
	}); err != nil {
		c.add(s, IDLibraryFailed, nil, "Ignition's library crashes on this input, so the machine would not boot: please report the crash")
	}
	if fatal != "" {
		c.add(s, IDMergedInvalid, nil, "Ignition rejects this configuration when merged with its parts and the agent's /etc/hostname; the machine does not boot: "+fatal)
		return
	}
	c.firstBoot(whole)
}

// besideHostname returns those parts of a configuration that could conflict with an additional hostname file.
func besideHostname(config types.Config) types.Config {
	beside := types.Config{Ignition: types.Ignition{Version: config.Ignition.Version}}
	beside.Storage.Links, beside.Storage.Directories = config.Storage.Links, config.Storage.Directories
	for _, file := range config.Storage.Files {
		if file.Path == hostnamePath {
			beside.Storage.Files = append(beside.Storage.Files, file)
		}
	}
	return beside
}

// agentsParent returns the configuration into which the user's configuration is merged at boot. It corresponds to the
// wrapper from [ForInstall], with the hostname file that install_coreos adds.
func agentsParent() types.Config {
	mode, overwrite, source := 0o644, true, "data:,host"
	var parent types.Config
	parent.Ignition.Version = NewestSpec.String()
	parent.Storage.Files = []types.File{{
		Node:          types.Node{Path: hostnamePath, Overwrite: &overwrite},
		FileEmbedded1: types.FileEmbedded1{Mode: &mode, Contents: types.Resource{Source: &source}},
	}}
	return parent
}

// rendered returns the configuration merged with its parts in Ignition's order, without remote parts.
func (c *checker) rendered(s *scope, data []byte, root *element) (types.Config, bool) {
	config, ok := c.configuration(s, data, root)
	refs := root.down("ignition", "config")
	path := elementPath{"ignition", "config"}
	if replace := refs.member("replace"); replace.member("source") != nil && replace.member("source").kind == elementString {
		child, known, childOK := c.child(s, replace, path.at("replace"), useReplace)
		if !known {
			return config, ok && childOK
		}
		return child, ok && childOK
	}
	merges := refs.member("merge").items()
	if len(merges)*len(data) > maxMergedBytes {
		c.add(s, IDTooComplex, path.at("merge"), "the parts are too many and too large to combine: host large files elsewhere and refer to them")
		return config, false
	}
	config.Ignition.Config = types.IgnitionConfig{} // otherwise, each merge would copy the list of parts
	for i, merge := range merges {
		child, known, childOK := c.child(s, merge, path.at("merge", i), useMerge)
		ok = ok && childOK
		if ok && known {
			config = v3_6.Merge(config, child)
		}
	}
	return config, ok
}

// child checks a part of the configuration and returns it. known is false if the content of the part is unknown, for
// example because it is remote.
func (c *checker) child(s *scope, e *element, path elementPath, use resourceUse) (config types.Config, known, ok bool) {
	before := c.errors
	defer func() { c.hasInvalidPart = c.hasInvalidPart || !ok }()
	content, known := c.resource(s, e, path, use)
	if !known {
		return config, false, c.errors == before
	}
	switch c.children++; {
	case len(bytes.TrimSpace(content)) == 0:
		c.add(s, IDChildEmpty, path, "empty part: Ignition would drop the whole configuration; remove it")
	case s.depth >= maxChildDepth:
		c.add(s, IDTooDeep, path, fmt.Sprintf("configurations nested deeper than %d levels: flatten them", maxChildDepth))
	case c.children > maxChildren:
		c.add(s, IDTooComplex, path, fmt.Sprintf("more than %d nested configurations: merge them", maxChildren))
	}
	if c.errors > before {
		return config, true, false
	}
	outer, at := s.locate(path.at("source"), false)
	inner := &scope{depth: s.depth + 1, locate: func(path elementPath, _ bool) (string, place) {
		return fmt.Sprintf("%s(%s)", outer, path), at
	}}
	root, findings := readJSON(content)
	if root == nil || root.kind != elementObject {
		if d := detect(content); d.kind != KindIgnition && d.kind != KindJSON {
			c.add(s, IDChildNotIgnition, path.at("source"), fmt.Sprintf("the part in this data URL is %s, not Ignition JSON: Ignition before 2.27 rejects it; translate or unpack it first", d.kind))
			return config, true, false
		}
	}
	c.findings(inner, findings)
	if root == nil {
		return config, true, false
	}
	config, ok = c.rendered(inner, content, root)
	return config, true, ok && c.errors == before
}
