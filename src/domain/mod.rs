//! What is asked, what comes back, and how it can fail. Knows nothing else of the program.

pub mod answer;
pub mod attachment;
pub mod choice;
pub mod error;
pub mod models;
pub mod origin;
pub mod request;
