import type { SimulatedRepair } from '../../platform/manual-actions.ts';
import { SHORTCUTS } from '../shortcuts.ts';
import { joinNames, plural } from './ui.ts';

const formatWait = (ms: number) => {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

/** Returns the action of the rehearsal, after its subject. */
const simulate = (isReboot: boolean) =>
  isReboot ? 'reboots the machines that have not joined' : 'simulates the repair';

/** Messages of the commands that inspect and change a running cluster: `status`, `csr`, `infra`. */
export const clusterCommands = {
  userError: (title: string, cause: string, remedy: string) => `${title}: ${cause}\n${remedy}\n`,
  target: {
    conflictingTargets: 'Use either --dir, or --design and --kubeconfig.',
    incompleteTarget: '--design and --kubeconfig must be used together.',
    noSession: (dir: string, exists: boolean) =>
      `${exists ? `There is no session in ${dir}` : `${dir} does not exist`}: specify the install directory with --dir, or use --design and --kubeconfig`,
    kubeconfig: (cause: string, remedy: string) =>
      `The kubeconfig cannot be used: ${cause.replace(/\.?$/, '.')} ${remedy}`,
    /** Names the cluster of the install directory used last, which is the target if no option specifies one. */
    lastUsed: (cluster: string, dir: string, isRehearsal: boolean) =>
      `Cluster ${cluster}${isRehearsal ? ' (rehearsal)' : ''}, install directory ${dir}`,
    lastGood: (dir: string) => `The answers in ${dir} have errors: this command uses the last design without errors.`,
    problem: (path: string, message: string, fix: string) => `  ${path || 'file'}: ${message}. ${fix}`,
    otherDesign: (dir: string) =>
      `The saved design is not the one that the files in ${dir} were generated from: this command uses the saved design.`,
    rehearsal: 'REHEARSAL: a simulated site, no real machine',
    clockPaused:
      'The simulated clock is paused: nothing changes at the simulated site until the wizard of this rehearsal goes on.',
    undecided: {
      title: 'The design is not finished yet',
      cause: (dir: string) => `the session in ${dir} has not passed the Review page yet.`,
      remedy: (command: string) => `Nothing was checked or changed. Finish the design first: ${command}`,
    },
    siteGone: {
      title: 'The simulated site is not running',
      cause: (dir: string) => `its process in ${dir} does not answer.`,
      remedy: (command: string) => `Start it again with: \`${command}\``,
    },
  },
  /** Replaces an error of the API while no machine of the cluster has booted. */
  notInstalled: {
    title: 'The cluster is not installed yet',
    cause: (step: string) => `the next step is ${step}.`,
    causeBeforePrepare: (step: string, prepareStep: string) =>
      `the next step is ${step}, and ${prepareStep} creates the kubeconfig.`,
    remedy: (command: string) => `Continue in the wizard: \`${command}\``,
  },
  stopping: 'Stopping after the current action. Press Ctrl-C again to leave at once; nothing is lost.',
  status: {
    stages: {
      generate: 'generate the files',
      hosts: 'put the files on the hosts',
      prepare: 'prepare the ignition files',
      boot: 'boot the first machines',
      bootstrap: 'bootstrap',
      'bootstrap-removal': 'remove the bootstrap node',
      certificates: 'nodes and certificates',
      operators: 'operators',
      infra: 'infra moves',
      report: 'all done',
    },
    unknown: 'unknown',
    api: (state: string, detail: string) => `API          ${state}${detail ? `  ${detail}` : ''}`,
    apiStates: { up: 'up', away: 'down' },
    noApi: 'API          none yet',
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
    operators: (healthy: number, all: number) => `Operators    ${healthy} of ${all} are healthy`,
    noOperators: 'Operators    none yet',
    operatorsUnknown: 'Operators    not known',
    operatorStates: { degraded: 'degraded', unavailable: 'not available', progressing: 'progressing' },
    /** @param isNormal whether the operator waits for something temporary, and not longer than usual */
    waitReason: ({ waitsFor, isNormal }: { readonly waitsFor: string; readonly isNormal: boolean }) =>
      `${isNormal ? 'waits for' : 'STUCK, waits for'} ${waitsFor}`,
    operatorMessage: (isNormal: boolean, message: string) => (isNormal ? message : `STUCK: ${message}`),
    watchFooter: (time: string) => `${time}   ${SHORTCUTS.close} quits`,
    nodes: (ready: number, all: number, roles: string) => `Nodes        ${ready} of ${all} are Ready: ${roles}`,
    nodesUnknown: (all: number) => `Nodes        not known; ${all} in the design`,
    notReady: (names: string) => `  not Ready or missing: ${names}`,
    nodeProblems: (names: string) => `  Ready, with problems: ${names}`,
    unplanned: (names: string) => `  not in the design: ${names}`,
    requests: (expected: number, refusedCount: number) =>
      `Requests     ${expected + refusedCount} pending: ${expected} expected, ${refusedCount} refused`,
    requestsUnknown: 'Requests     not known',
    infraJob: (text: string) => `Infra moves  ${text}`,
    infraJobStates: {
      running: (isUndo: boolean, move: string) => `a job is ${isUndo ? 'undoing' : 'applying'} ${move}:`,
      asking: (_isUndo: boolean, move: string) => `the job stopped at ${move} and is waiting for your answer:`,
      failed: (isUndo: boolean, move: string) => `the job that ${isUndo ? 'undid' : 'applied'} ${move} failed:`,
      died: (isUndo: boolean, move: string) =>
        `the job that ${isUndo ? 'undid' : 'applied'} ${move} ended without a result:`,
    },
    /** How the last job ended without an error. The command that lists the moves with their states follows. */
    infraJobEnds: {
      done: (isUndo: boolean) => `the last job ${isUndo ? 'undid' : 'applied'} all its moves; their states:`,
      declined: () => 'the last job ended, because you answered no; the moves:',
      cancelled: () => 'the last job was stopped; the moves:',
    },
    more: (count: number) => `  … and ${count} more`,
  },
  csr: {
    noSelection: 'Specify the requests to approve, or use --expected or --follow.',
    columns: { name: 'NAME', node: 'NODE', kind: 'KIND', verdict: 'VERDICT', age: 'AGE', reasons: 'REASONS' },
    none: 'There are no requests.',
    noneExpected: 'No request is expected now: nothing was approved.',
    reasonLine: (code: string, text: string) => `  ${code}: ${text}`,
    outcomes: { approved: 'approved', issued: 'issued', denied: 'denied', failed: 'failed', skipped: 'skipped' },
    result: (name: string, node: string, outcome: string, detail: string) => `${name}  ${node}  ${outcome}: ${detail}`,
    noRequest: 'No request has this name.',
    noPattern: (pattern: string) =>
      `"${pattern}" is a pattern: csr deny takes the full name of each request, as "upi-wizard csr list" shows it.`,
    denialNeedsYes: '"csr deny" needs a confirmation, and there is no terminal: use --yes.',
    denialTarget: (name: string, node: string, kind: string, verdict: string) =>
      `${name}  ${node}  ${kind}  ${verdict}`,
    denialMeaning:
      'A denial is final: the request cannot be approved afterwards. It does not block the sender: a node sends a new request, with a new key, and so can an intruder.',
    confirmDenial: (count: number) => `Deny ${count === 1 ? 'this request' : `these ${count} requests`}? [y/N] `,
    denialDeclined: 'Not denied: it was not confirmed.',
    typeNode: (name: string, node: string, reason: string) =>
      `${name} requests a certificate for ${node}, but the design does not confirm it: ${reason}\nType the name of the node to approve it anyway: `,
    notConfirmed: (node: string, reason: string) => `Not approved: it was not confirmed with --yes ${node}. ${reason}`,
    progress: (joined: number, all: number, missing: string) =>
      joined === all
        ? `${all === 1 ? 'The node has' : `All ${all} nodes have`} joined.`
        : `${joined} of ${plural(all, 'node')} ${joined === 1 ? 'has' : 'have'} joined; waiting for ${missing}`,
    others: (count: number) => `, and ${count} more`,
    stoppedFollowing: (progress: string) =>
      `Stopped; requests that were not approved stay pending.${progress === '' ? '' : ` ${progress}`}`,
  },
  /** `csr approve --follow`, in the foreground and in the background. */
  follow: {
    answersAgain: 'The API answers again.',
  },
  /** `csr approve` with `--background`, `--stop` or `--forever`; the last one runs in the foreground. */
  follower: {
    oneOf: 'Use only one of --forever, --background and --stop.',
    noNames:
      'With --forever, --background or --stop, leave out names, --yes and --json: only expected requests are approved.',
    needsDirectory: 'A background job belongs to an install directory: specify it with --dir.',
    started: (log: string, toEnd: string) =>
      `A background job now approves expected requests, each checked against the design that is saved when it arrives.\nIts log: ${log}\nTo end it: ${toEnd}`,
    runsAlready: (log: string, toEnd: string) =>
      `The background job is already running.\nIts log: ${log}\nTo end it: ${toEnd}`,
    stopped: 'The background job has stopped.',
    notRunning: 'No background job is running for this install directory.',
    logStart: 'started: approving requests that fit the design',
    logEnd: 'stopped',
    logResumed: 'resumed',
    logPaused: (errorText: string) => `approving nothing for now: ${errorText}`,
    logGaveUp: ({ title, cause, remedy }: Record<'title' | 'cause' | 'remedy', string>) =>
      `ended, because waiting does not help: ${title}: ${cause} ${remedy}`,
    noBoot: (name: string, node: string, reason: string) => `${name}  ${node}  no boot observed: ${reason}`,
    noBootSign:
      'its machine requested nothing from the boot server and has no known lease. If you did not start it, find out who did.',
    noBootLog: 'reading the records of the boot server and the DHCP server requires --dir.',
    refused: (name: string, node: string, codes: string, reason: string) =>
      `${name}  ${node}  refused: ${codes}: ${reason}`,
  },
  /** `infra --kubeconfig`: a cluster without a design. */
  infraWithoutDesign: {
    chosen: (platform: string, names: readonly string[], machines: number | null) =>
      [
        `No design: this is for a cluster on platform ${platform}.`,
        ...(names.length > 0 ? [`Infra nodes: ${names.join(', ')}.`] : []),
        ...(machines === null ? [] : [`Infra machines to create in the cloud: ${machines}.`]),
        'The registry keeps its storage; the load balancer is left alone.',
      ].join(' '),
    balancer:
      'On platform none, configure your load balancer to forward ports 80 and 443 to the infra nodes, too, before the router moves.',
    whichNodes: (likelyNodes: readonly string[], isCloud: boolean) =>
      [
        'No node has the label of infra nodes: specify the nodes with --infra-nodes A,B',
        ...(isCloud ? [', or let the cloud create some with --infra-machines N'] : []),
        likelyNodes.length > 0 ? `. By their names, these look like infra nodes: ${likelyNodes.join(',')}` : '.',
      ].join(''),
    askLikely: (names: readonly string[]) =>
      `No node has the label of infra nodes. By their names, these look like infra nodes: ${names.join(', ')}. Use these as infra nodes? [y/N] `,
    askMachines: (size: string) =>
      `How many infra machines should the cloud create${size === '' ? '' : ` (workers are ${size}; 3 is usual)`}? A number, or names of nodes, separated by commas: `,
    askNames: 'Which nodes should be infra nodes? Names, separated by commas: ',
    unknownNode: (name: string, nodes: readonly string[]) =>
      `No node, or more than one, matches "${name}". Nodes: ${nodes.join(', ')}`,
    arbiterNode: (name: string) =>
      `${name} is an arbiter: it runs etcd and has no capacity for other pods. Choose other nodes.`,
    badCount: (limit: number) => `--infra-machines must be a number from 1 to ${limit}.`,
    sizeNeedsMachines: '--machine-size and --health-check require --infra-machines.',
    badLimits: '--worker-machines must be the minimum and maximum number of workers, such as 3-12.',
    noMachineSets:
      'The cluster has no MachineSets, so no infra machines can be created: specify nodes with --infra-nodes.',
  },
  infra: {
    optionsOfDesign:
      '--infra-nodes, --infra-machines, --machine-size, --health-check, --worker-machines and --router-replicas are only for --kubeconfig without a design: a design sets them itself.',
    journalOfDirectory: 'An install directory has its own journal: --journal is for --kubeconfig.',
    needsYes: (action: string) =>
      `"infra ${action}" needs a confirmation before it changes the cluster, and there is no terminal: use --yes.`,
    fileOrOnly: 'A saved plan already lists its moves: leave --only out.',
    planSaved: (file: string, command: string) => `Saved: ${file}. To apply it, once: ${command}`,
    planEmpty: (file: string) => `No move can start now, so ${file} was not written:`,
    planNothing: (file: string) =>
      `The plan ${file} has no move to apply. Nothing was changed. Create a new plan when a move can start.`,
    planExists: (file: string) => `${file} exists already. Nothing was saved; specify another file with --out.`,
    planNotMarked: (file: string, reason: string) =>
      `${file} cannot be written: ${reason}. Copy the plan to a directory that you can write to.`,
    noPlanButMove: (file: string, move: string) =>
      `There is no plan ${file}. For the move ${move}, use "infra apply --only ${move}".`,
    noPlan: (file: string) => `${file} is not a plan that "infra plan --out" of this version has saved.`,
    planOutdated: (at: string) => `Nothing was changed: the cluster has changed since the plan was created, at ${at}:`,
    planUsed: (file: string, marker: string) =>
      `The plan ${file} was applied once already (see ${marker}). Create a new one.`,
    columns: { move: 'MOVE', state: 'STATE', why: 'WHY' },
    /** Heading of the commands of a move, listed in full below a table that may truncate them. */
    commandsHeading: (move: string) => `  ${move}:`,
    noDirectory: 'The load balancer’s files belong to an install directory: specify it with --dir to make this change.',
    bootstrapFirst: 'The bootstrap node is still in the load balancer: remove it first.',
    notRequested: 'The design does not select this move.',
    planHeading: (move: string, title: string) => `== ${move}: ${title}`,
    purpose: (reason: string) => `   why: ${reason}`,
    restarts: (text: string) => `   restarts: ${text}`,
    restartsNothing: '   restarts: nothing',
    outage: (text: string) => `   outage: ${text}`,
    warning: (text: string) => `   ! ${text}`,
    knownLater: (text: string) => `   known only later: ${text}`,
    preflight: {
      ok: (text: string) => `   ok: ${text}`,
      wrong: (text: string, remedy: string) => `   ! ${text}. ${remedy}`,
      unknown: (text: string) => `   not checked: ${text}`,
    },
    gitOps: (name: string) => `! ${name} manages this object and may revert the change`,
    managed: (name: string) => `  these fields are managed by ${name}`,
    gitOpsPrompt: (objects: string) => `GitOps manages ${objects} and may revert the change. Change it anyway? [y/N] `,
    gitOpsRefusal: (objects: string) =>
      `GitOps manages ${objects} and may revert the change: change it in its source, or use --override-gitops.`,
    stable: (minutes: number) => `All moves stayed in place and all operators stayed healthy for ${minutes} min.`,
    notStable: (reason: string) => `Not stable: ${reason}`,
    waiting: (move: string, ms: number, reason: string) => `${move}: waiting (${formatWait(ms)}): ${reason}`,
    added: (object: string) => `+++ ${object}`,
    copied: (object: string, source: string) => `+++ ${object}, a copy of ${source} with these differences:`,
    changed: (object: string) => `~~~ ${object}`,
    removed: (object: string) => `--- ${object}`,
    confirmMoves: (moves: string) => `Apply these moves, in this order: ${moves}? [y/N] `,
    confirmMove: (move: string) => `${move}: this differs from what was shown. Apply it? [y/N] `,
    confirmByTyping: (warning: string, word: string) => `${warning} Type ${word} to continue: `,
    /** @param text a move that the run does not start, and why */
    notStarted: (label: string, text: string) => `${label}: ${text}`,
    confirmOverwrite: (object: string) =>
      `${object} has changed since the move. Restore its previous settings anyway? [y/N] `,
    undo: {
      unset: 'not set',
      notRecorded: 'The previous settings were not recorded: this sets the operators’ defaults.',
      states: {
        same: 'already as before',
        restore: 'is restored',
        changed: 'changed by others since the move; stays unless you choose to overwrite it',
        overwritten: 'changed by others since the move; is restored anyway',
        deleted: 'deleted since the move; nothing to restore',
        recreated: 'deleted and recreated since the move; stays as it is',
        retained: 'was created by the move and stays, with its data',
      },
      deleted: 'was created by the move, and is deleted',
      field: {
        same: (path: string, before: string) => [`= ${path}:`, before],
        ours: (path: string, before: string, now: string) => [`~ ${path}:`, now, `-> ${before}`],
        changed: (path: string, before: string, now: string, ours: string) => [
          `! ${path}:`,
          `before ${before},`,
          `upi-wizard wrote ${ours},`,
          `now ${now}`,
        ],
      },
    },
    job: {
      oneOf: 'Use only one of --follow, --stop and --json.',
      none: 'No job is carrying out infra moves.',
      stopped: (command: string) => `The job was stopped. Its changes stay. To see what is left: ${command}`,
      ends: {
        done: 'ended: all its moves are done',
        declined: 'ended: you answered no',
        cancelled: 'ended: stopped',
        failed: 'ended: a move failed or is blocked',
      },
    },
    verified: (count: number) =>
      count === 0
        ? 'Verified: no move is needed.'
        : count === 1
          ? 'Verified: the move is done.'
          : `Verified: all ${plural(count, 'move')} are done.`,
    notVerified: (names: readonly string[]) => `Not done: ${names.join(', ')}.`,
    /** @param others the moves that the user named */
    undoneFirst: (names: readonly string[], others: readonly string[]) =>
      `${joinNames(names)} ${names.length === 1 ? 'depends' : 'depend'} on ${joinNames(others)} and ${names.length === 1 ? 'is in place: it is' : 'are in place: they are'} undone first.`,
    confirmUndo: (moves: string) => `Undo, in this order: ${moves}? [y/N] `,
    declined: 'Nothing more was changed.',
    stopped: (move: string, reason: string) => `Stopped at ${move}: ${reason}`,
    undoBlocked: (move: string, reason: string) => `${move} cannot be undone now: ${reason}`,
    nothingToUndo: 'Nothing to undo: none of these moves is in place.',
    notUndone: (moves: string) => `Still in place: ${moves}`,
    undoTogether: (command: string) => `To undo them with the moves that depend on them: ${command}`,
  },
};

/** Messages of `upi-wizard diagnose`, and of the page that shows the same findings. */
export const diagnose = {
  title: (count: number) =>
    count === 0
      ? 'What is wrong: nothing found'
      : `What is wrong: ${plural(count, 'finding')}${count === 1 ? '' : ', the most important first'}`,
  progress: 'Checking everything; problems that may go away on their own are checked twice (up to a minute).',
  /** Above the findings of a step, while the diagnosis runs. */
  fromPage: 'Still checking. The page has reported this so far, in no order of likelihood:',
  nothing: 'No problem can be seen from this machine.',
  nothingNext: 'A long wait may still be normal: each step of the wizard shows how long it usually takes.',
  /** In place of `nothingNext`, before the first machine was powered on. */
  nothingStarted:
    'No machine has been powered on yet. The wizard shows the next step. To check the site before that: `upi-wizard check`',
  /** In place of `nothingNext`, once the cluster is complete. */
  nothingLeft: 'The cluster is installed, and all its nodes have joined.',
  /** The line after `nothing`, while certificate requests of planned nodes are not approved. */
  requestsWait: (count: number) =>
    `${plural(count, 'certificate request')} ${count === 1 ? 'waits' : 'wait'} for your approval: ${SHORTCUTS.approveExpected} on Certificates, or in a terminal: \`upi-wizard csr approve --expected\``,
  normalTitle: 'Normal, and not the cause:',
  rehearsalRepair: ({ isReboot, command }: SimulatedRepair) =>
    `In this rehearsal, this ${simulate(isReboot)}: \`${command}\``,
  rehearsalRepairKey: ({ isReboot }: SimulatedRepair) =>
    `In this rehearsal, press ${SHORTCUTS.simulateRepair}: it ${simulate(isReboot)}.`,
  rehearsalRepairKeys: ({ isReboot }: SimulatedRepair) =>
    `In this rehearsal, press ${SHORTCUTS.diagnose}, then ${SHORTCUTS.simulateRepair}: it ${simulate(isReboot)}.`,
  recheck: (seconds: number) => `Checking again in ${seconds} s: some problems may go away on their own.`,
  journals: {
    unread: (host: string, reason: string) => `The journal of ${host} was not read: ${reason}`,
    timeout: (seconds: number) => `the host did not answer within ${seconds} s.`,
  },
  heading: (title: string, likelihood: string) => `${title} (${likelihood})`,
  likelihoods: { certain: 'certain', likely: 'likely', possible: 'possible' },
  about: (subjects: string) => `About: ${subjects}`,
  symptomLabel: 'Evidence',
  causeLabel: 'Cause',
  confirmLabel: 'To confirm',
  confirmInBundleLabel: 'To see it in the bundle',
  confirmOnSiteLabel: 'To confirm, on site',
  remedyLabel: 'Do this',
  moreLabel: 'More',
  more: (count: number) => `and ${count} more`,
  inHelp: (rule: string) => `\`upi-wizard help ${rule}\``,
  verdict: (count: number) =>
    count === 1 ? '1 finding.' : `${count} findings. Begin with the first: it may have caused the others.`,
  /** Shown in a rehearsal only. */
  kubeconfigHint: (file: string) =>
    `In another terminal, this points oc (or kubectl) to the simulated cluster: \`export KUBECONFIG=${file}\``,
  bundleOnline: 'A bundle is read offline: leave --online out.',
  bundle: {
    nothing: 'The bundle shows no problem.',
    nothingNext:
      'It holds what machines logged, but nothing from machines that were off or refused SSH, or from load balancers, DNS and DHCP. "upi-wizard diagnose" without --bundle checks those.',
    title: 'The bundle cannot be read',
    remedy:
      'Specify the unchanged original: log-bundle-….tar.gz of "openshift-install gather bootstrap", or the must-gather of "oc adm must-gather", as a directory or packed with tar.',
    unreadable: (file: string, reason: string) => `${file}: ${reason}`,
    noText: (file: string) =>
      `${file} is neither a directory nor a tar archive (plain or gzip), and contains no text either.`,
    text: (isCut: boolean) => `The file was read as text${isCut ? ', the last 4 MiB of it' : ''}.`,
    nothingInText: 'The text shows no known problem.',
    nothingInTextNext:
      'Include more lines: everything from the start of a unit, or the whole console output. `upi-wizard diagnose --bundle` also reads a log bundle of `openshift-install gather bootstrap`.',
    otherFormats: {
      xz: (file: string, word: string) =>
        `${file} is packed with xz, which is not supported. Unpack it, and specify the .tar: \`xz -dk ${word}\``,
      bzip2: (file: string, word: string) =>
        `${file} is packed with bzip2, which is not supported. Unpack it, and specify the .tar: \`bunzip2 -k ${word}\``,
      zstd: (file: string, word: string) =>
        `${file} is packed with zstd, which is not supported. Unpack it, and specify the .tar: \`zstd -dk ${word}\``,
      zip: (file: string, word: string) =>
        `${file} is a zip archive. Unpack it, and specify the directory: \`unzip -d bundle ${word}\``,
      '7z': (file: string, word: string) =>
        `${file} is a 7z archive. Unpack it, and specify the directory: \`7z x -obundle ${word}\``,
    },
    nothingUsable: (file: string) => `${file} contains no journals, logs or objects of an installation.`,
    holdsArchive: (directory: string, file: string) =>
      `${directory} contains a bundle, but is not one itself. Specify ${file}`,
    otherInstallation: (directory: string) =>
      `The machines in the bundle are not those of the installation in ${directory}: it is evaluated on its own.`,
    read: (files: number, isCut: boolean) =>
      `${plural(files, 'file', 'files')} of the bundle read${isCut ? '; the rest is missing or too large, and was left out' : ''}.`,
  },
  page: {
    intro: `"upi-wizard diagnose" checks every part of an installation that this machine can reach: name servers, load balancers, addresses, boot server, ports, the API with its nodes, certificate requests and operators, the log of openshift-install, and journals over SSH. It changes nothing, and lists what is wrong, the most likely cause first. "${SHORTCUTS.diagnose}" shows the same on every step of the wizard. With findings, the exit code is 4.`,
    bundle:
      '"--bundle FILE" evaluates the journals and objects in a log bundle of "openshift-install gather bootstrap" or in a must-gather by the same rules, here or on another machine. FILE is the archive (.tar.gz or .tar), the directory of an unpacked archive, or a text file: a pasted journal, console output, the log of openshift-install, tables of "oc get". Nothing is unpacked to the disk; keys and ignition files in it are not read.',
    likelihoods:
      '"certain": the evidence proves it. "likely": the evidence usually means this. "possible": one of several causes that fit the evidence.',
    rulesTitle: 'Rules, in the order in which equally likely causes are listed',
  },
};
