/** The words that stand for commands of ours. Each says one line on terminals that let it. */
export const BUILT_IN: Readonly<Record<string, string>> = {
  wall: 'printf "upi-wizard: %s\\n" "$UPI_WIZARD_TEXT" | wall',
  // To the terminals of this user, but not over the screens of the wizard itself.
  write: `me=$(id -un); own=$(ps -o tty= -p "$PPID" | tr -d ' ')
who | while read -r name line rest; do
  if [ "$name" = "$me" ] && [ "$line" != "$own" ]; then
    printf "upi-wizard: %s\\n" "$UPI_WIZARD_TEXT" | write "$name" "$line" || true
  fi
done`,
};

/** What the command gets of our environment: what else is in ours may be secret. */
const PASSED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'XDG_RUNTIME_DIR'] as const;

/** The environment of the command, with what it is told. @param told.text safe to show, and without secrets */
export function commandEnvironment(told: {
  readonly event: string;
  readonly dir: string;
  readonly step: string;
  readonly text: string;
}): Record<string, string> {
  const ours = PASSED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    PATH: '/usr/bin:/bin',
    ...(Object.fromEntries(ours) as Record<string, string>),
    UPI_WIZARD_EVENT: told.event,
    UPI_WIZARD_DIR: told.dir,
    UPI_WIZARD_STEP: told.step,
    UPI_WIZARD_TEXT: told.text,
  };
}

/** The names of those variables, for the help page. */
export const TOLD = ['UPI_WIZARD_EVENT', 'UPI_WIZARD_DIR', 'UPI_WIZARD_STEP', 'UPI_WIZARD_TEXT'] as const;
