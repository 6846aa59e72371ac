import { formatTimeOfDay } from '../../platform/clock.ts';
import { SHORTCUTS } from '../shortcuts.ts';
import { plural } from './ui.ts';

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
      open: 'continue where it was left',
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
    refused: (reason: string) => `The answer was not accepted: ${reason}.`,
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

/** Texts of the installation report. */
export const report = {
  simulated: {
    name: 'Rehearsal',
    text: 'the machines and the cluster are simulated, and so are all times. Commands reach them while the simulated site runs, from this machine only.',
  },
  written: (time: string) => `Written by upi-wizard at ${time}.`,
  fact: (name: string, value: string) => `${name}: ${value}`,
  api: 'API',
  apps: 'Applications',
  console: 'Console',
  kubeconfig: 'Administrator kubeconfig',
  nodes: 'Nodes',
  services: 'Service hosts',
  openIssues: 'Open issues',
  overrides: 'Failed checks that were overridden',
  override: (checks: string, reason: string, by: string, time: string) => `${checks}: "${reason}" (${by}, ${time})`,
  nextSteps: 'The next day',
  secrets: {
    title: 'Where secrets are stored',
    runIn: (dir: string) => `Run the commands in ${dir}.`,
    withLogins: (contents: string) => `${contents}; the logins of the BMCs`,
    contents: {
      log: 'the password of kubeadmin',
      password: 'the password of kubeadmin; set up an identity provider before you remove it',
      state: 'private keys and the pull secret',
      bootstrap: 'private keys, administrator credentials, pull secret',
      master: 'a machine can request to join with it',
      arbiter: 'a machine can request to join with it',
      worker: 'a machine can request to join with it; the cluster has it too',
      installConfig: 'the pull secret',
      pasted: 'the pull secret that was pasted',
      movedAside: 'the same secrets, of earlier runs of openshift-install',
    },
    keep: {
      generated: 'the pull secret; keep',
      kubeconfig: 'system:admin for 10 years; keep, with a copy elsewhere',
    },
  },
  columns: ['Name', 'Role', 'Address', 'MAC', 'vCPU', 'GiB', 'State'],
  /** Pods that were evicted or became Ready while infra moves were applied or undone. */
  pods: {
    heading: 'Pods relocated by the infra moves (UTC)',
    line: (move: string, isUndone: boolean, time: string, what: string) =>
      `${move}${isUndone ? ', undone' : ''}: ${time} ${what}`,
  },
  /** The bars of the timeline. */
  timeline: {
    heading: 'Timeline (UTC)',
    description: (start: string, end: string, rows: number) =>
      `From ${start} to ${end} (UTC): ${plural(rows, 'row')}, each with its bars. The table below has the same data.`,
    columns: ['What', 'Started', 'Ended', 'Took', 'Usual', 'Remarks'],
    groups: {
      machines: 'Machines, from power-on to Ready',
      bootstrap: 'Bootstrap',
      operators: 'Operators',
      approvals: 'Certificate requests',
      moves: 'Infra moves',
      sessions: 'Sessions of the wizard',
    },
    minutes: (minutes: number) =>
      minutes < 1
        ? `${Math.round(minutes * 60)} s`
        : minutes < 600
          ? `${Math.round(minutes)} min`
          : `${Math.round(minutes / 60)} h`,
    usual: (least: number, most: number) => `usually ${least}–${most} min`,
    untilReady: 'until Ready for the first time',
    neverReady: 'never observed as Ready',
    untilRemoved: 'until its removal',
    operators: 'Operators, until all are complete',
    approvals: 'Approved by the wizard',
    approved: (count: number) => plural(count, 'request'),
    failedRequests: (failedCount: number, requests: number) => `${failedCount} of ${requests} requests of users failed`,
    interrupted: 'interrupted',
    replaced: (node: string) => `${node}, replaced`,
    undoneMove: (move: string) => `undo ${move}`,
    appliedAgain: (move: string) => `${move}, again`,
    runBy: (user: string, from: string | null) => `Wizard run by ${user}${from === null ? '' : ` from ${from}`}`,
    sessions: (count: number, killed: number) =>
      `in ${plural(count, 'session')}${killed === 0 ? '' : `, ${killed} ended abruptly`}`,
  },
  /** The events of the journal. */
  events: {
    heading: 'What happened (UTC)',
    earlier: (count: number) => `… and ${count} earlier ${count === 1 ? 'line' : 'lines'}, in the journal.`,
    line: (time: string, what: string) => `${time} ${what}`,
    opened: (program: string, user: string, from: string | null) =>
      `${program} opened by ${user}${from === null ? '' : ` from ${from}`}`,
    closed: (program: string) => `${program} exited`,
    action: (step: string, what: string, subject: string | null, outcome: string) =>
      `${step}: ${what}${subject === null ? '' : ` ${subject}`}: ${outcome}`,
    actions: {
      apply: 'apply',
      'apply-one': 'apply',
      'set-up': 'set up',
      undo: 'undo',
      approve: 'approve',
      override: 'override,',
      'remove-member': 'remove the etcd member of',
      'guard-off': 'turn off the quorum guard of etcd, to replace',
      'delete-objects': 'delete the certificates and the Node object of',
      'guard-on': 'turn on the quorum guard of etcd again',
    },
    done: (seconds: number) => `done in ${seconds} s`,
    failed: (code: string) => `failed${code === '' ? '' : ` (${code})`}`,
    cancelled: 'stopped on request',
    interrupted: 'interrupted',
  },
  html: {
    contents: 'Contents',
    asTable: 'The same as a table',
    facts: 'Cluster',
    network: 'Network diagram',
    host: 'service host',
    endpoint: 'endpoint',
    networkColumns: ['Name', 'Kind', 'Address', 'MAC', 'Purpose', 'Network'],
  },
  command: {
    writtenTo: (file: string) => `Written to ${file}.`,
    unwritable: (file: string, why: string) => `${file} cannot be written: ${why}.`,
  },
  ready: 'Ready',
  notReady: 'not Ready',
  absent: '—',
  temporary: 'temporary, removed',
  unknownChecks: 'Checks with an unknown result before the first power-on',
  unknownCheck: (title: string, why: string) => `${title}: ${why}`,
  records: { heading: 'DNS records of the design', columns: ['Name', 'Type', 'Value'] },
  balancer: {
    heading: 'Load balancer members by stage',
    columns: (stages: readonly string[]) => ['Endpoint', 'Address', ...stages],
    now: (stage: string) => `${stage} (now)`,
  },
  requests: {
    heading: 'Certificate requests',
    columns: ['Request', 'Result', 'Reason', 'Time (UTC)'],
    approved: 'approved by the wizard',
    approvedByOthers: 'approved by others',
    denied: 'denied',
    refused: 'pending: not expected',
  },
  storage: {
    heading: 'Storage',
    noClasses: 'The cluster has no storage class: claims for volumes stay pending until you add one.',
    classes: (names: readonly string[], defaultClass: string | null) =>
      `Storage classes: ${names.join(', ')}; ${defaultClass === null ? 'none is the default' : `default: ${defaultClass}`}.`,
    registryRemoved: 'The image registry is turned off: it has no storage, and builds cannot push images.',
    registryClaim: (claim: string) => `The image registry keeps its images in the claim ${claim}.`,
    registryEmptyDir: 'The image registry keeps its images in an emptyDir: they are lost when its pod restarts.',
    registryNone: 'The image registry has no storage.',
    registryOther: (kind: string) => `The image registry keeps its images in ${kind}.`,
  },
  usedVersions: {
    heading: 'What the installation used',
    columns: ['What', 'Version', 'Checksum'],
    release: (product: string) => `${product} release`,
    stream: (name: string) => `stream ${name}`,
  },
  expiry: {
    heading: 'Valid until (UTC)',
    columns: ['What', 'Until', 'What follows'],
    ignition: 'Ignition files of the installer',
    ignitionNote: 'A machine that boots with them later cannot join.',
    firstRotation: 'First renewal of the certificates',
    firstRotationNote: 'Keep the cluster running until then.',
    api: 'Certificate of the API',
    kubelet: (node: string) => `Certificate of the kubelet of ${node}`,
    renewed: 'The cluster renews it while it runs.',
    shutdown: 'The cluster can be shut down and started again',
    shutdownNote: 'After the start, pending certificate requests may have to be approved.',
    kubeconfig: 'Administrator kubeconfig',
    kubeconfigNote: 'It is never renewed; keep it safe.',
  },
  checkStates: {
    blocked: 'Blocks the update',
    warning: 'Needs attention',
    pending: 'Wait',
    unknown: 'Could not be determined',
    ok: 'OK',
  },
  /** Results of the checks for the next update. */
  update: {
    heading: 'What would block your next update',
    intro: (version: string, blockedCount: number, attentionCount: number, unknownCount: number) =>
      [
        blockedCount === 0
          ? `Nothing that could be checked blocks an update of ${version} to the next minor version.`
          : `${blockedCount === 1 ? 'One thing blocks' : `${blockedCount} things block`} an update of ${version} to the next minor version.`,
        attentionCount === 0
          ? ''
          : `${attentionCount === 1 ? 'One result needs' : `${attentionCount} results need`} attention.`,
        unknownCount === 0 ? '' : `${unknownCount} could not be determined.`,
        'As observed when this report was written.',
      ]
        .filter((sentence) => sentence !== '')
        .join(' '),
    bootImage: 'Boot image on record',
    ofRelease: (version: string) => `${version} (not recorded: that of the release that installed the cluster)`,
    notCompared: 'none: boot images are not compared',
  },
  /** Tasks after the installation (`nextSteps`), each with its commands. */
  tasks: {
    kubeconfig: { title: 'Use the cluster from this machine', text: 'All commands below use this file.' },
    identity: {
      title: 'Set up an identity provider',
      text: (link: string) =>
        `Example with a password file; log in as admin in a new browser window before you continue. Other providers: ${link}`,
    },
    kubeadmin: {
      title: 'Remove kubeadmin',
      text: 'Only after another cluster-admin has logged in: otherwise, only the administrator kubeconfig is left.',
    },
    backup: {
      title: 'Back up etcd',
      text: 'On one control plane node, outside of updates; keep the copy on another machine, encrypted: it contains secrets.',
    },
    later: {
      title: 'Add a node later',
      /** @param hasNodeImage the cluster can make an image for it */
      text: (hasNodeImage: boolean) =>
        `Add the machine on the Nodes page, boot it, and approve its two requests. Renewals are approved automatically.${hasNodeImage ? ' The cluster can also create an image for the node, instead of worker.ign: the last command prints a script for that.' : ''}`,
    },
    stop: {
      title: 'Shut down the cluster',
      text: (link: string) => `Back up etcd first. Draining the workers before the shutdown is optional. More: ${link}`,
    },
    start: {
      title: 'Start the cluster',
      text: 'Power on the control plane first, then the others. After a long shutdown, kubelets need new certificates: approve their requests.',
    },
    update: {
      title: 'Update',
      text: 'First read what would block it: this report lists that if the API answered. Operators must be available and not degraded, and no pool paused or degraded.',
    },
    replace: {
      title: 'Replace a control plane node',
      text: (link: string, isGuided: boolean) =>
        isGuided
          ? `Only while the other members of etcd are healthy: go to Boot, select the node, and press ${SHORTCUTS.markReinstalled}. The wizard shows each change before it makes it. More: ${link}`
          : `Only while two members are healthy: find the ID of the lost member, remove it and its secrets, then install the machine again. More: ${link}`,
    },
    fencing: {
      title: 'Test the fencing',
      text: 'The command must show both nodes online, etcd and kubelet on both, and both fence devices started. Before production, disconnect one node: the other powers it off and continues. Compute nodes cannot be added.',
    },
    logs: { title: 'Find the cause of a problem', text: 'Logs of the cluster, of a node, and what the wizard sees.' },
  },
};

