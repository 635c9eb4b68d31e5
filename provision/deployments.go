package provision

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/printable"
)

// Deployments stores the records of a context's deployments, one file per node. A record is written before its
// requests are sent, and it contains secrets. The files can therefore be read only by their owner, and the secrets
// are removed as soon as Ironic has accepted the deployment.
type Deployments struct {
	// Dir is the folder of the records; it is created when necessary. See [DeploymentsDir].
	Dir string
}

// DeploymentsDir returns the folder for the deployments of a context, below the program's state folder. Its name
// includes a hash of Ironic's address, because the context may later be renamed or used for another Ironic.
func DeploymentsDir(state, context, address string) string {
	sum := sha256.Sum256([]byte(strings.TrimRight(address, "/")))
	name := url.PathEscape(context)
	name = name[:min(len(name), 64)]
	return filepath.Join(state, "deployments", name+"-"+hex.EncodeToString(sum[:6]))
}

// sentRetention is the time for which a record is kept if no process waits for the deployment to end.
const sentRetention = 30 * 24 * time.Hour

// recordFormat is the version of the files' format. Files of other versions are neither read nor changed.
const recordFormat = 1

type record struct {
	Format int `json:"format"`
	Unfinished
	// Restore holds the operations that revert the changed fields, except instance_uuid, the last change first.
	Restore []models.PatchOp `json:"restore,omitempty"`
	// RootDisk identifies the target disk, if it is unambiguous. It is written to the node after a success.
	RootDisk map[string]string `json:"root_disk,omitempty"`
	// Deployment is the requested deployment. It is nil once Ironic has accepted the deployment.
	Deployment *recordedDeployment `json:"deployment,omitempty"`
}

// stamp returns a string that identifies this version of the record. It is empty if r is nil.
func (r *record) stamp() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%s %s %d", r.Instance, r.Stage, r.At.UnixNano())
}

func (r *readyNode) record(n *models.Node, now time.Time) record {
	rec := record{
		Unfinished: Unfinished{
			Node: n.Ref(), Verb: r.verb, Stage: StagePreparing, Started: now.UTC(), At: now.UTC(), Instance: r.instance, Kept: r.kept,
			Allocated: r.allocate != nil || r.before != nil && r.before.Allocated,
			From:      n.ProvisionState, Touched: n.ProvisionUpdatedAt, Digest: r.requested.digest(), Overrides: r.overrides,
		},
		Restore: append(r.undoPatch(n), r.restore...), RootDisk: identityOf(r.facts), Deployment: r.requested,
	}
	if r.before != nil && r.before.Stage != StageSent {
		rec.Started = r.before.Started
	}
	return rec
}

// undoPatch returns the operations that revert the patch. They omit fields that an earlier attempt has changed,
// because restore resets these fields to their values before that attempt.
func (r *readyNode) undoPatch(n *models.Node) []models.PatchOp {
	return slices.DeleteFunc(revertOps(n, r.patch), func(op models.PatchOp) bool {
		return slices.ContainsFunc(r.restore, func(o models.PatchOp) bool { return o.Path == op.Path })
	})
}

// recordedDeployment is a [Deployment] in the form in which it is stored on disk.
type recordedDeployment struct {
	Plan        string `json:"plan"`
	UserData    []byte `json:"user_data,omitempty"`
	VendorData  any    `json:"vendor_data,omitempty"`
	ConfigDrive string `json:"configdrive,omitempty"`
}

func recordDeployment(d Deployment) (*recordedDeployment, error) {
	plan, err := (&plan.Plan{Fields: d.Fields}).Encode()
	if err != nil {
		return nil, err
	}
	return &recordedDeployment{Plan: string(plan), UserData: d.bootable(), VendorData: d.VendorData, ConfigDrive: d.Text}, nil
}

func (r *recordedDeployment) deployment() (Deployment, error) {
	plan, err := plan.Decode([]byte(r.Plan))
	if err != nil {
		return Deployment{}, fmt.Errorf("plan of the unfinished deployment: %w", err)
	}
	return Deployment{Fields: plan.Fields, UserData: r.UserData, VendorData: r.VendorData, Text: r.ConfigDrive}, nil
}

func (r *recordedDeployment) digest() string {
	text, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// errNoUUID reports a UUID with illegal characters, which must not be used as a file name.
var errNoUUID = errors.New("invalid node UUID: cannot record the deployment")

func (d *Deployments) path(uuid, ending string) (string, error) {
	if !plainUUID.MatchString(uuid) {
		return "", errNoUUID
	}
	return filepath.Join(d.Dir, uuid+ending), nil
}

// load reads the record of the node with the given UUID. It returns nil if there is no record.
func (d *Deployments) load(uuid string) (*record, error) {
	if d == nil {
		return nil, nil //nolint:nilnil // no record
	}
	path, err := d.path(uuid, ".json")
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path) //nolint:gosec // below the program's own folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no record
	}
	var r record
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the record of an unfinished deployment, %s: %w", path, err)
	case r.Format != recordFormat || r.Node.UUID != uuid:
		return nil, fmt.Errorf("the record of an unfinished deployment, %s, was written by another version", path)
	}
	return &r, nil
}

