#!/usr/bin/env bash
# check.sh MCPGEN FOLDER: one shard of `mcpgen check`, on the project in the runfiles of a test.
set -euo pipefail

mcpgen=$PWD/$1
if [ -n "${TEST_SHARD_STATUS_FILE:-}" ]; then touch "$TEST_SHARD_STATUS_FILE"; fi

# Runfiles are links, and mcpgen follows none in a package.
project=${TEST_TMPDIR:?}/project
mkdir "$project"
cp -RL "$2/." "$project"

shard=$((${TEST_SHARD_INDEX:-0} + 1))/${TEST_TOTAL_SHARDS:-1}
exec "$mcpgen" check --config "$project" --shard "$shard" --no-cache
