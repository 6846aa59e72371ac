/** Maximum number of names in one command: the user repeats the command for the others. */
const MAX_NAMES = 10;

/** Formats the names of objects as arguments of one command; a placeholder if none is known. */
export const formatArguments = (names: readonly string[]): string =>
  names.length === 0 ? 'NAME' : names.slice(0, MAX_NAMES).join(' ');

/** Maximum number of commands, each for one object. */
const MAX_COMMANDS = 3;

/** Formats a command for each object, in backticks; with a placeholder if none is known. */
export const formatCommands = (command: string, names: readonly string[]): string =>
  (names.length === 0 ? ['NAME'] : names.slice(0, MAX_COMMANDS)).map((name) => `\`${command} ${name}\``).join(' ');

/**
 * Formats a number with its noun.
 * @param many the plural of `one`, if it does not just add an s
 */
export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** Formats whole minutes: 59 -> `59 min`, 78 -> `1 h 18 min`, 120 -> `2 h`. */
export function formatMinutes(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const hours = `${Math.floor(minutes / 60)} h`;
  return minutes % 60 === 0 ? hours : `${hours} ${minutes % 60} min`;
}

/** Formats a duration: 42 -> `42 s`, 360 -> `6 min`, 7500 -> `2 h 5 min`. */
export function formatDuration(seconds: number): string {
  return seconds < 120 ? `${Math.floor(seconds)} s` : formatMinutes(Math.floor(seconds / 60));
}

/** Joins names with commas: "w1, w2, w3". */
export const joinNames = (names: readonly string[]) => names.join(', ');

/** Facts about the unexpected end of a session, for the last lines on the terminal. */
interface SessionEnd {
  readonly reason: string;
  readonly isSaved: boolean;
  readonly resumeCommand: string;
  readonly logPath: string | null;
}

/** Texts around every page and every command: product, units of time, keys, errors. */
export const ui = {
  product: 'upi-wizard',
  keyNames: {
    enter: 'Enter',
    escape: 'Esc',
    tab: 'Tab',
    'shift-tab': 'Shift-Tab',
    backspace: 'Backspace',
    delete: 'Delete',
    up: 'Up',
    down: 'Down',
    left: 'Left',
    right: 'Right',
    home: 'Home',
    end: 'End',
    'page-up': 'PgUp',
    'page-down': 'PgDn',
    ' ': 'Space',
    'wheel-up': 'wheel',
    'wheel-down': 'wheel',
  },
  controlKey: (letter: string) => `Ctrl-${letter.toUpperCase()}`,
  /** The label of a key that has no effect now: pressing it only explains why. */
  notNow: (label: string) => `${label} (not yet)`,
  /** Counts the keys that do not fit into the footer, with the key that lists all of them. */
  moreKeys: (mark: string, count: number, key: string) => `${mark} ${count} more${key === '' ? '' : ` (${key})`}`,
  /** @param isOkd whether the release is OKD; required for a version without a patch number, such as 4.20 */
  release: (version: string, isOkd = version.includes('-okd-')) => `${isOkd ? 'OKD' : 'OpenShift'} ${version}`,
  saved: (clock: string) => `saved ${clock}`,
  savedShort: 'saved',
  notSaved: 'NOT SAVED',
  tooSmall: (columns: number, rows: number, neededColumns: number, neededRows: number) => [
    'The window is too small.',
    `Make it ${neededColumns} by ${neededRows} or larger: nothing is lost.`,
    `It has ${columns} columns and ${rows} rows; 80 by 24 is recommended.`,
    'Ctrl-S saves and quits.',
  ],
  reasonHeading: 'Why',
  /** Replaces the last line of a text that does not fit. */
  restInHelp: 'The rest is on the help page (Ctrl-G).',
  derivedFacts: 'Facts',
  status: {
    ok: 'ok',
    warning: 'warning',
    failed: 'failed',
    pending: 'not yet',
    running: 'running',
    unknown: 'unknown',
    skipped: 'not needed',
  },
  notices: { info: 'Note', ok: 'Done', warning: 'Warning', error: 'Error' },
  confirmKeys: { yes: 'yes', no: 'no' },
  /** The values of a yes-or-no question. */
  flags: { true: 'yes', false: 'no' },
  /** The letters that were typed to find an option. */
  typeAhead: (letters: string) => `"${letters}"`,
  noRows: 'Nothing here yet.',
  filter: {
    prompt: '/ ',
    count: (query: string, shownCount: number, total: number) => `/${query}  ${shownCount} of ${total}`,
    shownCount: (shownCount: number, total: number) => `${shownCount} of ${total}`,
    none: (query: string) => `No row contains "${query}". Esc shows all rows.`,
  },
  moreRows: (first: number, last: number, total: number) => `${first}\u2013${last} of ${total}`,
  lineRange: (first: number, last: number, total: number) =>
    first === last ? `line ${first} of ${total}` : `lines ${first}\u2013${last} of ${total}`,
  rangeWithKey: (range: string, key: string) => `${range} (${key})`,
  /** Counts the lines that do not fit above the input of a typed question, where no key scrolls. */
  moreLines: (count: number) => `and ${plural(count, 'more line')}, on the page itself`,
  emptyLog: 'No lines yet.',
  helpTitle: 'Help',
  helpKeys: 'Keys that work here',
  keyHelp: (keys: string, action: string) => `${keys}: ${action}`,
  internal: {
    title: 'Something went wrong inside upi-wizard',
    remedy: 'Your answers are saved. Start again with the same directory; if it happens again, report it with the log.',
  },
  signalReason: (signal: string) => `upi-wizard was terminated by ${signal}.`,
  internalErrorReason: (message: string) => `upi-wizard stopped because of an internal error: ${message}`,
  /** The last lines on the terminal after an unexpected end. */
  exitLines: ({ reason, isSaved, resumeCommand, logPath }: SessionEnd) => [
    reason,
    isSaved ? 'Your answers are saved.' : 'Your last answers could not be saved.',
    'Background jobs (boot server, openshift-install), if any, keep running.',
    `To continue: ${resumeCommand}`,
    logPath === null ? 'There is no log.' : `Details: ${logPath}`,
    'If the shell looks odd, type: reset',
  ],
  notSavedLines: (resume: string) => ['Your last answers could not be saved.', `To continue: ${resume}`],
  /** Progress of the whole installation. */
  progress: {
    /** Includes the time while the wizard was closed, and the time before Enter at a step that is done. */
    elapsed: (age: string) => `${age} since power-on`,
    /** Minutes. */
    remaining: (minimum: number, maximum: number) => `usually ${minimum}–${maximum} min more`,
    /** @param step the title of the only step that is left */
    remainingOf: (step: string, minimum: number, maximum: number) => `then ${step}: ${minimum}–${maximum} min`,
    remainingUpTo: (maximum: number) => `usually up to ${maximum} min more`,
    overdue: 'longer than usual',
    needsRepair: 'waiting for a repair',
    /** Minutes; 0 is less than one. */
    remainingMinutes: (minutes: number) => (minutes === 0 ? 'less than 1 min left' : `about ${minutes} min left`),
  },
  percent: (value: number) => `${Math.round(value)} %`,
};
