package userdata

// What user data is measured against, in bytes.
const (
	// EmbedLimit is the area of a live image: for a compressed archive.
	EmbedLimit = 256 << 10
	// PatchLimit is what Ironic takes in a PATCH: [api]max_json_body_size.
	PatchLimit = 1 << 20
	// ProvisionLimit is what Ironic takes with a deployment:
	// [api]max_json_body_size_provision.
	ProvisionLimit = 64 << 20
)

// Summary is what user data does, without its secrets. Everything in it is
// safe to print. Parts in data URLs are included.
type Summary struct {
	// Layers is what it is, from the outside in: base64, gzip, ignition.
	Layers []Kind `json:"layers"`
	// Spec is the highest specification of all parts, empty if unknown.
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

// UserSummary is a user, and the ways to log in: keys with their fingerprints,
// or the password at the console. No way means that there is none.
type UserSummary struct {
	Name   string   `json:"name"`
	Logins []string `json:"logins"`

	order int
}

// UnitSummary is a systemd unit. Neither enabled nor disabled leaves it to the
// system's presets.
type UnitSummary struct {
	Name        string   `json:"name"`
	Enabled     bool     `json:"enabled"`
	Disabled    bool     `json:"disabled"`
	Masked      bool     `json:"masked"`
	HasContents bool     `json:"has_contents"`
	Dropins     []string `json:"dropins"`
	// In is the part that has it, empty for the file itself.
	In string `json:"in,omitempty"`
}

// FileSummary is a file. Mode is octal, as ls shows it; Size counts decoded
// bytes, and is nil if the content is elsewhere.
type FileSummary struct {
	Path      string `json:"path"`
	Mode      string `json:"mode"`
	ModeGiven bool   `json:"mode_given"`
	Size      *int   `json:"size"`
	Overwrite bool   `json:"overwrite"`
	In        string `json:"in,omitempty"`
}

// DirectorySummary is a directory, Mode as for files.
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

// DiskSummary is what is done to a disk: Kind is the list it stands in (disks,
// filesystems, luks, raid), Wipes says that what is there is lost.
type DiskSummary struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Wipes bool   `json:"wipes"`
	In    string `json:"in,omitempty"`
}

// KernelArgumentsSummary are changes of the kernel's command line. Values that
// look like secrets are left out.
type KernelArgumentsSummary struct {
	ShouldExist    []string `json:"should_exist"`
	ShouldNotExist []string `json:"should_not_exist"`
}

// RemoteSummary is what is fetched when the machine boots. Source has neither
// credentials nor a query; Verified says that a hash is given.
type RemoteSummary struct {
	Path     string `json:"path"`
	Use      string `json:"use"`
	Source   string `json:"source"`
	Verified bool   `json:"verified"`
}

// SizesSummary are sizes in bytes: of what was given, of the Ignition in it
// (0 if there is none), of that packed with gzip, and of what
// [ForInstall] gives, which is what is sent.
type SizesSummary struct {
	Raw      int `json:"raw"`
	Ignition int `json:"ignition"`
	Gzip     int `json:"gzip"`
	Sent     int `json:"sent"`
	// Limits says what it is compared with.
	Limits []LimitSummary `json:"limits"`
}

// LimitSummary compares a size with a limit.
type LimitSummary struct {
	Name  string `json:"name"`
	Used  int    `json:"used"`
	Limit int    `json:"limit"`
	Fits  bool   `json:"fits"`
}

// filled makes empty lists of what has none, for JSON.
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
