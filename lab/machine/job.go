package machine

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// JobState is the state of a BMC job. The values are Redfish's (TaskState).
type JobState string

// States of a job.
const (
	JobNew       JobState = "New"     // the image is being fetched
	JobRunning   JobState = "Running" // the image is being written
	JobPending   JobState = "Pending" // the job waits for the next boot
	JobCompleted JobState = "Completed"
	JobException JobState = "Exception" // the job has failed
)

// Job is a job that the BMC runs. It is kept after it has ended.
type Job struct {
	ID    int
	Name  string
	State JobState
	// Reason is the reason why the job failed, and reasonID is the ID of its message in DMTF's Update message registry.
	Reason   string
	reasonID messageID
}

// maxJobs is the maximum number of jobs that the BMC keeps. The BMC drops the oldest ones.
const maxJobs = 32

// Names of the jobs for pending BIOS changes, for firmware updates and for pending volume changes.
const (
	biosJob     = "BIOS configuration"
	firmwareJob = "Firmware update"
	raidJob     = "RAID configuration"
)

// Reasons why updates fail (DMTF's Update message registry).
const (
	transferFailed     messageID = "TransferFailed"
	verificationFailed messageID = "VerificationFailed"
)

// Jobs returns the jobs of the BMC, starting with the oldest one.
func (m *Machine) Jobs() []Job {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.jobs)
}

// DeleteJob deletes the job with the given ID, including the change that it would apply, and reports whether it
// existed.
func (m *Machine) DeleteJob(id int) bool {
	m.mu.Lock()
	defer m.unlock()
	at := m.jobIndex(id)
	if at < 0 {
		return false
	}
	if m.jobs[at].State == JobPending {
		m.dropPending(m.jobs[at].Name)
	}
	m.jobs = slices.Delete(m.jobs, at, at+1)
	m.emit(JobDeleted, "%d", id)
	return true
}

// dropPending discards the changes that a pending job would apply. Called with mu held, like all functions below.
func (m *Machine) dropPending(name string) {
	switch name {
	case biosJob:
		m.bios.pending = map[string]any{}
	case firmwareJob:
		delete(m.firmware.staged, BIOSFirmware)
	case raidJob:
		m.raid.pending = nil
	}
}

func (m *Machine) jobIndex(id int) int {
	return slices.IndexFunc(m.jobs, func(j Job) bool { return j.ID == id })
}

func (m *Machine) addJob(name string, state JobState) Job {
	if len(m.jobs) == maxJobs {
		m.jobs = slices.Delete(m.jobs, 0, 1)
	}
	m.lastJob++
	j := Job{ID: m.lastJob, Name: name, State: state}
	m.jobs = append(m.jobs, j)
	return j
}

// queueBIOS creates a job for the pending BIOS changes, unless such a job exists already. All changes share one job.
func (m *Machine) queueBIOS() {
	if !slices.ContainsFunc(m.jobs, func(j Job) bool { return j.Name == biosJob && j.State == JobPending }) {
		m.addJob(biosJob, JobPending)
	}
}

// setJob changes the state of a job, unless the job was deleted.
func (m *Machine) setJob(id int, state JobState) {
	if at := m.jobIndex(id); at >= 0 {
		m.jobs[at].State = state
	}
}

// failJob ends a job with an error, unless the job was deleted.
func (m *Machine) failJob(id int, reason messageID, text string) {
	if at := m.jobIndex(id); at >= 0 {
		j := &m.jobs[at]
		j.State, j.Reason, j.reasonID = JobException, text, reason
		m.emit(JobFailed, "%s: %s", j.Name, text)
	}
}

// endJobs completes the pending jobs with the given name.
func (m *Machine) endJobs(name string) {
	for i := range m.jobs {
		if m.jobs[i].Name == name && m.jobs[i].State == JobPending {
			m.jobs[i].State = JobCompleted
		}
	}
}

func getTaskService(*http.Request) object {
	return resource(tasksPath, "TaskService", "Tasks", object{
		"ServiceEnabled": true, "Status": healthy(), "Tasks": link(tasksPath + "/Tasks"),
	})
}

// jobID returns the ID of the task that describes a job.
func (m *Machine) jobID(j Job) string { return m.Name() + ":" + strconv.Itoa(j.ID) }

func (m *Machine) jobPath(j Job) string { return tasksPath + "/Tasks/" + m.jobID(j) }

func (r *Rack) getTasks(request *http.Request) object {
	var ids []string
	for _, m := range r.visible(request) {
		for _, j := range m.Jobs() {
			ids = append(ids, m.jobID(j))
		}
	}
	return collection(request.URL.Path, "Task", "Tasks", ids...)
}

// job returns the job named in a request's path, and its machine, or errNotFound if the client cannot see the job.
func (r *Rack) job(request *http.Request) (*Machine, Job, error) {
	id := request.PathValue("task")
	name, _, _ := strings.Cut(id, ":")
	if m := r.byName[name]; m != nil && m.accepts(identityOf(request)) {
		for _, j := range m.Jobs() {
			if m.jobID(j) == id {
				return m, j, nil
			}
		}
	}
	return nil, Job{}, errNotFound
}

func (r *Rack) getTask(w http.ResponseWriter, request *http.Request) error {
	m, j, err := r.job(request)
	if err == nil && r.readyFor(w, request, m) {
		show(w, m.task(j))
	}
	return err
}

// getTaskMonitor responds with the status 202 until the task has ended, and with the status 200 afterwards. The
// response contains the task, from which Ironic reads the result.
func (r *Rack) getTaskMonitor(w http.ResponseWriter, request *http.Request) error {
	m, j, err := r.job(request)
	switch {
	case err != nil:
		return err
	case j.State == JobCompleted || j.State == JobException:
		show(w, m.task(j))
	default:
		showAs(w, http.StatusAccepted, m.task(j))
	}
	return nil
}

// task returns a job as a Redfish Task. A failed task has one message, because Ironic shows all messages.
func (m *Machine) task(j Job) object {
	percent := map[JobState]int{JobRunning: 50, JobCompleted: 100, JobException: 100}
	text := map[JobState]string{
		JobNew: "The image is being fetched.", JobRunning: "The image is being written.", JobPending: "It waits for the next boot.", JobCompleted: "It is done.",
	}
	status, message := "OK", object{"MessageId": "Base.1.18.Success", "Message": text[j.State], "Severity": "OK"}
	if j.State == JobException {
		status, message = "Critical", object{"MessageId": "Update.1.0." + string(j.reasonID), "Message": j.Reason, "Severity": "Critical"}
	}
	return resource(m.jobPath(j), "Task", j.Name, object{
		"TaskState": j.State, "TaskStatus": status, "PercentComplete": percent[j.State], "Messages": []object{message},
	})
}

func (r *Rack) deleteTask(w http.ResponseWriter, request *http.Request) error {
	m, j, err := r.job(request)
	switch {
	case err != nil:
		return err
	case !r.readyFor(w, request, m):
		return nil
	case !m.DeleteJob(j.ID):
		return errNotFound
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
