// Package ramdisk provides test cases that apply a ramdisk to a node, and runs them against the embedded Ironic and a
// real one. Package provision runs them against its fake.
package ramdisk

import (
	"encoding/json"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/provision"
)

// The URLs of the ramdisks.
const (
	ISOURL    = "http://192.0.2.1:8080/abc/r7-n01.iso"
	KernelURL = "https://192.0.2.1/vmlinuz"
	InitrdURL = "https://192.0.2.1/initrd"
)

// ISO returns a ramdisk that is a live ISO.
func ISO() provision.Ramdisk { return provision.Ramdisk{ISO: ISOURL} }

// Pair returns a ramdisk that is a kernel and an initramfs.
func Pair() provision.Ramdisk {
	return provision.Ramdisk{Kernel: KernelURL, Initramfs: InitrdURL}
}

// Always returns an action that gives every node the same ramdisk.
func Always(r provision.Ramdisk) *provision.RamdiskAction {
	return provision.ApplyRamdisk(func(*models.Node) (provision.Ramdisk, error) { return r, nil })
}

// With returns a copy of the ramdisk to which change has been applied.
func With(r provision.Ramdisk, change func(r *provision.Ramdisk)) provision.Ramdisk {
	change(&r)
	return r
}

// Case describes a ramdisk to apply to a node, and the node's fields before and after. Cases run against a fake, the
// embedded Ironic and a real one.
type Case struct {
	Name           string
	Ramdisk        provision.Ramdisk
	Info, Instance map[string]any
	// Operations lists the operations of the PATCH request, each in the form +field or -field.
	Operations             []string
	WantInfo, WantInstance map[string]any
}

// Cases returns all cases.
func Cases() []Case {
	type m = map[string]any
	params := func(r *provision.Ramdisk) { r.KernelParams, r.WithDefaults = "ignition.firstboot a=\"b c\"", true }
	return []Case{
		{Name: "iso", Ramdisk: ISO(), Operations: []string{"+driver_info/deploy_iso"}, WantInfo: m{"deploy_iso": ISOURL}},
		{
			Name: "iso-in-place-of-a-pair", Ramdisk: ISO(),
			Info:       m{"deploy_kernel": "http://192.0.2.9/k", "deploy_ramdisk": "http://192.0.2.9/r", "rescue_kernel": "rk", "rescue_ramdisk": "rr"},
			Operations: []string{"+driver_info/deploy_iso", "-driver_info/deploy_kernel", "-driver_info/deploy_ramdisk"}, WantInfo: m{"deploy_iso": ISOURL, "rescue_kernel": "rk", "rescue_ramdisk": "rr"},
		},
		{
			Name: "iso-in-place-of-old-names", Ramdisk: ISO(),
			Info:       m{"redfish_deploy_iso": ISOURL, "ilo_deploy_kernel": "http://192.0.2.9/k"},
			Operations: []string{"+driver_info/deploy_iso", "-driver_info/redfish_deploy_iso", "-driver_info/ilo_deploy_kernel"}, WantInfo: m{"deploy_iso": ISOURL},
		},
		{
			Name: "pair-in-place-of-an-iso", Ramdisk: Pair(),
			Info: m{"deploy_iso": ISOURL, "rescue_iso": ISOURL, "redfish_deploy_iso": ISOURL},
			Operations: []string{
				"+driver_info/deploy_kernel", "+driver_info/deploy_ramdisk", "-driver_info/deploy_iso", "-driver_info/redfish_deploy_iso",
			},
			WantInfo: m{"deploy_kernel": KernelURL, "deploy_ramdisk": InitrdURL, "rescue_iso": ISOURL},
		},
		{
			Name: "pair-with-parameters", Ramdisk: With(Pair(), params), Instance: m{"kernel_append_params": "x", "other": "y"},
			Operations: []string{
				"+driver_info/deploy_kernel", "+driver_info/deploy_ramdisk", "+driver_info/kernel_append_params",
				"-instance_info/kernel_append_params",
			},
			WantInfo:     m{"deploy_kernel": KernelURL, "deploy_ramdisk": InitrdURL, "kernel_append_params": `%default% ignition.firstboot a="b c"`},
			WantInstance: m{"other": "y"},
		},
		{
			Name: "parameters-of-the-instance", Ramdisk: With(Pair(), func(r *provision.Ramdisk) { r.KernelParams, r.InInstance = " quiet ", true }),
			Info:       m{"kernel_append_params": "of the node", "deploy_kernel": KernelURL},
			Operations: []string{"+driver_info/deploy_ramdisk", "+instance_info/kernel_append_params"},
			WantInfo:   m{"deploy_kernel": KernelURL, "deploy_ramdisk": InitrdURL, "kernel_append_params": "of the node"}, WantInstance: m{"kernel_append_params": "quiet"},
		},
		{
			Name: "no-parameters", Ramdisk: With(ISO(), func(r *provision.Ramdisk) { r.NoKernelParams = true }),
			Info: m{"kernel_append_params": "a", "deploy_iso": ISOURL}, Instance: m{"kernel_append_params": ""},
			Operations: []string{"-driver_info/kernel_append_params", "-instance_info/kernel_append_params"}, WantInfo: m{"deploy_iso": ISOURL},
		},
		{
			Name: "parameters-that-look-like-JSON", Ramdisk: With(Pair(), func(r *provision.Ramdisk) { r.KernelParams = "1" }),
			Info:       m{"deploy_kernel": KernelURL, "deploy_ramdisk": InitrdURL},
			Operations: []string{"+driver_info/kernel_append_params"},
			WantInfo:   m{"deploy_kernel": KernelURL, "deploy_ramdisk": InitrdURL, "kernel_append_params": "1"},
		},
		{
			Name: "defaults-in-their-own-place", Ramdisk: With(Pair(), func(r *provision.Ramdisk) { r.KernelParams, r.WithDefaults = "a %default%", true }),
			Info:     m{"deploy_kernel": KernelURL, "deploy_ramdisk": InitrdURL, "kernel_append_params": "a %default%"},
			WantInfo: m{"deploy_kernel": KernelURL, "deploy_ramdisk": InitrdURL, "kernel_append_params": "a %default%"},
		},
		{
			Name: "right-already", Ramdisk: With(Pair(), params),
			Info:     m{"deploy_kernel": KernelURL, "deploy_ramdisk": InitrdURL, "kernel_append_params": `%default% ignition.firstboot a="b c"`, "deploy_iso": ""},
			WantInfo: m{"deploy_kernel": KernelURL, "deploy_ramdisk": InitrdURL, "kernel_append_params": `%default% ignition.firstboot a="b c"`, "deploy_iso": ""},
		},
	}
}

// Operations returns the operations in the body of a previewed request, in the form of Case.Operations.
func Operations(t *testing.T, body []byte) []string {
	t.Helper()
	var ops []models.PatchOp
	if err := json.Unmarshal(body, &ops); err != nil {
		t.Fatal(err)
	}
	short := make([]string, len(ops))
	for i, op := range ops {
		short[i] = map[string]string{"add": "+", "remove": "-"}[op.Op] + strings.TrimPrefix(op.Path, "/")
	}
	return short
}
