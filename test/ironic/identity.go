package ironic

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// User is a Keystone account in the service's domain.
type User struct {
	ID, Name, Password string
	// Project is the name of the project in which the user has roles, if any.
	Project string
}

// ApplicationCredential is an application credential for a user's project.
type ApplicationCredential struct {
	ID, Name, Secret string
}

// Token is a token issued by Keystone.
type Token struct {
	Value   string
	Expires time.Time
}

// TokenRequest describes a token to issue, either for a user with a password or for an application credential.
type TokenRequest struct {
	User, Password string
	// Project scopes the token to the project with that name, and System scopes it to the system. If neither is set,
	// the token is unscoped.
	Project string
	System  bool

	ApplicationCredentialID, ApplicationCredentialSecret string
}

// Token issues a token.
func (k *Keystone) Token(ctx context.Context, request TokenRequest) (Token, error) {
	domain := map[string]any{"name": k.Domain}
	auth := map[string]any{}
	if request.ApplicationCredentialID != "" {
		auth["identity"] = map[string]any{
			"methods": []string{"application_credential"},
			"application_credential": map[string]any{
				"id": request.ApplicationCredentialID, "secret": request.ApplicationCredentialSecret,
			},
		}
	} else {
		auth["identity"] = map[string]any{
			"methods": []string{"password"},
			"password": map[string]any{"user": map[string]any{
				"name": request.User, "password": request.Password, "domain": domain,
			}},
		}
		switch {
		case request.System:
			auth["scope"] = map[string]any{"system": map[string]any{"all": true}}
		case request.Project != "":
			auth["scope"] = map[string]any{"project": map[string]any{"name": request.Project, "domain": domain}}
		default:
			auth["scope"] = "unscoped"
		}
	}
	var answer struct {
		Token struct {
			Expires time.Time `json:"expires_at"`
		} `json:"token"`
	}
	header, err := k.call(ctx, http.MethodPost, "/auth/tokens", "", map[string]any{"auth": auth}, &answer)
	if err != nil {
		return Token{}, fmt.Errorf("issuing a token: %w", err)
	}
	return Token{Value: header.Get("X-Subject-Token"), Expires: answer.Token.Expires}, nil
}

// AdminToken issues an administrator token for the admin project.
func (k *Keystone) AdminToken(ctx context.Context) (Token, error) {
	return k.Token(ctx, TokenRequest{User: k.AdminUser, Password: k.AdminPassword, Project: k.AdminProject})
}

// CreateProject returns the ID of the project with the given name, and creates the project if needed.
func (k *Keystone) CreateProject(ctx context.Context, name string) (string, error) {
	id, err := k.find(ctx, "projects", name)
	if err != nil || id != "" {
		return id, err
	}
	return k.create(ctx, "project", map[string]any{"name": name, "domain_id": defaultDomain})
}

// CreateUser creates a user with a random password. It grants the user the roles (reader, member, manager, admin,
// service) in a project, which is created if needed. Without a project, the user has no roles.
func (k *Keystone) CreateUser(ctx context.Context, name, project string, roles ...string) (User, error) {
	user := User{Name: name, Password: rand.Text(), Project: project}
	var err error
	user.ID, err = k.create(ctx, "user", map[string]any{
		"name": name, "password": user.Password, "domain_id": defaultDomain,
	})
	if err != nil || project == "" {
		return user, err
	}
	projectID, err := k.CreateProject(ctx, project)
	if err != nil {
		return user, err
	}
	for _, role := range roles {
		if err := k.grant(ctx, "/projects/"+projectID+"/users/"+user.ID, role); err != nil {
			return user, err
		}
	}
	return user, nil
}

// GrantSystem grants a user a role on the system.
func (k *Keystone) GrantSystem(ctx context.Context, user User, role string) error {
	return k.grant(ctx, "/system/users/"+user.ID, role)
}

// CreateApplicationCredential creates an application credential for the user's project, with all roles that the user
// has there.
func (k *Keystone) CreateApplicationCredential(ctx context.Context, user User, name string) (ApplicationCredential, error) {
	// Users can create application credentials only for themselves.
	token, err := k.Token(ctx, TokenRequest{User: user.Name, Password: user.Password, Project: user.Project})
	if err != nil {
		return ApplicationCredential{}, err
	}
	var answer struct {
		Credential ApplicationCredential `json:"application_credential"`
	}
	_, err = k.call(ctx, http.MethodPost, "/users/"+user.ID+"/application_credentials", token.Value,
		map[string]any{"application_credential": map[string]any{"name": name}}, &answer)
	if err != nil {
		return ApplicationCredential{}, fmt.Errorf("creating an application credential: %w", err)
	}
	return answer.Credential, nil
}

