/** Built-in commands, by the words that stand for them. Each writes one line to terminals that accept messages. */
export const BUILT_IN_COMMANDS: Readonly<Record<string, string>> = {
  wall: 'printf "upi-wizard: %s\\n" "$UPI_WIZARD_TEXT" | wall',
  // To the terminals of this user, but not over the screens of the wizard itself.
  write: `me=$(id -un); own=$(ps -o tty= -p "$PPID" | tr -d ' ')
who | while read -r name line rest; do
  if [ "$name" = "$me" ] && [ "$line" != "$own" ]; then
    printf "upi-wizard: %s\\n" "$UPI_WIZARD_TEXT" | write "$name" "$line" || true
  fi
done`,
};

/** Variables that the command inherits from our environment; others may be secret. */
const INHERITED_VARIABLES = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
] as const;

/**
 * Builds the environment of the command, with the details of the event.
 * @param details.text safe to show, and without secrets
 */
export function buildCommandEnvironment(details: {
  readonly event: string;
  readonly dir: string;
  readonly step: string;
  readonly text: string;
}): Record<string, string> {
  const inherited = INHERITED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    PATH: '/usr/bin:/bin',
    ...(Object.fromEntries(inherited) as Record<string, string>),
    UPI_WIZARD_EVENT: details.event,
    UPI_WIZARD_DIR: details.dir,
    UPI_WIZARD_STEP: details.step,
    UPI_WIZARD_TEXT: details.text,
  };
}

/** The names of those variables, for the help page. */
export const EVENT_VARIABLES = ['UPI_WIZARD_EVENT', 'UPI_WIZARD_DIR', 'UPI_WIZARD_STEP', 'UPI_WIZARD_TEXT'] as const;
