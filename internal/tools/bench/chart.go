// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// repository is a chart repository on loopback that counts its requests.
type repository struct {
	URL, Name, Version, Digest string

	requests atomic.Int64
	server   *http.Server
}

// serveChart packs the chart in a folder and serves it.
func serveChart(folder string) (*repository, error) {
	r := &repository{}
	definition, err := os.ReadFile(filepath.Join(folder, "Chart.yaml"))
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(string(definition), "\n") {
		if value, ok := strings.CutPrefix(line, "name:"); ok {
			r.Name = strings.Trim(strings.TrimSpace(value), `"'`)
		}
		if value, ok := strings.CutPrefix(line, "version:"); ok {
			r.Version = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	packed, err := packChart(folder, r.Name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(packed)
	r.Digest = "sha256:" + hex.EncodeToString(sum[:])
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r.URL = "http://" + listener.Addr().String()
	index := fmt.Sprintf("apiVersion: v1\nentries:\n  %s:\n  - apiVersion: v2\n    name: %s\n    version: %s\n    digest: %s\n    urls:\n    - chart.tgz\n",
		r.Name, r.Name, r.Version, strings.TrimPrefix(r.Digest, "sha256:"))
	r.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.requests.Add(1)
		if req.URL.Path == "/index.yaml" {
			_, _ = w.Write([]byte(index)) // a client that left is none of ours
			return
		}
		_, _ = w.Write(packed)
	}), ReadHeaderTimeout: readHeaderLimit}
	go func() { _ = r.server.Serve(listener) }() // ends with Close
	return r, nil
}

// packChart writes a chart as the archive that repositories serve.
func packChart(folder, name string) ([]byte, error) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zip)
	err := fs.WalkDir(os.DirFS(folder), ".", func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(folder, at))
		if err != nil {
			return err
		}
		header := &tar.Header{Name: path.Join(name, at), Mode: 0o644, Size: int64(len(content))}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err = archive.Write(content)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}
