package models

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// NewestMinor and OldestMinor limit the API versions (1.N) that ironworks supports. NewestMinor is the version of
// Ironic 39.0, and OldestMinor is the first version with deploy steps.
const (
	NewestMinor = 115
	OldestMinor = 69
)

// APIVersion is version 1.Minor of Ironic's API. The zero value means that the version is unknown.
type APIVersion struct{ Minor int }

// String returns the version in the form used in Ironic's HTTP header.
func (v APIVersion) String() string { return "1." + strconv.Itoa(v.Minor) }

// IsZero reports whether the version is unknown.
func (v APIVersion) IsZero() bool { return v.Minor == 0 }

// ParseAPIVersion parses a version such as "1.82".
func ParseAPIVersion(s string) (APIVersion, error) {
	major, minor, ok := strings.Cut(strings.TrimSpace(s), ".")
	n, err := strconv.Atoi(minor)
	if !ok || major != "1" || err != nil || n < 1 {
		return APIVersion{}, fmt.Errorf("API version %q: must be 1.N, for example 1.82", s)
	}
	return APIVersion{Minor: n}, nil
}

// Feature is a capability that only some API versions offer.
type Feature string

// The features for which the API version is checked, according to Ironic's "REST API Version History".
const (
	FeatureDeploySteps      Feature = "deploy steps"              // deploy_steps in requests for active and rebuild
	FeatureDisableRamdisk   Feature = "clean without a ramdisk"   // disable_ramdisk in requests for clean
	FeatureBootMode         Feature = "boot mode"                 // the boot_mode and secure_boot fields
	FeatureHistory          Feature = "node history"              // /nodes/{id}/history
	FeatureInventory        Feature = "inventory"                 // /nodes/{id}/inventory
	FeatureShards           Feature = "shards"                    // the shard field
	FeatureParentNodes      Feature = "child nodes"               // parent_node and include_children
	FeatureUnhold           Feature = "unhold"                    // hold states and the unhold verb
	FeatureBIOSRegistry     Feature = "BIOS registry"             // types and limits of BIOS settings
	FeatureFirmware         Feature = "firmware"                  // /nodes/{id}/firmware
	FeatureService          Feature = "service"                   // the service verb
	FeaturePortNames        Feature = "port names"                // ports have names
	FeaturePortDescription  Feature = "port descriptions"         // ports have descriptions
	FeaturePortVendor       Feature = "port vendors"              // ports have vendors
	FeaturePortCategory     Feature = "port categories"           // ports have categories
	FeatureGroupNetwork     Feature = "port group networks"       // port groups have physical networks
	FeatureGroupCategory    Feature = "port group categories"     // port groups have categories
	FeatureDynamicGroups    Feature = "dynamic port groups"       // the available_for_dynamic_portgroup field of ports
	FeatureRunbooks         Feature = "runbooks"                  // runbook in requests for clean and service
	FeatureRunbookTraits    Feature = "runbook traits"            // the traits and description fields of runbooks
	FeatureDisablePowerOff  Feature = "disable_power_off"         // nodes that must not be powered off
	FeatureInspectionRules  Feature = "inspection rules"          // /inspection_rules
	FeatureInstanceName     Feature = "instance_name"             // the instance_name field
	FeatureServiceNoRamdisk Feature = "service without a ramdisk" // disable_ramdisk in requests for service
	FeatureHealth           Feature = "health"                    // the health field
	FeatureAbortDeploy      Feature = "aborting a deployment"     // the abort verb in wait call-back
	FeatureHistoryState     Feature = "state in node history"     // state and duration_seconds in the node history
)

var featureMinor = map[Feature]int{
	FeatureDeploySteps:      69,
	FeatureDisableRamdisk:   70,
	FeatureBIOSRegistry:     74,
	FeatureBootMode:         75,
	FeatureHistory:          78,
	FeatureInventory:        81,
	FeatureShards:           82,
	FeatureParentNodes:      83,
	FeatureUnhold:           85,
	FeatureFirmware:         86,
	FeatureService:          87,
	FeaturePortNames:        88,
	FeaturePortDescription:  97,
	FeaturePortVendor:       100,
	FeaturePortCategory:     101,
	FeatureGroupNetwork:     102,
	FeatureGroupCategory:    103,
	FeatureDynamicGroups:    111,
	FeatureRunbooks:         92,
	FeatureRunbookTraits:    112,
	FeatureDisablePowerOff:  95,
	FeatureInspectionRules:  96,
	FeatureInstanceName:     104,
	FeatureServiceNoRamdisk: 108,
	FeatureHealth:           109,
	FeatureAbortDeploy:      110,
	FeatureHistoryState:     115,
}

// Features returns all features, sorted by the API version that introduced them.
func Features() []Feature {
	return slices.SortedFunc(maps.Keys(featureMinor), func(a, b Feature) int { return cmp.Compare(featureMinor[a], featureMinor[b]) })
}

// Minor returns the first API version (1.Minor) that offers the feature.
func (f Feature) Minor() int { return featureMinor[f] }

// Has reports whether version v of the API offers the feature.
func (v APIVersion) Has(f Feature) bool { return v.Minor >= featureMinor[f] }

// NeedsVersionError means that a feature requires a newer API version than Ironic offers.
type NeedsVersionError struct {
	Feature Feature
	Has     APIVersion
}

// Error returns the feature, the required version and the version that Ironic offers.
func (e *NeedsVersionError) Error() string {
	return fmt.Sprintf("%s needs API 1.%d; this Ironic has %s", e.Feature, e.Feature.Minor(), e.Has)
}

// Require returns a *[NeedsVersionError] if version v does not offer the feature.
func (v APIVersion) Require(f Feature) error {
	if v.Has(f) {
		return nil
	}
	return &NeedsVersionError{Feature: f, Has: v}
}
