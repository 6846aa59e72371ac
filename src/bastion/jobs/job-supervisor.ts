/**
 * When a job whose program ended is started again. `never`: its end is its result. `killed`: when a signal ended it.
 * `failed`: after every end with another code than 0. A signal that asks to end (HUP, INT, TERM) is obeyed in any case.
 */
export type Restart = 'never' | 'killed' | 'failed';

/** The longest pause before a program that keeps ending is started again, in seconds. */
export const LONGEST_PAUSE = 60;

/**
 * The script that runs a job: `sh -c SUPERVISOR upi-wizard-job PROCESS EXIT LAST RUNS LOG RESTART FINAL NODE EXECUTABLE DIR NAME PROGRAM…`. It outlives
 * whoever started it, records who the program is, waits for it, records how it ended, and starts it again as RESTART
 * says, but not after a code in FINAL. The pauses are 1, 2, 4 … 60 seconds, and 1 again after it ran for a minute.
 *
 * The handlers are empty, not ignored: a signal to the whole group ends the program (its handlers are reset), and this shell
 * lives on to record it. Such a signal is a person's stop, and the job ends for good.
 *
 * Where a person has set a command for events (a file of DIR), EXECUTABLE is told how the program ended, unless a person stopped
 * it.
 *
 * A full disk must end neither the job nor its record: PROCESS, EXIT and LAST have their size already and are written over
 * (`<>` does not cut a file), no builtin that would end the shell is redirected, and a line of RUNS may be lost. Each
 * record is padded with blanks and is complete when its last character is a newline. The log holds what the program
 * printed, both streams, and nothing of this shell.
 */
export const SUPERVISOR = `exec 2>/dev/null
trap 'stopped=1' HUP INT QUIT TERM
process=$1; exit=$2; last=$3; runs=$4; log=$5; restart=$6; final=" 0 129 130 143 $7 "
node=$8; executable=$9; shift 9; dir=$1; name=$2; shift 2
tell() {
  if [ -n "$stopped" ] || [ -z "$node" ] || [ ! -s "$dir/.upi-wizard/on-event" ]; then return; fi
  "$node" "$executable" event "$1" --dir "$dir" --job "$name" --code "$code" </dev/null >/dev/null 2>&1
}
stopped=; count=0; row=0; pause=0
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
  if [ "$((\${after:-0} - \${before:-0}))" -ge 60 ]; then row=0; pause=0; fi
  printf '%s ended %s\\n' "$at" "$code" >>"$runs"
  case $restart in never) break ;; killed) if [ "$code" -le 128 ]; then break; fi ;; esac
  case $final in *" $code "*) break ;; esac
  if [ -n "$stopped" ]; then break; fi
  count=$((count + 1)); row=$((row + 1)); pause=$((pause > 0 ? pause * 2 : 1))
  if [ "$pause" -gt ${LONGEST_PAUSE} ]; then pause=${LONGEST_PAUSE}; fi
  tell job-restarted &
  printf '%-127s\\n' "$code \${at:-0} \${size:-0} $count $row $pause" 1<>"$last"
  sleep "$pause"
  # Without a sleep this would be a storm.
  case $? in 126 | 127) break ;; esac
  if [ -n "$stopped" ]; then break; fi
done
printf '%-15s\\n' "$code" 1<>"$exit"
tell job-ended`;

/** The sizes that the supervisor's records have, with their newline. */
export const RECORD_SIZES = { process: 1024, exit: 16, last: 128 } as const;
