package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"strings"
)

// object is a Redfish resource, or a part of one, before it is encoded as JSON.
type object = map[string]any

// maxBody is the maximum size, in bytes, of a request's body.
const maxBody = 1 << 20

// messageID identifies an error message (in DMTF's Base message registry).
type messageID string

const (
	generalError           messageID = "GeneralError"
	internalError          messageID = "InternalError"
	insufficientPrivilege  messageID = "InsufficientPrivilege"
	resourceInUse          messageID = "ResourceInUse"
	resourceMissing        messageID = "ResourceMissingAtURI"
	operationNotAllowed    messageID = "OperationNotAllowed"
	malformedJSON          messageID = "MalformedJSON"
	parameterMissing       messageID = "ActionParameterMissing"
	parameterValue         messageID = "ActionParameterValueNotInList"
	propertyValue          messageID = "PropertyValueNotInList"
	propertyUnknown        messageID = "PropertyUnknown"
	propertyNotWritable    messageID = "PropertyNotWritable"
	propertyType           messageID = "PropertyValueTypeError"
	propertyRange          messageID = "PropertyValueOutOfRange"
	propertyLength         messageID = "StringValueTooLong"
	temporarilyUnavailable messageID = "ServiceTemporarilyUnavailable"
	preconditionRequired   messageID = "PreconditionRequired"
	preconditionFailed     messageID = "PreconditionFailed"
)

func link(path string) object { return object{"@odata.id": path} }

func links(paths ...string) []object {
	all := make([]object, len(paths))
	for i, path := range paths {
		all[i] = link(path)
	}
	return all
}

// resource returns a Redfish resource with the usual and the given properties. Its ID is the last segment of its path.
func resource(path, schema, name string, properties object) object {
	all := object{"@odata.id": path, "@odata.type": typeOf(schema), "Id": path[strings.LastIndexByte(path, '/')+1:], "Name": name}
	maps.Copy(all, properties)
	return all
}

// collection returns a Redfish collection whose members are resources of the given schema.
func collection(path, schema, name string, ids ...string) object {
	members := make([]object, len(ids))
	for i, id := range ids {
		members[i] = link(path + "/" + id)
	}
	return object{
		"@odata.id": path, "@odata.type": typeOf(schema + "Collection"),
		"Name": name, "Members": members, "Members@odata.count": len(ids),
	}
}

// action describes an action of the resource at path, for the resource's Actions property.
func action(path, name string, parameters object) object {
	described := object{"target": path + "/Actions/" + name}
	maps.Copy(described, parameters)
	return object{"#" + name: described}
}

// healthy returns the status of a component that works.
func healthy() object { return object{"State": "Enabled", "Health": "OK"} }

// show writes a response that contains the given resource.
func show(w http.ResponseWriter, value any) { showAs(w, http.StatusOK, value) }

// showAs writes a response that contains the given resource, with an ETag that is computed from the content.
func showAs(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		fail(w, http.StatusInternalServerError, internalError, "The answer cannot be written: "+err.Error())
		return
	}
	sum := fnv.New64a()
	_, _ = sum.Write(body)
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sum.Sum64()))
	w.Header().Set("Content-Type", "application/json")
	// The Link header names the schema of the resource (DSP0266, Link header).
	shown, _ := value.(object)
	if kind, ok := shown["@odata.type"].(string); ok {
		schema := kind[1:strings.LastIndexByte(kind, '.')]
		w.Header().Set("Link", "<"+schemasURL+schema+".json>; rel=describedby")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// fail writes an error response in Redfish's format (DSP0266, Error responses).
func fail(w http.ResponseWriter, status int, id messageID, text string) {
	full := "Base.1.18." + string(id)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{"error": object{
		"code": full, "message": text,
		"@Message.ExtendedInfo": []object{{
			"@odata.type": typeOf("Message"), "MessageId": full, "Message": text,
			"MessageArgs": []string{}, "Severity": "Critical", "Resolution": "None.",
		}},
	}})
}

// refusal is an error that determines the error response to a request.
type refusal struct {
	status int
	id     messageID
	text   string
}

func (r *refusal) Error() string { return r.text }

func badRequest(id messageID, format string, args ...any) error {
	return &refusal{http.StatusBadRequest, id, fmt.Sprintf(format, args...)}
}

// errNotFound is returned if there is no resource at the path of a request.
var errNotFound = errors.New("no such resource")

// refuse writes the error response for an error of a handler. By default, a property of the request is to blame.
func refuse(w http.ResponseWriter, request *http.Request, err error) {
	var refused *refusal
	switch {
	case errors.Is(err, errNotFound):
		notFound(w, request)
	case errors.As(err, &refused):
		fail(w, refused.status, refused.id, refused.text)
	default:
		fail(w, http.StatusBadRequest, propertyValue, err.Error())
	}
}

func unauthorized(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", `Basic realm="Redfish"`)
	fail(w, http.StatusUnauthorized, insufficientPrivilege, "The credentials are missing or wrong.")
}

func notFound(w http.ResponseWriter, request *http.Request) {
	fail(w, http.StatusNotFound, resourceMissing, "There is no resource at "+request.URL.Path+".")
}

// read decodes a request's body into the value that body points to. An empty body changes nothing. Unknown properties
// are ignored, as Redfish services ignore OData's annotations (DSP0266, PATCH).
func read(w http.ResponseWriter, request *http.Request, body any) error {
	err := json.NewDecoder(http.MaxBytesReader(w, request.Body, maxBody)).Decode(body)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &wrong):
		return badRequest(propertyValue, "The value of %s is of the wrong type.", wrong.Field)
	}
	return badRequest(malformedJSON, "The body is not JSON: %v", err)
}

// joined lists values of a string type in a text.
func joined[T ~string](words []T) string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = string(word)
	}
	return strings.Join(all, ", ")
}

// hasVersion reports whether the If-Match header of a PATCH request names the current version of the resource. If
// not, it writes an error response. Other requests need no version.
func (r *Rack) hasVersion(w http.ResponseWriter, request *http.Request) bool {
	if request.Method != http.MethodPatch {
		return true
	}
	given := request.Header.Get("If-Match")
	if given == "" {
		fail(w, http.StatusPreconditionRequired, preconditionRequired, "If-Match is needed.")
		return false
	}
	now := statusOnly{header: http.Header{}}
	look := request.Clone(request.Context())
	look.Method, look.Body = http.MethodGet, http.NoBody
	r.routes.ServeHTTP(&now, look)
	if given != now.header.Get("ETag") {
		fail(w, http.StatusPreconditionFailed, preconditionFailed, "The resource is another now.")
		return false
	}
	return true
}
