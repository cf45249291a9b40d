// Package aws147 holds the AWS SDK for Go v2 as it was before 1.48, for the conformance tests in the directory above.
package aws147
