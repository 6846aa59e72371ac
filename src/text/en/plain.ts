const minutes = (ms: number) => `${Math.floor(ms / 60_000)} min`;

/** The words of the line-by-line front end. */
export const plain = {
  heading: (index: number, of: number, title: string) => `[${index}/${of}] ${title}`,
  alreadyDone: (summary: string) => `already done: ${summary}`,
  plan: (object: string, what: string) => `  will change  ${object}: ${what}`,
  more: (count: number) => `  ... and ${count} more`,
  instruction: (text: string) => `  by hand      ${text}`,
  doing: (line: string) => `  ${line}`,
  now: (elapsed: number, summary: string) => `  ${minutes(elapsed).padStart(6)}  ${summary}`,
  done: (elapsed: number, summary: string) => `  done in ${minutes(elapsed)}: ${summary}`,
  finding: (severity: string, title: string) => `  ${severity}: ${title}`,
  cause: (text: string) => `    because: ${text}`,
  whatToDo: (text: string) => `    do this: ${text}`,
  gaveUp: (elapsed: number, summary: string) => `  not done after ${minutes(elapsed)}: ${summary}`,
  confirm: 'Go on? [y/N] ',
  declined: 'Nothing was changed. Start again with the same directory to go on from here.',
  verified: 'Everything is done and verified.',
  notVerified: (what: string) => `Not verified: ${what}`,
  ask: (label: string, value: string, mayBeNone: boolean) =>
    `${label}${value === '' ? '' : ` [${value}]`}${mayBeNone && value !== '' ? ' (- for none)' : ''}: `,
  /** What takes an optional answer away. */
  none: '-',
  choices: (choices: readonly string[]) => `  one of: ${choices.join(', ')}`,
  why: (text: string) => `  ${text}`,
  wrong: (problem: string) => `  That does not work: ${problem}`,
  problems: (count: number) => `The design has ${count === 1 ? 'an error' : `${count} errors`}:`,
  problem: (path: string, message: string, fix: string) => `  ${path || 'file'}: ${message}. ${fix}`,
  directory: (dir: string) => `Directory: ${dir}`,
  nodes: (count: number) => `${count} nodes as in the design; edit them in the full-screen wizard or in a design file.`,
  endOfInput: 'The input ended before all questions were answered. Your answers so far are saved.',
};