// Revoke revokes a token.
func (k *Keystone) Revoke(ctx context.Context, token Token) error {
	admin, err := k.AdminToken(ctx)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodDelete, k.AuthURL+"/auth/tokens", nil)
	if err != nil {
		return fmt.Errorf("revoking a token: %w", err)
	}
	request.Header.Set("X-Auth-Token", admin.Value)
	request.Header.Set("X-Subject-Token", token.Value)
	_, err = k.send(request, nil)
	return err
}

// Register adds an Ironic to the service catalog, in place of the previous one, if any.
func (k *Keystone) Register(ctx context.Context, ironicURL string) error {
	service, err := k.find(ctx, "services", "ironic")
	if err != nil {
		return err
	}
	if service != "" {
		if err := k.admin(ctx, http.MethodDelete, "/services/"+service, nil, nil); err != nil {
			return err
		}
	}
	service, err = k.create(ctx, "service", map[string]any{"name": "ironic", "type": "baremetal"})
	if err != nil {
		return err
	}
	for _, kind := range []string{"public", "internal", "admin"} {
		_, err := k.create(ctx, "endpoint", map[string]any{
			"service_id": service, "interface": kind, "region_id": k.Region, "url": ironicURL,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// addService creates the account with which Ironic validates tokens.
func (k *Keystone) addService(ctx context.Context) error {
	var err error
	k.service, err = k.CreateUser(ctx, "ironic", "service", "admin", "service")
	return err
}

// defaultDomain is the ID of the domain that keystone-manage bootstrap creates.
const defaultDomain = "default"

func (k *Keystone) grant(ctx context.Context, path, role string) error {
	id, err := k.find(ctx, "roles", role)
	if err != nil {
		return err
	}
	if id == "" {
		return fmt.Errorf("no role %q", role)
	}
	return k.admin(ctx, http.MethodPut, path+"/roles/"+id, nil, nil)
}

// find returns the ID of the first object with the given name, or "" if there is none.
func (k *Keystone) find(ctx context.Context, collection, name string) (string, error) {
	var answer map[string]json.RawMessage
	if err := k.admin(ctx, http.MethodGet, "/"+collection+"?name="+url.QueryEscape(name), nil, &answer); err != nil {
		return "", err
	}
	var found []struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(answer[collection], &found); err != nil {
		return "", fmt.Errorf("reading %s: %w", collection, err)
	}
	if len(found) == 0 {
		return "", nil
	}
	return found[0].ID, nil
}

// create creates an object of the given kind (user, project, …) and returns its ID.
func (k *Keystone) create(ctx context.Context, kind string, values map[string]any) (string, error) {
	var answer map[string]struct {
		ID string `json:"id"`
	}
	if err := k.admin(ctx, http.MethodPost, "/"+kind+"s", map[string]any{kind: values}, &answer); err != nil {
		return "", err
	}
	return answer[kind].ID, nil
}

// admin sends a request as the administrator. It uses a new token for each request, because tokens may expire within
// seconds.
func (k *Keystone) admin(ctx context.Context, method, path string, body, result any) error {
	token, err := k.AdminToken(ctx)
	if err != nil {
		return err
	}
	_, err = k.call(ctx, method, path, token.Value, body, result)
	return err
}

func (k *Keystone) call(ctx context.Context, method, path, token string, body, result any) (http.Header, error) {
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encoding the body of %s %s: %w", method, path, err)
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, k.AuthURL+path, content)
	if err != nil {
		return nil, fmt.Errorf("preparing %s %s: %w", method, path, err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("X-Auth-Token", token)
	}
	return k.send(request, result)
}

// send sends a request to Keystone. It decodes the response into result, unless result is nil.
func (k *Keystone) send(request *http.Request, result any) (http.Header, error) {
	what := request.Method + " " + request.URL.Path
	response, err := k.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("calling Keystone: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the response to %s: %w", what, err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, fmt.Errorf("%s: status %d: %s", what, response.StatusCode, content)
	}
	if result != nil {
		if err := json.Unmarshal(content, result); err != nil {
			return nil, errors.Join(fmt.Errorf("reading the response to %s", what), err)
		}
	}
	return response.Header, nil
}
