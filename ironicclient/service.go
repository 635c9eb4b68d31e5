package ironicclient

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/printable"
)

// serviceClient returns gophercloud's client, which it creates when it is first needed. Only one goroutine at a time
// sends requests to Keystone. Other goroutines wait for the result, or until their contexts are canceled.
func (c *Client) serviceClient(ctx context.Context) (*gophercloud.ServiceClient, error) {
	select {
	case c.connecting <- struct{}{}:
		defer func() { <-c.connecting }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c.service != nil {
		return c.service, nil
	}
	sc, err := c.newService(ctx)
	if err != nil {
		return nil, err
	}
	c.service = sc
	return sc, nil
}

// connected returns gophercloud's client, or nil until it has been created.
func (c *Client) connected() *gophercloud.ServiceClient {
	select {
	case c.connecting <- struct{}{}:
		defer func() { <-c.connecting }()
		return c.service
	default:
		return nil
	}
}

func (c *Client) newService(ctx context.Context) (*gophercloud.ServiceClient, error) {
	switch c.conn.Auth {
	case models.AuthNone, "":
		return c.standalone(nil)
	case models.AuthHTTPBasic:
		pair := c.conn.Username + ":" + c.conn.Password.Reveal()
		return c.standalone(map[string]string{
			"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(pair)),
		})
	case models.AuthPassword, models.AuthToken, models.AuthApplicationCredential:
		return c.keystone(ctx)
	}
	return nil, &models.Fault{
		Kind: models.FaultConfig, Op: "connect",
		Message: fmt.Sprintf("unknown auth type %q", c.conn.Auth),
	}
}

func (c *Client) standalone(headers map[string]string) (*gophercloud.ServiceClient, error) {
	if c.conn.Endpoint == "" {
		return nil, &models.Fault{
			Kind: models.FaultConfig, Op: "connect", Message: "no Ironic API URL",
			Hint: "--url http://HOST:6385",
		}
	}
	provider := &gophercloud.ProviderClient{HTTPClient: *c.http}
	c.setUserAgent(provider)
	return &gophercloud.ServiceClient{ProviderClient: provider, Endpoint: c.conn.Endpoint, MoreHeaders: headers}, nil
}

func (c *Client) setUserAgent(p *gophercloud.ProviderClient) {
	if c.opts.UserAgent != "" {
		p.UserAgent.Prepend(c.opts.UserAgent)
	}
}

// keystone authenticates with Keystone. If no endpoint is configured, it uses the endpoint in the catalog.
func (c *Client) keystone(ctx context.Context) (*gophercloud.ServiceClient, error) {
	k := c.conn.Keystone
	if _, err := url.Parse(k.AuthURL); err != nil || k.AuthURL == "" {
		return nil, &models.Fault{
			Kind: models.FaultConfig, Op: "authenticate", Err: err,
			Message: fmt.Sprintf("auth_url %q is not a URL", redacted(k.AuthURL)),
		}
	}
	provider, err := openstack.NewClient(k.AuthURL)
	if err != nil {
		return nil, c.keystoneFault(err)
	}
	provider.HTTPClient = *c.http
	c.setUserAgent(provider)
	opts := c.authOptions()
	if err := checkAuth(&opts); err != nil {
		return nil, &models.Fault{
			Kind: models.FaultConfig, Op: "authenticate with Keystone", Err: err,
			Message: printable.Line(err.Error()), Hint: "check user, domain, project and credentials",
		}
	}
	if err := openstack.AuthenticateV3(ctx, provider, &opts, gophercloud.EndpointOpts{}); err != nil {
		return nil, c.keystoneFault(err)
	}
	endpoint := c.conn.Endpoint
	if endpoint == "" {
		if endpoint, err = c.fromCatalog(provider); err != nil {
			return nil, err
		}
	}
	return &gophercloud.ServiceClient{ProviderClient: provider, Endpoint: endpoint}, nil
}

// checkAuth returns an error if options are missing or contradict each other. It sends nothing.
func checkAuth(opts *gophercloud.AuthOptions) error {
	scope, err := opts.ToTokenV3ScopeMap()
	if err != nil {
		return err
	}
	_, err = opts.ToTokenV3CreateMap(scope)
	return err
}

// fromCatalog returns the bare-metal endpoint from the catalog. It leaves Version at 0, because gophercloud would
// otherwise request the versions that the endpoint supports.
func (c *Client) fromCatalog(provider *gophercloud.ProviderClient) (string, error) {
	eo := gophercloud.EndpointOpts{
		Region:       c.conn.Keystone.Region,
		Availability: gophercloud.Availability(c.conn.Keystone.Interface),
	}
	eo.ApplyDefaults("baremetal")
	found, err := provider.EndpointLocator(eo)
	if err != nil {
		where := fmt.Sprintf("interface %s", eo.Availability)
		if eo.Region != "" {
			where += ", region " + eo.Region
		}
		return "", &models.Fault{
			Kind: models.FaultConfig, Op: "find Ironic in Keystone's catalog", Err: err,
			Message: fmt.Sprintf("no baremetal endpoint (%s)", printable.Line(where)),
			Hint:    "check region and interface, or set the endpoint",
		}
	}
	return rootURL(found)
}

func (c *Client) authOptions() gophercloud.AuthOptions {
	k := c.conn.Keystone
	ao := gophercloud.AuthOptions{IdentityEndpoint: k.AuthURL, AllowReauth: true}
	scope := &gophercloud.AuthScope{}
	switch {
	case k.SystemScope != "":
		scope.System = true
	case k.ProjectID != "":
		scope.ProjectID = k.ProjectID
	case k.ProjectName != "":
		scope.ProjectName = k.ProjectName
		if scope.DomainID = k.ProjectDomainID; scope.DomainID == "" {
			scope.DomainName = k.ProjectDomainName
		}
	case k.DomainID != "":
		scope.DomainID = k.DomainID
	case k.DomainName != "":
		scope.DomainName = k.DomainName
	default:
		scope = nil
	}
	switch c.conn.Auth {
	case models.AuthApplicationCredential:
		ao.ApplicationCredentialID = k.ApplicationCredentialID
		ao.ApplicationCredentialSecret = k.ApplicationCredentialSecret.Reveal()
		if ao.ApplicationCredentialID == "" {
			ao.ApplicationCredentialName = k.ApplicationCredentialName
			c.setUser(&ao)
		}
	case models.AuthToken:
		// A token cannot be renewed, so gophercloud rejects AllowReauth together with a token.
		ao.TokenID, ao.Scope, ao.AllowReauth = k.Token.Reveal(), scope, false
	case models.AuthPassword:
		c.setUser(&ao)
		ao.Password, ao.Scope = c.conn.Password.Reveal(), scope
	case models.AuthNone, models.AuthHTTPBasic:
	}
	return ao
}

// setUser sets the user by ID, or by name and domain: Keystone rejects requests that contain both.
func (c *Client) setUser(ao *gophercloud.AuthOptions) {
	k := c.conn.Keystone
	if k.UserID != "" {
		ao.UserID = k.UserID
		return
	}
	ao.Username = c.conn.Username
	if ao.DomainID = k.UserDomainID; ao.DomainID == "" {
		ao.DomainName = k.UserDomainName
	}
}

// keystoneFault returns the fault for a failed authentication, with a hint that suggests a remedy.
func (c *Client) keystoneFault(err error) error {
	f := c.fault(err, call{op: "authenticate with Keystone", method: "POST"}, c.conn.Keystone.AuthURL)
	switch f.Kind {
	case models.FaultUnauthorized:
		if c.conn.Auth == models.AuthToken {
			f.Hint = "the token is invalid or expired: get a new one"
		} else {
			f.Hint = "Keystone refused the credentials: check user, domain, project and password"
		}
	case models.FaultNotFound, models.FaultNotIronic:
		f.Kind, f.Hint = models.FaultConfig, "check that auth_url is the URL of Keystone, with /v3"
	case models.FaultServer, models.FaultUnavailable, models.FaultForbidden:
		f.Hint = "the response is from Keystone, or a proxy in front of it"
	default:
		if f.Status >= http.StatusOK && f.Status < http.StatusMultipleChoices {
			f.Kind, f.Hint = models.FaultConfig, "the server is not Keystone; check auth_url"
		}
	}
	return f
}

// Identity returns the user, the project and the roles from the Keystone token. Fields that the token does not
// contain are empty. It returns false if Keystone is not used, before the first token was issued, and while the
// client is connecting.
func (c *Client) Identity() (doctor.Identity, bool) {
	var id doctor.Identity
	service := c.connected()
	if !c.conn.Auth.Keystone() || service == nil {
		return id, false
	}
	result, is := service.GetAuthResult().(interface {
		ExtractUser() (*tokens.User, error)
		ExtractRoles() ([]tokens.Role, error)
		ExtractProject() (*tokens.Project, error)
		ExtractToken() (*tokens.Token, error)
	})
	if !is {
		return id, true // a token from the configuration contains no details
	}
	if user, err := result.ExtractUser(); err == nil && user != nil {
		id.User = printable.Line(user.Name)
	}
	if project, err := result.ExtractProject(); err == nil && project != nil {
		id.Project = printable.Line(project.Name)
	}
	if roles, err := result.ExtractRoles(); err == nil {
		for _, r := range roles {
			id.Roles = append(id.Roles, printable.Line(r.Name))
		}
	}
	if token, err := result.ExtractToken(); err == nil && token != nil {
		id.Expires = token.ExpiresAt.In(time.UTC)
	}
	return id, true
}
