import { SHORTCUTS } from '../../shortcuts.ts';
import { steps } from '../steps/index.ts';
import { formatMinutes, plural } from '../ui.ts';
import { filesWords } from './files.ts';
import { installScreenWords } from './install-screens.ts';
import { welcome } from './welcome.ts';

/** Texts of the design pages. */
const designWords = {
  design: {
    roleTotal: (count: number, role: string, vcpu: number, memory: number) =>
      `${count} ${role}: ${vcpu} vCPU, ${memory} GiB`,
    all: 'in all',
    size: (vcpu: string, memory: string) => `${vcpu} vCPU ${memory} GiB`,
  },
  nodes: {
    empty: `No nodes yet: press ${SHORTCUTS.add} to add one, or paste a table.`,
    deleted: (name: string) => `${name === '' ? 'The node' : name} is deleted. ${SHORTCUTS.undo} brings it back.`,
    sorted: {
      role: `Sorted by role. ${SHORTCUTS.sort} sorts by name.`,
      name: `Sorted by name. ${SHORTCUTS.sort} sorts by address.`,
      ip: `Sorted by address. ${SHORTCUTS.sort} sorts by role.`,
    },
    filled: (count: number, unfilledCount: number) =>
      unfilledCount === 0
        ? `${plural(count, 'node')} filled. Undo (${SHORTCUTS.undo}) reverts it.`
        : `${plural(count, 'node')} filled; ${unfilledCount} not, because no free address or number is left. Undo (${SHORTCUTS.undo}) reverts it.`,
    fill: {
      title: (name: string, role: string) => `Fill down from ${name} into the ${role} nodes below it`,
      titleAcross: (name: string) => `Fill down from ${name} into all nodes below it`,
      otherRoles: 'other roles too',
      sameRole: 'same role only',
      explanation:
        'Each node gets its own value: names, addresses and MACs count up, sizes are copied. Addresses in use are skipped.',
      labels: { name: 'Names', ip: 'Addresses', mac: 'MAC addresses', sizes: 'Sizes and install disk' },
      range: (firstValue: string, lastValue: string) =>
        firstValue === lastValue ? firstValue : `${firstValue} to ${lastValue}`,
      copied: (vcpu: string, memory: string, disk: string) => `${vcpu} vCPU, ${memory} GiB, disk ${disk} GiB`,
      nothing: 'no number to count up from',
      noTargets: 'There is no node below with the same role; the Right key includes other roles.',
      noneBelow: 'There is no node below this one.',
    },
    needFix: (count: number, place: string, problem: string) =>
      `Fix ${count === 1 ? 'one problem' : `${count} problems`} in the node table first. ${place}: ${problem}`,
  },
};

