package agent

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"time"
)

// archive packs the journal as the agent sends it: base64 of a tar.gz.
func archive(journal string, at time.Time) string {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	files := tar.NewWriter(zip)
	// Writing to memory does not fail.
	_ = files.WriteHeader(&tar.Header{Name: "journal", Mode: 0o644, Size: int64(len(journal)), ModTime: at})
	_, _ = files.Write([]byte(journal))
	_ = files.Close()
	_ = zip.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}
