#!/usr/bin/env bash
# The task merge of examples/change.flow: the commit is what the branch holds, in the order of its files.
set -euo pipefail
branch=$(jq -r .branch)
folder=${FLOWC_WORKPLACE:-workplace}/$branch
if grep -qs conflict "$folder"/*; then
	echo '{"code": "conflict", "message": "it conflicts with the main branch"}'
	exit 1
fi
commit=$(cat "$folder"/* | sha256sum | cut -c 1-12)
jq -cn --arg commit "$commit" '{$commit}'
