/** The words of the screens themselves: places, keys, headings. */
import { designWords } from './screens/design.ts';
import { filesWords } from './screens/files.ts';
import { keysWords } from './screens/keys.ts';
import { liveWords } from './screens/live.ts';

export const screens = {
  places: { welcome: 'Welcome', design: (page: string) => `Design > ${page}`, step: (step: string) => step },
  rail: {
    welcome: 'Welcome',
    cluster: 'Cluster',
    networks: 'Networks',
    nodes: 'Nodes',
    services: 'Services',
    credentials: 'Credentials',
    review: 'Review',
    generate: 'Generate',
    hosts: 'Hosts',
    prepare: 'Prepare',
    boot: 'Boot',
    bootstrap: 'Bootstrap',
    'bootstrap-removal': 'LB change',
    certificates: 'Certificates',
    operators: 'Operators',
    infra: 'Infra nodes',
    report: 'Report',
  },
  welcome: {
    headline: 'From nothing to a running OpenShift cluster on machines you prepare yourself (UPI),',
    subline: 'step by step. You can stop at any time and go on where you were.',
    directory: (dir: string) => `Everything is kept in ${dir}`,
    fresh: 'New installation',
    opening: 'opening',
    freshHint: 'starts with a worked example that you change',
    resume: (screen: string) => `Resume at: ${screen}`,
    resumeHint: (cluster: string) => cluster,
    bringIn: 'Start from what you have',
    bringInHint: 'install-config.yaml, vars.yaml, CSV, a hosts file',
    rehearse: 'Rehearse first',
    rehearseHint: 'against a simulated site, in a few minutes',
    restart: 'Start at the first page',
    restartHint: 'your answers are kept',
    rehearsal: (speed: number) =>
      `This is a rehearsal: the site is simulated, ${speed === 1 ? 'in real time' : `and time runs ${speed} times as fast`}.`,
    advice: 'Over SSH, run this inside tmux or screen: a lost connection then costs nothing.',
  },
  step: {
    looking: 'looking',
    applying: 'working',
    ready: 'Press Enter to go on.',
    pressEnterDone: 'Done. Enter leads to the next step.',
    pressEnterEnd:
      'Your cluster is ready. Enter leaves; start again at any time. Nodes are added on the Nodes page (n).',
    waiting: 'Waiting; nothing to do here.',
    moreNotes: 'There is more: Ctrl-G shows all of it.',
    blocked: 'Correct this first.',
    failed: 'This did not work.',
    elapsed: (text: string) => `for ${text}`,
    /** `speed`: how many times as fast as life the site's time runs. */
    usual: (text: string, speed: number) =>
      `Usually ${text}.${speed === 1 ? '' : ` All times are the site's, which run ${speed} times as fast here.`}`,
    question: {
      apply: (title: string) => `${title}: do this now?`,
      'apply-one': (subject: string) => `Approve ${subject}?`,
      undo: (subject: string) => `Undo ${subject}?`,
    },
    typeFirst: (word: string) => `Type ${word} first`,
    typeHere: 'Node: ',
    stops: {
      asked: 'Stopping. What was done so far stays done. Esc once more goes back.',
      stopped: 'Stopped. What was done so far stays done.',
    },
    stillWaiting: 'Not finished yet: it goes on by itself as soon as it is.',
    stillRunning: 'Still working. Esc stops it.',
    stillLooking: 'Still looking: one moment.',
    needsDesign: 'The design has errors',
    noDesign: 'every step needs a design without errors',
    needsDesignFix: 'Go back (Esc) to the review page: Enter leads to the first problem.',
    byHand: 'To do by hand',
    changes: 'What will change:',
    becauseFirst: 'Why',
    doThis: 'Do this',
  },
  quit: {
    question: 'Save and quit?',
    details: ['Everything you entered is saved. What runs on the site goes on.', 'Start again with:'],
  },
  unsaved: {
    notice: (why: string) =>
      `Not saved: ${why}. Your answers are kept while this runs, and each new answer tries to save them all.`,
    question: 'Quit without saving?',
    details: (why: string) => [
      `Your last answers could not be saved: ${why}`,
      'Put that right in another terminal (free space on the disk, mount it again), then press s to save and quit. If you quit now, what you entered since the last save is lost.',
    ],
    yes: 'quit and lose them',
    no: 'stay',
  },
  help: { none: 'There is no more help for this page.' },
  age: (ms: number) => {
    const seconds = Math.max(0, Math.floor(ms / 1000));
    // Seconds that tick cost a frame each over a slow line: whole minutes after the first two.
    if (seconds < 120) return `${Math.floor(seconds / 10) * 10} s`;
    const minutes = Math.floor(seconds / 60);
    return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  },
  /** The same for a column of eight cells. */
  ageShort: (ms: number) => {
    const hours = Math.floor(ms / 3_600_000);
    if (hours < 2) return screens.age(ms);
    return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
  },
  ...designWords,
  ...filesWords,
  ...keysWords,
  ...liveWords,
};
