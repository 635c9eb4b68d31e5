package userdata

import "slices"

// ProblemID identifies a kind of [Problem]. The IDs are stable, so that scripts can rely on them.
// docs/reference/user-data.md lists the cause of each problem and how to fix it.
type ProblemID string

// These problems concern the format of the user data.
const (
	IDEmpty               ProblemID = "empty"
	IDNotIgnition         ProblemID = "not-ignition"
	IDCloudConfig         ProblemID = "cloud-config"
	IDCloudInit           ProblemID = "cloud-init"
	IDShellScript         ProblemID = "shell-script"
	IDMIME                ProblemID = "mime"
	IDSpec1               ProblemID = "spec-1"
	IDSpec2               ProblemID = "spec-2"
	IDConfigDrive         ProblemID = "configdrive"
	IDPacked              ProblemID = "packed"
	IDPackedBroken        ProblemID = "packed-broken"
	IDNested              ProblemID = "nested"
	IDMachineConfig       ProblemID = "machine-config"
	IDMachineConfigFields ProblemID = "machine-config-fields"
	IDNoVariant           ProblemID = "no-variant"
	IDButane              ProblemID = "butane"
	IDButaneWarning       ProblemID = "butane-warning"
	IDYAML                ProblemID = "yaml"
	IDSeveralDocuments    ProblemID = "several-documents"
	IDByteOrderMark       ProblemID = "byte-order-mark"
	IDEncoding            ProblemID = "encoding"
	IDSyntax              ProblemID = "syntax"
	IDTooLarge            ProblemID = "too-large"
	IDTooDeep             ProblemID = "too-deep"
	IDTooComplex          ProblemID = "too-complex"
	IDLibraryFailed       ProblemID = "library-failed"
	IDMoreProblems        ProblemID = "more-problems"
)

// These problems concern the syntax of the document.
const (
	IDDuplicateKey     ProblemID = "duplicate-key"
	IDWrongCaseKey     ProblemID = "wrong-case-key"
	IDUnknownKey       ProblemID = "unknown-key"
	IDWrongType        ProblemID = "wrong-type"
	IDLoneSurrogate    ProblemID = "lone-surrogate"
	IDControlCharacter ProblemID = "control-character"
	IDNoVersion        ProblemID = "no-version"
	IDBadVersion       ProblemID = "bad-version"
	IDExperimentalSpec ProblemID = "experimental-spec"
	IDSpecTooNew       ProblemID = "spec-too-new"
	IDSpecNew          ProblemID = "spec-new"
)

// These problems are reported by Ignition itself.
const (
	IDDuplicateEntry   ProblemID = "duplicate-entry"
	IDBadPath          ProblemID = "bad-path"
	IDBadURL           ProblemID = "bad-url"
	IDBadHash          ProblemID = "bad-hash"
	IDBadUnit          ProblemID = "bad-unit"
	IDBadMode          ProblemID = "bad-mode"
	IDNoInstallSection ProblemID = "no-install-section"
	IDIgnitionRule     ProblemID = "ignition-rule"
	IDIgnitionWarning  ProblemID = "ignition-warning"
)

// These problems concern the effect on the machine.
const (
	IDBadDataURL        ProblemID = "bad-data-url"
	IDNotGzip           ProblemID = "not-gzip"
	IDHashMismatch      ProblemID = "hash-mismatch"
	IDUnpackedSize      ProblemID = "unpacked-size"
	IDChildEmpty        ProblemID = "child-empty"
	IDChildNotIgnition  ProblemID = "child-not-ignition"
	IDMergedInvalid     ProblemID = "merged-invalid"
	IDHostname          ProblemID = "hostname"
	IDHostnameSource    ProblemID = "hostname-source"
	IDRemoteConfig      ProblemID = "remote-config"
	IDUnverifiedSource  ProblemID = "unverified-source"
	IDSSHKey            ProblemID = "ssh-key"
	IDSSHPrivateKey     ProblemID = "ssh-private-key"
	IDSSHKeyWeak        ProblemID = "ssh-key-weak"
	IDSSHKeyOptions     ProblemID = "ssh-key-options"
	IDSSHKeyLines       ProblemID = "ssh-key-lines"
	IDNoLogin           ProblemID = "no-login"
	IDLoginUnknown      ProblemID = "login-unknown"
	IDPasswordHash      ProblemID = "password-hash"
	IDPasswordNotHashed ProblemID = "password-not-hashed"
	IDNoName            ProblemID = "no-name"
	IDDecimalMode       ProblemID = "decimal-mode"
	IDKeyfileMode       ProblemID = "keyfile-mode"
	IDBadAccount        ProblemID = "bad-account"
	IDNoAccount         ProblemID = "no-account"
	IDPathTaken         ProblemID = "path-taken"
	IDImpossiblePath    ProblemID = "impossible-path"
	IDReadOnlyPath      ProblemID = "read-only-path"
	IDMayNotBoot        ProblemID = "may-not-boot"
	IDBadCA             ProblemID = "bad-ca"
	IDVolatilePath      ProblemID = "volatile-path"
	IDSecret            ProblemID = "secret"
	IDOverPatchLimit    ProblemID = "over-patch-limit"
	IDOverEmbedArea     ProblemID = "over-embed-area"
)

// These are the problems that are not errors.
var (
	infos = []ProblemID{
		IDMoreProblems, IDRemoteConfig, IDLoginUnknown, IDPasswordHash, IDOverEmbedArea,
	}
	warnings = []ProblemID{
		IDPacked, IDMachineConfig, IDMachineConfigFields, IDButaneWarning, IDSpecNew, IDNoInstallSection,
		IDIgnitionWarning, IDHostname, IDUnverifiedSource, IDSSHKeyOptions, IDSSHKeyLines, IDNoLogin, IDKeyfileMode,
		IDMayNotBoot, IDVolatilePath, IDSecret, IDOverPatchLimit,
	}
)

// stricter lists the problems for which Ignition's own validation would accept the user data.
var stricter = []ProblemID{
	IDSeveralDocuments, IDEncoding, IDTooLarge, IDTooDeep, IDTooComplex, IDDuplicateKey, IDWrongCaseKey, IDUnknownKey,
	IDLoneSurrogate, IDControlCharacter, IDExperimentalSpec, IDSpecTooNew, IDBadDataURL, IDNotGzip, IDHashMismatch,
	IDUnpackedSize, IDChildEmpty, IDChildNotIgnition, IDMergedInvalid, IDHostnameSource, IDSSHKey, IDSSHPrivateKey,
	IDSSHKeyWeak, IDPasswordNotHashed, IDNoName, IDDecimalMode, IDBadAccount, IDNoAccount, IDPathTaken,
	IDImpossiblePath, IDReadOnlyPath, IDBadCA,
}

// Severity returns the severity of this kind of problem. For an unknown ID, it is SeverityError.
func (id ProblemID) Severity() Severity {
	switch {
	case slices.Contains(infos, id):
		return SeverityInfo
	case slices.Contains(warnings, id):
		return SeverityWarning
	}
	return SeverityError
}

// StricterThanIgnition reports whether Ignition's own validation would accept the user data in spite of this error.
// Nevertheless, the machine would not boot, or would boot into an unintended state.
func (id ProblemID) StricterThanIgnition() bool { return slices.Contains(stricter, id) }
