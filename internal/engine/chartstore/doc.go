// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package chartstore finds chart archives, in HTTP repositories, OCI registries, folders and
// mirrors, checks them against their pinned digest, and keeps them on disk under it.
//
// The digest of a chart is the SHA-256 of its archive (.tgz), which is also the digest of the
// layer that holds it in an OCI registry. The cache names its files by it:
//
//	<cache>/sha256-<64 hex digits>.tgz
//
// A pinned chart that is in the cache costs no request. What is not pinned is asked for anew
// each time: a version that was published again must not go unseen.
//
// # Mirrors
//
// Where a mirror is set, every chart of a repository or registry is looked up there and
// nowhere else. Its place follows from its origin alone, scheme and host included, so that
// charts of the same name from two repositories never meet:
//
//	https://charts.example.com/stable  ->  https/charts.example.com/stable
//	oci://ghcr.io/example/charts       ->  oci/ghcr.io/example/charts
//	http://127.0.0.1:8879              ->  http/127.0.0.1_8879
//
// Below that place, chart "queue" of version 1.2.0+b7 is
//
//	oci://registry.example.com/mirror/<place>/queue:1.2.0_b7      in an OCI registry
//	https://files.example.com/mirror/<place>/queue/1.2.0_b7.tgz   on an HTTP server
//	/srv/mirror/<place>/queue/1.2.0_b7.tgz                        in a folder
//
// A part that an OCI registry does not take (capital letters, "~") is spelled with what it
// takes, then "__" and 16 hex digits of the SHA-256 of the part; a part that itself holds
// "__" is spelled the same way, so that no two are alike.
package chartstore
