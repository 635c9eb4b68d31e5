package models_test

import (
	"testing"

	"ironworks/models"
)

func TestTypedNameIsTypeable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"r7-n01": "r7-n01", "节点": "u1", "r7\u202en01": "u1", "two words": "u1", "": "u1",
	} {
		n := models.Node{UUID: "u1", Name: name}
		if got := n.TypedName(); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

func TestConsentByDanger(t *testing.T) {
	t.Parallel()
	for danger, want := range map[models.Danger]models.Consent{
		models.DangerNone: models.ConsentNone, models.DangerInterrupts: models.ConsentYes,
		models.DangerForgets: models.ConsentTyped, models.DangerMayErase: models.ConsentTyped, models.DangerErases: models.ConsentTyped, 99: models.ConsentTyped,
	} {
		if got := danger.Consent(); got != want {
			t.Errorf("danger %d: consent %d, want %d", danger, got, want)
		}
	}
}
