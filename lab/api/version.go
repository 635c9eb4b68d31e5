package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// HTTP headers that contain API versions.
const (
	versionHeader    = "X-Openstack-Ironic-Api-Version"
	minVersionHeader = "X-Openstack-Ironic-Api-Minimum-Version"
	maxVersionHeader = "X-Openstack-Ironic-Api-Maximum-Version"
	commonHeader     = "Openstack-Api-Version"
)

// Minor numbers of the oldest and newest supported API versions, 1.1 and 1.115, as in Ironic 39.0.0.
const (
	minMinor = 1
	maxMinor = 115
)

func versionText(minor int) string { return "1." + strconv.Itoa(minor) }

// requestedVersion returns the requested minor version, or the oldest if the headers name none.
func requestedVersion(header http.Header) (int, *abort) {
	asked := header.Get(versionHeader)
	// The common header may name several services. It takes precedence over Ironic's own header.
	for _, line := range header[commonHeader] {
		for entry := range strings.SplitSeq(line, ",") {
			service, version, _ := strings.Cut(strings.TrimSpace(entry), " ")
			if service == "baremetal" {
				asked = strings.TrimSpace(version)
			}
		}
	}
	if asked == "" {
		return minMinor, nil
	}
	if strings.EqualFold(asked, "latest") {
		return maxMinor, nil
	}
	first, second, found := strings.Cut(asked, ".")
	major, err1 := strconv.Atoi(first)
	minor, err2 := strconv.Atoi(second)
	if !found || err1 != nil || err2 != nil {
		return 0, &abort{
			status:      http.StatusNotAcceptable,
			description: "Invalid value for X-OpenStack-Ironic-API-Version header",
		}
	}
	served := fmt.Sprintf("[%s, %s]", versionText(minMinor), versionText(maxMinor))
	description := ""
	switch {
	case major != 1:
		description = fmt.Sprintf("Mutually exclusive versions requested. Version %d.%d requested but not supported by "+
			"this service. The supported version range is: %s.", major, minor, served)
	case minor < minMinor || minor > maxMinor:
		description = fmt.Sprintf("Version %d.%d was requested but the minor version is not supported by this service. "+
			"The supported version range is: %s.", major, minor, served)
	default:
		return minor, nil
	}
	return 0, &abort{
		status: http.StatusNotAcceptable, description: description,
		header: http.Header{minVersionHeader: {versionText(minMinor)}, maxVersionHeader: {versionText(maxMinor)}},
	}
}