// List returns the records, with the oldest first. If some records cannot be read, it returns the others together
// with an error. Records for which no process is waiting are removed after 30 days.
func (d *Deployments) List(now time.Time) ([]Unfinished, error) {
	entries, err := os.ReadDir(d.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []Unfinished
	for _, e := range entries {
		uuid, is := strings.CutSuffix(e.Name(), ".json")
		if !is || !plainUUID.MatchString(uuid) {
			continue
		}
		r, failed := d.load(uuid)
		switch {
		case failed != nil:
			err = errors.Join(err, failed)
		case r == nil: // the deployment ended in the meantime
		case r.Stage == StageSent && now.Sub(r.At) > sentRetention:
			_ = d.Forget(uuid)
		default:
			list = append(list, r.Unfinished)
		}
	}
	slices.SortFunc(list, func(a, b Unfinished) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.Node.Label(), b.Node.Label()))
	})
	return list, err
}

// Unfinished returns the deployments that Ironic may not have received, or that are no longer watched.
func (d *Deployments) Unfinished(now time.Time) ([]Unfinished, error) {
	list, err := d.List(now)
	return slices.DeleteFunc(list, func(u Unfinished) bool { return u.Stage == StageSent || d.holder(u.Node.UUID) != nil }), err
}

// holder returns an error that names the process acting on the node's deployment, or nil if there is none.
func (d *Deployments) holder(uuid string) error {
	if d == nil {
		return nil
	}
	path, err := d.path(uuid, ".lock")
	if err != nil {
		return err
	}
	return lockedBy(path)
}

// Forget removes the record of the node with the given UUID, unless a process is acting on it.
func (d *Deployments) Forget(uuid string) error {
	log, err := d.open(uuid)
	if err != nil {
		return err
	}
	defer log.close()
	return log.remove()
}

// open locks and reads the record of the node with the given UUID.
func (d *Deployments) open(uuid string) (*deploymentLog, error) {
	if d == nil {
		return nil, nil //nolint:nilnil // a nil log records nothing
	}
	path, err := d.path(uuid, ".lock")
	if err == nil {
		err = os.MkdirAll(d.Dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	lock, err := lockFile(path)
	if err != nil {
		return nil, err
	}
	log := &deploymentLog{in: d, uuid: uuid, lock: lock}
	err = os.Remove(filepath.Join(d.Dir, uuid+unwritten)) // left by a process that was killed during a write
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		log.record, err = d.load(uuid)
	}
	if err != nil {
		lock.unlock()
		return nil, err
	}
	return log, nil
}

// deploymentLog is a node's record, locked by the process that deploys the node. A nil deploymentLog records nothing.
type deploymentLog struct {
	in   *Deployments
	uuid string
	lock *fileLock
	// record is the content of the file, or nil if there is no file.
	record *record
}

// create writes the record before any of its requests is sent.
func (l *deploymentLog) create(r record) error {
	if l == nil {
		return nil
	}
	r.Format = recordFormat
	return l.write(r)
}

// update changes the record, if there is one. at is the time of the next request.
func (l *deploymentLog) update(at time.Time, change func(r *record)) error {
	if l == nil || l.record == nil {
		return nil
	}
	r := *l.record
	r.At = at.UTC()
	change(&r)
	return l.write(r)
}

func (l *deploymentLog) setStage(s Stage, now time.Time) error {
	return l.update(now, func(r *record) {
		r.Stage = s
		if s == StageFollowing || s == StageSent {
			r.Deployment, r.Restore = nil, nil // Ironic has accepted the deployment
		}
	})
}

// renewInterval is the age that the recorded time must have reached before renew updates it.
const renewInterval = time.Second

// renew records that a request of the same stage is sent at the given time, which may be the time of the next retry.
// [record.next] uses this time to decide which request may still be in transit.
func (l *deploymentLog) renew(at time.Time) error {
	if l == nil || l.record == nil {
		return nil
	}
	if age := at.Sub(l.record.At); age >= 0 && age < renewInterval {
		return nil
	}
	return l.update(at, func(*record) {})
}

// renewOnRetry returns a context for sending requests. Each retry of a request renews the record and calls onRetry.
func (l *deploymentLog) renewOnRetry(ctx context.Context, onRetry func(ironicclient.Retry)) context.Context {
	return ironicclient.OnRetry(ctx, func(retry ironicclient.Retry) {
		_ = l.renew(time.Now().Add(retry.Delay)) // if that fails, the record has the time of the first attempt
		onRetry(retry)
	})
}

// givingBack records that the node's fields are being restored, together with the operations that restore them. These
// do not include fields that this deployment never wrote: if such a field differs, another client has changed it.
func (l *deploymentLog) givingBack(restore []models.PatchOp, now time.Time) error {
	return l.update(now, func(r *record) { r.Stage, r.Restore = StageGivingBack, restore })
}

// write replaces the file and syncs it to disk.
func (l *deploymentLog) write(r record) error {
	path, err := l.in.path(l.uuid, ".json")
	if err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err == nil {
		err = l.replace(path, data)
	}
	if err != nil {
		return fmt.Errorf("write the record of the deployment: %w", err)
	}
	l.record = &r
	return nil
}

// withResumeHint adds a hint to err that explains how to resume the deployment, if there is still a record.
func (l *deploymentLog) withResumeHint(err error) error {
	if l == nil || l.record == nil {
		return err
	}
	return &models.RemedyError{
		Err: err, Hint: "to continue: ironworks deploy --resume " + printable.Line(l.record.Node.Label()), ScreenHint: "to continue: :deploy-resume",
	}
}

// remove removes the record of a finished deployment.
func (l *deploymentLog) remove() error {
	if l == nil || l.record == nil {
		return nil
	}
	path, err := l.in.path(l.uuid, ".json")
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("remove the record of the deployment: %w", err)
	}
	l.record = nil
	return nil
}

