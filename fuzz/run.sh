#!/bin/bash
# Runs each fuzz target for some seconds and prints a line of it; fails if one of them crashes.
#
#   fuzz/run.sh SECONDS [TARGET ...]
#
# Saved models of every family are the seeds of the readers. What a run finds stays in fuzz/corpus, what crashes in
# fuzz/artifacts; `cargo +nightly fuzz run TARGET FILE` repeats a crash.
set -u
cd "$(dirname "$0")"
seconds=$1
shift
cargo +nightly fuzz build --sanitizer none || exit 1
target=$(rustc -vV | sed -n 's/^host: //p')
failed=0
for name in ${*:-$(cargo +nightly fuzz list)}; do
    mkdir -p "corpus/$name" "artifacts/$name" logs
    folders=("corpus/$name")
    [ -d "seeds/$name" ] && folders+=("seeds/$name")
    [ "$name" = model_json ] && folders+=(../tests/golden)
    log=logs/$name.txt
    # A problem takes milliseconds; one of 10 s hangs.
    "${CARGO_TARGET_DIR:-target}/$target/release/$name" "${folders[@]}" -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="artifacts/$name/" > "$log" 2>&1
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ "$status" -eq 0 ]; then
        printf '%-18s %10s runs, no crash\n' "$name" "${runs:-0}"
    else
        failed=1
        printf '%-18s %10s runs, CRASH: fuzz/%s\n' "$name" "${runs:-?}" "$log"
        grep -m 3 -A 2 'panicked at\|ERROR: libFuzzer' "$log"
    fi
done
exit "$failed"
