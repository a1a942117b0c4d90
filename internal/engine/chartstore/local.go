// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package chartstore

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// local takes a chart from a path: an archive is copied into the cache, so that it cannot
// change between here and its use; a folder stays where it is.
func (s *Store) local(source Source) (Chart, error) {
	info, err := os.Stat(source.Path)
	if err != nil {
		return Chart{}, fmt.Errorf("%w. Give the path of a chart's folder or of its .tgz archive, from the working folder or absolute", err)
	}
	if !info.IsDir() {
		return s.fromArchive(source.Path, source.pinned(source.Path))
	}
	if _, err := os.Stat(filepath.Join(source.Path, "Chart.yaml")); err != nil {
		return Chart{}, fmt.Errorf("the folder is no chart: %w", err)
	}
	digest, err := digestOfFolder(source.Path)
	if err != nil {
		return Chart{}, err
	}
	if source.Digest != "" && digest != source.Digest {
		return Chart{}, &DigestError{From: source.Path, Promised: source.Digest, Got: digest}
	}
	return Chart{Path: source.Path, Digest: digest, Dir: true, Origin: source.Path}, nil
}

func (s *Store) fromArchive(path string, check func(string) error) (Chart, error) {
	file, err := os.Open(path)
	if err != nil {
		return Chart{}, err
	}
	defer file.Close()
	chart, err := s.keep(file, check)
	chart.Origin = path
	return chart, err
}

// maxDepth ends folders that link to themselves.
const maxDepth = 32

// digestOfFolder hashes the names, sizes and contents of all files, in the order of their
// names. Links count as what they lead to, as Helm reads them.
func digestOfFolder(dir string) (string, error) {
	hash := sha256.New()
	if err := hashFolder(hash, os.DirFS(dir), ".", 0); err != nil {
		return "", fmt.Errorf("read the chart's folder: %w", err)
	}
	return formatDigest(hash.Sum(nil)), nil
}

func hashFolder(hash io.Writer, root fs.FS, name string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s: more than %d folders deep; does a link lead back to where it stands?", name, maxDepth)
	}
	entries, err := fs.ReadDir(root, name) // sorted
	if err != nil {
		return err
	}
	for _, entry := range entries {
		below := path.Join(name, entry.Name())
		info, err := fs.Stat(root, below)
		switch {
		case err != nil:
			return err
		case info.IsDir():
			err = hashFolder(hash, root, below, depth+1)
		case info.Mode().IsRegular():
			err = hashFile(hash, root, below)
		default:
			err = errors.New(below + ": neither a file nor a folder")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func hashFile(hash io.Writer, root fs.FS, name string) error {
	content, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	// Name and size set off one file from the next.
	if _, err := fmt.Fprintf(hash, "%q %d\n", name, len(content)); err != nil {
		return err
	}
	_, err = hash.Write(content)
	return err
}
