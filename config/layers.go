package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/viper"
)

// ownVariables lists the settings that can be set by IRONWORKS_* variables.
var ownVariables = []string{
	keyContext, keyCloud, keyURL, keyReadOnly, keyTimeout,
	keyCACert, keyInsecure, keyUsername, keyPassword,
}

func ownName(key string) string { return "IRONWORKS_" + strings.ToUpper(key) }

// ownEnvironment reads the IRONWORKS_* variables.
func (l *loader) ownEnvironment() (settings, []error) {
	s := settings{}
	var errs []error
	for _, key := range ownVariables {
		v, ok := l.variable(ownName(key))
		if !ok {
			continue
		}
		switch key {
		case keyReadOnly, keyInsecure:
			is, known := parseBool(v.text)
			if !known {
				errs = append(errs, v.at.fault("must be true or false", "", nil))
				continue
			}
			v.text = strconv.FormatBool(is)
		case keyTimeout:
			if _, err := timeout(v); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		s[key] = v
	}
	s.expandPaths(l.Home, l.WorkDir)
	return s, errs
}

// settings converts the flags to settings. It omits flags that are not set.
func (f Flags) settings() settings {
	s := settings{}
	put := func(key, flag, text string) {
		if text != "" {
			s[key] = value{text, origin{key: flag}}
		}
	}
	put(keyContext, "--context", f.Context)
	put(keyCloud, "--cloud", f.Cloud)
	put(keyURL, "--url", f.URL)
	put(keyCACert, "--cacert", f.CACert)
	put(keyUsername, "--username", f.Username)
	if f.ReadOnly != nil {
		put(keyReadOnly, "--read-only", strconv.FormatBool(*f.ReadOnly))
	}
	if f.Insecure != nil {
		put(keyInsecure, "--insecure", strconv.FormatBool(*f.Insecure))
	}
	if f.Timeout != 0 {
		put(keyTimeout, "--connect-timeout", f.Timeout.String())
	}
	return s
}

// layered merges the top level of the configuration file, the IRONWORKS_* variables and the flags.
//
// viper does not read these sources itself, because it would use the process's environment, convert keys to lower
// case and split them at dots, which breaks the names of contexts.
func layered(file, env, flags settings) *viper.Viper {
	v := viper.New()
	for key, val := range file {
		v.SetDefault(key, val)
	}
	variables := make(map[string]any, len(env))
	for key, val := range env {
		variables[key] = val
	}
	_ = v.MergeConfigMap(variables) // it fails only for values that are not maps
	for key, val := range flags {
		v.Set(key, val)
	}
	return v
}

// above returns the settings with the given keys that IRONWORKS_* variables or flags set. They override the settings
// of a context.
func (l *loader) above(keys ...string) settings {
	s := settings{}
	for _, key := range keys {
		if v, ok := l.layers.Get(key).(value); ok && v.at.file == "" {
			s[key] = v
		}
	}
	return s
}

// timeout parses a duration such as "30s", or a number of seconds. It returns 0 if the value is unset.
func timeout(v value) (time.Duration, error) {
	text := v.text
	if text == "" {
		return 0, nil
	}
	if strings.Trim(text, "0123456789") == "" {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, v.at.fault(fmt.Sprintf("%q is not a positive duration", v.text), "use 30s, 2m or a number of seconds", err)
	}
	return d, nil
}
