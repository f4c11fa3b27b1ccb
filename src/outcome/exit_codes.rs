//! The exit codes, and the kinds that JSON errors name.

/// Code, kind and meaning of each: the table that `pplx help exit-codes` prints.
pub const EXIT_CODES: [(u8, &str, &str); 11] = [
    (0, "", "answered"),
    (1, "failed", "an error in the reply, a reply that cannot be read, a file that cannot be written"),
    (2, "usage", "the command line, the environment or the settings are not usable"),
    (3, "no_results", "the service found neither an answer nor sources"),
    (4, "auth", "not logged in, or the session has expired or was refused"),
    (5, "rate_limit", "rate limited, or a quota is used up"),
    (6, "network", "no connection, TLS, proxy, gateway, or no answer in time"),
    (7, "blocked", "the service's bot protection wants a browser; logging in again does not help"),
    (8, "incomplete", "the answer is incomplete; what has arrived was printed and marked"),
    (130, "interrupted", "Ctrl-C; what has arrived was printed and marked"),
    (143, "terminated", "SIGTERM (a hang-up: 129); what has arrived was printed and marked"),
];
