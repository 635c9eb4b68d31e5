package ironic

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/applicationcredentials"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/endpoints"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/projects"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/roles"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/services"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/users"
)

// User is a Keystone account in the service's domain.
type User struct {
	ID, Name, Password string
	// Project is the name of the project in which the user has roles, if any.
	Project string
}

// ApplicationCredential is an application credential for a user's project.
type ApplicationCredential = applicationcredentials.ApplicationCredential

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
	options := &tokens.AuthOptions{
		Username: request.User, Password: request.Password,
		ApplicationCredentialID:     request.ApplicationCredentialID,
		ApplicationCredentialSecret: request.ApplicationCredentialSecret,
		Scope:                       tokens.Scope{System: request.System},
	}
	if request.User != "" {
		options.DomainName = k.Domain
	}
	if request.Project != "" {
		options.Scope = tokens.Scope{ProjectName: request.Project, DomainName: k.Domain}
	}
	issued, err := tokens.Create(ctx, k.as(Token{}), options).ExtractToken()
	if err != nil {
		return Token{}, fmt.Errorf("issuing a token: %w", err)
	}
	return Token{Value: issued.ID, Expires: issued.ExpiresAt}, nil
}

// AdminToken issues an administrator token for the admin project.
func (k *Keystone) AdminToken(ctx context.Context) (Token, error) {
	return k.Token(ctx, TokenRequest{User: k.AdminUser, Password: k.AdminPassword, Project: k.AdminProject})
}

// CreateProject returns the ID of the project with the given name, and creates the project if needed.
func (k *Keystone) CreateProject(ctx context.Context, name string) (string, error) {
	admin, err := k.admin(ctx)
	if err != nil {
		return "", err
	}
	if id, err := find(ctx, admin, "projects", name); err != nil || id != "" {
		return id, err
	}
	project, err := projects.Create(ctx, admin, projects.CreateOpts{Name: name, DomainID: defaultDomain}).Extract()
	if err != nil {
		return "", fmt.Errorf("creating project %s: %w", name, err)
	}
	return project.ID, nil
}

// CreateUser creates a user with a random password. It grants the user the roles (reader, member, manager, admin,
// service) in a project, which is created if needed. Without a project, the user has no roles.
func (k *Keystone) CreateUser(ctx context.Context, name, project string, roleNames ...string) (User, error) {
	user := User{Name: name, Password: rand.Text(), Project: project}
	admin, err := k.admin(ctx)
	if err != nil {
		return user, err
	}
	options := users.CreateOpts{Name: name, Password: user.Password, DomainID: defaultDomain}
	created, err := users.Create(ctx, admin, options).Extract()
	if err != nil {
		return user, fmt.Errorf("creating user %s: %w", name, err)
	}
	user.ID = created.ID
	if project == "" {
		return user, nil
	}
	projectID, err := k.CreateProject(ctx, project)
	if err != nil {
		return user, err
	}
	for _, role := range roleNames {
		if err := k.grant(ctx, role, roles.AssignOpts{UserID: user.ID, ProjectID: projectID}); err != nil {
			return user, err
		}
	}
	return user, nil
}

// GrantSystem grants a user a role on the system.
func (k *Keystone) GrantSystem(ctx context.Context, user User, role string) error {
	return k.grant(ctx, role, roles.AssignOpts{UserID: user.ID, System: true})
}

func (k *Keystone) grant(ctx context.Context, role string, to roles.AssignOpts) error {
	admin, err := k.admin(ctx)
	if err != nil {
		return err
	}
	id, err := find(ctx, admin, "roles", role)
	if err != nil {
		return err
	}
	if id == "" {
		return fmt.Errorf("no role %q", role)
	}
	return roles.Assign(ctx, admin, id, to).ExtractErr()
}

// CreateApplicationCredential creates an application credential for the user's project, with all roles that the user
// has there.
func (k *Keystone) CreateApplicationCredential(ctx context.Context, user User, name string) (ApplicationCredential, error) {
	// Users can create application credentials only for themselves.
	token, err := k.Token(ctx, TokenRequest{User: user.Name, Password: user.Password, Project: user.Project})
	if err != nil {
		return ApplicationCredential{}, err
	}
	options := applicationcredentials.CreateOpts{Name: name}
	credential, err := applicationcredentials.Create(ctx, k.as(token), user.ID, options).Extract()
	if err != nil {
		return ApplicationCredential{}, fmt.Errorf("creating an application credential: %w", err)
	}
	return *credential, nil
}

// Register adds an Ironic to the service catalog, in place of the previous one, if any.
func (k *Keystone) Register(ctx context.Context, ironicURL string) error {
	admin, err := k.admin(ctx)
	if err != nil {
		return err
	}
	previous, err := find(ctx, admin, "services", "ironic")
	if err != nil {
		return err
	}
	if previous != "" {
		if err := services.Delete(ctx, admin, previous).ExtractErr(); err != nil {
			return err
		}
	}
	service, err := services.Create(ctx, admin, services.CreateOpts{Name: "ironic", Type: "baremetal"}).Extract()
	if err != nil {
		return err
	}
	for _, kind := range []gophercloud.Availability{"public", "internal", "admin"} {
		err := endpoints.Create(ctx, admin, endpoints.CreateOpts{
			ServiceID: service.ID, Availability: kind, Region: k.Region, URL: ironicURL,
		}).Err
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

// find returns the ID of the first object with the given name, or "" if there is none.
func find(ctx context.Context, client *gophercloud.ServiceClient, collection, name string) (string, error) {
	var answer map[string]json.RawMessage
	address := client.ServiceURL(collection) + "?name=" + url.QueryEscape(name)
	if _, err := client.Get(ctx, address, &answer, nil); err != nil { //nolint:bodyclose // Get closes it
		return "", fmt.Errorf("finding %s in %s: %w", name, collection, err)
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

// admin returns a client with a new administrator token, because tokens may expire within seconds.
func (k *Keystone) admin(ctx context.Context) (*gophercloud.ServiceClient, error) {
	token, err := k.AdminToken(ctx)
	if err != nil {
		return nil, err
	}
	return k.as(token), nil
}

// as returns a client that sends the given token.
func (k *Keystone) as(token Token) *gophercloud.ServiceClient {
	provider := &gophercloud.ProviderClient{HTTPClient: *k.client, TokenID: token.Value}
	return &gophercloud.ServiceClient{ProviderClient: provider, Endpoint: k.AuthURL + "/"}
}
