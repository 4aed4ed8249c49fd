#!/usr/bin/env bash
# What action.yml runs: one command of mcpgen, annotations on stdout, a report in the step summary.
set -euo pipefail

if [ "${MCPGEN_INSTALL:-true}" = true ]; then
  place=${RUNNER_TEMP:?}/mcpgen
  [ -x "$place/bin/mcpgen" ] || "${MCPGEN_PYTHON:-python3}" -m venv "$place"
  "$place/bin/python" -m pip install --quiet --disable-pip-version-check "${MCPGEN_ACTION:?}/runtime" "$MCPGEN_ACTION"
  PATH=$place/bin:$PATH
fi

arguments=()
case ${MCPGEN_COMMAND:-check} in
  check)
    arguments+=(check --format github --summary "${GITHUB_STEP_SUMMARY:-/dev/null}")
    if [ "${MCPGEN_LIVE:-false}" = true ]; then arguments+=(--live); fi
    ;;
  generate) arguments+=(generate) ;;
  lock)
    arguments+=(lock)
    if [ "${MCPGEN_ACCEPT:-false}" = true ]; then arguments+=(--accept); fi
    ;;
  *)
    echo "::error title=mcpgen::no such command: choose check, generate or lock"
    exit 2
    ;;
esac

if [ -n "${MCPGEN_SHARD:-}" ]; then arguments+=("--shard=$MCPGEN_SHARD"); fi

# Names hold neither spaces nor patterns.
set -f
# shellcheck disable=SC2206
names=(${MCPGEN_SERVERS:-})
for name in ${names[@]+"${names[@]}"}; do
  if [[ $name == -* ]]; then
    echo "::error title=mcpgen::the name of a server cannot begin with a dash"
    exit 2
  fi
done

code=0
if [ "${MCPGEN_COMMAND:-check}" = lock ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  { echo '## mcpgen lock'; echo '```'; } >>"$GITHUB_STEP_SUMMARY"
  mcpgen "${arguments[@]}" ${names[@]+"${names[@]}"} | tee -a "$GITHUB_STEP_SUMMARY" || code=$?
  echo '```' >>"$GITHUB_STEP_SUMMARY"
else
  mcpgen "${arguments[@]}" ${names[@]+"${names[@]}"} || code=$?
fi

if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "exit-code=$code" >>"$GITHUB_OUTPUT"; fi
exit "$code"
