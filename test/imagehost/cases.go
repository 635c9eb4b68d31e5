package imagehost

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

type info = map[string]any

// Cases returns the cases of all kinds.
func Cases() []Case {
	return slices.Concat(transfers(), statuses(), redirects(), checksums(), credentials())
}

func transfers() []Case {
	const head = "HTTP/1.1 200 OK\r\n"
	return []Case{
		{Name: "good", Answer: image},
		{Name: "breaks once", Answer: inOrder(breaks, image)},
		{Name: "always breaks", Answer: breaks, Tries: 3},
		{Name: "sends less", Answer: content(Image[:100])},
		{Name: "sends more", Answer: content(Image + "x")},
		{Name: "sends nothing", Answer: content("")},
		{Name: "sends another image once", Answer: inOrder(content("another"), image)},
		{Name: "falls silent", Answer: silent(Image[:100]), Silence: 0.3},
		{Name: "never answers", Answer: silent(""), Silence: 0.3},
		{Name: "closes at once", Answer: raw(""), OwnWords: true},
		{Name: "is not HTTP", Answer: raw("SSH-2.0-OpenSSH_9.2\r\n"), OwnWords: true},
		{Name: "is of HTTP 1.0", Answer: raw("HTTP/1.0 200 OK\r\n\r\n%s", Image)},
		{Name: "has no length", Answer: raw("%sConnection: close\r\n\r\n%s", head, Image)},
		{Name: "sends chunks", Answer: raw("%sTransfer-Encoding: chunked\r\n\r\n40000\r\n%s\r\n0\r\n\r\n", head, Image)},
		{Name: "sends half a chunk", Answer: raw("%sTransfer-Encoding: chunked\r\n\r\n40000\r\n%s", head, Image[:100]), OwnWords: true},
		{Name: "sends wrong chunks", Answer: raw("%sTransfer-Encoding: chunked\r\n\r\nxyz\r\n%s", head, Image[:100]), OwnWords: true},
		{Name: "informs first", Answer: raw("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n%sContent-Length: %d\r\n\r\n%s", head, len(Image), Image)},
		{Name: "has no server", Answer: image, Info: info{"urls": []any{"NOWHERE/disk.raw"}}, OwnWords: true},
		{Name: "packs with gzip", Answer: encoded("gzip", packed("gzip"))},
		{Name: "packs with zlib", Answer: encoded("deflate", packed("zlib"))},
		{Name: "packs without a header", Answer: encoded("deflate", packed("deflate"))},
		{Name: "packs with half a gzip", Answer: encoded("gzip", packed("gzip")[:50])},
		{Name: "claims gzip", Answer: encoded("gzip", []byte(Image)), OwnWords: true},
		{Name: "has an unknown encoding", Answer: encoded("rot13", []byte(Image))},
	}
}

func statuses() []Case {
	var all []Case
	for _, code := range []int{201, 204, 206, 400, 401, 403, 404, 410, 416, 429, 500, 502, 503, 599} {
		all = append(all, Case{Name: fmt.Sprint(code, " always"), Answer: status(code)}, Case{Name: fmt.Sprint(code, " once"), Answer: inOrder(status(code), image)})
	}
	two := info{"urls": []any{"HERE/a.raw", "HERE/b.raw"}}
	return append(all,
		Case{Name: "two URLs, the first is busy", Answer: inOrder(status(503), status(503), image), Info: two},
		Case{Name: "two URLs, both are busy", Answer: status(503), Info: two},
		Case{Name: "two URLs, the first has nothing", Answer: inOrder(status(404), status(404), image), Info: two},
		Case{Name: "two URLs, the first has no server", Answer: image, Info: info{"urls": []any{"NOWHERE/a.raw", "HERE/b.raw"}}, OwnWords: true},
		Case{Name: "one try", Answer: status(503), Tries: 1},
		Case{Name: "a page of an error that is no UTF-8", Answer: raw("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\n\xff\xfe\x00a"), OwnWords: true},
	)
}

