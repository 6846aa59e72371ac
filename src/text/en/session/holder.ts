import { timeOfDay } from '../../time-of-day.ts';

/** Who works on an install directory: the lock, watching, and taking over. */
export const holder = {
  locked: {
    title: 'This install directory is in use',
    whatToDo: (view: string, takeOver: string, detach: string) =>
      `To watch: ${view}. To take over: ${takeOver}. To end that session without a terminal: ${detach}.`,
  },
  guest: (user: string, from: string | null, tty: string | null) =>
    `${user}${from === null ? '' : ` from ${from}`}${tty === null ? '' : ` on ${tty}`}`,
  /** "alice from 10.0.0.9 on pts/3 since 14:02 (upi-wizard, process 4711)". */
  who: (guest: string, since: string, program: string, pid: number) =>
    `${guest} since ${since} (${program}, process ${pid})`,
  since: (day: string | null, at: number) => (day === null ? timeOfDay(at) : `${day} ${timeOfDay(at)}`),
  newerFormat: 'another version of upi-wizard, whose owner file this one cannot read',
  elsewhere: (host: string) => `it is on ${host}: whether it still runs cannot be seen from this machine`,
  otherNamespace: 'it is in another container: whether it still runs cannot be seen from here',
  taken: {
    title: 'Another session has taken over this install directory',
    cause: 'nothing more is written from here.',
    whatToDo: 'Everything that was shown as saved is saved. Go on in the other session, or take over again.',
  },
  moved: {
    title: 'The install directory is not there any more',
    cause: (dir: string) => `${dir} was moved or removed while upi-wizard worked in it; nothing more is written.`,
    whatToDo: 'Everything that was shown as saved is in it. Go on where it is now, with its new place after --dir.',
  },
  page: {
    place: 'In use',
    inUse: (who: string) => `In use by ${who}.`,
    standsAt: (place: string, cluster: string) => `It is at: ${place}${cluster === '' ? '' : ` (${cluster})`}.`,
    isActing: 'It is carrying out a step: a take-over stops that step, and jobs on the site keep running.',
    headline: 'Another session works on this install directory',
    freeHeadline: 'The session that you watched has ended',
    free: 'The install directory is free now, or another session has it.',
    noWatching: 'It cannot be watched: it shows no screens, or is another version of upi-wizard.',
    noAnswer: 'It does not answer so far, so it cannot be watched.',
    asking: 'Asking the other session to save and leave (up to 10 seconds)',
    stays: (why: string) => `The other session stays: ${why}.`,
    silent: 'The other session does not answer',
    kill: (pid: number) =>
      `Process ${pid} has not answered for 10 seconds: it is stopped or hangs. If you take over, it is killed; what it showed as saved is saved.`,
    fence: (host: string) =>
      `It cannot be asked or ended from here. End it on ${host} first. If you take over, it is told at its next write, and writes nothing more.`,
    typeWord: (word: string) => `To take over, type ${word}:`,
    typeHere: 'Type here: ',
    choices: { view: 'Watch', 'take-over': 'Take over', open: 'Open it here', quit: 'Quit' },
    hints: {
      view: 'the same screens, read-only',
      'take-over': 'the other session saves and ends',
      open: 'continue where it was left',
      quit: 'change nothing',
    },
    short: { view: 'watch', 'take-over': 'take over', open: 'open', quit: 'quit' },
  },
  viewer: {
    leave: 'stop watching',
    takeOver: 'take over',
    inLines: 'Type t to take over, q to stop watching.',
    note: (who: string) => `read-only: ${who}`,
  },
  left: {
    takenOver: (guest: string) => `${guest} has taken over. Everything is saved.`,
    detached: (guest: string) => `${guest} has ended this session. Everything is saved.`,
    back: (command: string) => `To watch it or to take it back: ${command}`,
  },
  commands: {
    oneOf: '--view watches and --take-over takes over: name one of them.',
    noSession: (dir: string) => `There is no session in ${dir}: name the install directory with --dir.`,
    nobody: (dir: string, command: string) => `Nobody works on ${dir}. To continue there: ${command}`,
    left: (who: string, command: string) =>
      `The session of ${who} has ended, with everything saved; its jobs keep running. To continue: ${command}`,
    stays: (who: string, why: string) => `The session of ${who} stays: ${why}.`,
    silent: (who: string, warning: string) => `The session of ${who} does not answer. ${warning}`,
    typeWord: (word: string) => `To end it, type ${word}: `,
    stillThere: (command: string) => `It was left as it is. To end it without a question: ${command}`,
  },
  sessions: {
    none: 'No installation was worked on here yet.',
    saved: (at: string) => `saved ${at} UTC`,
    heldBy: (who: string) => `in use by ${who}`,
    attention: 'needs attention',
    rehearsing: (place: string) => `${place} (rehearsal)`,
    somebody: 'another version of upi-wizard',
    unsure: (guest: string, host: string) => `${guest} on ${host}?`,
  },
  answer: {
    none: 'No question waits for an answer.',
    elsewhere: 'the wizard is on another page: answer there, or go to the page of the question',
    notYet: 'the wizard is still looking at what the question is about: answer again in a moment',
    yesOrNo: 'the answer is yes or no',
    typed: (words: string) => `the answer is no, or one of: ${words}`,
    reason: 'the answer is no, or the reason: one sentence, at least three words',
    reasonWord: 'REASON',
    howTo: (command: string) => `To answer: ${command}`,
    refused: (why: string) => `The answer was not taken: ${why}.`,
    taken: (who: string) => `Answered. The session of ${who} carries on.`,
    silent: (who: string) => `The session of ${who} does not answer. Nothing was answered.`,
    declined: 'Answered with no: nothing was done.',
    changed:
      'What the question is about has changed since it was asked. Nothing was done; this is what it is about now:',
    settled: 'There is nothing to do any more, and the question is gone.',
    unknown: 'The question was asked by another version of upi-wizard: answer it there.',
  },
  busy: (program: string) => `${program} is at work and cannot be interrupted from outside`,
};
