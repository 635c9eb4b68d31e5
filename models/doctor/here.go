package doctor

import (
	"fmt"
	"strings"

	"ironworks/models"
)

// judgeSSHKeys judges the SSH keys. Without a key, ironworks cannot read a ramdisk's log over SSH.
func judgeSSHKeys(f *Facts) Diagnosis {
	h := &f.Local
	var evidence []models.Observation
	if len(h.Named) > 0 {
		evidence = append(evidence, models.Observed("logs.ssh.keys", someOf(h.Named)))
	}
	for _, n := range h.KeyNotes {
		evidence = append(evidence, models.Observed("note", n))
	}
	hint := "set logs: {ssh: {keys: […]}} in the context, or run ssh-add; without a key, ramdisk logs must be pushed or read from an archive"
	switch {
	case len(h.Named) > 0 && len(h.KeyNotes) > 0:
		return warning("some SSH keys for ramdisks are not usable: "+h.KeyNotes[0], hint, evidence...)
	case h.Keys == 0 && len(h.KeyNotes) > 0:
		return warning("no SSH key for ramdisks: "+h.KeyNotes[0], hint, evidence...)
	case h.Keys == 0:
		return ok("no SSH key for ramdisks: their logs must be pushed", evidence...)
	}
	return ok(models.Counted(h.Keys, "SSH key")+" for ramdisks", evidence...)
}

func judgeJournal(f *Facts) Diagnosis {
	j := &f.Local.Journal
	evidence := []models.Observation{models.Observed("file", models.OrNone(j.Path))}
	switch {
	case j.Path == "":
		return warning("no journal: no state directory", "set HOME or XDG_STATE_HOME", evidence...)
	case j.Error != "":
		return warning("the journal is not usable: "+j.Error, "without a journal, explain has less evidence", evidence...)
	}
	evidence = append(evidence, models.Observed("limit for lines", models.FormatBytes(j.MaxSize)), models.Observed("kept for", models.Age(j.MaxAge)))
	if j.Dropped > 0 {
		return warning(fmt.Sprintf("no disk space for %s in the journal", models.Counted(int(j.Dropped), "record")), "ironworks journal info", evidence...)
	}
	if j.Bytes == 0 {
		return ok("new journal", evidence...)
	}
	return ok("journal size "+models.FormatBytes(j.Bytes)+"; limit for lines: about "+models.FormatBytes(j.MaxSize), evidence...)
}

// judgeAudit judges the audit file. If the file cannot be written, ironworks refuses changes.
func judgeAudit(f *Facts) Diagnosis {
	h := &f.Local
	at := models.Observed("file", models.OrNone(h.Audit))
	switch {
	case h.AuditError != "":
		return failure("the audit file is not writable, so changes are refused: "+h.AuditError, "make the file and its directory writable", at)
	case h.AuditNew:
		return ok("audit file can be created", at)
	}
	return ok("audit file writable", at)
}

// judgeBMC reports whether there are credentials for BMCs. It does not test them.
func judgeBMC(f *Facts) Diagnosis {
	switch user, password := f.Local.BMCUser, f.Local.BMCPassword; {
	case password && user != "":
		return ok("BMC credentials set, user " + user)
	case password:
		return ok("BMC password set; the user name comes from each node")
	case f.Local.BMCKeyring:
		return ok("no BMC password, except possibly in the keyring (not checked)")
	}
	return ok("no BMC password: ironworks bmc prompts for it (or set bmc: in the context, or IRONWORKS_BMC_PASSWORD)")
}

// judgeLabVMs never returns a warning or a failure, because only lab up --vms needs virtual machines.
func judgeLabVMs(f *Facts) Diagnosis {
	switch h := &f.Local; {
	case h.VMsMissing != "":
		return ok("no virtual machines for the lab: " + h.VMsMissing)
	case h.NoKVM != "":
		return ok("QEMU and UEFI firmware for the lab's virtual machines, without KVM (10 to 20 times slower): " + h.NoKVM)
	}
	return ok("QEMU, UEFI firmware and /dev/kvm for the lab's virtual machines")
}

func judgeTerminal(f *Facts) Diagnosis {
	t := &f.Local.Terminal
	locale := "UTF-8"
	if !t.UTF8 {
		locale = "no UTF-8: use --ascii"
	}
	evidence := []models.Observation{models.Observed("TERM", models.OrNone(t.Term)), models.Observed("colours", models.OrNone(t.Colours)), models.Observed("locale", models.OrNone(t.Locale))}
	if !t.IsTerminal {
		return ok("not a terminal; "+locale, evidence...)
	}
	evidence = append(evidence, models.Observed("size", fmt.Sprintf("%d×%d", t.Width, t.Height)))
	text := []string{models.OrNone(t.Term), fmt.Sprintf("%d×%d", t.Width, t.Height), t.Colours, locale}
	if t.Width < 80 || t.Height < 24 {
		text = append(text, "smaller than 80×24")
	}
	return ok(strings.Join(text, ", "), evidence...)
}

// TerminalOf describes the terminal. Like the console, it relies on environment variables, which it reads through the
// variable function.
func TerminalOf(variable func(name string) string) TerminalFacts {
	// The first locale variable that is set determines the encoding. If none is set, UTF-8 is assumed.
	t := TerminalFacts{Term: variable("TERM"), UTF8: true}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := variable(name); value != "" {
			t.Locale = name + "=" + value
			encoding := strings.ToUpper(value)
			t.UTF8 = strings.Contains(encoding, "UTF-8") || strings.Contains(encoding, "UTF8")
			break
		}
	}
	switch {
	case variable("NO_COLOR") != "":
		t.Colours = "no colors (NO_COLOR)"
	case variable("COLORTERM") == "truecolor", variable("COLORTERM") == "24bit":
		t.Colours = "all colors"
	case strings.Contains(t.Term, "256color"):
		t.Colours = "256 colors"
	case t.Term == "" || t.Term == "dumb":
		t.Colours = "no colors"
	default:
		t.Colours = "16 colors"
	}
	return t
}
