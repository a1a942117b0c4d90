// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package acctest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/trainyard/terraform-provider-trainyard/internal/provider"
)

// Protocol speaks to the provider as Terraform does, without Terraform: for what only newer
// versions of it can ask, and for tables of configurations.
type Protocol struct {
	t      *testing.T
	server tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse
}

// NewProtocol starts a provider.
func NewProtocol(t *testing.T) *Protocol {
	t.Helper()
	server := provider.Server(version)()
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return &Protocol{t: t, server: server, schema: schema}
}

// Configure gives the provider its configuration, in JSON.
func (p *Protocol) Configure(config string) {
	p.t.Helper()
	resp, err := p.server.ConfigureProvider(p.t.Context(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.12.0", Config: p.value(p.schema.Provider.ValueType(), config),
	})
	p.check(err, resp.Diagnostics)
}

// Problem is one error: at which attribute, and what it says.
type Problem struct{ Path, Text string }

// Validate returns what is wrong with a resource's configuration, in JSON.
func (p *Protocol) Validate(resourceType, config string) []Problem {
	p.t.Helper()
	resp, err := p.server.ValidateResourceConfig(p.t.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: resourceType, Config: p.value(p.schema.ResourceSchemas[resourceType].ValueType(), config),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	var problems []Problem
	for _, d := range resp.Diagnostics {
		problems = append(problems, Problem{Path: pathText(d.Attribute), Text: d.Summary + ": " + d.Detail})
	}
	return problems
}

// ImportByIdentity imports a resource by the name in its identity and reads it. It returns
// the attributes of the state and the name in its identity.
func (p *Protocol) ImportByIdentity(resourceType, name string) (attributes map[string]tftypes.Value, identity string) {
	p.t.Helper()
	attributes, fields := p.ImportIdentified(resourceType, fmt.Sprintf(`{"name":%q}`, name))
	p.check(fields["name"].As(&identity), nil)
	return attributes, identity
}

// ImportIdentified imports a resource by its whole identity, in JSON, and reads it.
func (p *Protocol) ImportIdentified(resourceType, by string) (attributes, identity map[string]tftypes.Value) {
	p.t.Helper()
	ids, err := p.server.GetResourceIdentitySchemas(p.t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	p.check(err, ids.Diagnostics)
	idType := ids.IdentitySchemas[resourceType].ValueType()
	imported, err := p.server.ImportResourceState(p.t.Context(), &tfprotov6.ImportResourceStateRequest{
		TypeName: resourceType, Identity: &tfprotov6.ResourceIdentityData{IdentityData: p.value(idType, by)},
	})
	p.check(err, imported.Diagnostics)
	one := imported.ImportedResources[0]
	read, err := p.server.ReadResource(p.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: resourceType, CurrentState: one.State, Private: one.Private, CurrentIdentity: one.Identity,
	})
	p.check(err, read.Diagnostics)
	state, err := read.NewState.Unmarshal(p.schema.ResourceSchemas[resourceType].ValueType())
	p.check(err, nil)
	p.check(state.As(&attributes), nil)
	value, err := read.NewIdentity.IdentityData.Unmarshal(idType)
	p.check(err, nil)
	p.check(value.As(&identity), nil)
	return attributes, identity
}

func (p *Protocol) value(kind tftypes.Type, text string) *tfprotov6.DynamicValue {
	p.t.Helper()
	if !json.Valid([]byte(text)) {
		p.t.Fatalf("not JSON: %s", text)
	}
	raw := tfprotov6.DynamicValue{JSON: []byte(text)}
	value, err := raw.Unmarshal(kind) // fills in what is left out
	if err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	packed, err := tfprotov6.NewDynamicValue(kind, value)
	if err != nil {
		p.t.Fatal(err)
	}
	return &packed
}

func (p *Protocol) check(err error, diagnostics []*tfprotov6.Diagnostic) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	for _, d := range diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			p.t.Fatalf("%s: %s", d.Summary, d.Detail)
		}
	}
}

// pathText writes a path as a configuration does: quota.requests["nvidia.com/gpu"].
func pathText(path *tftypes.AttributePath) string {
	var b strings.Builder
	for _, step := range path.Steps() {
		switch s := step.(type) {
		case tftypes.AttributeName:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(string(s))
		case tftypes.ElementKeyString:
			fmt.Fprintf(&b, "[%q]", string(s))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&b, "[%d]", int64(s))
		}
	}
	return b.String()
}
