//! Builds stand-alone packages as a user would, with the real compiler, runtime and macros.

mod isolation;
mod routes;
mod source_cases;
mod support;
mod targets;
