package conformance

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/googleapis/gax-go/v2"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
	"github.com/stripe/stripe-go/v85"
	"google.golang.org/api/googleapi"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
)

// sdkClients are clients of one service each.
func sdkClients() []client {
	return []client{
		{
			preset: "anthropic-sdk-go", module: "github.com/anthropics/anthropic-sdk-go", methods: anyMethod(),
			named: map[string]string{
				"Retry-After: 999999999999": "wraps around to no wait",
			},
			send: func(ctx context.Context, w *wire, method string) (int, error) {
				c := anthropic.NewClient(anthropicoption.WithHTTPClient(&http.Client{Transport: w}),
					anthropicoption.WithAPIKey("key"), anthropicoption.WithBaseURL("http://service.test/"))
				return 0, c.Execute(ctx, method, "v1/thing", payload(method), nil)
			},
		},
		{
			preset: "aws-sdk-go-v2-adaptive", module: "github.com/aws/aws-sdk-go-v2", methods: []string{http.MethodPost},
			named: everyHint("The waits of that limiter are not here"),
			send:  amazon(func() aws.Retryer { return retry.NewAdaptiveMode() }),
		},
		{
			preset: "aws-sdk-go-v2-standard", module: "github.com/aws/aws-sdk-go-v2", methods: []string{http.MethodPost},
			send: amazon(func() aws.Retryer { return retry.NewStandard() }),
		},
		{
			preset: "azcore", module: "github.com/Azure/azure-sdk-for-go/sdk/azcore", methods: anyMethod(),
			named: map[string]string{
				"wait 2": "Its curve is 800ms times 2^n-1",
			},
			send: func(ctx context.Context, w *wire, method string) (int, error) {
				p := runtime.NewPipeline("module", "v1", runtime.PipelineOptions{}, &policy.ClientOptions{Transport: doer{w}})
				r, err := runtime.NewRequest(ctx, method, target)
				if err != nil {
					return 0, err
				}
				if hasBody(method) {
					if err := runtime.MarshalAsJSON(r, map[string]string{}); err != nil {
						return 0, err
					}
				}
				return answered(p.Do(r))
			},
		},
		{
			preset: "gax-go", module: "github.com/googleapis/gax-go/v2", methods: anyMethod(),
			named: map[string]string{"end": "the error is the deadline's"},
			send: func(ctx context.Context, w *wire, method string) (int, error) {
				// Its own minute counts only where the caller brings no deadline.
				return 0, gax.Invoke(context.WithoutCancel(ctx), func(ctx context.Context, _ gax.CallSettings) error {
					resp, err := w.RoundTrip(newRequest(ctx, method))
					if err != nil {
						return err
					}
					return googleapi.CheckResponse(resp)
				}, gax.WithTimeout(time.Minute), gax.WithRetry(func() gax.Retryer {
					return gax.OnHTTPCodes(gax.Backoff{}, 408, 429, 503, 504)
				}))
			},
		},
		{
			preset: "k8s-rest-client", module: "k8s.io/client-go", methods: anyMethod(),
			fail: answer{status: http.StatusServiceUnavailable, header: http.Header{"Retry-After": {"1"}}},
			named: map[string]string{
				"broken connection":         "A failed connection is retried for GET only",
				"Retry-After: 999999999999": "is waited for",
			},
			send: func(ctx context.Context, w *wire, method string) (int, error) {
				config := &rest.Config{Host: "http://service.test", QPS: -1, ContentConfig: rest.ContentConfig{
					GroupVersion: &schema.GroupVersion{Version: "v1"}, NegotiatedSerializer: serializer.NewCodecFactory(k8sruntime.NewScheme()).WithoutConversion(),
				}}
				c, err := rest.RESTClientForConfigAndClient(config, &http.Client{Transport: w})
				if err != nil {
					return 0, err
				}
				r := c.Verb(method).AbsPath("/v1/thing")
				if hasBody(method) {
					r.Body([]byte("{}"))
				}
				got := 0
				res := r.Do(ctx).StatusCode(&got)
				return got, res.Error()
			},
		},
		{
			preset: "openai-go", module: "github.com/openai/openai-go/v3", methods: anyMethod(),
			send: func(ctx context.Context, w *wire, method string) (int, error) {
				c := openai.NewClient(openaioption.WithHTTPClient(&http.Client{Transport: w}),
					openaioption.WithAPIKey("key"), openaioption.WithBaseURL("http://service.test/"))
				return 0, c.Execute(ctx, method, "v1/thing", payload(method), nil)
			},
		},
		{
			preset: "stripe-go", module: "github.com/stripe/stripe-go/v85", fail: reset(),
			methods: []string{http.MethodGet, http.MethodPost, http.MethodDelete},
			send: func(ctx context.Context, w *wire, method string) (int, error) {
				b, ok := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
					HTTPClient: &http.Client{Transport: w}, URL: stripe.String("http://service.test"),
					EnableTelemetry: stripe.Bool(false), LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
				}).(stripe.RawRequestBackend)
				if !ok {
					return 0, io.ErrNoProgress
				}
				resp, err := b.RawRequest(method, "/v1/thing", "key", "", &stripe.RawParams{Params: stripe.Params{Context: ctx}})
				if resp == nil {
					return 0, err
				}
				return resp.StatusCode, err
			},
		},
	}
}

// payload is a body for the methods that have one.
func payload(method string) any {
	if hasBody(method) {
		return json.RawMessage("{}")
	}
	return nil
}

// doer makes a wire what azcore calls a transport.
type doer struct{ w *wire }

func (d doer) Do(r *http.Request) (*http.Response, error) { return d.w.RoundTrip(r) }

// amazon calls a service of AWS; its calls are all POST.
func amazon(retryer func() aws.Retryer) func(context.Context, *wire, string) (int, error) {
	return func(ctx context.Context, w *wire, _ string) (int, error) {
		c := sts.New(sts.Options{
			Region: "eu-west-1", BaseEndpoint: aws.String("http://service.test"), HTTPClient: &http.Client{Transport: w},
			Retryer: retryer(),
			Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
			}),
		})
		_, err := c.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
		return 0, err
	}
}

// everyHint names a difference that is the same whatever Retry-After says.
func everyHint(words string) map[string]string {
	out := map[string]string{}
	for _, v := range retryAfterValues() {
		out["Retry-After: "+v.name] = words
	}
	return out
}
