package explain_test

import (
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
)

// TestSentenceOfARescuedNode checks that the sentence for a rescued node depends on its power state. After a rescue
// with virtual media, Ironic leaves the machine off, so that the ramdisk is not running.
func TestSentenceOfARescuedNode(t *testing.T) {
	t.Parallel()
	for power, want := range map[models.PowerState]string{
		models.PowerOn:  "Running the rescue ramdisk; unrescue boots the instance.",
		models.PowerOff: "In rescue, but powered off: the rescue ramdisk does not run; unrescue boots the instance.",
	} {
		row := models.Row{Node: models.Node{ProvisionState: models.StateRescue, PowerState: power}}
		if got := explain.Sentence(&row, models.Evidence{}, time.Now()); got != want {
			t.Errorf("%s: %q, want %q", power, got, want)
		}
	}
}
