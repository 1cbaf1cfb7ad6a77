//! The section about what is on disk. It has the names of Redis's two files: `rdb` is about checkpoints here, and `aof`
//! about the write-ahead log.

use crate::commands::Server;
use crate::commands::monitoring::info::{line, lines};

pub(super) fn section(server: &Server, text: &mut String) {
    let view = server.persistence.view();
    let status = |failed| if failed { "err" } else { "ok" };
    lines(
        text,
        &[
            ("loading", "0"),
            ("async_loading", "0"),
            // Saving copies no memory: a snapshot exists next to later writes.
            ("current_cow_peak", "0"),
            ("current_cow_size", "0"),
            ("current_cow_size_age", "0"),
            ("current_fork_perc", "0.00"),
            ("current_save_keys_processed", "0"),
            ("current_save_keys_total", "0"),
        ],
    );
    line(text, "rdb_changes_since_last_save", view.changes);
    line(text, "rdb_bgsave_in_progress", u8::from(view.is_saving));
    line(text, "rdb_last_save_time", view.last_save_s);
    line(text, "rdb_last_bgsave_status", status(view.last_failed));
    line(text, "rdb_last_bgsave_time_sec", view.last_took_s);
    line(text, "rdb_current_bgsave_time_sec", -1);
    line(text, "rdb_saves", view.saves);
    lines(
        text,
        &[
            ("rdb_last_cow_size", "0"),
            ("rdb_last_load_keys_expired", "0"),
            ("rdb_last_load_keys_loaded", "0"),
            ("aof_enabled", "1"),
            ("aof_rewrite_in_progress", "0"),
            ("aof_rewrite_scheduled", "0"),
            ("aof_last_rewrite_time_sec", "-1"),
            ("aof_current_rewrite_time_sec", "-1"),
            ("aof_last_bgrewrite_status", "ok"),
            ("aof_rewrites", "0"),
            ("aof_rewrites_consecutive_failures", "0"),
        ],
    );
    line(text, "aof_last_write_status", status(view.write_failed));
    lines(
        text,
        &[
            ("aof_last_cow_size", "0"),
            ("module_fork_in_progress", "0"),
            ("module_fork_last_cow_size", "0"),
        ],
    );
}
