// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// maxArchive bounds what is fetched for one chart. The largest public ones are near 1 MiB.
	maxArchive = 64 << 20
	// maxUnpacked bounds what an archive may unpack to while its checksum is verified.
	maxUnpacked = 1 << 30

	partialPrefix = ".partial-"
	// stale is when a partial file has certainly lost its process.
	stale = 24 * time.Hour
)

// archive is where the cache keeps the archive of a digest.
func (s *Store) archive(digest string) string {
	return filepath.Join(s.dir, strings.Replace(digest, ":", "-", 1)+".tgz")
}

// cached returns the archive of the digest if the cache has it and it is not damaged.
func (s *Store) cached(digest string) (Chart, bool) {
	path := s.archive(digest)
	got, err := digestOf(path)
	if err != nil || got != digest {
		return Chart{}, false
	}
	return Chart{Path: path, Digest: digest, Origin: "cache"}, true
}

func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return formatDigest(hash.Sum(nil)), nil
}

func formatDigest(sum []byte) string { return "sha256:" + hex.EncodeToString(sum) }

// keep puts an archive that is read from body into the cache under its digest, once the
// whole of it has been read and check has agreed to the digest.
func (s *Store) keep(body io.Reader, check func(digest string) error) (Chart, error) {
	file, err := s.partial()
	if err != nil {
		return Chart{}, err
	}
	defer os.Remove(file.Name()) // gone where it has been renamed
	defer file.Close()
	digest, err := fill(file, body)
	if err != nil {
		return Chart{}, err
	}
	if err := check(digest); err != nil {
		return Chart{}, err
	}
	if err := checkGzip(file); err != nil {
		return Chart{}, err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return Chart{}, fmt.Errorf("write the chart cache: %w", err)
	}
	path := s.archive(digest)
	if err := os.Rename(file.Name(), path); err != nil {
		return Chart{}, fmt.Errorf("write the chart cache: %w", err)
	}
	return Chart{Path: path, Digest: digest}, nil
}

// partial opens a file beside the archives, so that renaming it is atomic.
func (s *Store) partial() (*os.File, error) {
	if s.dir == "" {
		return nil, errors.New("there is no folder to keep charts in. Name one in the provider's charts.cache_dir, or set HOME or XDG_CACHE_HOME")
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the chart cache: %w. Name a folder that can be written in the provider's charts.cache_dir", err)
	}
	s.sweep()
	file, err := os.CreateTemp(s.dir, partialPrefix+"*")
	if err != nil {
		return nil, fmt.Errorf("write the chart cache: %w. Name a folder that can be written in the provider's charts.cache_dir", err)
	}
	return file, nil
}

// sweep removes what killed processes left half written.
func (s *Store) sweep() {
	left, err := filepath.Glob(filepath.Join(s.dir, partialPrefix+"*"))
	if err != nil {
		return
	}
	for _, path := range left {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > stale {
			_ = os.Remove(path) // another process may have been faster
		}
	}
}

// fill copies body into file and returns the digest of what it has copied.
func fill(file io.Writer, body io.Reader) (string, error) {
	hash := sha256.New()
	size, err := io.Copy(io.MultiWriter(file, hash), io.LimitReader(body, maxArchive+1))
	if err != nil {
		var local *fs.PathError
		if errors.As(err, &local) {
			return "", fmt.Errorf("write the chart cache: %w", err)
		}
		return "", err
	}
	if size > maxArchive {
		return "", fmt.Errorf("it is larger than %d MiB, which no chart is", maxArchive>>20)
	}
	return formatDigest(hash.Sum(nil)), nil
}

// checkGzip unpacks the archive to nowhere: a connection that was cut where no length had
// been announced looks complete, and gzip's own checksum tells.
func checkGzip(file io.ReadSeeker) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	unpacked, err := gzip.NewReader(bufio.NewReader(file))
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("what came is not a chart archive (.tgz). A login page or a proxy's message often comes instead")
	}
	if err == nil {
		_, err = io.CopyN(io.Discard, unpacked, maxUnpacked)
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return fmt.Errorf("it unpacks to more than %d MiB, which no chart does", maxUnpacked>>20)
	}
	return fmt.Errorf("the archive is incomplete or damaged: %w", err)
}
