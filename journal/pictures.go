package journal

import (
	"bytes"
	"context"
	"database/sql"
	"time"

	"ironworks/models"
)

// pictures stores each snapshot that differs from the previous snapshot of the same node.
func (w *writing) pictures(pictures []models.Picture) error {
	for i := range pictures {
		p := &pictures[i]
		packed, err := w.packer.pack(func(add func(any) error) error {
			node := p.Node.WithoutSecrets()
			return add(&node)
		})
		if err != nil {
			return err
		}
		same, err := w.isLast(p.Node.UUID, packed)
		if err != nil {
			return err
		}
		if same {
			continue
		}
		if _, err := w.exec("INSERT INTO pictures (at, node, name, size, packed) VALUES (?, ?, ?, ?, ?)",
			p.At.UnixMicro(), p.Node.UUID, p.Node.Name, pictureCost+len(packed), packed); err != nil {
			return err
		}
	}
	return nil
}

// isLast reports whether packed is equal to a node's last snapshot. Equal snapshots have equal packed data.
func (w *writing) isLast(uuid string, packed []byte) (same bool, err error) {
	err = w.query(func(rows *sql.Rows) error {
		var last sql.RawBytes
		err := rows.Scan(&last)
		same = bytes.Equal(last, packed)
		return err
	}, "SELECT packed FROM pictures WHERE node = ? ORDER BY at DESC, id DESC LIMIT 1", uuid)
	return same, err
}

// Pictures returns the snapshots that were taken of a node between from and to, oldest first. They are preceded by
// the last snapshot before from, if there is one. Zero times mean no limit.
func (j *Journal) Pictures(ctx context.Context, uuid string, from, to time.Time) ([]models.Picture, error) {
	u, err := newUnpacker()
	if err != nil {
		return nil, j.readError(err)
	}
	defer u.close()
	low, high := bounds(from, to)
	var pictures []models.Picture
	err = j.query(ctx, func(rows *sql.Rows) error {
		var when int64
		var packed sql.RawBytes
		if err := rows.Scan(&when, &packed); err != nil {
			return err
		}
		decoder, err := u.unpack(packed)
		if err != nil {
			return err
		}
		p := models.Picture{At: timeAt(when)}
		err = decoder.Decode(&p.Node)
		pictures = append(pictures, p)
		return err
	}, `SELECT at, packed FROM pictures WHERE node = ?1 AND at <= ?3
AND at >= coalesce((SELECT max(at) FROM pictures WHERE node = ?1 AND at < ?2), ?2) ORDER BY at, id`, uuid, low, high)
	if err != nil {
		return nil, err
	}
	return pictures, nil
}
