package userdata

// These are limits for the size of user data, in bytes.
const (
	// EmbedLimit is the size of the area in a live image that holds the compressed archive with the configuration.
	EmbedLimit = 256 << 10
	// PatchLimit is Ironic's limit for a PATCH request, [api]max_json_body_size.
	PatchLimit = 1 << 20
	// ProvisionLimit is Ironic's limit for a deployment, [api]max_json_body_size_provision.
	ProvisionLimit = 64 << 20
)

// Summary describes the effect of user data, including parts in data URLs. It has no secrets and is safe to print.
type Summary struct {
	// Layers lists the formats from the outermost to the innermost, for example base64, gzip, ignition.
	Layers []Kind `json:"layers"`
	// Spec is the highest spec version of any part. It is empty if no version is known.
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

// UserSummary describes a user. Logins lists the ways in which the user can log in: keys with their fingerprints, or
// the password at the console. It is empty if the user cannot log in.
type UserSummary struct {
	Name   string   `json:"name"`
	Logins []string `json:"logins"`

	order int
}

// UnitSummary describes a systemd unit. Without Enabled and Disabled, presets determine whether it starts.
type UnitSummary struct {
	Name        string   `json:"name"`
	Enabled     bool     `json:"enabled"`
	Disabled    bool     `json:"disabled"`
	Masked      bool     `json:"masked"`
	HasContents bool     `json:"has_contents"`
	Dropins     []string `json:"dropins"`
	// In is the path of the part of the configuration that contains the unit. It is empty for the file itself.
	In string `json:"in,omitempty"`
}

// FileSummary describes a file. Mode holds the permissions as four octal digits. Size is the size of the decoded
// content in bytes. It is nil if the content is not known, for example because it is remote.
type FileSummary struct {
	Path      string `json:"path"`
	Mode      string `json:"mode"`
	ModeGiven bool   `json:"mode_given"`
	Size      *int   `json:"size"`
	Overwrite bool   `json:"overwrite"`
	In        string `json:"in,omitempty"`
}

// DirectorySummary describes a directory. Mode has the same form as in FileSummary.
type DirectorySummary struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	In   string `json:"in,omitempty"`
}

// LinkSummary describes a symbolic or hard link.
type LinkSummary struct {
	Path   string `json:"path"`
	Target string `json:"target"`
	Hard   bool   `json:"hard"`
	In     string `json:"in,omitempty"`
}

// DiskSummary describes a change to a disk. Kind is the list with the entry: disks, filesystems, luks or raid. Wipes
// means that existing data is lost.
type DiskSummary struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Wipes bool   `json:"wipes"`
	In    string `json:"in,omitempty"`
}

// KernelArgumentsSummary lists changes to the kernel command line. Values that look like secrets are omitted.
type KernelArgumentsSummary struct {
	ShouldExist    []string `json:"should_exist"`
	ShouldNotExist []string `json:"should_not_exist"`
}

// RemoteSummary describes a file that is downloaded at boot. Source is the URL without credentials and query.
// Verified means that the configuration contains a hash of the content.
type RemoteSummary struct {
	Path     string `json:"path"`
	Use      string `json:"use"`
	Source   string `json:"source"`
	Verified bool   `json:"verified"`
}

// SizesSummary holds sizes in bytes. Raw is the size of the input. Ignition is the size of the resulting configuration,
// or 0 if there is none, and Gzip that after compression. Sent is the size of [ForInstall]'s result.
type SizesSummary struct {
	Raw      int `json:"raw"`
	Ignition int `json:"ignition"`
	Gzip     int `json:"gzip"`
	Sent     int `json:"sent"`
	// Limits compares these sizes with the limits.
	Limits []LimitSummary `json:"limits"`
}

// LimitSummary compares a size with a limit. Used and Limit are in bytes.
type LimitSummary struct {
	Name  string `json:"name"`
	Used  int    `json:"used"`
	Limit int    `json:"limit"`
	Fits  bool   `json:"fits"`
}

// filled replaces nil lists with empty ones, which appear as [] in JSON.
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
