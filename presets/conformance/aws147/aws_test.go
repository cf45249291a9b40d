package aws147

import (
	"context"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/retryscope/retryscope/presets/conformance/kit"
)

// TestServe runs the client for the conformance test.
func TestServe(t *testing.T) {
	kit.Serve(t, map[string]string{"github.com/aws/aws-sdk-go-v2": "v" + aws.SDKVersion}, map[string]kit.Send{
		"aws-sdk-go-v2-legacy": amazon,
	})
}

// amazon calls a service of AWS with the retries it comes with.
func amazon(ctx context.Context, w *kit.Wire, _ string) (int, error) {
	c := sts.New(sts.Options{
		Region: "eu-west-1", BaseEndpoint: aws.String("http://service.test"), HTTPClient: &http.Client{Transport: w},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
		}),
	})
	_, err := c.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	return 0, err
}
