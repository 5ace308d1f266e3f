#!/usr/bin/env bash
# A flowc worker with curl and jq.
#
#   FLOWC_SERVER=http://127.0.0.1:7654 ./worker.sh TASK COMMAND…
#
# COMMAND gets the input as JSON on its standard input and writes the result as JSON on its standard output. Exit code 0: done.
# 2: given up. Any other: the attempt failed. {"code": "…", "message": "…"} on standard output names the error for the flow,
# otherwise the end of standard error is its message. COMMAND finds FLOWC_IDEMPOTENCY_KEY, FLOWC_TASK_ID, FLOWC_TOKEN and
# FLOWC_ATTEMPT in its environment; it may run more than once for the same work, so what it does should be named by the key.
# On SIGTERM the command is stopped and its work given back.
#
# Environment: FLOWC_SERVER, FLOWC_CREDENTIAL, FLOWC_WORKER (its name), FLOWC_LEASE and FLOWC_POLL (seconds, 60 and 30).
set -u

server=${FLOWC_SERVER:-http://127.0.0.1:7654}
lease_time=${FLOWC_LEASE:-60}
poll_time=${FLOWC_POLL:-30}
name=${FLOWC_WORKER:-$(uname -n)/$$}
task=${1:?usage: worker.sh TASK COMMAND…}
shift
(($#)) || { echo 'usage: worker.sh TASK COMMAND…' >&2; exit 2; }

headers=(-H 'Content-Type: application/json')
[ -z "${FLOWC_CREDENTIAL-}" ] || headers+=(-H "Authorization: Bearer $FLOWC_CREDENTIAL")
beat_time=$(jq -n "$lease_time / 3")

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What goes over the wire stands in files: a result may be larger than an argument can be, and bash mistakes a signal that comes
# during a command substitution, so there is none from here on.
stopping=
child= # what runs in the background: a request that waits, or the command
trap 'stopping=1; [ -z "$child" ] || kill -TERM -- "-$child" 2>/dev/null' TERM INT

# Background jobs get process groups of their own, so that a command stops with all that it has started.
set -m

log() { jq -cn --arg msg "$1" --arg id "${2-}" --arg text "${3-}" '{$msg, $id, $text}' >&2; }

# request PATH NAME [OPTION…] posts $scratch/NAME.body; the answer goes to NAME.answer and the HTTP status to NAME.status, 000 when
# there is none.
request() {
	local path=$1 to=$scratch/$2
	shift 2
	: >"$to.answer"
	curl -sS --connect-timeout 10 -X POST "${headers[@]}" -o "$to.answer" -w '%{http_code}\n' --data-binary "@$to.body" "$@" \
		"$server$path" >"$to.status"
}

# await_child waits for what runs in the background and gives its exit code. A signal ends a wait before that.
await_child() {
	local code
	wait "$child" 2>/dev/null
	code=$?
	while kill -0 "$child" 2>/dev/null; do
		wait "$child" 2>/dev/null
		code=$?
	done
	child=
	return "$code"
}

# in_background CMD… runs a command that a signal can stop.
in_background() {
	"$@" &
	child=$!
	[ -z "$stopping" ] || kill -TERM -- "-$child" 2>/dev/null
	await_child
}

# report VERB sends what stands in report.body. curl repeats what got no answer, 429 and 503, and waits as Retry-After says; all
# tries carry one key, so the report counts once. 1: the server does not take it.
report() {
	local status=
	request "/v1/tasks/$id/$1" report --retry 10 --retry-all-errors --retry-max-time 60 --max-time 30 -H "Idempotency-Key: $lease-$1"
	read -r status <"$scratch/report.status"
	case $status in
	2*) log "$1" "$id" ;;
	4*)
		jq -c --arg report "$1" --arg id "$id" '{msg: "report refused", $report, $id, code, detail}' "$scratch/report.answer" >&2
		return 1
		;;
	*) log 'report lost, the lease will run out' "$id" "$1" ;;
	esac
}

release() {
	jq -cn --arg lease "$lease" '{$lease}' >"$scratch/report.body"
	report release
}

# fail CODE MESSAGE-FILE NO-RETRY
fail() {
	jq -cn --arg id "$id" --arg code "$1" --rawfile message "$2" '{msg: "attempt failed", $id, $code, $message}' >&2
	jq -cn --arg lease "$lease" --arg code "$1" --rawfile message "$2" --argjson noRetry "$3" \
		'{$lease, $code, message: ($message | sub("\\s+$"; "")), $noRetry}' >"$scratch/report.body"
	report fail
}

