import { formatTimeOfDay } from '../../platform/clock.ts';
import { SHORTCUTS } from '../shortcuts.ts';

/** Text about the lock of an install directory: its holder, viewers and taking over. */
export const holder = {
  locked: {
    title: 'This install directory is in use',
    remedy: (view: string, takeOver: string, detach: string) =>
      `To watch: \`${view}\` To take over: \`${takeOver}\` To end that session without a terminal: \`${detach}\``,
  },
  peer: (user: string, from: string | null, tty: string | null) =>
    `${user}${from === null ? '' : ` from ${from}`}${tty === null ? '' : ` on ${tty}`}`,
  /** "alice from 10.0.0.9 on pts/3 since 14:02 (upi-wizard, process 4711)". */
  describe: (peer: string, since: string, program: string, pid: number) =>
    `${peer} since ${since} (${program}, process ${pid})`,
  since: (day: string | null, time: number) =>
    day === null ? formatTimeOfDay(time) : `${day} ${formatTimeOfDay(time)}`,
  newerFormat: 'another version of upi-wizard, whose lock this version cannot read',
  otherHost: (host: string) => `it is on ${host}: this machine cannot check whether it still runs`,
  otherNamespace: 'it is in another container: upi-wizard cannot check whether it still runs',
  takenOver: {
    title: 'Another session has taken over this install directory',
    cause: 'this session writes nothing more.',
    remedy: 'Everything that was shown as saved is saved. Continue in the other session, or take over again.',
  },
  moved: {
    title: 'The install directory no longer exists',
    cause: (dir: string) => `${dir} was moved or removed while upi-wizard worked in it; nothing more is written.`,
    remedy: 'Everything that was shown as saved is in the moved directory: specify its new path with --dir.',
  },
  page: {
    place: 'In use',
    inUse: (holder: string) => `In use by ${holder}.`,
    currentPlace: (place: string, cluster: string) => `It is at: ${place}${cluster === '' ? '' : ` (${cluster})`}.`,
    isActing: 'It is carrying out a step: a takeover stops that step, and jobs on the site keep running.',
    headline: 'Another session works on this install directory',
    freeHeadline: 'The session that you watched has ended',
    free: 'The install directory is free now, or another session uses it.',
    cannotWatch: 'It cannot be watched: it shows no screens, or runs another version of upi-wizard.',
    noAnswerYet: 'It has not answered yet, so it cannot be watched.',
    waitingForExit: 'Waiting for the other session to save and exit (up to 10 seconds)',
    refused: (reason: string) => `The other session refused: ${reason}.`,
    unresponsive: 'The other session does not answer',
    killWarning: (pid: number) =>
      `Process ${pid} has not answered for 10 seconds: it is stopped or hangs. If you take over, it is killed; what it showed as saved is saved.`,
    fenceWarning: (host: string) =>
      `It cannot be queried or ended from here. End it on ${host} first. If you take over, it notices at its next write, and writes nothing more.`,
    typeWord: (word: string) => `To take over, type ${word}:`,
    typeHere: 'Type here: ',
    choices: {
      view: 'Watch',
      'take-over': 'Take over',
      open: 'Open it here',
      others: 'Other installations',
      quit: 'Quit',
    },
    hints: {
      view: 'the same screens, read-only',
      'take-over': 'the other session saves and ends',
      open: 'continue where it left off',
      others: 'the Welcome page, with the others and a new one',
      quit: 'change nothing',
    },
    short: { view: 'watch', 'take-over': 'take over', open: 'open', others: 'others', quit: 'quit' },
  },
  viewer: {
    leave: 'stop watching',
    takeOver: 'take over',
    plainHint: `Type ${SHORTCUTS.takeOver} to take over, ${SHORTCUTS.close} to stop watching.`,
    note: (holder: string) => `read-only: ${holder}`,
  },
  exit: {
    takenOver: (peer: string) => `${peer} has taken over. Everything is saved.`,
    detached: (peer: string) => `${peer} has ended this session. Everything is saved.`,
    reattach: (command: string) => `To watch it or to take over again: ${command}`,
  },
  commands: {
    exclusiveOptions: '--view watches and --take-over takes over: use only one of them.',
    noSession: (dir: string, exists: boolean) =>
      `${exists ? `There is no session in ${dir}` : `${dir} does not exist`}: specify the install directory with --dir.`,
    notInUse: (dir: string, command: string) => `No session uses ${dir}. To continue there: ${command}`,
    ended: (holder: string, command: string) =>
      `The session of ${holder} has ended, with everything saved; its jobs keep running. To continue: ${command}`,
    refused: (holder: string, reason: string) => `The session of ${holder} was not ended: ${reason}.`,
    unresponsive: (holder: string, warning: string) => `The session of ${holder} does not answer. ${warning}`,
    typeWord: (word: string) => `To end it, type ${word}: `,
    notEnded: (command: string) => `The session was not ended. To end it without confirmation: ${command}`,
  },
  sessions: {
    none: 'There are no installations on this machine yet.',
    saved: (time: string) => `saved ${time} UTC`,
    heldBy: (holder: string) => `in use by ${holder}`,
    attention: 'needs attention',
    finished: 'finished',
    rehearsal: (place: string) => `${place} (rehearsal)`,
    unknownVersion: 'another version of upi-wizard',
    uncertainHolder: (peer: string, host: string) => `${peer} on ${host}?`,
  },
  answer: {
    none: 'No question waits for an answer.',
    otherPage: 'the wizard shows another page: go to the page of the question in the wizard, then answer',
    stillChecking: 'the wizard is still checking what the question is about: answer again in a moment',
    yesOrNo: 'the answer must be yes or no',
    expectedWords: (words: string) => `the answer must be no, or one of: ${words}`,
    reasonRequired: 'the answer must be no, or the reason: one sentence, at least three words',
    reasonWord: 'REASON',
    howTo: (command: string) => `To answer: ${command}`,
    refused: (reason: string) => `The answer was not accepted: ${reason.replace(/\.$/, '')}.`,
    acceptedByJob: (follow: string) => `Answered: the job continues. To follow it: ${follow}`,
    accepted: (holder: string) => `Answered. The session of ${holder} continues.`,
    unresponsive: (holder: string) => `The session of ${holder} does not answer. The question is still open.`,
    declined: 'Answered with no: nothing was done.',
    changedMeanwhile:
      'The changes that the question is about are different now. Nothing was done. The question is now about:',
    nothingLeft: 'Nothing is left to do, and the question was withdrawn.',
    unknownQuestion: 'The question is from another version of upi-wizard: answer it with that version.',
  },
  busy: (program: string) => `${program} is running and cannot be interrupted from outside`,
};
