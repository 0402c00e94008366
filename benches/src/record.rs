//! Results as files.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::Result;

/// The result of one benchmark.
#[derive(Debug)]
pub struct Record {
    name: String,
    fields: Map<String, Value>,
}

impl Record {
    /// Starts a result.
    pub fn new(name: &str) -> Self {
        let mut fields = Map::new();
        fields.insert("bench".to_owned(), name.into());
        Self { name: name.to_owned(), fields }
    }

    /// Adds a field.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(field.to_owned(), value.into());
        self
    }

    /// Prints the result as one line of JSON, and writes it to `WARPWEFT_RESULTS`, if that is set.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(self) -> Result<()> {
        let line = format!("{}\n", Value::Object(self.fields));
        print!("{line}");
        if let Some(dir) = results_dir() {
            std::fs::create_dir_all(&dir)?;
            std::fs::write(dir.join(format!("{}.json", self.name)), line)?;
        }
        Ok(())
    }
}

/// Returns the directory that the results go to, if there is one.
pub fn results_dir() -> Option<PathBuf> {
    std::env::var_os("WARPWEFT_RESULTS").map(PathBuf::from)
}
