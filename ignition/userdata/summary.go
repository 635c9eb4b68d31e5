package userdata

// The limits for user data, in bytes.
const (
	// EmbedLimit is the size of the area in a live image, which has a compressed archive.
	EmbedLimit = 256 << 10
	// PatchLimit is Ironic's limit for a PATCH: [api]max_json_body_size.
	PatchLimit = 1 << 20
	// ProvisionLimit is Ironic's limit for a deployment: [api]max_json_body_size_provision.
	ProvisionLimit = 64 << 20
)

// Summary describes the effect of user data, including parts in data URLs. It contains no
// secrets, and all text is sanitized.
type Summary struct {
	// Layers are the formats from the outside in, for example base64, gzip, ignition.
	Layers []Kind `json:"layers"`
	// Spec is the highest spec version of all parts. It is "" if the versions are unknown.
	Spec            string                 `json:"spec"`
	Users           []UserSummary          `json:"users"`
	Groups          []string               `json:"groups"`
	Units           []UnitSummary          `json:"units"`
	Files           []FileSummary          `json:"files"`
	Directories     []DirectorySummary     `json:"directories"`
	Links           []LinkSummary          `json:"links"`
	Disks           []DiskSummary          `json:"disks"`
	KernelArguments KernelArgumentsSummary `json:"kernel_arguments"`
	Remote          []RemoteSummary        `json:"remote"`
	Sizes           SizesSummary           `json:"sizes"`
}

// UserSummary is a user with the ways to log in: keys with their fingerprints, or the password at the console. There
// are no ways if login is impossible.
type UserSummary struct {
	Name   string   `json:"name"`
	Logins []string `json:"logins"`

	order int
}

// UnitSummary is a systemd unit. Without enabled and disabled, the system's presets apply.
type UnitSummary struct {
	Name        string   `json:"name"`
	Enabled     bool     `json:"enabled"`
	Disabled    bool     `json:"disabled"`
	Masked      bool     `json:"masked"`
	HasContents bool     `json:"has_contents"`
	Dropins     []string `json:"dropins"`
	// In is the part of the configuration, or "" for the file itself.
	In string `json:"in,omitempty"`
}

// FileSummary is a file. Mode is octal, as in ls. Size is the decoded size in bytes, or nil for
// remote content.
type FileSummary struct {
	Path      string `json:"path"`
	Mode      string `json:"mode"`
	ModeGiven bool   `json:"mode_given"`
	Size      *int   `json:"size"`
	Overwrite bool   `json:"overwrite"`
	In        string `json:"in,omitempty"`
}

// DirectorySummary is a directory, with Mode as in FileSummary.
type DirectorySummary struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	In   string `json:"in,omitempty"`
}

// LinkSummary is a link.
type LinkSummary struct {
	Path   string `json:"path"`
	Target string `json:"target"`
	Hard   bool   `json:"hard"`
	In     string `json:"in,omitempty"`
}

// DiskSummary is a change of a disk. Kind is the list of the entry (disks, filesystems, luks,
// raid). Wipes means that existing data is lost.
type DiskSummary struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Wipes bool   `json:"wipes"`
	In    string `json:"in,omitempty"`
}

// KernelArgumentsSummary has changes of the kernel command line, without values that look like
// secrets.
type KernelArgumentsSummary struct {
	ShouldExist    []string `json:"should_exist"`
	ShouldNotExist []string `json:"should_not_exist"`
}

// RemoteSummary is a download at boot. Source has no credentials and no query. Verified means
// that a hash is given.
type RemoteSummary struct {
	Path     string `json:"path"`
	Use      string `json:"use"`
	Source   string `json:"source"`
	Verified bool   `json:"verified"`
}

// SizesSummary has the sizes in bytes: of the input, of its Ignition configuration (0 without one), of that
// configuration with gzip, and of the result of [ForInstall], which is the part that is sent.
type SizesSummary struct {
	Raw      int `json:"raw"`
	Ignition int `json:"ignition"`
	Gzip     int `json:"gzip"`
	Sent     int `json:"sent"`
	// Limits compares the sizes with the limits.
	Limits []LimitSummary `json:"limits"`
}

// LimitSummary compares a size with a limit.
type LimitSummary struct {
	Name  string `json:"name"`
	Used  int    `json:"used"`
	Limit int    `json:"limit"`
	Fits  bool   `json:"fits"`
}

// filled replaces nil lists by empty ones, for JSON.
func (s *Summary) filled() {
	fill(&s.Layers)
	fill(&s.Users)
	fill(&s.Groups)
	fill(&s.Units)
	fill(&s.Files)
	fill(&s.Directories)
	fill(&s.Links)
	fill(&s.Disks)
	fill(&s.KernelArguments.ShouldExist)
	fill(&s.KernelArguments.ShouldNotExist)
	fill(&s.Remote)
	fill(&s.Sizes.Limits)
}

func fill[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}
