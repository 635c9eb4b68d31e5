package ironicclient

import (
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"ironworks/models/doctor"
	"ironworks/printable"
)

// Identity returns the user, the project and the roles from the Keystone token. Fields that the token does not
// contain are empty. It returns false if Keystone is not used, before the first token was issued, and while the
// client is connecting.
func (c *Client) Identity() (doctor.Identity, bool) {
	var id doctor.Identity
	select {
	case c.connecting <- struct{}{}:
		defer func() { <-c.connecting }()
	default:
		return id, false
	}
	if !c.conn.Auth.Keystone() || c.service == nil {
		return id, false
	}
	result, is := c.service.GetAuthResult().(interface {
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
