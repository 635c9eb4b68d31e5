package ignition

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ironworks/cmd/cli"
	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
)

// ServedJSON is the first line that ignition serve -o json prints.
type ServedJSON struct {
	Time        time.Time    `json:"time"`
	Kind        string       `json:"kind"`
	Listen      string       `json:"listen"`
	Fingerprint string       `json:"fingerprint,omitempty"`
	Certificate string       `json:"certificate,omitempty"`
	Targets     []targetJSON `json:"targets"`
}

type targetJSON struct {
	Node   string `json:"node,omitempty"`
	UUID   string `json:"uuid,omitempty"`
	ISO    string `json:"deploy_iso,omitempty"`
	Kernel string `json:"deploy_kernel,omitempty"`
	Initrd string `json:"deploy_ramdisk,omitempty"`
	Params string `json:"kernel_append_params,omitempty"`
}

// printServing prints the URLs, each with the driver_info key to set.
func (a *app) printServing(server *serve.Server, targets []prepare.Target) error {
	listed := make([]targetJSON, len(targets))
	var b strings.Builder
	fmt.Fprintf(&b, "listening on %s\n", server.Addr())
	if fingerprint := server.Fingerprint(); fingerprint != "" {
		fmt.Fprintf(&b, "certificate  SHA-256 %s\n", fingerprint)
	}
	for i, t := range targets {
		listed[i] = targetJSON{Node: t.Node.Label(), UUID: t.Node.UUID, ISO: t.ISO, Kernel: t.Kernel, Initrd: t.Initrd, Params: t.KernelParams}
		b.WriteString("\n" + cmp.Or(t.Node.Label(), "all nodes") + "\n")
		for _, line := range [][2]string{
			{"deploy_iso", t.ISO}, {"deploy_kernel", t.Kernel}, {"deploy_ramdisk", t.Initrd}, {"kernel_append_params", t.KernelParams},
		} {
			if line[1] != "" {
				fmt.Fprintf(&b, "  %-21s %s\n", line[0], line[1])
			}
		}
	}
	if a.Output == cli.OutputJSON {
		return cli.WriteLine(a.Stdout, ServedJSON{
			Time: time.Now().UTC(), Kind: "serving", Listen: server.Addr().String(),
			Fingerprint: server.Fingerprint(), Certificate: string(server.Certificate()), Targets: listed,
		})
	}
	b.WriteString("\n")
	return a.PrintOut("%s", b.String())
}
