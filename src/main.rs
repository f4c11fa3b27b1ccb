//! The `pplx` program: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    pplx::cli::main()
}
