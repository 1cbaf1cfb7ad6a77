//! `lsm stats`: families, levels, tables.

use std::collections::BTreeMap;
use std::io::{self, Write};

use engine::internal_key;
use engine::{FamilyOverview, Options, Overview, TableOverview, overview};
use serde_json::json;

use crate::args::{DirArgs, Keys};
use crate::{
    DAMAGED, FINE, Failure, Outcome, WHAT_TO_DO, check_no_file, file_name, shown_name, style, told,
};

pub(crate) fn run(args: &DirArgs, out: &mut dyn Write) -> Outcome {
    check_no_file(&args.dir)?;
    let overview = overview(&args.dir, &Options::default())?;
    let readable = overview
        .families
        .iter()
        .all(|family| family.tables.iter().all(|table| table.properties.is_ok()));
    let sound = readable && overview.damage.is_empty();
    let code = if sound { FINE } else { DAMAGED };
    let written = match args.json {
        true => writeln!(out, "{:#}", as_json(&overview)),
        false => show(&overview, out),
    };
    told(code, written.map_err(Failure::from))
}

fn show(overview: &Overview, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{} {} with {}, tables up to sequence number {}",
        style::title("manifest"),
        shown_name(&overview.manifest),
        style::count(overview.edits as u64, "edit"),
        overview.last_sequence,
    )?;
    for finding in &overview.damage {
        let what = format!("at byte {}: {}", finding.offset, finding.what);
        writeln!(out, "  {}", style::wrong(&what))?;
    }
    if let Some(at) = overview.torn {
        let what = format!(
            "  the edit at byte {at} is torn: it was never in force, or its end is damaged. `lsm verify` may find out"
        );
        writeln!(out, "{}", style::note(&what))?;
    }
    for (path, bytes) in &overview.logs {
        writeln!(
            out,
            "{} {} {}",
            style::title("log"),
            shown_name(path),
            style::size(*bytes)
        )?;
    }
    for family in &overview.families {
        show_family(family, out)?;
    }
    if !overview.damage.is_empty() {
        writeln!(out, "{WHAT_TO_DO}")?;
    }
    Ok(())
}

fn show_family(family: &FamilyOverview, out: &mut dyn Write) -> io::Result<()> {
    let title = format!("family {} {:?}", family.id, family.name);
    writeln!(
        out,
        "\n{} in {} order",
        style::title(&title),
        style::name(&family.comparator)
    )?;
    if family.tables.is_empty() {
        return writeln!(out, "  no tables");
    }
    let mut levels: BTreeMap<usize, (u64, u64, u64)> = BTreeMap::new();
    for table in &family.tables {
        let level = levels.entry(table.level).or_default();
        level.0 += 1;
        level.1 += table.meta.bytes;
        level.2 += table.meta.entries;
    }
    let head = format!(
        "  {:>5} {:>7} {:>10} {:>10}",
        "level", "tables", "size", "entries"
    );
    writeln!(out, "{}", style::dim(&head))?;
    for (level, (tables, bytes, entries)) in levels {
        writeln!(
            out,
            "  {level:>5} {tables:>7} {:>10} {entries:>10}",
            style::size(bytes)
        )?;
    }
    let head = format!(
        "  {:>7} {:>5} {:>10} {:>8} {:>8} {:>11}  {}",
        "table", "level", "size", "entries", "deletes", "key+value", "keys"
    );
    writeln!(out, "{}", style::dim(&head))?;
    for table in &family.tables {
        show_table(table, out)?;
    }
    Ok(())
}

fn show_table(table: &TableOverview, out: &mut dyn Write) -> io::Result<()> {
    let meta = &table.meta;
    let key = |key: &[u8]| style::bytes(internal_key::user_key(key), Keys::Auto);
    let (deletes, mean) = match &table.properties {
        Ok(properties) => {
            let entries = properties.entries.max(1);
            let mean = format!(
                "{}+{} B",
                properties.key_bytes / entries,
                properties.value_bytes / entries
            );
            (properties.deletes.to_string(), mean)
        }
        Err(_) => ("?".to_owned(), "?".to_owned()),
    };
    writeln!(
        out,
        "  {:>7} {:>5} {:>10} {:>8} {deletes:>8} {mean:>11}  {} to {}",
        meta.number,
        table.level,
        style::size(meta.bytes),
        meta.entries,
        key(&meta.smallest),
        key(&meta.largest),
    )?;
    if let Err(what) = &table.properties {
        writeln!(out, "          {}", style::wrong(what))?;
    }
    Ok(())
}

fn as_json(overview: &Overview) -> serde_json::Value {
    let table = |table: &TableOverview| {
        let properties = table.properties.as_ref().map(|properties| {
            json!({
                "deletes": properties.deletes,
                "data_blocks": properties.data_blocks,
                "key_bytes": properties.key_bytes,
                "value_bytes": properties.value_bytes,
                "sequences": [properties.sequence_min, properties.sequence_max],
                "writer": properties.writer,
                "origin": properties.origin,
            })
        });
        json!({
            "number": table.meta.number,
            "level": table.level,
            "bytes": table.meta.bytes,
            "entries": table.meta.entries,
            "smallest": internal_key::describe(&table.meta.smallest),
            "largest": internal_key::describe(&table.meta.largest),
            "properties": properties.as_ref().ok(),
            "error": properties.as_ref().err(),
        })
    };
    json!({
        "manifest": file_name(&overview.manifest),
        "damage": overview.damage.iter().map(|finding| json!({
            "offset": finding.offset, "what": finding.what,
        })).collect::<Vec<_>>(),
        "torn": overview.torn,
        "edits": overview.edits,
        "last_sequence": overview.last_sequence,
        "logs": overview.logs.iter().map(|(path, bytes)| json!({
            "file": file_name(path), "bytes": bytes,
        })).collect::<Vec<_>>(),
        "families": overview.families.iter().map(|family| json!({
            "id": family.id,
            "name": family.name,
            "comparator": family.comparator,
            "tables": family.tables.iter().map(table).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}
