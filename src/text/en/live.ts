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
      `The saved design is not the one that the files in ${dir} were made from: what follows uses the saved one.`,
    siteGone: {
      title: 'The simulated site does not run',
      cause: (dir: string) => `no process answers in ${dir}`,
      whatToDo: (command: string) => `Start it again with: ${command}`,
    },
  },
  stopping: 'Stopping after the current action. Press Ctrl-C again to leave at once; nothing is lost.',
  unexpectedArgument: (text: string) => `Unexpected argument "${text}".`,
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
    notReady: (names: string) => `  not Ready or missing: ${names}`,
    foreign: (names: string) => `  not in the design: ${names}`,
    requests: (expected: number, refused: number, pending: number) =>
      `Requests     ${pending} pending: ${expected} expected, ${refused} refused`,
    requestsUnknown: 'Requests     not known',
    more: (count: number) => `  … and ${count} more`,
  },
  csr: {
    noAction: 'Give an action: list or approve.',
    unknownAction: (text: string) => `There is no "csr ${text}".`,
    nothingAsked: 'Name the requests to approve, or give --expected or --follow.',
    columns: { name: 'NAME', node: 'NODE', kind: 'KIND', verdict: 'VERDICT', age: 'AGE', reasons: 'REASONS' },
    none: 'There are no requests.',
    noneExpected: 'No request is expected now: nothing was approved.',
    reasonLine: (code: string, text: string) => `  ${code}: ${text}`,
    outcomes: { approved: 'approved', issued: 'issued', failed: 'failed', skipped: 'skipped' },
    result: (name: string, node: string, outcome: string, detail: string) => `${name}  ${node}  ${outcome}: ${detail}`,
    noRequest: 'No request has this name.',
    typeNode: (name: string, node: string, why: string) =>
      `${name} asks for ${node}, and the design cannot decide it: ${why}\nType the name of the node to approve it anyway: `,
    notConfirmed: (node: string, why: string) => `Not approved, because nobody confirmed it with --yes ${node}. ${why}`,
    progress: (joined: number, all: number, missing: string) =>
      joined === all
        ? `All ${all} nodes have joined.`
        : `${joined} of ${all} nodes have joined; waiting for ${missing}`,
    others: (count: number) => `, and ${count} more`,
    stoppedFollowing: (progress: string) =>
      `Stopped; requests that were not approved stay pending.${progress === '' ? '' : ` ${progress}`}`,
  },
  /** While requests are followed, in the foreground and in the background. */
  following: {
    answersAgain: 'The API answers again.',
  },
  /** Following requests in the background. */
  follower: {
    oneOf: 'Give one of --forever, --background and --stop.',
    noNames:
      'With --forever, --background and --stop give no names, no --yes and no --json: only expected requests count.',
    needsDirectory: 'A background job belongs to an install directory: name it with --dir.',
    started: (log: string, toEnd: string) =>
      `A background job now approves expected requests, each by the design that is saved then.\nIts log: ${log}\nTo end it: ${toEnd}`,
    runsAlready: (log: string, toEnd: string) =>
      `The background job already runs.\nIts log: ${log}\nTo end it: ${toEnd}`,
    stopped: 'The background job has stopped.',
    notRunning: 'No background job runs here.',
    begins: 'started: approves requests that the design expects',
    ends: 'stopped',
    wellAgain: 'resumed',
    hopeless: ({ title, cause, whatToDo }: Trouble) =>
      `ended, because waiting does not help: ${title}: ${cause} ${whatToDo}`,
    noBoot: (name: string, node: string, why: string) => `${name}  ${node}  no boot seen: ${why}`,
    noBootSign:
      'its machine requested nothing from the boot server and has no known lease. If you did not start it, find out who did.',
    noBootLog: 'only with --dir do we know what the boot server and the DHCP server saw.',
    refused: (name: string, node: string, codes: string, why: string) => `${name}  ${node}  refused: ${codes}: ${why}`,
  },
  infra: {
    noAction: 'Give an action: plan, apply, verify or undo.',
    unknownAction: (text: string) => `There is no "infra ${text}".`,
    unknownMove: (name: string, known: string) => `There is no move "${name}". Known: ${known}`,
    noMoves: '--only takes the names of moves, separated by commas.',
    needsYes: (action: string) =>
      `"infra ${action}" asks before it changes the cluster, and there is no terminal to ask on: give --yes.`,
    columns: { move: 'MOVE', state: 'STATE', why: 'WHY' },
    noDirectory: 'The load balancer’s files belong to an install directory: name it with --dir to make this change.',
    bootstrapFirst: 'The bootstrap is still in the load balancer: remove it first.',
    unwanted: 'The design does not ask for it.',
    added: (object: string) => `+++ ${object}`,
    changed: (object: string) => `~~~ ${object}`,
    removed: (object: string) => `--- ${object}`,
    confirmMove: (move: string) => `Apply ${move}? [y/N, a for all that follow] `,
    confirmUndo: (moves: string) => `Undo, in this order: ${moves}? [y/N] `,
    declined: 'Nothing more was changed.',
    stopped: (move: string, why: string) => `Stopped at ${move}: ${why}`,
    kept: (move: string, why: string) => `${move} stays in place: ${why}`,
    notUndone: (moves: string) => `Still in place: ${moves}`,
  },
};
