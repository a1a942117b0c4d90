// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package storagetier

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/trainyard/terraform-provider-trainyard/internal/provider/release"
	"github.com/trainyard/terraform-provider-trainyard/internal/spec"
)

type objectModel struct {
	Backend   types.String           `tfsdk:"backend"`
	Endpoint  types.String           `tfsdk:"endpoint"`
	Region    types.String           `tfsdk:"region"`
	PathStyle types.Bool             `tfsdk:"path_style"`
	AccessKey types.String           `tfsdk:"access_key"`
	SecretKey types.String           `tfsdk:"secret_key_wo"`
	Revision  types.Int64            `tfsdk:"secret_key_wo_revision"`
	Namespace types.String           `tfsdk:"namespace"`
	Server    *serverModel           `tfsdk:"server"`
	Rook      *rookModel             `tfsdk:"rook"`
	Buckets   map[string]bucketModel `tfsdk:"buckets"`
}

type serverModel struct {
	Chart    types.Object  `tfsdk:"chart"`
	Values   types.Dynamic `tfsdk:"values"`
	Replicas types.Int64   `tfsdk:"replicas"`
	Size     types.String  `tfsdk:"size"`
	Class    types.String  `tfsdk:"storage_class"`
}

// or is the server, empty where it is left out.
func (s *serverModel) or() serverModel {
	if s == nil {
		return serverModel{Size: types.StringValue("100Gi")}
	}
	return *s
}

func (s serverModel) argument(namespace types.String) release.Argument {
	return release.Argument{Namespace: namespace, Chart: s.Chart, Values: s.Values}
}

func (s serverModel) spec() spec.ObjectServer {
	return spec.ObjectServer{Replicas: int(s.Replicas.ValueInt64()), Size: s.Size.ValueString(), StorageClass: s.Class.ValueString()}
}

type rookModel struct {
	Namespace types.String `tfsdk:"namespace"`
	Store     types.String `tfsdk:"store"`
}

type bucketModel struct {
	Name       types.String `tfsdk:"name"`
	Adopt      types.Bool   `tfsdk:"adopt"`
	Versioning types.String `tfsdk:"versioning"`
	ObjectLock *lockModel   `tfsdk:"object_lock"`
	Lifecycle  []ruleModel  `tfsdk:"lifecycle"`
	Quota      types.String `tfsdk:"quota"`
	CORS       []corsModel  `tfsdk:"cors"`
	Policy     types.String `tfsdk:"policy"`
}

type lockModel struct {
	Mode types.String `tfsdk:"mode"`
	Days types.Int64  `tfsdk:"days"`
}

type ruleModel struct {
	ID           types.String `tfsdk:"id"`
	Prefix       types.String `tfsdk:"prefix"`
	Expire       types.Int64  `tfsdk:"expire_after_days"`
	Archive      types.Int64  `tfsdk:"archive_after_days"`
	ArchiveClass types.String `tfsdk:"archive_class"`
	Noncurrent   types.Int64  `tfsdk:"expire_noncurrent_after_days"`
	Uploads      types.Int64  `tfsdk:"abort_uploads_after_days"`
}

type corsModel struct {
	Origins       []string    `tfsdk:"origins"`
	Methods       []string    `tfsdk:"methods"`
	Headers       []string    `tfsdk:"headers"`
	ExposeHeaders []string    `tfsdk:"expose_headers"`
	MaxAge        types.Int64 `tfsdk:"max_age_seconds"`
}

func (m *Model) object(ctx context.Context) (o objectModel, given bool, err error) {
	given, err = decode(ctx, m.Object, &o)
	return o, given, err
}

// spec is the bucket of a key. A list that is left out stays nil: nothing is said of it.
func (b bucketModel) spec(key string) spec.Bucket {
	bucket := spec.Bucket{
		Name: cmp.Or(b.Name.ValueString(), key), Versioning: b.Versioning.ValueString(), QuotaBytes: b.Quota.ValueString(), Policy: b.Policy.ValueString(),
	}
	if b.ObjectLock != nil {
		bucket.ObjectLock = &spec.ObjectLock{Mode: b.ObjectLock.Mode.ValueString(), Days: int(b.ObjectLock.Days.ValueInt64())}
	}
	if b.Lifecycle != nil {
		bucket.Lifecycle = []spec.LifecycleRule{}
	}
	for _, rule := range b.Lifecycle {
		bucket.Lifecycle = append(bucket.Lifecycle, spec.LifecycleRule{
			ID: rule.ID.ValueString(), Prefix: rule.Prefix.ValueString(), ExpireAfterDays: int(rule.Expire.ValueInt64()),
			ArchiveAfterDays: int(rule.Archive.ValueInt64()), ArchiveClass: rule.ArchiveClass.ValueString(),
			ExpireNoncurrentAfterDays: int(rule.Noncurrent.ValueInt64()), AbortUploadsAfterDays: int(rule.Uploads.ValueInt64()),
		})
	}
	if b.CORS != nil {
		bucket.CORS = []spec.CORSRule{}
	}
	for _, rule := range b.CORS {
		bucket.CORS = append(bucket.CORS, spec.CORSRule{
			Origins: rule.Origins, Methods: rule.Methods, Headers: rule.Headers, ExposeHeaders: rule.ExposeHeaders, MaxAgeSeconds: int(rule.MaxAge.ValueInt64()),
		})
	}
	return bucket
}

// buckets are those of the tier by key.
func (o objectModel) buckets() map[string]spec.Bucket {
	all := map[string]spec.Bucket{}
	for key, bucket := range o.Buckets {
		all[key] = bucket.spec(key)
	}
	return all
}
