package bmc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stmcginnis/gofish/schemas"

	"ironworks/models"
)

// changeAnswer is the controller's response to a change. If a task carries out the change, task is its address.
type changeAnswer struct {
	task string
	wait bool // whether the status was 202
}

// post sends an action, and does not wait for its task.
func (s *session) post(ctx context.Context, at string, body any) (changeAnswer, error) {
	return s.send(ctx, func() (*http.Response, error) { return s.client.WithContext(ctx).Post(at, body) })
}

// act sends an action and waits for its task, if there is one. The note says that the task is still running, or is "".
func (s *session) act(ctx context.Context, at string, body any) (string, error) {
	answer, err := s.post(ctx, at, body)
	if err != nil {
		return "", err
	}
	return s.follow(ctx, answer)
}

// change changes a resource and waits for the task, if there is one. Some controllers require the version (ETag) of
// the resource, and reject a change with status 428 or 412 if the version is missing or wrong. After such a response,
// change reads the resource to find out the version, and tries again. Some controllers do not accept their own weak
// ETags, so change finally tries the strong form.
func (s *session) change(ctx context.Context, at string, body any) (string, error) {
	patch := func(etag string) (changeAnswer, error) {
		headers := map[string]string{}
		if etag != "" {
			headers["If-Match"] = etag
		}
		return s.send(ctx, func() (*http.Response, error) { return s.client.WithContext(ctx).PatchWithHeaders(at, body, headers) })
	}
	answer, err := patch("")
	if wantsETag(err) {
		var now struct {
			ETag string `json:"@odata.etag"`
		}
		etag, readErr := s.getWithETag(ctx, at, &now)
		etag = cmp.Or(etag, now.ETag)
		if readErr != nil || etag == "" {
			return "", errors.Join(err, readErr)
		}
		answer, err = patch(etag)
		if strong, weak := strings.CutPrefix(etag, "W/"); weak && wantsETag(err) {
			answer, err = patch(strong)
		}
	}
	if err != nil {
		return "", err
	}
	return s.follow(ctx, answer)
}

func wantsETag(err error) bool {
	code := status(err)
	return code == http.StatusPreconditionFailed || code == http.StatusPreconditionRequired
}

// send sends a change. Without an answer, the error is an *unconfirmedError: the change may have been accepted.
func (s *session) send(ctx context.Context, request func() (*http.Response, error)) (changeAnswer, error) {
	resp, err := request() //nolint:bodyclose // the cleanup does
	if err != nil && s.renew(ctx, err) {
		resp, err = request() //nolint:bodyclose // the cleanup does
	}
	defer schemas.DeferredCleanupHTTPResponse(resp)
	if err != nil {
		return changeAnswer{}, s.asUnconfirmed(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return changeAnswer{}, s.asUnconfirmed(err)
	}
	var task struct {
		ref
		Type  string `json:"@odata.type"`
		Error *struct{ Message string }
	}
	_ = json.Unmarshal(body, &task) // many responses have no body or contain the changed resource
	if task.Error != nil && hasFailed(body) {
		return changeAnswer{}, schemas.ConstructError(http.StatusBadRequest, body)
	}
	answer := changeAnswer{wait: resp.StatusCode == http.StatusAccepted}
	if answer.wait {
		answer.task = resp.Header.Get("Location")
		if answer.task == "" && strings.Contains(task.Type, "Task") {
			answer.task = task.ID
		}
		if u, err := url.Parse(answer.task); err == nil {
			answer.task = u.RequestURI()
		}
	}
	return answer, nil
}

// hasFailed reports whether a response that looks successful contains an error. Some controllers put a success
// message in the place of an error. Such a message does not count as an error, unless a critical one accompanies it.
func hasFailed(body []byte) bool {
	var task struct {
		Error struct {
			Code  string
			Infos []struct{ MessageID, Severity, MessageSeverity string } `json:"@Message.ExtendedInfo"`
		}
	}
	_ = json.Unmarshal(body, &task)
	success := strings.HasSuffix(task.Error.Code, "Success")
	for _, info := range task.Error.Infos {
		severity := cmp.Or(info.MessageSeverity, info.Severity)
		switch {
		case strings.EqualFold(severity, "Critical"):
			return true
		case strings.HasSuffix(info.MessageID, "Success"), strings.EqualFold(severity, "OK"):
			success = true
		}
	}
	return !success
}

// asUnconfirmed converts err to an *unconfirmedError if the controller may have accepted the change without an answer.
func (s *session) asUnconfirmed(err error) error {
	if status(err) != 0 {
		return err
	}
	if errors.Is(err, errForeign) || errors.Is(err, errTooMuch) || errors.Is(err, errRedirect) {
		return err
	}
	return &unconfirmedError{err}
}

// unconfirmedError reports that the controller did not answer a change, which it may have accepted.
type unconfirmedError struct{ err error }

func (u *unconfirmedError) Error() string { return u.err.Error() }
func (u *unconfirmedError) Unwrap() error { return u.err }

// isBroken reports whether the connection was closed in the middle of a response.
func isBroken(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) }

