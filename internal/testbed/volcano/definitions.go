// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package volcano gives a testbed what Volcano gives a cluster: its custom
// resource definitions, its two first queues and, where their programs are at
// hand, the real scheduler, controllers and admission webhooks.
package volcano

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	typedapiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

//go:generate go run ./crdgen/cmd definitions.yaml

//go:embed definitions.yaml
var definitionsYAML []byte

// Definitions returns the custom resource definitions of the Volcano version that this
// module requires.
func Definitions() ([]apiextensionsv1.CustomResourceDefinition, error) {
	return decode(bytes.NewReader(definitionsYAML), "the embedded Volcano definitions")
}

// definitionsIn returns those in the YAML files of a folder; none where there is no folder.
func definitionsIn(dir string) ([]apiextensionsv1.CustomResourceDefinition, error) {
	if dir == "" {
		return nil, nil
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []apiextensionsv1.CustomResourceDefinition
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		some, err := decode(bytes.NewReader(data), path)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// overlay puts others beside definitions, and in place of those of the same name.
func overlay(definitions, others []apiextensionsv1.CustomResourceDefinition) []apiextensionsv1.CustomResourceDefinition {
	return append(slices.DeleteFunc(definitions, func(d apiextensionsv1.CustomResourceDefinition) bool {
		return slices.ContainsFunc(others, func(o apiextensionsv1.CustomResourceDefinition) bool { return o.Name == d.Name })
	}), others...)
}

func decode(from io.Reader, name string) ([]apiextensionsv1.CustomResourceDefinition, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(from, 4096)
	var definitions []apiextensionsv1.CustomResourceDefinition
	for {
		var definition apiextensionsv1.CustomResourceDefinition
		err := decoder.Decode(&definition)
		if errors.Is(err, io.EOF) {
			return definitions, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", name, err)
		}
		if definition.Name != "" {
			definitions = append(definitions, definition)
		}
	}
}

// InstallDefinitions creates or updates the definitions and waits until the API
// server serves them. Those in the folder dir, for programs of another version,
// come beside the embedded ones or in their place; "" means none.
func InstallDefinitions(ctx context.Context, client typedapiextensionsv1.CustomResourceDefinitionInterface, dir string) error {
	definitions, err := Definitions()
	if err != nil {
		return err
	}
	others, err := definitionsIn(dir)
	if err != nil {
		return err
	}
	definitions = overlay(definitions, others)
	for _, definition := range definitions {
		if err := apply(ctx, client, &definition); err != nil {
			return fmt.Errorf("cannot install definition %q: %w", definition.Name, err)
		}
	}
	for _, definition := range definitions {
		if err := waitEstablished(ctx, client, definition.Name); err != nil {
			return err
		}
	}
	return nil
}

// hashAnnotation holds the hash of the definition that was installed, so that a
// second up does not send a megabyte of schemas for nothing.
const hashAnnotation = "trainyard.io/definition-hash"

func apply(ctx context.Context, client typedapiextensionsv1.CustomResourceDefinitionInterface, definition *apiextensionsv1.CustomResourceDefinition) error {
	spec, err := json.Marshal(definition.Spec)
	if err != nil {
		return err
	}
	hash := fmt.Sprintf("%x", sha256.Sum256(spec))
	metav1.SetMetaDataAnnotation(&definition.ObjectMeta, hashAnnotation, hash)
	current, err := client.Get(ctx, definition.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = client.Create(ctx, definition, metav1.CreateOptions{})
		return err
	}
	if err != nil || current.Annotations[hashAnnotation] == hash {
		return err
	}
	metav1.SetMetaDataAnnotation(&current.ObjectMeta, hashAnnotation, hash)
	current.Spec = definition.Spec
	_, err = client.Update(ctx, current, metav1.UpdateOptions{})
	return err
}

func waitEstablished(ctx context.Context, client typedapiextensionsv1.CustomResourceDefinitionInterface, name string) error {
	for {
		definition, err := client.Get(ctx, name, metav1.GetOptions{})
		if err == nil && slices.ContainsFunc(definition.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
			return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
		}) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("definition %q is not Established: %w", name, errors.Join(err, ctx.Err()))
		case <-time.After(50 * time.Millisecond):
		}
	}
}
