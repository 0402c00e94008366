//! What most programs import: `use warpweft::prelude::*`.
