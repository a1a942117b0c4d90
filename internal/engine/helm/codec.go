// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"helm.sh/helm/v3/pkg/release"

	"github.com/trainyard/terraform-provider-trainyard/internal/objects"
)

// secretType marks a Secret that holds a release, and keyOf names it, as Helm 3 does.
const secretType = "helm.sh/release.v1" //nolint:gosec // the name of a type, no credentials

func keyOf(name string, revision int) string {
	return fmt.Sprintf("sh.helm.release.v1.%s.v%d", name, revision)
}

// pack writes a release as the Secret in which Helm keeps it: JSON, compressed, and in base64
// twice over (once by Helm, once by the API).
func pack(r *release.Release, owner objects.Owner, created time.Time) (*objects.Object, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode the record of %s: %w", r.Name, err)
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write(raw); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	text := base64.StdEncoding.EncodeToString(packed.Bytes())
	labels := map[string]any{
		"owner": "helm", "name": r.Name, "status": r.Info.Status.String(), "version": strconv.Itoa(r.Version),
		"createdAt": strconv.FormatInt(created.Unix(), 10), "modifiedAt": strconv.FormatInt(time.Now().Unix(), 10),
	}
	for key, value := range ownerLabels(owner) {
		labels[key] = value
	}
	return &objects.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": secretType,
		"metadata": map[string]any{"name": keyOf(r.Name, r.Version), "namespace": r.Namespace, "labels": labels},
		"data":     map[string]any{"release": base64.StdEncoding.EncodeToString([]byte(text))},
	}}, nil
}

// unpack reads a release out of its Secret.
func unpack(secret *objects.Object) (*release.Release, error) {
	fail := func(err error) (*release.Release, error) {
		return nil, fmt.Errorf("decode Helm's record %s: %w", secret.GetName(), err)
	}
	data, _ := secret.Object["data"].(map[string]any)
	outer, _ := data["release"].(string)
	text, err := base64.StdEncoding.DecodeString(outer)
	if err != nil {
		return fail(err)
	}
	raw, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return fail(err)
	}
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b, 0x08}) {
		zip, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			return fail(err)
		}
		if raw, err = io.ReadAll(zip); err != nil {
			return fail(err)
		}
	}
	r := &release.Release{}
	if err := json.Unmarshal(raw, r); err != nil {
		return fail(err)
	}
	if r.Info == nil || r.Name == "" {
		return fail(fmt.Errorf("it names no release"))
	}
	return r, nil
}

// ownerLabels are the labels that tell whose a chart's object is. Helm wants its own name in
// the label managed-by.
func ownerLabels(owner objects.Owner) map[string]string {
	labels := owner.Labels()
	labels[objects.LabelManagedBy] = objects.ManagedByHelm
	return labels
}
