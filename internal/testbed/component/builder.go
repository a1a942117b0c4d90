// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package component

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/trainyard/terraform-provider-trainyard/internal/testbed"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/process"
	"github.com/trainyard/terraform-provider-trainyard/internal/testbed/progress"
)

// Builder builds components into CacheDir.
type Builder struct {
	// ModuleDir is the folder of this module's go.mod. It is only needed when
	// something has to be built; empty means: look for it from the working
	// folder and from the running program upwards.
	ModuleDir string
	// CacheDir holds the programs, named <name>-<version>-<os>-<arch>.
	CacheDir string
	// Progress reports each build.
	Progress progress.Reporter
}

// DefaultCacheDir is the folder for built programs under the user's cache.
func DefaultCacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cannot find the user's cache folder: %w; name one with --cache-dir", err)
	}
	return filepath.Join(dir, "trainyard", "bin"), nil
}

// Ensure returns the path of each component's program by its name, building
// those that the cache lacks.
func (b *Builder) Ensure(ctx context.Context, components ...Component) (map[string]string, error) {
	paths := make(map[string]string, len(components))
	for _, c := range components {
		path, err := b.ensure(ctx, c)
		if err != nil {
			return nil, err
		}
		paths[c.Name] = path
	}
	return paths, nil
}

func (b *Builder) ensure(ctx context.Context, c Component) (string, error) {
	version, err := c.Version()
	if err != nil {
		return "", err
	}
	path := filepath.Join(b.CacheDir, fmt.Sprintf("%s-%s-%s-%s", c.Name, version, runtime.GOOS, runtime.GOARCH))
	if isProgram(path) {
		return path, nil
	}
	if err := os.MkdirAll(b.CacheDir, 0o755); err != nil {
		return "", fmt.Errorf("cannot make the cache folder: %w", err)
	}
	// Two testbeds that start at once build each program once.
	lock, err := process.Lock(ctx, path+".lock")
	if err != nil {
		return "", err
	}
	defer lock.Release()
	if isProgram(path) {
		return path, nil
	}
	done := b.Progress.Step(fmt.Sprintf("build %s %s", c.Name, version))
	err = b.build(ctx, c, version, path)
	done(err)
	return path, err
}

// build compiles into a temporary file beside path and renames it, so that a
// cut build never leaves half a program.
func (b *Builder) build(ctx context.Context, c Component, version, path string) error {
	dir, err := b.moduleDir()
	if err != nil {
		return fmt.Errorf("cannot build %s: %w", c.Name, err)
	}
	temporary := path + ".partial"
	defer func() { _ = os.Remove(temporary) }()
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", c.ldflags(version), "-o", temporary, c.Package)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("cannot build %s %s from %s: %w\n%s", c.Name, version, dir, err, tail(stderr.String(), 20))
	}
	return os.Rename(temporary, path)
}

// moduleDir finds the sources of this module.
func (b *Builder) moduleDir() (string, error) {
	if b.ModuleDir != "" {
		if !isModule(b.ModuleDir) {
			return "", fmt.Errorf("%s holds no go.mod of %s", b.ModuleDir, testbed.ModulePath)
		}
		return b.ModuleDir, nil
	}
	var starts []string
	if dir, err := os.Getwd(); err == nil {
		starts = append(starts, dir)
	}
	if program, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(program))
	}
	for _, start := range starts {
		for dir := start; ; dir = filepath.Dir(dir) {
			for _, candidate := range []string{dir, filepath.Join(dir, "internal", "testbed")} {
				if isModule(candidate) {
					return candidate, nil
				}
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return "", errors.New("no internal/testbed/go.mod above the working folder or the program; run it inside the repository or name the folder with --module-dir")
}

func isModule(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && strings.HasPrefix(string(data), "module "+testbed.ModulePath+"\n")
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