// close unlocks the record, so that other processes can use it.
func (l *deploymentLog) close() {
	if l != nil {
		l.lock.unlock()
	}
}

// unwritten is the suffix of the file that replaces a record once it has been written completely.
const unwritten = ".json.new"

// replace replaces the file at path. Even after a power failure, the file contains either the old or the new data.
func (l *deploymentLog) replace(path string, data []byte) error {
	fresh := strings.TrimSuffix(path, ".json") + unwritten
	f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // below the program's own folder
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		_ = os.Remove(fresh)
		return err
	}
	folder, err := os.Open(l.in.Dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// heldError reports that another process is acting on the same deployment.
type heldError struct {
	// PID is the process ID of the other process, or 0 if it is unknown.
	PID int
}

// Error describes the process that holds the lock.
func (e *heldError) Error() string {
	switch e.PID {
	case 0:
		return "another ironworks process is acting on the node"
	case os.Getpid():
		return "this ironworks process is already acting on the node"
	}
	return fmt.Sprintf("another ironworks process (PID %d) is acting on the node", e.PID)
}

// fileLock is a lock that the kernel releases when the process ends.
type fileLock struct{ *flock.Flock }

// lockFile locks the file at path, or returns a [heldError] if another process has locked it. It waits for processes
// in [lockedBy], which hold the lock only for microseconds.
func lockFile(path string) (*fileLock, error) {
	for tries := 1; ; tries++ {
		l := fileLock{flock.New(path, flock.SetFlag(os.O_RDWR|os.O_CREATE), flock.SetPermissions(0o600))}
		locked, err := l.TryLock()
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		if !locked {
			free, err := l.TryRLock()
			if err = errors.Join(err, l.Close()); err != nil {
				return nil, err
			}
			if !free || tries >= maxAttempts {
				return nil, &heldError{PID: pidIn(path)}
			}
			<-time.After(time.Millisecond)
			continue
		}
		// The previous owner may have removed the file after this process opened it.
		mine, err := l.Stat()
		there, errThere := os.Stat(path)
		switch {
		case err == nil && errThere == nil && os.SameFile(mine, there):
			if err = os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err == nil {
				return &l, nil
			}
			return nil, errors.Join(err, l.Close())
		case err != nil:
			return nil, errors.Join(err, l.Close())
		}
		_ = l.Close()
	}
}

// maxAttempts is the maximum number of attempts, 1 ms apart, to lock a file. An attempt can fail because another
// process briefly holds a lock in lockedBy.
const maxAttempts = 1000

// lockedBy returns an error that names the owner of the lock on the file at path, or nil if the file is not locked.
// To find out, it briefly takes a shared lock, for which [lockFile] waits.
func lockedBy(path string) error {
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	switch err = errors.Join(err, l.Close()); {
	case errors.Is(err, fs.ErrNotExist): // the file was never locked, or it is unlocked
		return nil
	case err != nil || free:
		return err
	}
	return &heldError{PID: pidIn(path)}
}

func pidIn(path string) int {
	text, err := os.ReadFile(path) //nolint:gosec // below the program's own folder
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}

// unlock removes the file while the lock is still held, then releases the lock.
func (l *fileLock) unlock() {
	_ = os.Remove(l.Path())
	_ = l.Close()
}