/** Labels of the keys in the footer. */
const keysWords = {
  keys: {
    answer: 'answer',
    next: 'next',
    choose: 'choose',
    machine: 'this machine',
    back: 'back',
    help: 'help',
    quit: 'save and quit',
    quitShort: 'quit',
    abandon: 'quit unsaved',
    field: 'field',
    keepDefault: 'edit',
    acceptPage: 'accept page',
    toReviewNow: 'to Review',
    change: 'change',
    row: 'row',
    edit: 'edit',
    add: 'add',
    duplicate: 'duplicate',
    makeKey: 'create SSH key',
    remove: 'delete',
    fillDown: 'fill down',
    sort: 'sort',
    undoLast: 'undo change',
    revert: 'undo field',
    redo: 'redo change',
    unlock: 'edit (read-only)',
    backTo: (step: string) => `back to ${step}`,
    clear: 'clear',
    import: 'import',
    paste: 'paste lines',
    take: 'use it',
    read: 'read it',
    lineDone: 'new line',
    linesDone: 'finish',
    page: 'page',
    more: 'more questions',
    fewer: 'fewer questions',
    problem: 'problem',
    toProblem: 'to this answer',
    toReview: 'back to review',
    continueTo: (step: string) => `on to ${step}`,
    design: 'the design',
    addNodes: 'nodes',
    again: 'check again',
    diagnose: 'what is wrong?',
    diagnoseShort: 'why?',
    copyCommands: 'copy commands',
    copyCell: 'copy',
    writeCommands: 'write commands.sh',
    showChanges: 'show its changes',
    hideChanges: 'hide its changes',
    closeChanges: 'hide changes',
    readOn: 'read on',
    readBack: 'read back',
    apply: 'go',
    retry: 'try again',
    stop: 'stop',
    yes: 'yes',
    no: 'no',
    close: 'close',
    continue: 'continue',
    log: 'log',
    wholeLog: 'log only',
    stages: 'stages',
    logEnds: 'start and end of the log',
    search: 'search',
    filter: 'filter',
    filterDone: 'done',
    showAll: 'show all',
    searchNow: 'search',
    endSearch: 'end search',
    nextFound: 'next match',
    previousFound: 'previous match',
    hide: 'hide',
    reveal: 'show it',
    events: 'events',
    authority: 'save console CA',
    password: 'password',
    details: 'details',
    approveOne: 'approve this one',
    approveOneShort: 'approve',
    approveExpected: 'approve all expected',
    approveExpectedShort: 'all expected',
    follow: 'approve in the background',
    followShort: 'background',
    followStop: 'stop approving',
    markReinstalled: 'reinstalled',
    unmarkReinstalled: 'not reinstalled',
    replaceMember: 'replace',
    keepMember: 'do not replace',
    denyIgnition: 'stop serving ignition',
    denyIgnitionShort: 'stop ignition',
    allowIgnition: 'serve ignition again',
    allowIgnitionShort: 'serve again',
    testNetworkFirst: 'only test the network',
    endNetworkTest: 'let machines install',
    undo: 'undo this move',
    undoShort: 'undo',
    toNode: (name: string) => `correct ${name}`,
    toAnswer: 'correct it',
    continueAnyway: 'continue anyway',
    continueShort: 'skip',
    override: 'override',
    done: 'finish',
    stay: 'stay',
    installForReal: 'install for real',
    installShort: 'install',
    begin: 'begin',
    ends: 'first and last',
    lines: (count: number) => `${count} lines`,
    goTo: 'go to',
    list: 'sidebar',
    go: 'go',
    faster: 'faster',
    slower: 'slower',
    /** Label of the two keys `faster` and `slower` together, in a footer. */
    speed: 'speed',
    pause: 'pause',
    unpause: 'resume',
    /** @param finding the number of the finding that it repairs; missing: the first one */
    simulateRepair: (finding?: number) => `simulate the repair${finding === undefined ? '' : ` of ${finding}`}`,
    redraw: 'redraw',
  },
};

