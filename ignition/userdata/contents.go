package userdata

import (
	"fmt"
	"strings"
	"unicode"

	"ironworks/ignition/firstboot"
)

const hostnamePath = "/etc/hostname"

func (c *checker) contents(s *scope, root *element) {
	c.readable = true
	c.passwd(s, root.member("passwd"))
	storage := root.member("storage")
	c.files(s, storage)
	c.directories(s, storage)
	c.links(s, storage)
	c.disks(s, storage)
	c.units(s, root)
	c.kernelArguments(s, root.member("kernelArguments"))
	for i, ca := range root.down("ignition", "security", "tls", "certificateAuthorities").items() {
		path := elementPath{"ignition", "security", "tls", "certificateAuthorities", i}
		if content, known := c.resource(s, ca, path, useCA); known {
			c.certificates(s, content, path.at("source"))
		}
	}
	proxy := root.down("ignition", "proxy")
	for _, key := range []string{"httpProxy", "httpsProxy"} {
		if userinfo(proxy.str(key)) {
			c.secret(s, elementPath{"ignition", "proxy", key}, "a proxy password")
		}
	}
}

func userinfo(text string) bool {
	_, rest, found := strings.Cut(text, "://")
	if !found {
		return false
	}
	authority, _, _ := strings.Cut(rest, "/")
	credentials, _, at := strings.Cut(authority, "@")
	return at && strings.Contains(credentials, ":")
}

func (c *checker) name(s *scope, text string, path elementPath) {
	if strings.ContainsFunc(text, unicode.IsControl) {
		c.add(s, IDControlCharacter, path, fmt.Sprintf("control character in %s: remove it", quoted(text)))
	}
}

func (c *checker) files(s *scope, storage *element) {
	for i, file := range storage.member("files").items() {
		path := elementPath{"storage", "files", i}
		name := file.str("path")
		c.remember(s, firstboot.Files, name, path)
		c.target(s, name, path)
		mode, given := file.number("mode")
		if !given {
			mode = 0o644
		}
		c.mode(s, file, path, false)
		summary := FileSummary{Path: short(name, maxPath), Mode: fmt.Sprintf("%04o", mode), ModeGiven: given, In: c.in(s), Overwrite: file.isTrue("overwrite")}
		total, known := 0, true
		for j, resource := range append([]*element{file.member("contents")}, file.member("append").items()...) {
			use, at := useFile, path.at("contents")
			if j > 0 {
				use, at = useAppend, path.at("append", j-1)
			}
			if resource == nil {
				continue
			}
			content, ok := c.resource(s, resource, at, use)
			known = known && ok
			total += len(content)
			c.fileSecrets(s, name, content, mode, at.at("source"))
		}
		if known {
			summary.Size = &total
		}
		c.summary.Files = append(c.summary.Files, summary)
		c.wellKnownFile(s, file, name, mode, path)
	}
}

func (c *checker) wellKnownFile(s *scope, file *element, name string, mode int, path elementPath) {
	switch {
	case name == hostnamePath:
		c.hostname(s, file, path)
	case strings.HasPrefix(name, "/etc/NetworkManager/system-connections/") && mode&0o077 != 0:
		c.add(s, IDKeyfileMode, path.at("mode"), fmt.Sprintf("mode %04o: NetworkManager ignores connections that others can read; use 384 (0600)", mode))
	case strings.Contains(name, "/.ssh/authorized_keys"), name == "/etc/shadow", name == "/etc/passwd", strings.HasPrefix(name, "/etc/ssh/"):
		c.loginWithoutUser = true
	}
}

// hostname reports that the file conflicts with the hostname file that install_coreos adds.
func (c *checker) hostname(s *scope, file *element, path elementPath) {
	c.add(s, IDHostname, path, "install_coreos adds /etc/hostname to user data, and a duplicate would keep the machine from booting; ironworks sends it inside config.merge, and this file overrides the name from Ironic")
	contents := file.member("contents")
	if contents.str("source") == "" && (contents.str("compression") != "" || contents.member("verification").str("hash") != "") {
		c.add(s, IDHostnameSource, path.at("contents"), "compression or hash without a source: they would apply to the agent's /etc/hostname, and the boot would fail; add the source")
	}
}

func (c *checker) directories(s *scope, storage *element) {
	for i, directory := range storage.member("directories").items() {
		path := elementPath{"storage", "directories", i}
		c.remember(s, firstboot.Directories, directory.str("path"), path)
		c.target(s, directory.str("path"), path)
		c.mode(s, directory, path, true)
		mode, given := directory.number("mode")
		if !given {
			mode = 0o755
		}
		c.summary.Directories = append(c.summary.Directories, DirectorySummary{Path: short(directory.str("path"), maxPath), Mode: fmt.Sprintf("%04o", mode), In: c.in(s)})
	}
}

func (c *checker) links(s *scope, storage *element) {
	for i, link := range storage.member("links").items() {
		path := elementPath{"storage", "links", i}
		c.remember(s, firstboot.Links, link.str("path"), path)
		c.target(s, link.str("path"), path)
		c.summary.Links = append(c.summary.Links, LinkSummary{Path: short(link.str("path"), maxPath), Target: short(link.str("target"), maxPath), Hard: link.isTrue("hard"), In: c.in(s)})
	}
}

