package models_test

import (
	"errors"
	"testing"

	"ironworks/models"
)

func TestCheckKernelParameters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, line string
		column     int
		why        string
	}{
		{"a live boot", "coreos.live.rootfs_url=http://[fd00::1]:8080/rootfs.img ignition.firstboot ignition.platform.id=metal ip=10.0.0.5::10.0.0.1:255.255.255.0:n1:eth0:none:10.0.0.2", 0, ""},
		{"nothing", " ", 0, ""},
		{"quotes", `a="b c" d`, 0, ""},
		{"init", "a -- x:y", 0, ""},
		{"no value", "a b= c", 5, "found ' ' instead of a value"},
		{"no value at the end", "a b=", 5, "a value is missing at the end"},
		{"a key with a colon", "a:b", 2, "found ':' instead of a space"},
		{"a key with a slash", "a /b", 3, "found '/' instead of a key of letters, digits, _, - and ."},
		{"a quote in a value", `a=b"c`, 4, `found '"' instead of a space`},
		{"an open quote", `a="b c`, 7, "a closing quote is missing at the end"},
		{"a second line", "a\nb", 2, `found '\n' instead of a space`},
		{"not ASCII", "a=1 b=ü", 7, "found 'ü' instead of a value"},
		{"Ironic's default as it is", "%default% a", 1, "found '%' instead of a key of letters, digits, _, - and ."},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := models.CheckKernelParameters(test.line)
			if test.why == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var refused *models.KernelParametersError
			if !errors.As(err, &refused) || refused.Column != test.column || refused.Why != test.why {
				t.Errorf("%v", err)
			}
		})
	}
	if err := models.CheckKernelAppendParams("%default% a=1"); err != nil {
		t.Error(err)
	}
	if err := models.CheckKernelAppendParams("%other% a=1"); err == nil {
		t.Error("another placeholder is taken")
	}
}
