package journal

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
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
		if same, err := w.isLast(p.Node.UUID, packed); same || err != nil {
			if err != nil {
				return err
			}
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
	rows, err := w.QueryContext(w.ctx, "SELECT packed FROM pictures WHERE node = ? ORDER BY at DESC, id DESC LIMIT 1", uuid)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var last []byte
	for rows.Next() {
		if err := rows.Scan(&last); err != nil {
			return false, err
		}
	}
	return bytes.Equal(last, packed), rows.Err()
}

// Pictures returns the snapshots that were taken of a node between from and to, oldest first. They are preceded by
// the last snapshot before from, if there is one. Zero times mean no limit.
func (j *Journal) Pictures(ctx context.Context, uuid string, from, to time.Time) ([]models.Picture, error) {
	db, err := j.reading(ctx)
	if db == nil {
		return nil, err
	}
	low, high := bounds(from, to)
	rows, err := db.QueryContext(ctx, `SELECT at, packed FROM pictures WHERE node = ?1 AND at <= ?3
AND at >= coalesce((SELECT max(at) FROM pictures WHERE node = ?1 AND at < ?2), ?2) ORDER BY at, id`, uuid, low, high)
	if err != nil {
		return nil, j.readError(err)
	}
	pictures, err := scanPictures(rows)
	if err != nil {
		return nil, j.readError(err)
	}
	return pictures, nil
}

func scanPictures(rows *sql.Rows) (pictures []models.Picture, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	u, err := newUnpacker()
	if err != nil {
		return nil, err
	}
	defer u.close()
	for rows.Next() {
		var when int64
		var packed sql.RawBytes
		if err := rows.Scan(&when, &packed); err != nil {
			return nil, err
		}
		p := models.Picture{At: timeAt(when)}
		decoder, err := u.unpack(packed)
		if err == nil {
			err = decoder.Decode(&p.Node)
		}
		if err != nil {
			return nil, err
		}
		pictures = append(pictures, p)
	}
	return pictures, rows.Err()
}