// isAbout reports whether a controller's error names the given property.
func isAbout(err error, property string) bool {
	answer, ok := errors.AsType[*schemas.Error](err)
	if !ok {
		return false
	}
	text := answer.Message
	for _, info := range answer.ExtendedInfos {
		text += " " + info.Message + " " + strings.Join(info.MessageArgs, " ") + " " + strings.Join(info.RelatedProperties, " ")
	}
	return strings.Contains(text, property)
}

// task holds those fields of a Redfish Task that show the state of a change.
type task struct {
	TaskState, TaskStatus string

	Messages []struct{ Message, MessageID, Severity string }
}

// follow waits until the task of a change has ended, at most limits.task. The note says that it still runs, or is "".
func (s *session) follow(ctx context.Context, answer changeAnswer) (string, error) {
	if !answer.wait {
		return "", nil
	}
	if answer.task == "" || answer.task == "/" {
		return "; the BMC is still processing the request", nil
	}
	end := time.Now().Add(s.limits.task)
	for {
		state, done, err := s.readTask(ctx, answer.task)
		switch _, unread := errors.AsType[*unreadableError](err); {
		case done:
			return "", err
		case unread && !isTemporary(err):
			return "", s.lostTask(answer.task, err)
		case time.Now().After(end) || !hasTime(ctx, s.limits.pause) || !sleep(ctx, s.limits.pause):
			if unread {
				return "", s.lostTask(answer.task, err)
			}
			return fmt.Sprintf("; the BMC is still processing the request (%s, task %s)", cmp.Or(state, "unknown"), last(answer.task)), nil
		}
	}
}

// isTemporary reports whether the reason why a task could not be read may be temporary, such as a busy controller.
func isTemporary(err error) bool {
	var syntax *json.SyntaxError
	var away *redirected
	switch code := status(err); {
	case code != 0:
		return code >= http.StatusInternalServerError || code == http.StatusTooManyRequests
	case errors.As(err, &syntax), errors.As(err, &away), errors.Is(err, errForeign), errors.Is(err, errTooMuch), errors.Is(err, errTooMany):
		return false
	}
	return true
}

// lostTask returns the fault for an order that the controller accepted, but whose task cannot be read. It does not
// contain the controller's response, which says nothing about the order.
func (s *session) lostTask(at string, err error) error {
	why := s.fault("", err)
	f := &models.Fault{
		Kind: models.FaultServer, URL: s.url, Sent: true,
		Message: fmt.Sprintf("the BMC accepted the request, but task %s cannot be read: %s", s.safe(last(at)), why.Reason()),
		Hint:    "check the BMC before you retry",
	}
	if why.Kind == models.FaultCanceled {
		f.Kind, f.Err = why.Kind, why.Err
	}
	return f
}

// readTask reads a task once. A task monitor disappears when its task has ended, so a missing monitor means that the
// task is done. If a task cannot be read, the error is an *unreadableError, and done is false.
func (s *session) readTask(ctx context.Context, at string) (state string, done bool, err error) {
	var t task
	err = s.get(ctx, at, &t)
	var lost *unreadableError
	switch code := status(err); {
	case code == http.StatusNotFound || code == http.StatusGone:
		return "", true, nil
	case errors.As(err, &lost) && lost.err == io.EOF: //nolint:errorlint // a decoder's own; a broken connection wraps it
		return "", true, nil // an empty response comes from the monitor of a task that has ended
	case err != nil:
		return "", false, err
	}
	why := ""
	for _, m := range t.Messages {
		if m.Message != "" && (why == "" || m.Severity == "Critical") {
			why = m.Message
		}
	}
	switch t.TaskState {
	case "Exception", "Killed", "Cancelled", "Interrupted":
		return "", true, s.taskFailed(t.TaskState, why)
	case "Completed":
		if t.TaskStatus == "Critical" {
			return "", true, s.taskFailed(t.TaskState, why)
		}
		return "", true, nil
	case "":
		// The resource is not a task: the monitor of a task that has ended returns the result instead.
		return "", true, nil
	}
	return t.TaskState, false, nil
}

func (s *session) taskFailed(state, why string) error {
	f := &models.Fault{Kind: models.FaultServer, URL: s.url, Message: "the BMC accepted the request, but it failed: " + state}
	if why != "" {
		f.Message = "the BMC accepted the request, but it failed: " + s.safe(why)
	}
	return f
}

// anyOf reports whether an error contains one of the message IDs, or none that is more specific than a general error.
func anyOf(err error, ids ...string) bool {
	answer, ok := errors.AsType[*schemas.Error](err)
	if !ok {
		return false
	}
	var task []string
	for _, info := range answer.ExtendedInfos {
		if info.MessageID != "" && !strings.HasSuffix(info.MessageID, "GeneralError") {
			task = append(task, info.MessageID)
		}
	}
	if len(task) == 0 {
		return answer.Message == "" || strings.HasSuffix(answer.Code, "GeneralError")
	}
	return anyEnds(task, ids)
}
