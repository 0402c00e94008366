#!/usr/bin/env bash
# Tests and measures Warpweft on a GPU machine that has neither cargo nor Rust nor a network.
# Checks come first: nothing is timed whose result is wrong. Usage: [OUT=DIR] bash .gpu/run.sh [checks|benches|sanitizer]…
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/out}
mkdir -p "$out"
out=$(cd "$out" && pwd)
# What is bulky is made beside the bundle and handed over in two archives.
build=$here/made
rm -rf "$build"
mkdir -p "$build/logs" "$build/pictures" "$build/results" "$build/twins"
parts=${*:-checks benches sanitizer}
chmod +x "$here"/tests/* "$here"/examples/* "$here"/benches/* 2>/dev/null
PATH=$PATH:/usr/local/cuda/bin
export WARPWEFT_REQUIRE_GPU=1

passed=0 failed=0 skipped=0
steps=$out/steps.jsonl
: >"$steps"

quote() { python3 -c 'import json,sys; print(json.dumps(sys.argv[1]))' "$1" 2>/dev/null || printf '"%s"' "${1//[\"\\]/}"; }
note() { # GROUP NAME RESULT SECONDS TEXT
  printf '{"group":%s,"name":%s,"result":%s,"seconds":%s,"text":%s}\n' \
    "$(quote "$1")" "$(quote "$2")" "$(quote "$3")" "$4" "$(quote "$5")" >>"$steps"
}
step() { # GROUP NAME COMMAND…: runs it, keeps its output, and counts it
  local group=$1 name=$2 log start seconds text
  shift 2
  log=$build/logs/$group.$name.txt
  start=$(date +%s.%N)
  # A kernel that never ends must not take the rest of the run with it.
  local status=0
  timeout "${STEP_LIMIT_S:-120}" "$@" >"$log" 2>&1 || status=$?
  if [ "$status" -eq 0 ]; then
    seconds=$(awk "BEGIN{printf \"%.3f\", $(date +%s.%N)-$start}")
    passed=$((passed + 1))
    text=$(grep -E '^test result:|megapixels|GB/s|verified' "$log" | tail -n 3 | tr '\n' ' ')
    echo "ok      $group $name ($seconds s) $text"
    note "$group" "$name" ok "$seconds" "$text"
    return 0
  fi
  seconds=$(awk "BEGIN{printf \"%.3f\", $(date +%s.%N)-$start}")
  failed=$((failed + 1))
  echo "FAILED  $group $name (status $status, $seconds s)"
  tail -n 40 "$log" | sed 's/^/        /'
  note "$group" "$name" failed "$seconds" "$(tail -n 40 "$log")"
  return 1
}
skip() { # GROUP NAME REASON
  skipped=$((skipped + 1))
  echo "skipped $1 $2: $3"
  note "$1" "$2" skipped 0 "$3"
}

machine=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)
echo "commit $(cat "$here/commit") on ${machine:-a machine without nvidia-smi}"
printf '{"gpu":%s,"driver":%s,"commit":%s,"nvcc":%s}\n' \
  "$(quote "${machine%%, *}")" "$(quote "${machine##*, }")" "$(quote "$(cat "$here/commit")")" \
  "$(quote "$(nvcc --version 2>/dev/null | grep release || echo none)")" >"$out/machine.json"

checks() {
  local test name arguments picture
  for test in "$here"/tests/*; do
    [ -f "$test" ] || continue
    step test "$(basename "$test")" "$test"
  done
  while read -r name arguments; do
    for picture in "$here"/pictures/*; do
      local label=$name
      case "$arguments" in *@PICTURE@*) label=$name-$(basename "$picture") ;; esac
      local words=${arguments//@PICTURE@/$picture}
      words=${words//@OUT@/$build/pictures/$label}
      mkdir -p "$build/pictures/$label"
      # shellcheck disable=SC2086
      step example "$label" "$here/examples/$name" $words --verify --device cuda
      case "$arguments" in *@PICTURE@*) ;; *) break ;; esac
    done
  done <"$here/examples.list"
}

twins() { # builds the .cu twins once
  local twin
  command -v nvcc >/dev/null || { skip twin all "nvcc is not on this machine"; return 1; }
  for twin in "$here"/cuda/*.cu; do
    step twin "$(basename "$twin")" nvcc -O3 -arch=sm_90 -cubin -o "$build/twins/$(basename "${twin%.cu}").cubin" "$twin"
  done
}

benches() {
  local bench
  twins
  for bench in "$here"/benches/*; do
    [ -f "$bench" ] || continue
    WARPWEFT_TWINS=$build/twins WARPWEFT_RESULTS=$build/results step bench "$(basename "$bench")" "$bench" --bench
    cat "$build/logs/bench.$(basename "$bench").txt"
  done
}

sanitizer() {
  local tool test
  command -v compute-sanitizer >/dev/null || { skip sanitizer all "compute-sanitizer is not on this machine"; return; }
  for tool in memcheck racecheck initcheck synccheck; do
    for test in "$here"/tests/kernels-* "$here"/tests/tests-*; do
      [ -f "$test" ] || continue
      # Some programs hold no test of a GPU.
      "$test" --list 2>/dev/null | grep -q '::cuda: test' || continue
      # Not the errors of driver calls: the end of a kernel's parameters is found by asking for one more.
      step "sanitizer-$tool" "$(basename "$test")" compute-sanitizer --tool "$tool" --error-exitcode 9 --report-api-errors no \
        "$test" ::cuda --test-threads 1
    done
  done
}

for part in $parts; do
  case $part in
    checks | benches | sanitizer)
      if [ "$part" = benches ] && [ "$failed" -gt 0 ]; then
        skip bench all "a check failed, and nothing is timed whose result is wrong"
        continue
      fi
      $part
      ;;
    *) echo "unknown part $part"; failed=$((failed + 1)) ;;
  esac
done
cat "$build"/results/*.json >"$out/results.jsonl" 2>/dev/null
tar -C "$build" -czf "$out/logs.tar.gz" logs
tar -C "$build" -czf "$out/pictures.tar.gz" pictures
echo "results: $out: machine.json, steps.jsonl, results.jsonl, logs.tar.gz, pictures.tar.gz"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
