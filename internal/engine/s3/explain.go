// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package s3

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// explain adds to an error what to do about it, where we know. The right is the one of S3 that
// the request needs, such as s3:GetBucketPolicy.
func (s *Server) explain(err error, right string) error {
	var fault *Fault
	var unreachable *unreachableError
	advice := ""
	switch {
	case err == nil || isAbsent(err) || isUnsupported(err):
		return err
	case isUntrusted(err):
		advice = "The server's certificate is not of an authority that this machine trusts. Give its authority as the CA bundle"
	case errors.As(err, &fault):
		advice = s.advise(fault, right)
	case errors.As(err, &unreachable):
		advice = fmt.Sprintf("Nothing was read, so nothing is known of the bucket. See that the server at %s runs and can be reached from this machine, and run again", s.connection.Endpoint)
	}
	if advice == "" {
		return err
	}
	return fmt.Errorf("%w\n\n%s", err, advice)
}

func (s *Server) advise(fault *Fault, right string) string {
	is := func(codes ...string) bool { return slices.Contains(codes, fault.Code) }
	switch {
	case is("RequestTimeTooSkewed", "RequestExpired"):
		return skewAdvice(fault.Ahead)
	case is("InvalidAccessKeyId", "SignatureDoesNotMatch"):
		return fmt.Sprintf("The server does not know %s, or its secret key is another one. Check both", s.connection.key())
	case is("ExpiredToken", "InvalidToken", "TokenRefreshRequired"):
		return "The session token is no longer valid. Renew the credentials and run again; nothing was lost"
	case is("PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "InvalidRegion", "IllegalLocationConstraintException"):
		if fault.Region != "" {
			return fmt.Sprintf("Set the region %q, or the endpoint that goes with it", fault.Region)
		}
		return fmt.Sprintf("Requests are signed for the region %q. Set the one that the server goes by", s.connection.region())
	case is("BucketAlreadyExists"):
		return "Another account of this server has a bucket of that name. Choose another name"
	case fault.Code == "":
		return fmt.Sprintf("%s may be a console, a proxy or another service. Set the endpoint of the S3 API", s.connection.Endpoint)
	case fault.Status == http.StatusForbidden || fault.Status == http.StatusUnauthorized:
		return fmt.Sprintf("Grant %s to %s; a policy of the bucket itself can also deny it", right, s.connection.key())
	case judge(fault).Again:
		return "The server could not do it for now. Look at its own state and logs, and run again"
	}
	return ""
}

// skewAdvice says how far two clocks are apart. A date in a header is in whole seconds.
func skewAdvice(ahead *time.Duration) string {
	const then = "Set the clock of whichever is wrong, best by NTP, and run again"
	switch {
	case ahead == nil:
		return "The clocks of this machine and of the server differ by more than the server allows (15 minutes on most). " + then
	case *ahead < 0:
		return fmt.Sprintf("The server's clock is %s behind this machine's. %s", -*ahead, then)
	}
	return fmt.Sprintf("The server's clock is %s ahead of this machine's. %s", *ahead, then)
}