/** Texts of the screens: names of pages, labels of keys, headings, questions. */
export const screens = {
  breadcrumbs: { welcome: 'Welcome', design: (page: string) => `Design > ${page}`, step: (step: string) => step },
  /** Headings of the steps in the sidebar. */
  groups: { design: 'Design', build: 'Build', install: 'Install', finish: 'Finish' },
  sidebar: {
    welcome: 'Welcome',
    cluster: 'Cluster',
    networks: 'Networks',
    nodes: 'Nodes',
    services: 'Services',
    credentials: 'Credentials',
    review: 'Review',
    ...steps.titles,
  },
  welcome,
  changes: {
    /** Heading of a diff that shows only how a new object differs from the one that it was copied from. */
    copied: (name: string, source: string) => `${name}; a copy of ${source}, except for`,
  },
  step: {
    probing: 'checking',
    rechecking: 'checking again',
    applying: 'working',
    ready: 'Press Enter to continue.',
    pressEnterDone: 'Done. Enter opens the next step.',
    pressEnterUnrepaired: 'Repair that first. Enter opens the next step anyway.',
    pressEnterDespiteWarning: 'There is a warning: correct its cause first, or open the next step anyway with Enter.',
    pressEnterEnd: `Your cluster is ready. Enter leaves the wizard; you can start it again at any time. Nodes are added on the Nodes page (${SHORTCUTS.add}).`,
    pressEnterRehearsed: `The rehearsal is complete. Press ${SHORTCUTS.installForReal} to install for real with this design, in a new install directory. Enter leaves.`,
    pressEnterCloud: 'The rehearsal is complete. Enter leaves.',
    waiting: 'Waiting; nothing to do here.',
    errorLine: (title: string, cause: string, remedy: string) => `${title}: ${cause} ${remedy}`,
    /** @param command set if there is only one command */
    copied: (count: number, command: string | null) =>
      command === null
        ? `${plural(count, 'command')} sent to the clipboard of your terminal, if it supports that (OSC 52; tmux: set-clipboard on).`
        : `Sent to the clipboard of your terminal, if it supports that (OSC 52; tmux: set-clipboard on): \`${command}\``,
    copiedCell: (text: string) => `${text}: sent to the clipboard of your terminal, if it supports that (OSC 52).`,
    moreNotes: 'There is more: Ctrl-G shows all of it.',
    blocked: 'Correct this first.',
    failed: 'This did not work.',
    /** Names the step, because rows and states of the page have durations of their own. */
    elapsed: (text: string, step: string) => `${text} since ${step} began`,
    usualDuration: (text: string) => `Usually ${text}.`,
    /** @param speed factor by which the time of the simulated site runs faster than real time */
    simulatedTimes: (speed: number) =>
      `Times are simulated, ${speed} times as fast (${SHORTCUTS.faster} and ${SHORTCUTS.slower} change that).`,
    question: {
      apply: (title: string) => `${title}: make these changes?`,
      'apply-one': (subject: string) => `Approve ${subject}?`,
      'set-up': (subject: string) => `Set up ${subject}?`,
      undo: (subject: string) => `Undo ${subject}?`,
      override: (title: string) => `${title}: continue although these checks failed?`,
    },
    overridden: (title: string, cause: string) => (cause === '' ? `- ${title}` : `- ${title}: ${cause}`),
    overriddenMore: (count: number) =>
      `- and ${plural(count, 'more check', 'more checks')}; the page lists all of them`,
    howToOverride: `${SHORTCUTS.override} overrides this check, with a reason that you type; the report records it.`,
    overrideWhy:
      'Explain in one sentence why the installation works anyway. The report records it, with your name and the time.',
    reasonFirst: 'Type the reason first: one sentence, at least three words',
    reasonPrompt: 'Reason: ',
    typeFirst: (word: string) => `Type ${word} first`,
    nodePrompt: 'Node: ',
    wordPrompt: (word: string) => `Type ${word}: `,
    answerJob:
      'Enter shows the changes and the question. Yes applies the changes; no ends the job, and the changes made so far stay.',
    notUndone: 'Nothing is undone on this page.',
    nothingFailed: 'The checks of this page found nothing wrong, and nothing runs here that could be diagnosed.',
    notDiagnosed: 'Nothing runs here that could be diagnosed: this page itself shows what is wrong.',
    yesOrNo: 'Answer this question with y or n: nothing happens before that.',
    hiddenSecret: 'hidden. Enter shows it: check first who else can see this screen.',
    typedAhead: 'Keys pressed before this question appeared do not count. Read it, then answer y or n.',
    continues: 'The job continues when you leave (Ctrl-S).',
    stops: {
      secondPress: 'Press Esc again to stop after this change. Changes made so far stay.',
      requested: 'Stopping. Changes made so far stay. Press Esc again to go back.',
      stopped: 'Stopped. Changes made so far stay.',
      ended: 'It ended before you stopped it. Press Esc again to go back.',
      stoppedWatching:
        'You stopped it: changes made so far stay, and nothing more is changed. This page still watches.',
    },
    pressAgainToSkip: `Not finished yet. Press ${SHORTCUTS.nextScreen} again to continue anyway; Esc leads back here.`,
    outdatedSteps: (steps: string) => `The design has changed since these steps were done. Check them again: ${steps}.`,
    lastValidDesign: (count: number) =>
      `The design has ${plural(count, 'error')} (${SHORTCUTS.view} shows ${count === 1 ? 'it' : 'them'}). Everything here uses the last valid answers.`,
    /** Answers Enter while something blocks the step. @param command the first one to run; empty: none */
    blockedEnter: (remedy: string, command: string) =>
      `${remedy} ${command === '' ? '' : `First: ${command} `}Then ${SHORTCUTS.recheck} checks again.`,
    stillWaiting: 'Not finished yet. The wizard continues on its own when it is.',
    stillRunning: 'Still working. Esc stops it.',
    /** Shown if the MAC address field is filled with the address that was observed on the network. */
    offersMac: (finding: string) => `${finding}. The observed address is filled in: Enter accepts it, Esc undoes it.`,
    stillLooking: 'Still checking: one moment.',
    allDone: 'All done: press Enter again to leave.',
    needsDesign: 'The design has errors',
    noDesign: 'every step needs a design without errors',
    needsDesignFix: 'Go back (Esc) to the review page: Enter opens the first problem.',
    byHand: 'To do by hand',
    changes: 'What will change:',
    /** Above the folded parts of a plan, one line each. */
    partsTitle: 'One line each; Enter shows what the selected one changes:',
    /** Above the parts of a plan, if their changes stand beside them. */
    partsBesideTitle: 'On the right: what the selected one changes',
    limitsTitle: 'Limits of undo:',
    causeLabel: 'Why',
    remedyLabel: 'Do this',
    evidenceLabel: 'To see it',
    copyLabel: `${SHORTCUTS.copy} copies`,
  },
  quit: {
    question: 'Save and quit?',
    details: [
      'Everything you entered is saved. Background jobs keep running without a terminal, as after Ctrl-S.',
      'Continue from any terminal with:',
    ],
  },
  unsaved: {
    notice: (reason: string) =>
      `Not saved: ${reason}. Your answers are still in memory, and the wizard tries to save all of them after each new answer.`,
    question: 'Quit without saving?',
    details: (reason: string) => [
      `Your last answers could not be saved: ${reason}`,
      'Fix that in another terminal (free space on the disk, or mount it again), then press Ctrl-S to save and quit. If you quit now, what you entered since the last save is lost.',
    ],
    yesLabel: 'quit and lose them',
    noLabel: 'stay',
  },
  palette: {
    prompt: 'Go to: ',
    step: 'step',
    page: 'page',
    question: (page: string) => `question on ${page}`,
    node: (role: string, page: string) => `${role} node on ${page}`,
    move: (page: string) => `move on ${page}`,
    command: (key: string) => `key ${key} of this page`,
    notReached: (step: string) => `not yet: ${step} comes first`,
    after: (step: string) => `after ${step}`,
    acceptRest: 'accepts all answers up to it',
    none: (text: string) => `Nothing here has "${text}" in its name.`,
  },
  /** Phases in the title of the window; empty if the user need not know. */
  windowPhases: {
    unknown: '',
    probing: '',
    ready: 'waiting for Enter',
    asking: 'has a question',
    applying: 'working',
    watching: 'waiting',
    done: 'done',
    failed: 'FAILED',
  },
  windowTitle: (parts: Readonly<Record<'program' | 'mark' | 'cluster' | 'screen' | 'phase', string>>) => {
    const { program, mark, cluster, screen, phase } = parts;
    const what = `${[mark, cluster, screen].filter((part) => part !== '').join(' ')}${phase === '' ? '' : `: ${phase}`}`;
    return `${what} - ${program}`;
  },
  help: { none: 'There is no more help for this page.' },
  age: (ms: number) => {
    const seconds = Math.max(0, Math.floor(ms / 1000));
    // Each changed text costs a frame over a slow connection: steps of 10 s, then whole minutes.
    if (seconds < 60) return `${Math.floor(seconds / 10) * 10} s`;
    return formatMinutes(Math.floor(seconds / 60));
  },
  /** The age in at most six cells, for a column of a table. */
  ageShort: (ms: number) => {
    const hours = Math.floor(ms / 3_600_000);
    if (hours < 1) return screens.age(ms);
    return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
  },
  ...designWords,
  ...filesWords,
  ...keysWords,
  ...installScreenWords,
};
