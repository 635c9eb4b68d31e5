package models

import (
	"errors"
	"strings"
	"testing"
)

func TestBMCOrderCheck(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		order BMCOrder
		field string // "" if the order is valid
	}{
		"power":               {order: BMCOrder{Verb: BMCPowerOn}},
		"boot":                {order: BMCOrder{Verb: BMCBootOnce, Boot: "UefiHttp"}},
		"normal boot":         {order: BMCOrder{Verb: BMCBootOnce, Boot: "none"}},
		"insert":              {order: BMCOrder{Verb: BMCInsert, Image: "https://10.0.0.1:8080/a.iso?x=1", Slot: "1"}},
		"insert nfs":          {order: BMCOrder{Verb: BMCInsert, Image: "nfs://10.0.0.1/srv/a.iso"}},
		"insert cifs":         {order: BMCOrder{Verb: BMCInsert, Image: "cifs://u:p@10.0.0.1/srv/a.iso"}},
		"eject":               {order: BMCOrder{Verb: BMCEject}},
		"no verb":             {field: "verb"},
		"unknown verb":        {order: BMCOrder{Verb: "explode\x1b[2J"}, field: "verb"},
		"no boot source":      {order: BMCOrder{Verb: BMCBootOnce}, field: "boot"},
		"boot source form":    {order: BMCOrder{Verb: BMCBootOnce, Boot: "Cd\x1b[2J"}, field: "boot"},
		"boot source path":    {order: BMCOrder{Verb: BMCBootOnce, Boot: "../Cd"}, field: "boot"},
		"boot of another":     {order: BMCOrder{Verb: BMCPowerOn, Boot: "Cd"}, field: "boot"},
		"image of another":    {order: BMCOrder{Verb: BMCEject, Image: "http://h/a.iso"}, field: "image"},
		"slot of another":     {order: BMCOrder{Verb: BMCReset, Slot: "1"}, field: "slot"},
		"no image":            {order: BMCOrder{Verb: BMCInsert}, field: "image"},
		"a path":              {order: BMCOrder{Verb: BMCInsert, Image: "/srv/a.iso"}, field: "image"},
		"a file":              {order: BMCOrder{Verb: BMCInsert, Image: "file:///srv/a.iso"}, field: "image"},
		"no host":             {order: BMCOrder{Verb: BMCInsert, Image: "http:///a.iso"}, field: "image"},
		"no path":             {order: BMCOrder{Verb: BMCInsert, Image: "http://h/"}, field: "image"},
		"control characters":  {order: BMCOrder{Verb: BMCInsert, Image: "http://h/a\n.iso"}, field: "image"},
		"not UTF-8":           {order: BMCOrder{Verb: BMCInsert, Image: "http://h/a\xff.iso"}, field: "image"},
		"a space":             {order: BMCOrder{Verb: BMCInsert, Image: "http://h/a b.iso"}, field: "image"},
		"no end":              {order: BMCOrder{Verb: BMCInsert, Image: "http://h/" + strings.Repeat("a", 3000)}, field: "image"},
		"a fragment":          {order: BMCOrder{Verb: BMCInsert, Image: "http://h/a.iso#b"}, field: "image"},
		"a slot that is none": {order: BMCOrder{Verb: BMCInsert, Image: "http://h/a.iso", Slot: "../1"}, field: "slot"},
		"eject where":         {order: BMCOrder{Verb: BMCEject, Slot: "\x1b[2J"}, field: "slot"},
		"a secret in a URL":   {order: BMCOrder{Verb: BMCInsert, Image: "ftp://u:secret@h/a.iso?sig=secret"}, field: "image"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tt.order.Check()
			var bad *BMCOrderError
			if errors.As(err, &bad) != (tt.field != "") || bad != nil && bad.Field != tt.field {
				t.Fatalf("got %v, want one of %q", err, tt.field)
			}
			if err != nil && (strings.Contains(err.Error(), "\x1b") || strings.Contains(err.Error(), "secret") || len(err.Error()) > 600) {
				t.Errorf("it is not fit to be shown: %q", err)
			}
		})
	}
}

func TestBMCOrderName(t *testing.T) {
	t.Parallel()
	for want, order := range map[string]BMCOrder{
		"power off":                           {Verb: BMCPowerOff},
		"boot once from Cd":                   {Verb: BMCBootOnce, Boot: "Cd"},
		"normal boot":                         {Verb: BMCBootOnce, Boot: "None"},
		"insert cifs://u@h/a.iso into slot 2": {Verb: BMCInsert, Image: "cifs://u:secret@h/a.iso", Slot: "2"},
		"insert http://h/a.iso?" + Mask:       {Verb: BMCInsert, Image: "http://h/a.iso?sig=secret"},
		"eject media":                         {Verb: BMCEject},
		"eject media from slot 2":             {Verb: BMCEject, Slot: "2"},
		"clear jobs":                          {Verb: BMCClearJobs},
		"reset BMC":                           {Verb: BMCResetController},
	} {
		if got := order.Name(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestBMCOrderEffect checks that every verb describes its effect, and that only "boot once" and "insert media" are
// marked as harmless. An unknown verb must be marked as the most dangerous.
func TestBMCOrderEffect(t *testing.T) {
	t.Parallel()
	harmless := map[BMCVerb]bool{BMCBootOnce: true, BMCInsert: true}
	for _, v := range BMCVerbs() {
		e := BMCOrder{Verb: v, Boot: "Cd"}.Effect()
		if e.Text == "" || (e.Danger == DangerNone) != harmless[v] || e.Danger > DangerInterrupts {
			t.Errorf("%s: %+v", v, e)
		}
	}
	if e := (BMCOrder{Verb: "explode"}).Effect(); e.Danger != DangerErases {
		t.Errorf("what is not known is harmless: %+v", e)
	}
}