func redirects() []Case {
	var all []Case
	for _, code := range []int{301, 302, 303, 307, 308} {
		all = append(all, Case{Name: "redirects: " + http.StatusText(code), Answer: inOrder(redirect(code, "/other/disk.raw?a=1"), image)})
	}
	authorized := info{"image_request_authorization": base64.StdEncoding.EncodeToString([]byte("Bearer secret"))}
	return append(all,
		Case{Name: "redirects in a circle", Answer: redirect(302, "/"), Tries: 1},
		Case{Name: "redirects nowhere", Answer: redirect(302, "")},
		Case{Name: "redirects to a file", Answer: redirect(302, "file:///etc/shadow"), Tries: 1, OwnWords: true},
		Case{Name: "redirects to FTP", Answer: redirect(302, "ftp://127.0.0.1/x"), Tries: 1, OwnWords: true},
		Case{Name: "redirects to what is no URL", Answer: redirect(302, "http://[::1/x"), Tries: 1, OwnWords: true},
		Case{Name: "redirects to another server", Answer: redirect(302, "OTHER"), Info: authorized},
		Case{Name: "redirects with credentials", Answer: inOrder(redirect(307, "/blob"), image), Info: authorized},
		Case{Name: "300 with an address", Answer: redirect(300, "/x")},
		Case{Name: "304 without a condition", Answer: redirect(304, "/x")},
	)
}

func checksums() []Case {
	sum := Sum(Image)
	at := info{"checksum": "HERE/sums"}
	lines := func(all ...string) string { return strings.Join(all, "\n") + "\n" }
	return []Case{
		{Name: "checksum file", Answer: sums(lines(Sum("x")+"  other.raw", sum+"  disk.raw")), Info: at},
		{Name: "checksum file, binary", Answer: sums(lines(sum + " *disk.raw")), Info: at},
		{Name: "checksum file of BSD", Answer: sums(lines("# comment", "SHA256 (disk.raw) = "+sum)), Info: at},
		{Name: "checksum alone", Answer: sums(lines("", sum, "")), Info: at},
		{Name: "checksum file, empty", Answer: sums("\n \n"), Info: at},
		{Name: "checksum file without the image", Answer: sums(lines(sum+"  other.raw", sum+"  disk.raw.gz")), Info: at},
		{Name: "checksum file is a page", Answer: sums(lines("<html>", "<a href=disk.raw>disk.raw</a>", "</html>")), Info: at},
		{Name: "checksum file is a word", Answer: sums("nothing"), Info: at},
		{Name: "checksum file, wrong", Answer: sums(lines(Sum("x") + "  disk.raw")), Info: at},
		{Name: "checksum file of another length", Answer: sums(lines(sum[:40] + "  disk.raw")), Info: at},
		{Name: "checksum file is missing", Answer: status(404), Info: at},
		{Name: "checksum file is busy", Answer: status(503), Info: at},
		{Name: "checksum file breaks", Answer: inOrder(breaks), Info: at, OwnWords: true},
		{Name: "checksum file with an algorithm", Answer: sums(lines(sum + "  disk.raw")), Info: info{"os_hash_algo": "sha256", "os_hash_value": "HERE/sums"}},
		{Name: "checksum in capitals", Answer: image, Info: info{"checksum": strings.ToUpper(sum)}},
		{Name: "checksum of another algorithm", Answer: image, Info: info{"os_hash_algo": "sha512", "os_hash_value": sum}},
		{Name: "checksum of an odd length", Answer: image, Info: info{"checksum": sum + "00"}},
		{Name: "algorithm before checksum", Answer: image, Info: info{"checksum": Sum("x"), "os_hash_algo": "sha256", "os_hash_value": sum}},
	}
}

func credentials() []Case {
	basic := func(more info) info {
		all := info{"image_server_auth_strategy": "http_basic", "image_server_user": "u", "image_server_password": "p:ß"}
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	return []Case{
		{Name: "basic", Answer: image, Info: basic(info{"image_server_password": "p"})},
		{Name: "basic, a colon", Answer: image, Info: basic(info{"image_server_password": "p:q"})},
		{Name: "basic without a password", Answer: image, Info: basic(info{"image_server_password": ""})},
		{Name: "basic without anything", Answer: image, Info: basic(info{"image_server_password": nil, "image_server_user": nil})},
		{Name: "another strategy", Answer: image, Info: basic(info{"image_server_auth_strategy": "noauth"})},
		{Name: "prepared before basic", Answer: image, Info: basic(info{"image_request_authorization": base64.StdEncoding.EncodeToString([]byte("Bearer t"))})},
	}
}
