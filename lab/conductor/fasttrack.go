package conductor

import (
	"context"
	"time"

	"ironworks/python"
)

// fastTrackTimeout is the value of [deploy]fast_track_timeout.
const fastTrackTimeout = 300 * time.Second

// onFastTrack implements is_fast_track (conductor/utils.py) for rescue, the only operation for which the lab uses the
// fast track. It reports whether driver_info.fast_track is set, the node has no error, the machine is on, and its
// agent has sent a heartbeat within fastTrackTimeout. The setting in driver_info is required because
// [deploy]fast_track is off by default.
func (t *task) onFastTrack(ctx context.Context) (bool, error) {
	enabled, err := fastTrackEnabled(t.node.DriverInfo["fast_track"])
	if err != nil || !enabled || t.node.LastError != "" {
		return false, err
	}
	power, err := t.driver.power.state(ctx, t)
	if err != nil || power != powerOn || !python.Truthy(t.internal("agent_url")) {
		return false, err
	}
	last, _ := t.internal("agent_last_heartbeat").(string)
	at, err := time.Parse(stampFormat, last)
	return err == nil && t.c.now().UTC().Sub(at) < fastTrackTimeout, nil
}

// fastTrackEnabled parses driver_info.fast_track by the rules of oslo.utils (bool_from_string in strict mode). A nil
// value means false.
func fastTrackEnabled(value any) (bool, error) {
	if value == nil {
		return false, nil
	}
	if enabled, ok := python.Bool(value); ok {
		return enabled, nil
	}
	return false, invalid("Invalid value of fast_track: Unrecognized value '%s', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'", python.Str(value))
}
