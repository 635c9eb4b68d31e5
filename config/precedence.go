package config

import (
	"slices"

	"ironworks/spell"
)

const defaultURL = "http://127.0.0.1:6385"

// pick selects a context. docs/reference/config.md describes the order of precedence.
func (l *loader) pick() (*candidate, error) {
	l.warnIgnored()
	for _, layer := range []settings{l.flags, l.env} {
		if url, ok := layer[keyURL]; ok {
			return contextOfURL(url), nil
		}
		if name, ok := layer[keyContext]; ok {
			return l.named(name)
		}
		if name, ok := layer[keyCloud]; ok {
			return l.namedCloud(name, "")
		}
	}
	if name, ok := l.ours.top[keyContext]; ok {
		return l.named(name)
	}
	if name, ok := l.variable("OS_CLOUD"); ok {
		c, err := l.namedCloud(name, l.osEnv.settings.text(keyRegion))
		if c != nil {
			c.settings = overCloud(l.osEnv.settings, c.settings).mergedOver(c.settings)
		}
		return c, err
	}
	if l.osEnv.settings.has(keyURL, keyAuthURL) {
		return l.osEnv, nil
	}
	return l.unnamed()
}

// unnamed selects a context if neither flags nor variables nor the configuration file name one.
func (l *loader) unnamed() (*candidate, error) {
	if len(l.ours.contexts) == 1 {
		return l.ours.contexts[0], nil
	}
	if l.clouds.err != nil && len(l.ours.contexts) == 0 {
		return nil, l.clouds.err
	}
	switch names := l.names(); {
	case len(names) == 1:
		return l.find(names[0]), nil
	case len(names) > 1:
		return nil, &PickError{Kind: keyContext, Known: names}
	}
	if l.osEnv.settings.has(keyAuth, keyUsername, keyToken, keyCredentialID, keyCredentialSecret) {
		return l.osEnv, nil // an error then reports which setting is missing
	}
	c := contextOfURL(value{defaultURL, origin{key: "default"}})
	c.Guessed = true
	return c, nil
}

// contextOfURL returns the context for a bare URL.
func contextOfURL(url value) *candidate {
	return &candidate{
		Context: Context{Name: hostOf(url.text), Source: url.at.key}, urlOnly: true, settings: settings{keyURL: url},
		names: func(key string) string {
			if key == keyURL {
				return url.at.key
			}
			return ownName(key)
		},
	}
}

// named returns the context with the given name from the configuration file or, if there is none, the cloud with that
// name.
func (l *loader) named(name value) (*candidate, error) {
	if c := l.find(name.text); c != nil {
		return c, nil
	}
	return nil, l.unknown(name, keyContext, l.names())
}

// namedCloud returns the cloud with the given name, even if a context has the same name.
func (l *loader) namedCloud(name value, region string) (*candidate, error) {
	if c := l.cloud(name.text, region); c != nil {
		c.listed = l.ours.byName[name.text] == nil
		return c, nil
	}
	return nil, l.unknown(name, keyCloud, l.clouds.names())
}

func (l *loader) unknown(name value, kind string, known []string) error {
	if l.clouds.err != nil { // the file that cannot be read may define the name
		return l.clouds.err
	}
	err := &PickError{Name: name.text, From: name.at.key, Kind: kind, Known: known, Near: spell.Nearest(name.text, slices.Values(known))}
	if name.at.file != "" {
		return name.at.fault(err.problem(), err.hint(), err)
	}
	return err
}

// warnIgnored warns about flags that have no effect because other flags override them.
func (l *loader) warnIgnored() {
	var given []string
	for _, key := range []string{keyURL, keyContext, keyCloud} {
		if l.flags.has(key) {
			given = append(given, "--"+key)
		}
	}
	if len(given) < 2 {
		return
	}
	for _, flag := range slices.Backward(given[1:]) {
		l.warn("%s is ignored: %s is also set", flag, given[0])
	}
}
