// A retry policy for Rust, backon 1 around reqwest, written by retryscope.
// NOT CARRIED: retry-on: written as well: invalid-response,dns,tls,proxy
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};

fn retried(error: &reqwest::Error) -> bool {
    match error.status().map(|s| s.as_u16()) {
        Some(status) => status == 429 || status == 500 || status >= 502 && status <= 504,
        None => true,
    }
}

pub async fn get(client: &reqwest::Client, url: &str) -> Result<reqwest::Response, reqwest::Error> {
    let waits = ExponentialBuilder::default()
        .with_min_delay(Duration::from_nanos(1000000000))
        .without_max_delay()
        .with_factor(2.0)
        .with_max_times(4);
    (|| async { client.get(url).send().await?.error_for_status() })
        .retry(waits)
        .when(retried)
        .await
}
