/**
 * When a job is restarted after its program ended. `never`: the exit is its result. `killed`: after an exit by a
 * signal. `failed`: after every exit code other than 0. A signal that requests the end (HUP, INT, TERM) is obeyed in
 * any case.
 */
export type RestartPolicy = 'never' | 'killed' | 'failed';

/** The longest pause before a restart of a program that keeps ending, in seconds. */
const MAX_PAUSE_SECONDS = 60;

/**
 * The script that runs a job. Its command line:
 * `sh -c SUPERVISOR upi-wizard-job PROCESS EXIT LAST RUNS LOG RESTART FINAL NODE EXECUTABLE DIR NAME PROGRAM…`.
 * The script outlives the process that starts it. It records the program's process, waits for it and records its exit.
 * It restarts the program as RESTART says, but not after a code in FINAL. The pauses are 1, 2, 4 … 60 seconds, and 1
 * again after a run of a minute.
 *
 * This shell handles the signals instead of ignoring them. A program does not inherit handlers, so a signal to the
 * whole group ends the program, and this shell survives to record the exit. Such a signal is a stop by the user, and
 * the job ends permanently.
 *
 * If the user has set an event command (a file of DIR), EXECUTABLE reports each exit of the program, unless the user
 * stopped it.
 *
 * A full disk must end neither the job nor its record. PROCESS, EXIT and LAST have their size already and are
 * overwritten (`<>` does not truncate a file). No builtin that would end the shell is redirected, and a line of RUNS
 * may be lost. Each record is padded with blanks and is complete when its last character is a newline. The log holds
 * the output of the program, both streams, and nothing of this shell.
 */
export const SUPERVISOR_SCRIPT = `exec 2>/dev/null
trap 'stopped=1' HUP INT QUIT TERM
process=$1; exit=$2; last=$3; runs=$4; log=$5; restart=$6; final=" 0 129 130 143 $7 "
node=$8; executable=$9; shift 9; dir=$1; name=$2; shift 2
report_event() {
  if [ -n "$stopped" ] || [ -z "$node" ] || [ ! -s "$dir/.upi-wizard/on-event" ]; then return; fi
  "$node" "$executable" event "$1" --dir "$dir" --job "$name" --code "$code" </dev/null >/dev/null 2>&1
}
stopped=; count=0; failures=0; pause=0
while :; do
  read -r before rest </proc/uptime
  /bin/sh -c '
    runs=$1; shift
    read -r stat </proc/$$/stat
    printf "%-1023s\\n" "$stat" 1<>"$0"; printf "%s started %s\\n" "$(date +%s)" "$$" >>"$runs"
    exec "$@" 2>&1' "$process" "$runs" "$@"
  code=$?
  at=$(date +%s); size=$(wc -c <"$log"); read -r after rest </proc/uptime
  before=\${before%%.*}; after=\${after%%.*}
  if [ "$((\${after:-0} - \${before:-0}))" -ge 60 ]; then failures=0; pause=0; fi
  printf '%s ended %s\\n' "$at" "$code" >>"$runs"
  case $restart in never) break ;; killed) if [ "$code" -le 128 ]; then break; fi ;; esac
  case $final in *" $code "*) break ;; esac
  if [ -n "$stopped" ]; then break; fi
  count=$((count + 1)); failures=$((failures + 1)); pause=$((pause > 0 ? pause * 2 : 1))
  if [ "$pause" -gt ${MAX_PAUSE_SECONDS} ]; then pause=${MAX_PAUSE_SECONDS}; fi
  report_event job-restarted &
  printf '%-127s\\n' "$code \${at:-0} \${size:-0} $count $failures $pause" 1<>"$last"
  sleep "$pause"
  # If sleep cannot run, the job ends: restarts without a pause would overload the machine.
  case $? in 126 | 127) break ;; esac
  if [ -n "$stopped" ]; then break; fi
done
printf '%-15s\\n' "$code" 1<>"$exit"
report_event job-ended`;

/** Sizes of the supervisor's records in bytes, with their newline. */
export const RECORD_SIZES = { process: 1024, exit: 16, lastRestart: 128 } as const;