# beat COMMAND-PID extends the lease at every third of it. When the work is not wanted any more, or the lease is lost, it says so
# in a file and stops the command.
beat() {
	local status misses=0
	jq -cn --arg lease "$lease" '{$lease}' >"$scratch/beat.body"
	while sleep "$beat_time" && kill -0 $$ 2>/dev/null; do # a worker that was killed keeps no lease
		request "/v1/tasks/$id/heartbeat" beat --max-time "$lease_time" 2>/dev/null
		read -r status <"$scratch/beat.status"
		case $status in
		2*)
			misses=0
			jq -e '.cancelled | not' "$scratch/beat.answer" >"$scratch/beat.code" && continue
			;;
		4*) ;;
		*) ((++misses < 3)) && continue ;; # nobody there: with three beats missed the lease has run out
		esac
		cp "$scratch/beat.answer" "$scratch/unwanted"
		kill -TERM -- "-$1" 2>/dev/null
		return
	done
}

# run COMMAND… runs the command for the current attempt.
run() {
	export FLOWC_TASK_ID=$id FLOWC_TOKEN=$token FLOWC_ATTEMPT=$attempt FLOWC_IDEMPOTENCY_KEY=$key
	exec "$@" <"$scratch/input" >"$scratch/stdout" 2>"$scratch/stderr"
}

# attempt COMMAND… does the work that stands in claim.answer.
attempt() {
	local beating
	jq -r '.tasks[0] | .id, .lease, .token, .attempt, .idempotencyKey' "$scratch/claim.answer" >"$scratch/fields"
	{ read -r id && read -r lease && read -r token && read -r attempt && read -r key; } <"$scratch/fields"
	jq -c '.tasks[0].input' "$scratch/claim.answer" >"$scratch/input"
	if [ -n "$stopping" ]; then
		release # not begun, so it goes back
		return
	fi
	log claimed "$id"
	rm -f "$scratch/unwanted"
	run "$@" &
	child=$!
	[ -z "$stopping" ] || kill -TERM -- "-$child" 2>/dev/null
	beat "$child" &
	beating=$!
	await_child
	finish $?
	kill -TERM -- "-$beating" 2>/dev/null
	wait "$beating" 2>/dev/null
}

# finish EXIT-CODE turns the command's end into a report.
finish() {
	if [ -e "$scratch/unwanted" ]; then
		jq -c --arg id "$id" '{msg: "unwanted", $id, cancelled, code}' "$scratch/unwanted" >&2
	elif [ "$1" = 0 ]; then
		complete
	elif [ -n "$stopping" ]; then
		release
	else
		failed "$1"
	fi
}

complete() {
	[ -s "$scratch/stdout" ] || echo '{}' >"$scratch/stdout"
	if ! jq -c --arg lease "$lease" '{$lease, result: .}' "$scratch/stdout" >"$scratch/report.body" 2>/dev/null; then
		echo 'the command wrote something that is no JSON' >"$scratch/message"
		fail bad_output "$scratch/message" false
	elif ! report complete; then
		# The lease goes on unless it was lost, and would only run out: the attempt ends now, with what the server said.
		jq -r '.detail // ""' "$scratch/report.answer" >"$scratch/message"
		jq -e '.code == "lease-lost"' "$scratch/report.answer" >"$scratch/code" || fail outcome_refused "$scratch/message" false
	fi
}

# failed EXIT-CODE reports what the command said about its failure.
failed() {
	local code=command_failed no_retry=false
	[ "$1" != 2 ] || no_retry=true
	tail -c 1000 "$scratch/stderr" >"$scratch/message"
	[ -s "$scratch/message" ] || echo "the command ended with exit code $1" >"$scratch/message"
	# jq 1.6 takes an empty file for a success, so what it wrote counts, and not its exit code alone.
	if jq -re '.code | strings | select(. != "")' "$scratch/stdout" >"$scratch/code" 2>/dev/null && [ -s "$scratch/code" ]; then
		read -r code <"$scratch/code"
		jq -r '.message // ""' "$scratch/stdout" >"$scratch/message"
	fi
	fail "$code" "$scratch/message" "$no_retry"
}

jq -cn --arg worker "$name" --arg name "$task" --arg wait "${poll_time}s" --arg lease "${lease_time}s" \
	'{$worker, tasks: [{$name, max: 1}], $wait, $lease}' >"$scratch/claim.body"
pause=1
while [ -z "$stopping" ]; do
	: >"$scratch/claim.status"
	in_background request /v1/tasks/claim claim --max-time $((poll_time + 30))
	status=
	read -r status <"$scratch/claim.status"
	case $status in
	2*)
		pause=1
		! jq -e '.tasks[0]' "$scratch/claim.answer" >"$scratch/task" || attempt "$@"
		;;
	4*)
		[ "$status" = 429 ] || {
			jq -c '{msg: "claim refused", code, detail}' "$scratch/claim.answer" >&2
			exit 1
		}
		in_background sleep "$pause"
		;;
	*) # nobody there, or not ready
		[ -n "$stopping" ] || in_background sleep "$pause"
		pause=$((pause < 8 ? pause * 2 : 8))
		;;
	esac
done
exit 0
