#!/usr/bin/env bash
# The task notify of examples/change.flow: writes a message to a file that is named by the idempotency key, so that a second
# delivery writes the same file again.
set -euo pipefail
folder=${FLOWC_WORKPLACE:-workplace}/messages
mkdir -p "$folder"
jq -r '"\(.who): \(.what)"' >"$folder/$FLOWC_IDEMPOTENCY_KEY"
