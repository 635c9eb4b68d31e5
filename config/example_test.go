package config_test

import (
	"fmt"

	"ironworks/config"
)

// ExampleLoad shows how to load a configuration from flags and variables. Commands call FromOS and add their flags;
// this example uses its own environment and no files.
func ExampleLoad() {
	env := map[string]string{"IRONWORKS_USERNAME": "admin", "IRONWORKS_PASSWORD": "secret"}
	o := config.Options{Env: func(name string) string { return env[name] }, SystemDir: "/nowhere", WorkDir: "/nowhere"}
	o.Flags.URL = "https://10.0.0.5:6385"
	c, err := config.Load(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	conn := c.Current.Connection
	fmt.Println(c.Current.Name, c.Current.Source, conn.Auth, conn.Username, conn.Password)
	// Output: 10.0.0.5:6385 --url http_basic admin ******
}
