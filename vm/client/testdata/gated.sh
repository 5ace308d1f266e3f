#!/usr/bin/env bash
# A command that does what the test at GATE says, when it says it.
said=$(curl -sS "$GATE/?attempt=$FLOWC_ATTEMPT&key=$FLOWC_IDEMPOTENCY_KEY") || exit 1
fail=$(jq -r '.fail // empty' <<<"$said")
if [ -n "$fail" ]; then
	jq -cn --arg code "$fail" '{$code, message: "as told"}'
	exit 1
fi
echo "$said"
