//! Commands about clusters, which are all refused.

use crate::commands::administration::cluster;
use crate::commands::table::Flag::{Fast, Loading, Stale};
use crate::commands::table::Handler::Session;
use crate::commands::table::{Group, Spec, table};

/// The rows of the table.
pub(super) static ROWS: &[Spec] = table! { "":
    "asking", 1, [Fast], [], Cluster, "3.0.0", Session(cluster::no_cluster);
        "Refused: there is no cluster.", "O(1)"
    "cluster", -2, [], [], Cluster, "3.0.0", Session(cluster::no_cluster);
        "Refused: there is no cluster.", "Depends on the subcommand."
    "readonly", 1, [Loading, Stale, Fast], [], Cluster, "3.0.0", Session(cluster::no_cluster);
        "Refused: there is no cluster.", "O(1)"
    "readwrite", 1, [Loading, Stale, Fast], [], Cluster, "3.0.0", Session(cluster::no_cluster);
        "Refused: there is no cluster.", "O(1)"
};
