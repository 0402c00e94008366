//! What kernel code may call.