/** Text about the saved state and its directory. */
export const session = {
  /** Meaning of the system's error codes when a file is saved. */
  writeReasons: {
    EACCES: 'you have no permission to write there',
    EPERM: 'you have no permission to write there',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'your disk quota is used up',
    ENOTDIR: 'a part of the path is a file',
    ENAMETOOLONG: 'the name is too long',
    ENOENT: 'nothing can be created there',
    EIO: 'the disk could not be read or written',
    ELOOP: 'its links form a loop',
    EISDIR: 'it is a directory',
    EEXIST: 'it exists already',
    EMFILE: 'too many files are open',
    ENFILE: 'too many files are open on this machine',
    EBUSY: 'another program is using it',
    EPIPE: 'the reader closed it',
    ENOTFOUND: 'the name does not resolve',
    EAI_AGAIN: 'no name server answers',
    EAI_FAIL: 'the name server failed',
    ECONNREFUSED: 'the connection was refused',
    ECONNRESET: 'the connection was reset',
    ETIMEDOUT: 'no answer in time',
    EHOSTUNREACH: 'there is no route to that host',
    ENETUNREACH: 'there is no route to that network',
  },
  /** Meaning of the same codes when a program is started. */
  startReasons: {
    ENOENT: 'it does not exist, or is not in PATH',
    EACCES: 'permission to run it was denied',
    ENOEXEC: 'it is not a program for this machine',
    E2BIG: 'its arguments are too long',
    ENOMEM: 'there is not enough memory',
  },
  /** The system gave a code without a message. */
  unknownReason: 'the system refused',
  /** A full or read-only disk, or an exceeded quota, if no other error explains it. */
  disk: {
    title: 'Nothing can be written',
    cause: (why: string, path: string | null) => `${why}${path === null ? '' : `: ${path}`}.`,
    remedy: 'Free disk space, or make the file system writable, and try again. Everything saved before is still there.',
  },
  damaged: {
    title: 'The saved session is damaged',
    cause: (file: string, why: string) => `${file}: ${why}.`,
    reasons: {
      link: 'it is a symbolic link',
      'not-a-file': 'it is not a regular file',
      'not-a-directory': 'it is not a directory',
      foreign: 'it belongs to another user',
      'too-large': 'it is larger than any session',
      'not-text': 'it is not text',
      missing: 'it no longer exists',
      empty: 'it is empty',
      'not-json': 'it is incomplete (its JSON does not parse)',
      'not-a-session': 'it does not contain a session',
      altered: 'it is not what was saved (its checksum differs)',
    },
    /** The remedy for commands that only read, or that run unattended: they do not recover the session. */
    recoverCommand: (command: string) =>
      `Nothing was checked, changed or moved, because the design is not known. To recover it: \`${command}\``,
    backupFile: (file: string) => `It was saved as ${file}.`,
    remedy: 'You start with empty answers. The damaged file is text (JSON): your answers may still be readable in it.',
    recovered: {
      /** The title already has the time: a screen shows only the beginning of a long notice. */
      title: (time: string) => `The saved session was damaged; your answers are those of ${time} UTC`,
      remedy: 'Look through them: at most the last one is missing.',
    },
  },
  unreadable: {
    title: 'The saved session cannot be read',
    cause: (file: string, why: string) => `${file}: ${why}.`,
    remedy:
      'Restore your access to the file (chown, chmod 600), or start in another directory with --dir. Nothing was touched.',
  },
  factsDropped: {
    title: 'Some saved facts were not understood',
    cause: (names: string) => `these were left out: ${names}.`,
    remedy: 'Go through the steps again: the wizard records what it finds.',
  },
  newer: {
    title: 'The saved session is from a newer upi-wizard',
    cause: (file: string, fileVersion: number, newestVersion: number) =>
      `${file} has format ${fileVersion}; this version supports up to ${newestVersion}.`,
    remedy: 'Use the newer program, or start in another directory with --dir. The file was not touched.',
  },
  unwritable: {
    title: 'The session cannot be saved',
    remedy: 'Check that the disk is not full and that the directory belongs to you, then try again.',
  },
  notVerified: 'the saved file reads back differently, as on a full disk. The previous session was restored',
  directory: {
    remedy: 'Choose another directory with --dir.',
    root: {
      title: 'The root directory cannot be an install directory',
      cause: 'the installer would fill it with files and secrets.',
    },
    home: {
      title: 'Your home directory cannot be an install directory',
      cause: 'the installer would mix its files and secrets with yours.',
    },
    symlink: { title: 'The install directory is a symbolic link', cause: (dir: string) => `${dir} points elsewhere.` },
    notDirectory: { title: 'The install directory is not a directory', cause: (dir: string) => `${dir} is a file.` },
    foreign: {
      title: 'The install directory is not yours',
      cause: (dir: string) => `${dir} belongs to another user, who could change what you install.`,
    },
    open: { title: 'The install directory is open to others', cause: (dir: string) => `everyone may write to ${dir}.` },
    unwritable: {
      title: 'The install directory cannot be used',
      cause: (dir: string, why: string) => `${dir}: ${why}.`,
    },
  },
};