func (c *checker) target(s *scope, name string, path elementPath) {
	at := path.at("path")
	c.name(s, name, at)
	for _, dir := range []string{"/tmp", "/run", "/proc", "/sys", "/dev"} {
		if name == dir || strings.HasPrefix(name, dir+"/") {
			c.add(s, IDVolatilePath, at, "content at this path is lost once the system is running: use /etc, /var or systemd-tmpfiles")
		}
	}
}

// mode reports a decimal mode whose digits look as if they were meant to be octal.
func (c *checker) mode(s *scope, e *element, path elementPath, directory bool) {
	mode, given := e.number("mode")
	if !given || usualMode(mode, directory) {
		return
	}
	meant, ok := 0, mode > 0
	for digit, rest := 1, mode; rest > 0; digit, rest = digit*8, rest/10 {
		if rest%10 > 7 {
			ok = false
		}
		meant += rest % 10 * digit
	}
	if !ok || meant > 0o7777 || !usualMode(meant, directory) {
		return
	}
	c.add(s, IDDecimalMode, path.at("mode"), fmt.Sprintf("modes are decimal: %d is %04o; for %04o, use %d (in Butane 0%o)", mode, mode, meant, meant, meant))
}

// usualMode reports whether mode is plausible for a file or directory: others have no more permissions than the group,
// the group has no more than the owner, and execute permission implies read permission.
func usualMode(mode int, directory bool) bool {
	if mode < 0 || mode > 0o7777 {
		return false
	}
	other, group, owner := mode&7, mode>>3&7, mode>>6&7
	if other&^group != 0 || group&^owner != 0 || mode>>9 != 0 && mode&0o111 == 0 {
		return false
	}
	for _, may := range []int{other, group, owner} {
		if may != 0 && may&4 == 0 || directory && may != 0 && may&1 == 0 {
			return false
		}
		if may&1 == 0 && may != 0 && owner&1 != 0 {
			return false
		}
	}
	return true
}

// disks lists all changes to disks in the summary, because they may destroy existing data.
func (c *checker) disks(s *scope, storage *element) {
	for _, list := range []string{"disks", "filesystems", "luks", "raid"} {
		for i, e := range storage.member(list).items() {
			name := e.str("device")
			if list == "luks" || list == "raid" {
				name = e.str("name")
			}
			wipes := e.isTrue("wipeTable") || e.isTrue("wipeFilesystem") || e.isTrue("wipeVolume") || list == "raid"
			c.summary.Disks = append(c.summary.Disks, DiskSummary{Kind: list, Name: short(name, maxPath), Wipes: wipes, In: c.in(s)})
			if key := e.member("keyFile"); key != nil {
				at := elementPath{"storage", list, i, "keyFile"}
				if content, _ := c.resource(s, key, at, useKeyFile); len(content) > 0 {
					c.secret(s, at.at("source"), "a disk encryption key")
				}
			}
		}
	}
}

func (c *checker) units(s *scope, root *element) {
	for i, unit := range root.down("systemd", "units").items() {
		path := elementPath{"systemd", "units", i}
		c.remember(s, firstboot.Units, unit.str("name"), path)
		c.name(s, unit.str("name"), path.at("name"))
		summary := UnitSummary{
			Name: short(unit.str("name"), maxPath), Masked: unit.isTrue("mask"), Enabled: unit.isTrue("enabled"), Disabled: unit.isFalse("enabled"),
			HasContents: unit.str("contents") != "", In: c.in(s), Dropins: []string{},
		}
		c.textSecrets(s, unit.str("contents"), path.at("contents"))
		c.autologin(unit.str("contents"))
		for j, dropin := range unit.member("dropins").items() {
			at := path.at("dropins", j)
			c.name(s, dropin.str("name"), at.at("name"))
			summary.Dropins = append(summary.Dropins, short(dropin.str("name"), maxPath))
			c.textSecrets(s, dropin.str("contents"), at.at("contents"))
			c.autologin(dropin.str("contents"))
		}
		c.summary.Units = append(c.summary.Units, summary)
	}
}

func (c *checker) autologin(contents string) {
	c.loginWithoutUser = c.loginWithoutUser || strings.Contains(contents, "--autologin")
}

func (c *checker) kernelArguments(s *scope, kargs *element) {
	for _, list := range []string{"shouldExist", "shouldNotExist"} {
		into := &c.summary.KernelArguments.ShouldExist
		if list == "shouldNotExist" {
			into = &c.summary.KernelArguments.ShouldNotExist
		}
		for i, karg := range kargs.member(list).items() {
			path := elementPath{"kernelArguments", list, i}
			c.name(s, karg.text, path)
			shown := short(karg.text, maxPath)
			if name, _, value := strings.Cut(karg.text, "="); value && (secretName(name) || userinfo(karg.text)) {
				c.secret(s, path, "a kernel argument that looks like a password")
				shown = short(name, maxPath) + "=…"
			}
			*into = append(*into, shown)
		}
	}
}

// in returns the path of the part of the configuration that is being checked. It returns "" for the file itself.
func (c *checker) in(s *scope) string {
	if s.depth == 0 {
		return ""
	}
	shown, _ := s.locate(nil, false)
	return short(shown, maxPath)
}
