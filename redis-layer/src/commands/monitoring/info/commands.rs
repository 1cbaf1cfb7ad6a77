//! The sections with a line for each command that was called, or for each kind of error that was answered.

use crate::commands::Server;
use crate::commands::monitoring::info::line;
use crate::commands::monitoring::statistics::CommandSums;

/// How often each command was called, how long it took, and how often it failed.
pub(super) fn calls(server: &Server, text: &mut String) {
    for (spec, sums) in server.statistics.seen() {
        let CommandSums {
            calls,
            nanos,
            rejected,
            failed,
        } = sums;
        let micros = nanos / 1000;
        #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
        let per_call = micros as f64 / calls.max(1) as f64;
        line(
            text,
            &format!("cmdstat_{}", spec.full_name),
            format_args!(
                "calls={calls},usec={micros},usec_per_call={per_call:.2},\
                 rejected_calls={rejected},failed_calls={failed}"
            ),
        );
    }
}

/// How often each kind of error was answered.
pub(super) fn errors(server: &Server, text: &mut String) {
    for (error, count) in server.statistics.errors() {
        // These characters have a meaning in the text of `INFO`.
        let error = error.replace([':', '#', '\r', '\n'], "_");
        line(
            text,
            &format!("errorstat_{error}"),
            format_args!("count={count}"),
        );
    }
}

/// How long each command took, as percentiles.
pub(super) fn latencies(server: &Server, text: &mut String) {
    let percentiles = server.config.get("latency-tracking-info-percentiles");
    for (spec, _) in server.statistics.seen() {
        let Some(histogram) = server.statistics.histogram(spec) else {
            continue;
        };
        let shown = percentiles.split(' ').filter_map(|percentile| {
            let nanos = histogram.percentile(percentile.parse().ok()?);
            let micros = nanos / 1000;
            Some(format!("p{percentile}={micros}.{:03}", nanos % 1000))
        });
        let shown: Vec<String> = shown.collect();
        let name = format!("latency_percentiles_usec_{}", spec.full_name);
        line(text, &name, shown.join(","));
    }
}
