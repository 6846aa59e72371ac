import { formatDuration, plural } from './ui.ts';

/** Texts of the line-by-line front end. */
export const plain = {
  heading: (index: number, count: number, title: string) => `[${index}/${count}] ${title}`,
  alreadyDone: (summary: string) => `already done: ${summary}`,
  plan: (object: string, description: string) => `  will change  ${object}: ${description}`,
  partExplanation: (part: string, text: string) => `  ${part}: ${text}`,
  /** An effect of a change, below it: what restarts, and the outage. */
  effect: (text: string) => `    ${text}`,
  more: (count: number) => `  ... and ${count} more`,
  earlierLines: (count: number) => `  ... ${plural(count, 'earlier line')}`,
  /** A task of the user, below the changes that the wizard makes. */
  instruction: (text: string) => `  to do        ${text}`,
  /** A command, or a line of a file. */
  command: (text: string) => `      ${text}`,
  progressLine: (line: string) => `  ${line}`,
  elapsedLine: (elapsedMs: number, summary: string) => `  ${formatDuration(elapsedMs / 1000).padStart(6)}  ${summary}`,
  /** @param elapsedMs null: not worth a word */
  done: (elapsedMs: number | null, summary: string) =>
    `  done${elapsedMs === null ? '' : ` in ${formatDuration(elapsedMs / 1000)}`}: ${summary}`,
  finding: (severity: string, title: string) => `  ${severity}: ${title}`,
  cause: (text: string) => `    because: ${text}`,
  remedy: (text: string) => `    do this: ${text}`,
  timedOut: (elapsedMs: number, summary: string) => `  not done after ${formatDuration(elapsedMs / 1000)}: ${summary}`,
  confirm: 'Continue? [y/N] ',
  /** Shown on a terminal before a question about a dangerous action, if the user typed ahead. */
  staleInput: 'Input from before this question was discarded.',
  yesOrNo: '  Answer y or n.',
  confirmHelp: (word: string) =>
    `  ${word} starts everything that is listed above. n, < or Enter returns to the page: nothing is changed.`,
  wrongWord: (word: string) => `  That is not ${word}.`,
  declinedAction: '  Not done. The same choice asks again.',
  pace: (speed: number) => `  The simulated time runs ${speed} times as fast now.`,
  paused: '  The simulated time is paused.',
  followUpHelp: '  y changes the listed answers too. n or Enter leaves them as they are.',
  followUpPrompt: 'Change them? [y/N] ',
  declined: 'Nothing was changed. Start again with the same directory to continue from here.',
  verified: 'Everything is done and verified.',
  unfinished: (step: string) => `${step} did not finish`,
  /** One problem follows on the line; several get a line each. */
  notVerified: (titles: readonly string[]) =>
    `Not verified:${titles.length === 1 ? ` ${titles[0]}` : titles.map((title) => `\n  - ${title}`).join('')}`,
  prompt: (label: string, value: string, mayBeNone: boolean) =>
    `${label}${value === '' ? '' : ` [${value}]`}${mayBeNone && value !== '' ? ' (- for none)' : ''}: `,
  /** Prompts again after a value was rejected: the rejected value is shown, but is not the default. */
  promptInstead: (label: string, value: string) => `${label} (instead of ${value}): `,
  /** Input that clears an optional answer. */
  none: '-',
  choices: (choices: readonly string[]) => `  one of: ${choices.join(', ')}`,
  explanation: (text: string) => `  ${text}`,
  /** The introduction of a question: its name and place on its page come before the explanation. */
  question: (label: string, number: number, count: number, reason: string) =>
    `${label} (${number} of ${count}): ${reason}`,
  nodeField: (node: string, label: string) => `${node}, ${label}`,
  /** Stands for a pasted secret in the transcript of a script. */
  secret: '(a secret: not shown)',
  rejected: (problem: string) => `  That does not work: ${problem}`,
  problems: (count: number) => `The design has ${count === 1 ? 'an error' : `${count} errors`}:`,
  problem: (path: string, message: string, fix: string) => `  ${path || 'file'}: ${message}. ${fix}`,
  directory: (dir: string) => `Directory: ${dir}`,
  nodes: (count: number) =>
    `${plural(count, 'node')} as in the design; edit them in the full-screen wizard or in a design file.`,
  notice: (kind: 'info' | 'warning' | 'error', text: string) =>
    `  ${{ info: '', warning: 'Warning: ', error: 'That does not work: ' }[kind]}${text}`,
  /** Changes in the cluster since the previous probe. */
  cluster: {
    ready: (node: string) => `${node} is Ready.`,
    notReady: (node: string) => `${node} was Ready and is not any more, or it left the cluster.`,
    unhealthy: (operator: string, state: string, message: string) =>
      `The operator ${operator} is ${state} now${message === '' ? '.' : `: ${message}`}`,
    healthy: (operator: string) => `The operator ${operator} is healthy again.`,
    removed: (operator: string) => `The operator ${operator} is not in the cluster any more.`,
  },
  probing: 'checking',
  working: 'working',
  stepDone: (summary: string) => `  done: ${summary}`,
  stops: {
    requested: '  Stopping. Changes made so far stay.',
    stopped: '  Stopped. Changes made so far stay.',
  },
  waiting: 'You need not do anything until this step is done. Enter shows what you can do in the meantime.',
  /** Input words that are commands where text is typed. */
  inputCommands: {
    help: '?',
    back: '<',
    more: '+',
    rest: '>',
    none: '-',
    leave: 'quit',
    undo: 'undo',
    redo: 'redo',
    edit: 'edit',
  },
  /** The command that opens a page by its name; the name is the first group. */
  goTo: /^go\s+(\S.*)$/i,
  noSuchPage: (name: string) => `  Nothing here has "${name}" in its name.`,
  pageUnavailable: (label: string, reason: string) => `  ${label}: ${reason}.`,
  readOnly: 'Read-only: an installation uses these answers. Type edit to change them.',
  legend: [
    'Answer with a number or with text; an empty line uses the value in brackets.',
    'At any question: ? explains it, < or back goes back, quit saves and leaves,',
    'undo reverts the last answer, redo restores it, go PAGE opens a page.',
  ],
  fieldLegend: (hasMore: boolean) => [
    '- clears an optional answer, > keeps the rest of this page as it is, and "go review" all answers up to Review.',
    ...(hasMore ? ['+ shows the rarely needed questions of this page too, or hides them.'] : []),
  ],
  numbered: (number: number, text: string) => `${String(number).padStart(3)}. ${text}`,
  lettered: (text: string, letter: string) => `${text} (${letter})`,
  /** The word that prints the choices which a long menu leaves out. */
  moreChoices: 'more',
  otherChoices: (count: number) => `${plural(count, 'other choice')}: type more`,
  choose: 'Your choice [1]: ',
  /** Enter selects nothing. */
  chooseWithoutDefault: 'Your choice: ',
  chooseOne: (count: number) => `  Type a number from 1 to ${count}.`,
  chooseByWord: (count: number) =>
    `  Type ${count === 2 ? '1 or 2' : `a number from 1 to ${count}`}, or the first words of a choice; ? explains it.`,
  notListed: (number: string) => `  ${number} is not listed: type more to see all choices.`,
  listClosed: '  The page has changed: that list is closed.',
  listChanged: '  The page has changed since you read this list, and this choice is not possible now.',
  typeWord: (word: string) => `Type ${word} to confirm, or press Enter for no: `,
  blockedBy: (title: string, cause: string) => (cause === '' ? `blocks: ${title}` : `blocks: ${title}: ${cause}`),
  override: {
    badFormat: (text: string) =>
      `--override takes the ids of checks and a reason, "ID,ID: REASON" (one sentence of at least three words), not "${text}".`,
    unknown: (ids: string, known: string) => `There is no check "${ids}". Known: ${known}.`,
    notNamed: (ids: string) => `Not included in --override, and still blocking: ${ids}.`,
    overrides: (ids: string, reason: string) => `overrides ${ids}: ${reason}`,
  },
  typeReason: 'Reason, in one sentence (Enter for no): ',
  noReason: '  A reason is one sentence of at least three words.',
  importFile: 'File (Enter for none): ',
  importLines: 'A line with a single dot ends the paste. A line with < cancels the import, and quit saves and leaves.',
  importLinesDropped: 'These lines were dropped: the next paste starts empty.',
  stillWorking: 'Still working. "stop this step" stops it.',
  menu: {
    wait: 'keep waiting',
    stop: 'stop this step',
    changes: 'show all changes',
    everything: 'show everything on this page',
    oneRow: 'show one row',
    log: 'show the log',
    explain: 'explain this page',
    back: 'back',
    goOn: 'go on',
    leave: 'save and quit',
  },
  frontEndNotice: {
    dumb: (term: string) =>
      `This terminal (TERM=${term}) cannot show full screens, so the wizard uses plain lines. The steps are the same.`,
  },
  endOfInput: 'The input ended before all questions were answered. Your answers so far are saved.',
  answersSaved: 'Your answers so far are saved.',
};
