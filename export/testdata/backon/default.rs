// A retry policy for Rust, backon 1 around reqwest, written by retryscope.
// NOT CARRIED: jitter=full: written as scale:1..2
// NOT CARRIED: retry-after=at-least: written as ignore
// NOT CARRIED: retry-on: written as well: dns,tls,proxy
// NOT CARRIED: methods=idempotent: written as any
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};

fn retried(error: &reqwest::Error) -> bool {
    match error.status().map(|s| s.as_u16()) {
        Some(status) => status == 429 || status >= 500 && status <= 599 && status != 501 && status != 505 && status != 511,
        None => true,
    }
}

pub async fn get(client: &reqwest::Client, url: &str) -> Result<reqwest::Response, reqwest::Error> {
    let waits = ExponentialBuilder::default()
        .with_min_delay(Duration::from_nanos(200000000))
        .with_max_delay(Duration::from_nanos(10000000000))
        .with_factor(2.0)
        .with_jitter()
        .with_max_times(3);
    (|| async { client.get(url).timeout(Duration::from_nanos(10000000000)).send().await?.error_for_status() })
        .retry(waits)
        .when(retried)
        .await
}
