package ramdisk

// Texts that are used more than once, or are too long for the lines that use them.
const (
	// Messages and labels for applying ramdisks to nodes.
	textNodesHelp      = "names or UUIDs, comma-separated; default: nodes marked in the fleet"
	textBootsHelp      = "ramdisk that Ironic boots for deploy, clean and inspect"
	textDefaultsHelp   = "prepend the kernel parameters configured in Ironic"
	textInInstanceHelp = "write the settings to instance_info, which is cleared at undeploy"

	// Messages and labels for opening and saving files.
	textCheckHelp     = "Butane, Ignition or MachineConfig"
	textFileMode      = "readable by you only: may contain secrets"
	textExists        = "; set Replace to overwrite it"
	textInitrdHelp    = "initrd to write; readable by you only"
	textInitramfsHelp = "live initramfs to put first (Ironic loads one initrd); empty: only the configuration"
	textISOHelp       = "CoreOS live ISO; a preview follows before writing"
	textNewFileHelp   = "copy of the ISO, with the configuration added"

	// Messages and labels of the preview and the File tab.
	textFileEmpty    = "The file is empty."
	textMoreProblems = " … and more: {copy} copies the report"

	// Messages and labels for the fields of the form.
	textIronicHelp     = "Ironic's address as seen by machines: URL, HOST or HOST:PORT, comma-separated; mdns: the agent discovers it"
	textStyleHelp      = "profile: ironworks, ironic-agent-image (build.py) or image-customization-controller"
	textVerifyHelp     = "how the agent verifies Ironic; auto: from the URL and the CA"
	textCAHelp         = "PEM file of Ironic's CA; empty: the context's"
	textRegistryHelp   = "registry: the agent image is REGISTRY/ironic-agent"
	textInsecureHelp   = "skip TLS verification of the registry"
	textAgentHelp      = "container with ironic-python-agent, or builtin: ironworks-agent, without podman and registry"
	textProgramHelp    = "program of the builtin agent; empty: ironworks-agent beside ironworks"
	textProgramURLHelp = "where machines fetch the builtin agent; empty: from this console while it serves the image"
	textIncludeHelp    = "include the builtin agent in the configuration (about 5 MiB)"
	textImageHelp      = "agent container image, preferably with a digest"
	textRegistriesHelp = "per registry, comma-separated: HOST=verified, HOST=insecure, HOST=ca:FILE"
	textPullSecretHelp = "registry credentials file, as written by podman login" //nolint:gosec // not a credential
	textSettingsHelp   = "agent settings NAME=VALUE or GROUP.NAME=VALUE, comma-separated; quote values with commas"
	textDebugHelp      = "agent debug log; includes user data and its secrets"
	textCollectorsHelp = "inspection collectors, comma-separated; empty: the image's defaults"
	textInspectHelp    = "URL for inspection data; empty: Ironic (recommended)"
	textJournalHelp    = "address of this console for ramdisk journals, as seen by machines; empty: not sent"
	textKeyFilesHelp   = "public key files for user core, comma-separated"
	textKeyOptionsHelp = "accept keys with options, such as command=…"
	textHostKeyHelp    = "fixed SSH host key known to this console, instead of a new one per boot"
	textHostnameHelp   = "hostname; {node} is the node name when served per node"
	textKeyfilesHelp   = "NetworkManager connections or folders of .nmconnection files, comma-separated"
	textIPArgsHelp     = "network kernel arguments for the installed system, such as ip=dhcp6, space-separated"
	textCopyNetHelp    = "copy the ramdisk's network configuration to the installed system; auto: with keyfiles"
	textNoProxyHelp    = "hosts, domains and networks without proxy, comma-separated"
	textNTPHelp        = "time servers, comma-separated"
	textVLANHelp       = "IFACE.ID, interface, MAC or all, comma-separated"
	textNmstateHelp    = "output file of nmstatectl gc"
	textPodmanHelp     = "podman configuration file for the ramdisk"
	textMergeHelp      = "Ignition or Butane to merge; overrides the form"

	// Messages and labels for serving images.
	textAsIsHelp          = "unchanged, with the ISO's own configuration"
	textPerNodeHelp       = "separate configuration for each node, including its hostname"
	textServeDefaultsHelp = "prepend Ironic's configured kernel parameters; not with an ISO"
	textServingHint       = "; {ignition-apply} sets it on nodes, {ignition-stop} stops"
	textStopAsk           = "Stop? %s in progress will be interrupted."
	textNotServed         = "Not serving. {ignition-serve} serves an ISO, or kernel and initrd, with the form's configuration; "
	textNotServedRest     = "fetches and kernel arguments appear here."
)
