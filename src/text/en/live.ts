import type { Trouble } from '../trouble.ts';

/** Words of the commands that look at a running cluster and act on it: `status`, `csr`, `infra`. */
export const live = {
  trouble: (title: string, cause: string, whatToDo: string) => `${title}: ${cause}\n${whatToDo}\n`,
  target: {
    both: 'Give either --dir, or --design and --kubeconfig.',
    half: '--design and --kubeconfig belong together.',
    noSession: (dir: string) =>
      `There is no session in ${dir}: name the install directory with --dir, or give --design and --kubeconfig`,
    unreadable: (file: string, why: string) => `Cannot read ${file}: ${why}`,
    kubeconfig: (cause: string, whatToDo: string) =>
      `The kubeconfig cannot be used: ${cause.replace(/\.?$/, '.')} ${whatToDo}`,
    designErrors: (where: string) => `The design in ${where} has errors:`,
    problem: (path: string, message: string, fix: string) => `  ${path || 'file'}: ${message}. ${fix}`,
    otherDesign: (dir: string) =>
      `The files in ${dir} were made from another design than the one that is saved now: what follows is judged by the saved one.`,
    siteGone: {
      title: 'The simulated site does not run',
      cause: (dir: string) => `no process answers in ${dir}`,
      whatToDo: (command: string) => `Start it again with: ${command}`,
    },
  },
  stopping: 'Stopping after what is under way. Press Ctrl-C again to leave at once; nothing that was done is lost.',
  unexpectedArgument: (text: string) => `There is no argument "${text}" here.`,
  status: {
    stages: {
      generate: 'generate the files',
      hosts: 'put the files on the hosts',
      prepare: 'prepare the ignition files',
      boot: 'boot the first machines',
      bootstrap: 'bootstrap',
      'bootstrap-removal': 'remove the bootstrap',
      certificates: 'nodes and certificates',
      operators: 'operators',
      infra: 'infra moves',
      report: 'all done',
    },
    unknown: 'unknown',
    api: (state: string, detail: string) => `API          ${state}${detail ? `  ${detail}` : ''}`,
    apiStates: { up: 'up', away: 'away' },
    version: (version: string, state: string, message: string) =>
      `Version      ${version || '?'}  ${state}${message ? `  ${message}` : ''}`,
    noVersion: 'Version      not known yet',
    versionStates: {
      failing: 'failing',
      progressing: 'progressing',
      available: 'available',
      starting: 'not available',
    },
    percent: (done: number, total: number) => `${Math.floor((done / total) * 100)} % (${done} of ${total})`,
    stage: (text: string) => `Stage        ${text}`,
    operators: (fine: number, all: number) => `Operators    ${fine} of ${all} are fine`,
    noOperators: 'Operators    none yet',
    operatorsUnknown: 'Operators    not known',
    operatorStates: { degraded: 'degraded', unavailable: 'unavailable', progressing: 'progressing' },
    /** `isNormal`: it passes, and does not last longer than it usually does. */
    waits: ({ waitsFor, isNormal }: { readonly waitsFor: string; readonly isNormal: boolean }) =>
      `${isNormal ? 'waits for' : 'STUCK, waits for'} ${waitsFor}`,
    says: (isNormal: boolean, message: string) => (isNormal ? message : `STUCK: ${message}`),
    watching: (time: string) => `${time}   q ends`,
    nodes: (ready: number, all: number, roles: string) => `Nodes        ${ready} of ${all} are ready: ${roles}`,
    nodesUnknown: (all: number) => `Nodes        not known; ${all} in the design`,
    notReady: (names: string) => `  not ready or not there: ${names}`,
    foreign: (names: string) => `  not in the design: ${names}`,
    requests: (expected: number, refused: number, pending: number) =>
      `Requests     ${pending} pending: ${expected} expected, ${refused} refused`,
    requestsUnknown: 'Requests     not known',
    more: (count: number) => `  … and ${count} more`,
  },
  csr: {
    noAction: 'Say list or approve.',
    unknownAction: (text: string) => `There is no "csr ${text}".`,
    nothingAsked: 'Name the requests to approve, or give --expected or --follow.',
    columns: { name: 'NAME', node: 'NODE', kind: 'KIND', verdict: 'VERDICT', age: 'AGE', reasons: 'REASONS' },
    none: 'There are no requests.',
    noneExpected: 'No request is expected now: nothing was approved.',
    reasonLine: (code: string, text: string) => `  ${code}: ${text}`,
    outcomes: { approved: 'approved', issued: 'issued', failed: 'failed', skipped: 'skipped' },
    result: (name: string, node: string, outcome: string, detail: string) => `${name}  ${node}  ${outcome}: ${detail}`,
    noRequest: 'There is no request of this name.',
    typeNode: (name: string, node: string, why: string) =>
      `${name} asks for ${node}, and the design cannot decide it: ${why}\nType the name of the node to approve it all the same: `,
    notConfirmed: (node: string, why: string) => `Not approved, because nobody confirmed it with --yes ${node}. ${why}`,
    progress: (joined: number, all: number, missing: string) =>
      joined === all
        ? `All ${all} nodes have joined.`
        : `${joined} of ${all} nodes have joined; waiting for ${missing}`,
    others: (count: number) => `, and ${count} more`,
    stoppedFollowing: (progress: string) =>
      `Told to stop; what was not approved is left as it is.${progress === '' ? '' : ` ${progress}`}`,
  },
  /** While requests are followed, in the foreground and in the background. */
  following: {
    answersAgain: 'The API answers again: it goes on.',
  },
  /** Following requests in the background. */
  follower: {
    oneOf: 'Give one of --forever, --background and --stop.',
    noNames:
      'With --forever, --background and --stop only what is expected is approved: give no names, no --yes and no --json.',
    needsDirectory: 'A job in the background belongs to an install directory: name it with --dir.',
    started: (log: string, toEnd: string) =>
      `What is expected is approved in the background from now on, by the design as it is saved at that time.\nIts log: ${log}\nTo end it: ${toEnd}`,
    runsAlready: (log: string, toEnd: string) =>
      `That runs in the background already.\nIts log: ${log}\nTo end it: ${toEnd}`,
    stopped: 'Nothing is approved in the background any more.',
    notRunning: 'Nothing runs in the background here.',
    begins: 'following: what the design expects is approved as it appears',
    ends: 'told to stop',
    wellAgain: 'it goes on',
    hopeless: ({ title, cause, whatToDo }: Trouble) =>
      `ended, because no waiting helps: ${title}: ${cause} ${whatToDo}`,
    noBoot: (name: string, node: string, why: string) => `${name}  ${node}  no boot seen: ${why}`,
    noBootSign:
      'its machine asked the boot server for nothing and has no lease that we know of. If you did not start it, look who did.',
    noBootLog: 'what the boot server and the DHCP server saw is known with --dir only.',
    refused: (name: string, node: string, codes: string, why: string) => `${name}  ${node}  refused: ${codes}: ${why}`,
  },
  infra: {
    noAction: 'Say plan, apply, verify or undo.',
    unknownAction: (text: string) => `There is no "infra ${text}".`,
    unknownMove: (name: string, known: string) => `There is no move "${name}". Known: ${known}`,
    noMoves: '--only wants the names of moves, separated by commas.',
    needsYes: (action: string) =>
      `"infra ${action}" asks before it changes the cluster, and there is no terminal to ask on: give --yes.`,
    columns: { move: 'MOVE', state: 'STATE', why: 'WHY' },
    states: {
      done: 'done',
      needed: 'to do',
      moving: 'under way',
      blocked: 'blocked',
      absent: 'not needed',
      failed: 'failed',
    },
    noDirectory: 'The load balancer’s files belong to an install directory: name it with --dir to make this change.',
    bootstrapFirst: 'The bootstrap is still in the load balancer: take it out first.',
    unwanted: 'The design does not ask for it.',
    added: (object: string) => `+++ ${object}`,
    changed: (object: string) => `~~~ ${object}`,
    removed: (object: string) => `--- ${object}`,
    confirmMove: (move: string) => `Apply ${move}? [y/N, a for all that follow] `,
    confirmUndo: (moves: string) => `Take back, in this order: ${moves}? [y/N] `,
    declined: 'Nothing more was changed.',
    stopped: (move: string, why: string) => `Stopped at ${move}: ${why}`,
    kept: (move: string, why: string) => `${move} stays in place: ${why}`,
    notUndone: (moves: string) => `Still in place: ${moves}`,
  },
};
