package agentlog

import (
	"strings"
	"testing"

	"ironworks/models"
)

// planted is a secret that must never be shown.
const planted = "pl4nt3d-S3cr3t"

func TestMask(t *testing.T) {
	const m = models.Mask
	for name, tt := range map[string]struct{ in, want []string }{
		"a harmless line":             {[]string{"Started ironic-agent.service - Ironic Agent."}, nil},
		"a token in a request":        {[]string{`::1 "POST /v1/commands/?wait=true&agent_token=` + planted + ` HTTP/1.1" 200`}, []string{`::1 "POST /v1/commands/?wait=true&agent_token=` + m + ` HTTP/1.1" 200`}},
		"a token in JSON":             {[]string{`{"agent_token": "` + planted + `", "version": 1}`}, []string{`{"agent_token": "` + m + `", "version": 1}`}},
		"a token in Python":           {[]string{`{'config': {'agent_token': '` + planted + `', 'agent_token_required': True}}`}, []string{`{'config': {'agent_token': '` + m + `', 'agent_token_required': True}}`}},
		"no token, quoted":            {[]string{`{"agent_token": "None", 'x_token': 'null', "y": 1}`}, nil},
		"no token in Python":          {[]string{`{'agent_token': None}`}, nil},
		"JSON in JSON":                {[]string{`body "{\"agent_token\": \"` + planted + `\", \"a\": \"b\"}"`}, []string{`body "{\"agent_token\": \"` + m + `\", \"a\": \"b\"}"`}},
		"bearer":                      {[]string{`> Authorization: Bearer ` + planted}, []string{`> Authorization: ` + m}},
		"bearer in a command":         {[]string{`curl -H 'Authorization: Bearer ` + planted + `' https://x/y`}, []string{`curl -H 'Authorization: ` + m + `' https://x/y`}},
		"bearer alone":                {[]string{`using bearer ` + planted + ` now`}, []string{`using bearer ` + m + ` now`}},
		"basic":                       {[]string{`sent Basic YWRtaW46c2VjcmV0 there`}, []string{`sent Basic ` + m + ` there`}},
		"a basic version":             {[]string{`loaded Basic client_2.10.0 there`}, nil},
		"a basic sentence":            {[]string{`Reached target basic.target - Basic System.`}, nil},
		"a password":                  {[]string{`ipmi_password=` + planted + ` host=x`}, []string{`ipmi_password=` + m + ` host=x`}},
		"a password on a command":     {[]string{`mount --password ` + planted + ` /x`}, []string{`mount --password ` + m + ` /x`}},
		"a password in a list":        {[]string{`['x', '--password', '` + planted + `', 'y']`}, []string{`['x', '--password', '` + m + `', 'y']`}},
		"ipmitool":                    {[]string{`Running cmd: ipmitool -I lanplus -U admin -P ` + planted + ` power status`}, []string{`Running cmd: ipmitool -I lanplus -U admin -P ` + m + ` power status`}},
		"curl":                        {[]string{`curl -u admin:` + planted + ` https://bmc/redfish`}, []string{`curl -u admin:` + m + ` https://bmc/redfish`}},
		"curl with an open quote":     {[]string{`curl -u 'admin:` + planted + ` more`}, []string{`curl -u 'admin:` + m}},
		"ipmitool at the end":         {[]string{`ipmitool -U admin -P ` + planted}, []string{`ipmitool -U admin -P ` + m}},
		"a password's file":           {[]string{`password_file=/run/secrets/x`}, nil},
		"a hash":                      {[]string{`core:$6$saltsalt$` + planted + planted + `:19000`}, []string{`core:` + m + `:19000`}},
		"an Ignition user":            {[]string{`{"name":"core","passwordHash":"$6$x$` + planted + `"}`}, []string{`{"name":"core","passwordHash":"` + m + `"}`}},
		"a pull secret":               {[]string{`{"auths":{"quay.io":{"auth":"` + planted + `"}}} was read`}, []string{`{"auths":` + m + `} was read`}},
		"a pull secret in a text":     {[]string{`"{\"auths\":{\"quay.io\":{\"auth\":\"` + planted + `\"}}}" was read`}, []string{`"{\"auths\":` + m + `}" was read`}},
		"a pull secret in lines":      {[]string{`{"auths": {`, `  "quay.io": {`, `    "auth": "` + planted + `"`, `  }`, `}}`, `done`}, []string{`{"auths": ` + m, m, m, m, m + `}`, `done`}},
		"a key in one line":           {[]string{`key -----BEGIN RSA PRIVATE KEY-----\n` + planted + `\n-----END RSA PRIVATE KEY-----\n ok`}, []string{`key ` + m + `\n ok`}},
		"a key in lines":              {[]string{"-----BEGIN OPENSSH PRIVATE KEY-----", "b3BlbnNzaC1rZXk", planted, "-----END OPENSSH PRIVATE KEY-----", "ok"}, []string{m, m, m, m, "ok"}},
		"a title that is cut off":     {[]string{"x -----BEGIN RSA PRIVATE K", planted, "-----END RSA PRIVATE K", "ok"}, []string{"x " + m, m, m, "ok"}},
		"a certificate's title":       {[]string{"x -----BEGIN CERTIF", "ok"}, nil},
		"a key that does not end":     {[]string{"-----BEGIN PRIVATE KEY-----", planted, oslo + "next"}, []string{m, m, oslo + "next"}},
		"a key behind headers":        {[]string{oslo + "-----BEGIN PRIVATE KEY-----", oslo + "cGw0bnQzZC1TM2NyM3Q", oslo + "-----END PRIVATE KEY-----", oslo + "next one"}, []string{oslo + m, m, m, oslo + "next one"}},
		"a certificate":               {[]string{"-----BEGIN CERTIFICATE-----", "MIIB", "-----END CERTIFICATE-----"}, nil},
		"user data":                   {[]string{oslo + `'configdrive': {'user_data': {'ignition': {'version': '3.2.0'}, 'x': '` + planted + `'}}, 'y': 1`}, []string{oslo + `'configdrive': ` + m + `, 'y': 1`}},
		"user data of several lines":  {[]string{`"user_data": "{`, `  ` + planted, `}", "y": 1`, "next"}, []string{`"user_data": "` + m, m, m + `, "y": 1`, "next"}},
		"the step's dump":             {[]string{oslo + `Will use ignition {"ignition": {}, "x": "` + planted + `"}`, oslo + "next"}, []string{oslo + `Will use ignition ` + m, oslo + "next"}},
		"the step's dump in lines":    {[]string{oslo + `Will use ignition {`, planted, `}`, `"` + planted, oslo + "next"}, []string{oslo + `Will use ignition ` + m, m, m, m, oslo + "next"}},
		"a file in Ignition":          {[]string{`{"contents":{"source":"data:text/plain;charset=utf-8;base64,cGw0bnQzZC1TM2NyM3Q="}}`}, []string{`{"contents":{"source":"data:text/plain;charset=utf-8;base64,` + m + `"}}`}},
		"an address with a password":  {[]string{`GET https://admin:` + planted + `@10.0.0.1:8000/x?a=b`}, []string{`GET https://admin:` + m + `@10.0.0.1:8000/x?a=b`}},
		"a password with a slash":     {[]string{`proxy http://u:pl4nt3d/S3cr3t@proxy:3128`}, []string{`proxy http://u:` + m + `@proxy:3128`}},
		"an address with a token":     {[]string{`git https://0123456789abcdef0123@github.com/x`}, []string{`git https://` + m + `@github.com/x`}},
		"a path with an @":            {[]string{`GET http://host:80/a@b`}, nil},
		"a user":                      {[]string{`ssh://core@10.0.0.1/`}, nil},
		"a signed address":            {[]string{`GET https://s3/x?X-Amz-Credential=AK/2026&X-Amz-Signature=` + planted + ` 200`}, []string{`GET https://s3/x?X-Amz-Credential=` + m + ` 200`}},
		"a temporary address":         {[]string{`https://swift/x?temp_url_sig=` + planted + `&temp_url_expires=1`}, []string{`https://swift/x?temp_url_sig=` + m}},
		"a signed token":              {[]string{`got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdef ok`}, []string{`got ` + m + ` ok`}},
		"an OpenShift token":          {[]string{`oc login sha256~` + planted + planted}, []string{`oc login ` + m}},
		"a digest":                    {[]string{`image quay.io/x@sha256:0123456789abcdef0123456789abcdef ok`}, nil},
		"a quote that stays open":     {[]string{`token: "` + planted, planted, oslo + "next"}, []string{`token: "` + m, m, oslo + "next"}},
		"signature without a value":   {[]string{`Signature not found; skipping verification as requested`}, nil},
		"no secret but words":         {[]string{"Invalid or missing agent token received", "author: x", "authority=y"}, nil},
		"two that touch":              {[]string{`password=token=` + planted}, []string{`password=` + m}},
		"a cookie":                    {[]string{`Set-Cookie: session=` + planted + `; path=/`}, []string{`Set-Cookie: ` + m}},
		"a private key by its name":   {[]string{`private_key: '` + planted + `'`}, []string{`private_key: '` + m + `'`}},
		"bytes in Python":             {[]string{`{'password': b'` + planted + `'}`}, []string{`{'password': b'` + m + `'}`}},
		"a quote in a quoted text":    {[]string{`{"password": "pl4\"nt3d-S3cr3t", "x": 1}`}, []string{`{"password": "` + m + `", "x": 1}`}},
		"upper case":                  {[]string{`OS_PASSWORD=` + planted}, []string{`OS_PASSWORD=` + m}},
		"PASS=":                       {[]string{`env PASS=` + planted + ` run`}, []string{`env PASS=` + m + ` run`}},
		"a name that ends in pass":    {[]string{`BMC_PASS="` + planted + `" x`}, []string{`BMC_PASS="` + m + `" x`}},
		"pw=":                         {[]string{`user=a pw=` + planted + `,host=b`}, []string{`user=a pw=` + m}},
		"words with pass in them":     {[]string{`first pass: reading; bypass=no compass=n; 3 passed`}, nil},
		"XML":                         {[]string{`<login><password>` + planted + `</password></login>`}, []string{`<login><password>` + m + `</password></login>`}},
		"XML with an attribute":       {[]string{`<ns:Password type="clear">` + planted + `</ns:Password>`}, []string{`<ns:Password type="clear">` + m + `</ns:Password>`}},
		"XML without a value":         {[]string{`<password/> <a>b</a>`}, nil},
		"an escaped equals sign":      {[]string{`unit x-password\x3d` + planted + ` started`}, []string{`unit x-password\x3d` + m + ` started`}},
		"an equals sign in a URL":     {[]string{`GET /?next=%2Fa%3Fpassword%3D` + planted + ` 200`}, []string{`GET /?next=%2Fa%3Fpassword%3D` + m + ` 200`}},
		"sshpass":                     {[]string{`sshpass -p ` + planted + ` ssh root@h`, `sshpass -p'` + planted + `' ssh -p 22 root@h`}, []string{`sshpass -p ` + m + ` ssh root@h`, `sshpass -p` + m + ` ssh -p ` + m + ` root@h`}},
		"sshpass in a list":           {[]string{`['sshpass', '-p', '` + planted + `', 'ssh']`}, []string{`['sshpass', '-p', ` + m + `, 'ssh']`}},
		"chpasswd":                    {[]string{`+ echo core:` + planted + ` | chpasswd`, `echo "root:` + planted + `" | sudo chpasswd -e`}, []string{`+ echo core:` + m + ` | chpasswd`, `echo "root:` + m + `" | sudo chpasswd -e`}},
		"chpasswd with a here string": {[]string{`chpasswd <<< 'core:` + planted + `'`}, []string{`chpasswd <<< 'core:` + m + `'`}},
		"chpasswd alone":              {[]string{`running chpasswd for core: done`}, nil},
		"an environment of a process": {[]string{`environ({'IRONIC_PASSWORD': '` + planted + `', 'HOME': '/root'})`}, []string{`environ({'IRONIC_PASSWORD': '` + m + `', 'HOME': '/root'})`}},
	} {
		t.Run(name, func(t *testing.T) {
			want := tt.want
			if want == nil {
				want = tt.in
			}
			var k masker
			for i, line := range tt.in {
				if got := k.line(line); got != want[i] {
					t.Errorf("line %d:\n got %s\nwant %s", i, got, want[i])
				}
			}
		})
	}
}

