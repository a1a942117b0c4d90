// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

// Package s3 keeps buckets on any S3 server as a configuration says: it reads what a bucket
// has, compares it with what is wanted, and puts right what differs.
//
//	Observe -> Between -> Apply -> Observe
//
// Between is pure and compares by meaning: the order of lifecycle rules, headers in capital
// letters, or a policy's one action as a text or as a list of one are no difference. Only what
// the configuration sets is compared, and what an earlier configuration set (Given).
//
// # Servers
//
// No server has everything. What one does not implement is a typed absence (Have.Unsupported):
// nothing to worry about until it is wanted, and then an error that names it and the server.
// A quota is not part of S3; MinIO has it on its admin API.
//
//	             versioning  lock  lifecycle  archive   quota  CORS  policy  tags
//	Amazon S3    yes         yes   yes        yes       -      yes   yes     yes
//	MinIO        yes         yes   yes        to tiers  yes    -     yes     yes
//	SeaweedFS    yes         yes   yes        -         -      yes   yes     yes
//	versitygw    yes         yes   -          -         -      yes   yes     yes
//
// The tests of this package see what the last two lines say, of SeaweedFS 4.53 and versitygw
// 1.8.0. The others are by what their vendors write, and have not been run against.
//
// # Owner
//
// A bucket that is made here carries the tag trainyard.io/owner. One without, or with that of
// somebody else, is taken (TakenError) unless it is adopted explicitly. On servers without
// bucket tags nobody can tell whose a bucket is, and one that exists is always adopted or
// refused.
//
// # Tests
//
// They run against versitygw, started on loopback with a folder as its storage. It has no
// lifecycle rules and no quotas: those are tested against stand-ins in front of it that
// keep what they are given in memory (lifecycleStandIn, quotaStandIn), and expire or limit
// nothing. Lifecycle rules are tested against SeaweedFS too where TRAINYARD_WEED names its
// program, which is too large to be built for every run; it keeps rules and refuses those that
// archive.
package s3
