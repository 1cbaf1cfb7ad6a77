//! The workbook command, run as a learner runs it, in small repositories of its own.

mod fixture;
mod live;
mod report;
mod subcommands;