/** Text of the page that is shown when a user returns to a session. */
export const welcomeBack = {
  title: (place: string) => `Welcome back. Enter continues at ${place}.`,
  userFrom: (user: string, from: string | null) => `${user}${from === null ? '' : ` from ${from}`}`,
  exited: (when: string, user: string | null) => `${user === null ? 'You left' : `${user} left`} at ${when}.`,
  interrupted: (when: string, user: string | null) =>
    `${user === null ? 'Your last session' : `The last session, of ${user},`} was cut off; it last saved at ${when}.`,
  question: (step: string) => `A question is waiting for your answer: ${step}.`,
  since: 'Since then:',
  nothing: 'Nothing was applied, no job ran, and no generated file was changed.',
  line: (what: string) => `- ${what}`,
  action: (time: string, what: string, similar: number) =>
    `${time} ${what}${similar === 0 ? '' : `; ${similar} similar before it`}`,
  editedFile: (file: string) => `files/${file} was changed by hand.`,
  requests: (count: number, expected: number, refusedCount: number) =>
    `${plural(count, 'new certificate request')} ${count === 1 ? 'waits' : 'wait'}: ${expected} expected, ${refusedCount} for you to review.`,
  operators: (names: string, more: number) =>
    `Operators that changed: ${names}${more > 0 ? ` and ${plural(more, 'other')}` : ''}.`,
  operator: (name: string, state: string) => `${name} (${state})`,
  operatorStates: {
    degraded: 'degraded',
    unavailable: 'not available',
    progressing: 'progressing',
    fine: 'available',
  },
  earlier: (count: number) => `… and ${count} earlier`,
  /** @param changes in words; empty: nothing was observed */
  absence: (age: string, changes: readonly string[]) =>
    `Since you left (${age}): ${changes.length === 0 ? 'no change' : changes.join('; ')}.`,
  changes: {
    booted: (count: number) => `${plural(count, 'machine')} fetched ${count === 1 ? 'its' : 'their'} ignition file`,
    joined: (count: number) => `${plural(count, 'node')} joined`,
    ready: (count: number) => `${plural(count, 'node')} became Ready`,
    lost: (names: string) => `${names} lost: not Ready any more`,
    approved: (count: number) => `${plural(count, 'certificate request')} approved`,
    expected: (count: number) => `${plural(count, 'new certificate request')} that the wizard approves`,
    refused: (count: number) =>
      `${plural(count, 'certificate request')} ${count === 1 ? 'waits' : 'wait'} for your decision`,
    available: (count: number) => `${plural(count, 'operator')} became available`,
    unhealthy: (names: string) => `not healthy: ${names}`,
    applied: (count: number) => `${plural(count, 'infra move')} done`,
    undone: (count: number) => `${plural(count, 'infra move')} undone`,
    hostsSetUp: (count: number) => `${plural(count, 'service host')} set up`,
    hostsUndone: (count: number) => `${plural(count, 'service host')} undone`,
    apiAway: 'the API does not answer',
    failed: (names: string) => `failed: ${names}`,
  },
  jobs: {
    names: {
      'boot-server': 'The boot server',
      'csr-follow': 'The job that approves certificate requests',
      'bootstrap-complete': 'openshift-install wait-for bootstrap-complete',
      'install-complete': 'openshift-install wait-for install-complete',
      'infra-moves': 'The job that carries out infra moves',
    },
    running: (job: string) => `${job} continued to run.`,
    restarted: (job: string, count: number, when: string) =>
      `${job} ended ${plural(count, 'time')}, last at ${when}, and was restarted.`,
    ended: (job: string, code: number, when: string) =>
      `${job} ended at ${when}${code === 0 ? ', successfully' : ` with code ${code}`}.`,
    lost: (job: string) => `${job} no longer runs, and how it ended was not recorded.`,
  },
};

/** Notifications that the wizard sends to the terminal, for a user who is away from it. */
export const notifications = {
  question: (step: string) => `${step}: a question waits for your answer`,
  done: (step: string) => `${step}: done`,
  failed: (step: string, title: string) => `${step}: failed: ${title}`,
  requests: (nodes: readonly string[]) =>
    `certificate requests wait for you: ${nodes.slice(0, 5).join(', ')}${nodes.length > 5 ? ` and ${nodes.length - 5} more` : ''}`,
};
