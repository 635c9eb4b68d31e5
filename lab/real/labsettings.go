package real

import (
	"math"
	"strconv"
	"time"
)

// LabSettings are for an Ironic that drives the machines of a lab: those of
// Ironic itself, with its timeouts and periods as much shorter as the machines
// are faster.
func LabSettings(speed float64) map[string]map[string]string {
	// The conductor takes whole seconds, and 0 switches most of these off.
	seconds := func(d, least time.Duration) string {
		return strconv.Itoa(int(math.Ceil(max(d.Seconds()/speed, least.Seconds()))))
	}
	timeout := seconds(30*time.Minute, 10*time.Second)
	check := seconds(time.Minute, 2*time.Second)
	return map[string]map[string]string{
		"conductor": {
			"automated_clean":         "true",
			"deploy_callback_timeout": timeout, "clean_callback_timeout": timeout, "inspect_wait_timeout": timeout,
			"rescue_callback_timeout": timeout, "service_callback_timeout": timeout,
			"check_provision_state_interval": check, "check_rescue_state_interval": check,
			// It clears last errors, which people want to read: not more often than
			// by itself.
			"sync_power_state_interval":       "60",
			"power_failure_recovery_interval": seconds(5*time.Minute, 20*time.Second),
		},
		"agent": {"require_tls": "true"},
	}
}
