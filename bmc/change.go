package bmc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/stmcginnis/gofish/schemas"

	"ironworks/models"
)

// sent is what came back of a request that changes something: where its task is, if it has
// one.
type sent struct {
	task string
	wait bool // 202
}

// post asks for an action.
func (s *session) post(ctx context.Context, at string, body any) (sent, error) {
	return s.send(ctx, func() (*http.Response, error) { return s.client.WithContext(ctx).Post(at, body) })
}

// act asks for an action and follows the task that it may be. The note is for what was
// done: empty, or that the task still runs.
func (s *session) act(ctx context.Context, at string, body any) (string, error) {
	answer, err := s.post(ctx, at, body)
	if err != nil {
		return "", err
	}
	return s.follow(ctx, answer)
}

// change changes a resource, and follows the task that it may be. Some controllers want to
// be told which version of the resource is meant (428, or 412 for another): it is read
// again, once. There are those that do not know their own weak tags.
func (s *session) change(ctx context.Context, at string, body any) (string, error) {
	patch := func(etag string) (sent, error) {
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
		if etag == "" {
			etag = now.ETag
		}
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

// send sends a change. One that got no answer may have been taken.
func (s *session) send(ctx context.Context, request func() (*http.Response, error)) (sent, error) {
	resp, err := request() //nolint:bodyclose // the cleanup does
	if err != nil && s.renew(ctx, err) {
		resp, err = request() //nolint:bodyclose // the cleanup does
	}
	defer schemas.DeferredCleanupHTTPResponse(resp)
	if err != nil {
		return sent{}, s.unanswered(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return sent{}, s.unanswered(err)
	}
	var told struct {
		ref
		Type  string `json:"@odata.type"`
		Error *struct{ Message string }
	}
	_ = json.Unmarshal(body, &told) // many answer with nothing, or with what was changed
	if told.Error != nil && hasFailed(body) {
		return sent{}, schemas.ConstructError(http.StatusBadRequest, body)
	}
	answer := sent{wait: resp.StatusCode == http.StatusAccepted}
	if answer.wait {
		answer.task = resp.Header.Get("Location")
		if answer.task == "" && strings.Contains(told.Type, "Task") {
			answer.task = told.ID
		}
		if u, err := url.Parse(answer.task); err == nil {
			answer.task = u.RequestURI()
		}
	}
	return answer, nil
}

// hasFailed: some answer 200 and an error, and some write their Success where an error
// goes.
func hasFailed(body []byte) bool {
	var told struct {
		Error struct {
			Code  string
			Infos []struct{ MessageID, Severity, MessageSeverity string } `json:"@Message.ExtendedInfo"`
		}
	}
	_ = json.Unmarshal(body, &told)
	for _, info := range told.Error.Infos {
		if strings.HasSuffix(info.MessageID, "Success") || strings.EqualFold(info.Severity, "OK") || strings.EqualFold(info.MessageSeverity, "OK") {
			return false
		}
	}
	return !strings.HasSuffix(told.Error.Code, "Success")
}

// unanswered marks a change that may have been taken although no answer came.
func (s *session) unanswered(err error) error {
	if status(err) != 0 {
		return err
	}
	if errors.Is(err, errForeign) || errors.Is(err, errTooMuch) || errors.Is(err, errRedirect) {
		return err
	}
	return &unsure{err}
}

// unsure is a change without an answer.
type unsure struct{ err error }

func (u *unsure) Error() string { return u.err.Error() }
func (u *unsure) Unwrap() error { return u.err }

// isBroken says that the connection ended in the middle.
func isBroken(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) }

// names says whether a controller's no is about a property.
func names(err error, property string) bool {
	var answer *schemas.Error
	if !errors.As(err, &answer) {
		return false
	}
	text := answer.Message
	for _, info := range answer.ExtendedInfos {
		text += " " + info.Message + " " + strings.Join(info.MessageArgs, " ") + " " + strings.Join(info.RelatedProperties, " ")
	}
	return strings.Contains(text, property)
}

// task is how far a change is.
type task struct {
	TaskState, TaskStatus string

	Messages []struct{ Message, MessageID, Severity string }
}

// follow waits for the end of a task, for a minute at most.
func (s *session) follow(ctx context.Context, answer sent) (string, error) {
	if !answer.wait {
		return "", nil
	}
	if answer.task == "" || answer.task == "/" {
		return "; the BMC works on it", nil
	}
	end := time.Now().Add(s.limits.task)
	for {
		state, done, err := s.look(ctx, answer.task)
		var lost *unreadable
		switch unread := errors.As(err, &lost); {
		case done:
			return "", err
		case unread && !passes(err):
			return "", s.lostTask(answer.task, err)
		case time.Now().After(end) || !within(ctx, s.limits.pause) || !sleep(ctx, s.limits.pause):
			if unread {
				return "", s.lostTask(answer.task, err)
			}
			return fmt.Sprintf("; the BMC still works on it (%s, task %s)", orUnknown(state), last(answer.task)), nil
		}
	}
}

// passes says whether a failure to read a task may pass by itself: a busy controller, or a
// connection that broke.
func passes(err error) bool {
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

// lostTask is the fault of an order that the controller accepted, but whose task cannot be
// read: the order may have been carried out. It hides the controller's answer, for an error
// about the task says nothing about the order.
func (s *session) lostTask(at string, err error) error {
	why := s.fault("", err)
	f := &models.Fault{
		Kind: models.FaultServer, URL: s.url, Sent: true,
		Message: fmt.Sprintf("the BMC accepted it, but task %s cannot be read: %s", s.safe(last(at)), why.Reason()),
		Hint:    "look at the BMC before sending it again",
	}
	if why.Kind == models.FaultCanceled {
		f.Kind, f.Err = why.Kind, why.Err
	}
	return f
}

// look asks a task once. A monitor of a task goes when that has ended. A task that cannot be
// read is an *unreadable, and not done.
func (s *session) look(ctx context.Context, at string) (state string, done bool, err error) {
	var t task
	err = s.get(ctx, at, &t)
	var lost *unreadable
	switch code := status(err); {
	case code == http.StatusNotFound || code == http.StatusGone:
		return "", true, nil
	case errors.As(err, &lost) && lost.err == io.EOF: //nolint:errorlint // a decoder's own; a broken connection wraps it
		return "", true, nil // an empty answer: the end of a monitor
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
		// Not a task: a monitor that has ended shows what came of it.
		return "", true, nil
	}
	return t.TaskState, false, nil
}

func (s *session) taskFailed(state, why string) error {
	f := &models.Fault{Kind: models.FaultServer, URL: s.url, Message: "the BMC took it, and failed: " + state}
	if why != "" {
		f.Message = "the BMC took it, and failed: " + s.safe(why)
	}
	return f
}

// anyOf says whether a no is one of some messages, or says nothing of its reason: the code
// beside the messages is a general error at most controllers.
func anyOf(err error, ids ...string) bool {
	var answer *schemas.Error
	if !errors.As(err, &answer) {
		return false
	}
	var told []string
	for _, info := range answer.ExtendedInfos {
		if info.MessageID != "" && !strings.HasSuffix(info.MessageID, "GeneralError") {
			told = append(told, info.MessageID)
		}
	}
	if len(told) == 0 {
		return answer.Message == "" || strings.HasSuffix(answer.Code, "GeneralError")
	}
	return slices.ContainsFunc(told, func(id string) bool {
		return slices.ContainsFunc(ids, func(want string) bool { return strings.HasSuffix(id, want) })
	})
}
