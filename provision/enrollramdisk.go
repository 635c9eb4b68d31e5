package provision

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"ironworks/enroll"
	"ironworks/models"
)

// EnrollRamdisk holds the ramdisks for deployment, cleaning and inspection: an ISO for boot interfaces that support
// ISOs, and a kernel with its initramfs for other boot interfaces. Either may be missing. The values have the form
// described at [Ramdisk].
type EnrollRamdisk struct {
	ISO               string
	Kernel, Initramfs string
	// KernelParams is the value of kernel_append_params for nodes that boot the kernel.
	KernelParams string
}

// The parts of a ramdisk that an error may name.
const (
	EnrollISO    EnrollField = "deploy-iso"
	EnrollKernel EnrollField = "deploy-kernel"
)

func (r EnrollRamdisk) iso() Ramdisk { return Ramdisk{ISO: r.ISO} }

func (r EnrollRamdisk) pair() Ramdisk {
	return Ramdisk{Kernel: r.Kernel, Initramfs: r.Initramfs, KernelParams: r.KernelParams}
}

func (r EnrollRamdisk) hasPair() bool {
	return r.Kernel != "" || r.Initramfs != "" || r.KernelParams != ""
}

// check returns an *EnrollInputError if the ramdisk is invalid for all nodes.
func (r EnrollRamdisk) check() error {
	if r.ISO != "" {
		if why, _ := r.iso().check(); why != "" {
			return &EnrollInputError{EnrollISO, errors.New(strings.TrimPrefix(why, "deploy_iso: "))}
		}
	}
	if r.hasPair() {
		why, hint := r.pair().check()
		if r.Kernel == "" || r.Initramfs == "" {
			why, hint = "a kernel and an initramfs must be given together", "pass --deploy-kernel URL and --deploy-ramdisk URL"
		}
		if why != "" {
			return &EnrollInputError{EnrollKernel, errors.New(strings.TrimSuffix(why+"; "+hint, "; "))}
		}
	}
	return nil
}

func (r EnrollRamdisk) commandFlags() [][2]string {
	return [][2]string{{"--deploy-iso", r.ISO}, {"--deploy-kernel", r.Kernel}, {"--deploy-ramdisk", r.Initramfs}, {"--kernel-params", r.KernelParams}}
}

// boots returns a function that sets the ramdisk that a node's boot interface supports. The boot interface comes from
// the input, the existing node, or the driver's defaults. The returned function is nil if no ramdisk is given.
func (r EnrollRamdisk) boots(drivers []models.Driver) func(n *enroll.Node, existing *models.Node) {
	if r.ISO == "" && !r.hasPair() {
		return nil
	}
	return func(n *enroll.Node, existing *models.Node) {
		boot := models.TextOf(n.Fields["boot_interface"])
		if existing != nil {
			boot = cmp.Or(boot, existing.BootInterface)
		}
		if at := slices.IndexFunc(drivers, func(d models.Driver) bool { return d.Name == n.Driver() }); at >= 0 {
			boot = cmp.Or(boot, drivers[at].Default["boot"])
		}
		iso, pair := r.iso(), r.pair()
		switch {
		case r.ISO != "" && iso.cannotBoot(boot) == "":
			setRamdisk(n, existing, iso)
		case r.hasPair() && pair.cannotBoot(boot) == "":
			setRamdisk(n, existing, pair)
		case r.ISO != "":
			n.Notes = append(n.Notes, iso.cannotBoot(boot)+": no ramdisk is set; pass --deploy-kernel and --deploy-ramdisk, too")
		default:
			n.Notes = append(n.Notes, pair.cannotBoot(boot)+": no ramdisk is set; pass --deploy-iso, too")
		}
	}
}

// setRamdisk sets the fields for the ramdisk, and removes contradicting fields of an existing node.
func setRamdisk(n *enroll.Node, existing *models.Node, r Ramdisk) {
	wanted := map[string]string{"deploy_iso": r.ISO, "deploy_kernel": r.Kernel, "deploy_ramdisk": r.Initramfs, "kernel_append_params": r.params()}
	for field, value := range wanted {
		if value != "" {
			n.Set(value, "driver_info", field)
		}
	}
	for _, field := range slices.Concat(models.DeployISOFields(), pairFields()) {
		if wanted[field] != "" {
			continue
		}
		delete(n.DriverInfo(), field)
		if existing != nil && models.TextOf(existing.DriverInfo[field]) != "" {
			n.Set(nil, "driver_info", field)
		}
	}
}
