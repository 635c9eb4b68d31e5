package provision_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
)

func TestBMCFacts(t *testing.T) {
	t.Parallel()
	_, n := aMachine(t)
	api := &besides{fakeAPI: newAPI(n)}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	at := time.Now()
	for _, test := range []struct {
		name     string
		password models.Secret
		address  string
		want     explain.BMCFacts
		login    bool
	}{
		{name: "reachable", password: bmcPassword, want: explain.BMCFacts{
			Reachable: explain.AnswerYes, Authenticated: explain.AnswerYes, Power: models.PowerOff, BootMode: "uefi", MediaInserted: explain.AnswerNo, Health: models.BMCHealthOK,
		}},
		{name: "password rejected", password: "wrong", want: explain.BMCFacts{Reachable: explain.AnswerYes, Authenticated: explain.AnswerNo}},
		{name: "unreachable", password: bmcPassword, address: gone.URL, want: explain.BMCFacts{Reachable: explain.AnswerNo}},
		{name: "password unknown", login: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			node := n
			node.DriverInfo = map[string]any{"redfish_address": n.DriverInfo["redfish_address"], "redfish_username": "admin"}
			if test.address != "" {
				node.DriverInfo["redfish_address"] = test.address
			}
			got, err := (&provision.BMCs{API: api, Complete: knows(test.password)}).Facts(t.Context(), &node, at)
			var login *provision.BMCCredentialsError
			if errors.As(err, &login) != test.login || err != nil && !test.login {
				t.Fatalf("error %v", err)
			}
			test.want.At = at
			got.Progress = ""
			if *got != test.want {
				t.Errorf("%+v, want %+v", *got, test.want)
			}
		})
	}
}
