//! The program runs and prints a model with its certificate.

use std::process::Command;

#[test]
fn prints_the_rules_and_the_certificate() {
    let output = Command::new(env!("CARGO_BIN_EXE_embed")).output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    for part in ["  if ", "optimal among", "verified by enumerating"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}
