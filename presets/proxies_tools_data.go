package presets

// toolRows are proxies, queues and command line tools.
var toolRows = []row{
	{
		id: "cloud-tasks", name: "Cloud Tasks queue", library: "Google Cloud Tasks", version: "cloudtasks v1.21.1",
		source: "cloud.google.com/go/cloudtasks apiv2/cloudtaskspb/queue.pb.go RetryConfig; target.pb.go HttpRequest",
		policy: "attempts=100 base=100ms cap=1h jitter=none retry-after=ignore timeout=none attempt-timeout=10m retry-on=transport,timeout,invalid-response,unknown,dns,tls,3xx,4xx,5xx methods=any",
		notes:  "A hundred attempts, up to an hour apart: about 85 hours. Everything but a 2xx is retried, a 404 or 401 too. No jitter that is written down.",
		cannot: []string{"After 16 doublings the curve goes on in a straight line; with a cap of an hour it never gets there.", "429 and 503 slow down the whole queue, and Retry-After with them.", "With a longest duration set, both that and the count have to be reached."},
	},
	{
		id: "curl", name: "curl --retry 5", library: "curl", version: "8.22.0",
		source: "curl/curl src/tool_operate.c retry_sleep, retrycheck; src/tool_main.h; lib/http.c http_header_r",
		policy: "attempts=6 base=1s cap=10m jitter=none retry-after=replace reads=seconds,date,old-date ceiling=6h over-ceiling=cut" + noTime + " retry-on=timeout,dns,408,429,500,502-504,522,524 methods=any",
		notes:  "Without --retry there are none. A refused connection is not retried (--retry-connrefused), POST is. No jitter. Before 8.12 a Retry-After date gone by hung it for good, and 7.88 does not retry 522 and 524.",
		cannot: []string{"--retry-max-time looks at the clock before a retry, not at where its wait would end."},
	},
	{
		id: "envoy", name: "Envoy, retry_on: 5xx", library: "Envoy", version: "data-plane-api 84e8436",
		source: "envoyproxy/envoy source/common/router/retry_state_impl.cc RetryStateImpl, shouldRetry, wouldRetryFromHeaders; source/common/common/backoff_strategy.cc",
		policy: "attempts=2 base=25ms cap=250ms jitter=full retry-after=ignore timeout=15s attempt-timeout=none retry-on=transport,timeout,5xx methods=any",
		notes:  "Nothing is retried without retry_on; here 5xx, and one retry as by default. Any method is retried. A try that times out uses up the 15s of the route unless per_try_timeout is set.",
		cannot: []string{"Three retries at a time for a whole cluster, by its circuit breaker.", "rate_limited_retry_back_off reads reset headers, and lengthens what they say by up to half.", "Its waits are whole milliseconds."},
	},
	{
		id: "haproxy", name: "HAProxy retries", library: "HAProxy", version: "3.5-dev5",
		source: "haproxy/haproxy include/haproxy/defaults.h CONN_RETRIES; src/backend.c back_handle_st_cer; src/http_ana.c do_l7_retry",
		policy: "attempts=4 base=1s cap=none curve=constant jitter=none retry-after=ignore" + noTime + " retry-on=refused,unreachable methods=any",
		notes:  "Only failed connections are retried; retry-on adds statuses. 1s each time, or timeout connect where that is shorter.",
		cannot: []string{"With option redispatch, or another server at hand, the retry is immediate.", "The whole request has to fit one buffer."},
	},
	{
		id: "istio-default", name: "Istio default", library: "Istio", version: "eed52eb (2026-08)",
		source: "istio/istio pilot/pkg/networking/core/route/retry/retry.go cachedDefaultPolicy, ConvertPolicy",
		policy: "attempts=3 base=25ms cap=250ms jitter=full retry-after=ignore" + noTime + " retry-on=refused,unreachable,http2 methods=any",
		notes:  "No HTTP status is retried any more: older versions had 503. attempts in its API counts retries. Any method is retried.",
		cannot: []string{"gRPC UNAVAILABLE and CANCELLED are retried.", "A retry goes to another host.", "Its waits are whole milliseconds."},
	},
	{
		id: "nginx", name: "nginx proxy_next_upstream", library: "nginx", version: "1.31.5",
		source: "nginx/nginx src/http/modules/ngx_http_proxy_module.c; src/http/ngx_http_upstream.c ngx_http_upstream_next; ngx_http_upstream_round_robin.c",
		policy: "attempts=2 base=0s curve=none jitter=none retry-after=ignore timeout=none attempt-timeout=1m retry-on=transport,timeout methods=idempotent",
		notes:  "Each server of the upstream once, at once: here two. No status is retried by default, nor an answer that is no HTTP, which would take invalid_header, nor one that is cut short, which is on its way to the caller. A POST is sent again only where nothing of it was sent.",
		cannot: []string{"The number of attempts is the number of servers; a single one is never tried again.", "Its minute is for each step, here for the whole attempt.", "What fails for TLS goes to the next server too; here a wrong certificate is final.", "A server that failed is left alone for 10s."},
	},
	{
		id: "pubsub-push", name: "Pub/Sub with a RetryPolicy", library: "Google Pub/Sub", version: "pubsub/v2 v2.9.0",
		source: "cloud.google.com/go/pubsub/v2 apiv1/pubsubpb/pubsub.pb.go Subscription.RetryPolicy",
		policy: "attempts=unlimited base=10s cap=10m jitter=none retry-after=ignore" + noTime + " retry-on=transport,timeout,invalid-response,unknown,dns,tls,3xx,4xx,5xx methods=any",
		notes:  "Without a RetryPolicy it comes back as soon as it can. With one: 10s to 10m, until the message is too old. Whatever is not a success is retried, a 404 or 401 too.",
		cannot: []string{"Neither its factor nor its jitter is written down; here 2 and none.", "The end is the retention of messages, or a dead-letter topic."},
	},
	{
		id: "wget", name: "wget --tries 20", library: "GNU wget", version: "1.24.5",
		source: "mirror/wget src/init.c; src/retr.c sleep_between_retrievals; src/http.c http_loop; src/connect.c retryable_socket_connect_error",
		policy: "attempts=20 base=1s cap=10s curve=linear jitter=none retry-after=ignore timeout=none attempt-timeout=15m retry-on=transport,timeout,cut,-refused,-unreachable,-dns,504 methods=any",
		notes:  "Twenty attempts by default, 1s, 2s and on to 10s. Of all statuses 504 alone is retried unless others are listed. A refused connection or an unknown host is final. No jitter. Any method is retried.",
		cannot: []string{"It goes on from the byte it reached.", "Its 15m are for each read, here for the whole attempt."},
	},
}
