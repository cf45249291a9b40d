// Package grpc168 holds gRPC for Go as it was before 1.69, for the conformance tests in the directory above.
package grpc168
