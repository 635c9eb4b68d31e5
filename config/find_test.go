package config_test

import (
	"errors"
	"testing"

	"ironworks/config"
)

func TestFindAContext(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	c := &config.Config{Contexts: []config.Context{{Name: "a", Source: "file:1"}, {Name: "b", Source: "file:2", Err: broken}}}
	c.Current = config.Context{Name: "a", Source: "file:1", ReadOnly: true}
	if all := c.All(); len(all) != 2 {
		t.Errorf("%d contexts, want those of the file", len(all))
	}
	if x, err := c.Find("a"); err != nil || !x.ReadOnly {
		t.Errorf("%+v, %v: want what the flags add", x, err)
	}
	if _, err := c.Find("b"); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if _, err := c.Find("c\x1b"); err == nil || err.Error() != `no context "c\\x1b"` {
		t.Errorf("%v", err)
	}
	c.Current = config.Context{Name: "elsewhere", Source: "--url"}
	if all := c.All(); len(all) != 3 || all[0].Name != "elsewhere" || len(c.Contexts) != 2 {
		t.Errorf("%+v", all)
	}
}