// oslo is a line header in the format of oslo.log.
const oslo = "2026-11-22 13:00:00.123 1 INFO ironic_python_agent.agent [-] "

func TestMaskedRegionsEnd(t *testing.T) {
	var m masker
	m.line(`password: "open`)
	for range fewLines {
		m.line("hidden")
	}
	if got := m.line("seen"); got != "seen" {
		t.Errorf("still hidden after %d lines: %q", fewLines, got)
	}
}

func FuzzMask(f *testing.F) {
	for _, s := range []string{"", "token=", `"auths": {`, "-----BEGIN PRIVATE KEY-----", "://a:b@c", `{'configdrive': '`, "Will use ignition ", "\\\"", "x\ny"} {
		f.Add(s, "after")
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		before, after = strings.ReplaceAll(before, "\n", " "), strings.ReplaceAll(after, "\n", " ")
		var m masker
		m.line(before)
		if got := m.line(after); len(got) > len(after)*(len(models.Mask)+1)+len(models.Mask) {
			t.Errorf("%d bytes became %d", len(after), len(got))
		}
		// A token must be masked by its name, whatever precedes it.
		if strings.HasSuffix(before, planted) {
			return
		}
		var n masker
		if got := n.line(before + ` agent_token=` + planted); strings.Contains(got, planted) {
			t.Errorf("shown: %q", got)
		}
		var o masker
		o.line(before)
		if got := o.line(`GET /?agent_token=` + planted + ` HTTP/1.1`); strings.Contains(got, planted) {
			t.Errorf("shown after %q: %q", before, got)
		}
	})
}
