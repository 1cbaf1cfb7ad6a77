//! The section about memory: what the process holds, as the operating system counts it, and what clients and scripts
//! take of it. What is used is what no file stands behind; what is resident includes the parts of tables that the system
//! has in memory.

use crate::commands::Server;
use crate::commands::config::total_memory;
use crate::commands::monitoring::info::{line, lines};
use crate::commands::monitoring::process;

pub(super) fn section(server: &Server, text: &mut String) {
    let process::Memory {
        resident,
        own: used,
        peak,
    } = process::memory();
    let clients: usize = server.peers().iter().map(|peer| peer.memory_bytes()).sum();
    let maxmemory = u64::try_from(server.config.number("maxmemory")).unwrap_or(0);
    let dataset = used.saturating_sub(clients as u64);
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let percent = |part: u64, whole: u64| {
        let share = 100.0 * part as f64 / whole.max(1) as f64;
        format!("{share:.2}%")
    };
    line(text, "used_memory", used);
    line(text, "used_memory_human", human(used));
    line(text, "used_memory_rss", resident);
    line(text, "used_memory_rss_human", human(resident));
    line(text, "used_memory_peak", peak);
    line(text, "used_memory_peak_human", human(peak));
    line(text, "used_memory_peak_perc", percent(used, peak));
    line(text, "used_memory_overhead", clients);
    line(text, "used_memory_startup", 0);
    line(text, "used_memory_dataset", dataset);
    line(text, "used_memory_dataset_perc", percent(dataset, used));
    line(text, "total_system_memory", total_memory());
    line(text, "total_system_memory_human", human(total_memory()));
    script_memory(server, text);
    line(text, "maxmemory", maxmemory);
    line(text, "maxmemory_human", human(maxmemory));
    line(
        text,
        "maxmemory_policy",
        server.config.get("maxmemory-policy"),
    );
    lines(
        text,
        &[
            ("mem_fragmentation_ratio", "1.00"),
            ("mem_fragmentation_bytes", "0"),
            ("mem_not_counted_for_evict", "0"),
            ("mem_replication_backlog", "0"),
            ("mem_total_replication_buffers", "0"),
            ("mem_clients_slaves", "0"),
        ],
    );
    line(text, "mem_clients_normal", clients);
    line(text, "mem_cluster_links", 0);
    line(text, "mem_aof_buffer", 0);
    line(text, "mem_allocator", "mimalloc");
    lines(
        text,
        &[
            ("active_defrag_running", "0"),
            ("lazyfree_pending_objects", "0"),
            ("lazyfreed_objects", "0"),
        ],
    );
}

/// The memory of scripts. There are no functions and no libraries.
fn script_memory(server: &Server, text: &mut String) {
    let (scripts, script_bytes) = server.scripts.kept();
    line(text, "used_memory_scripts_eval", script_bytes);
    line(text, "number_of_cached_scripts", scripts);
    line(text, "number_of_functions", 0);
    line(text, "number_of_libraries", 0);
    line(text, "used_memory_functions", 0);
    line(text, "used_memory_scripts", script_bytes);
    line(
        text,
        "used_memory_scripts_human",
        human(script_bytes as u64),
    );
}

/// A size in a form for people: `1.50M`.
fn human(bytes: u64) -> String {
    let units = [("T", 40), ("G", 30), ("M", 20), ("K", 10)];
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let shown = units
        .iter()
        .find(|(_, shift)| bytes >> shift > 0)
        .map(|(unit, shift)| format!("{:.2}{unit}", bytes as f64 / (1_u64 << shift) as f64));
    shown.unwrap_or_else(|| format!("{bytes}B"))
}
