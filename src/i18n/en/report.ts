import { SHORTCUTS } from '../shortcuts.ts';
import { formatDuration, formatMinutes, plural } from './ui.ts';

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
  nextSteps: 'After the installation',
  secrets: {
    title: 'Where secrets are stored',
    runIn: (dir: string) => `Run the commands in ${dir}.`,
    withLogins: (contents: string) => `${contents}; the BMC credentials`,
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
    line: (move: string, isUndone: boolean, time: string, text: string) =>
      `${move}${isUndone ? ', undone' : ''}: ${time} ${text}`,
  },
  /** Texts of the timeline: its bars and its table. */
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
    minutes: (minutes: number) => (minutes < 1 ? `${Math.round(minutes * 60)} s` : formatMinutes(Math.round(minutes))),
    usual: (minimum: number, maximum: number) => `usually ${minimum}–${maximum} min`,
    usualInColumn: (minimum: number, maximum: number) => `${minimum}–${maximum} min`,
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
    line: (time: string, text: string) => `${time} ${text}`,
    opened: (program: string, user: string, from: string | null) =>
      `${program} opened by ${user}${from === null ? '' : ` from ${from}`}`,
    closed: (program: string) => `${program} exited`,
    action: (step: string, action: string, subject: string | null, outcome: string) =>
      `${step}: ${action}${subject === null ? '' : ` ${subject}`}: ${outcome}`,
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
    done: (seconds: number) => `done in ${formatDuration(seconds)}`,
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
  },
  ready: 'Ready',
  notReady: 'not Ready',
  absent: '—',
  unknown: 'not known: the API does not answer',
  readyAsOf: (time: string) => `Ready as of ${time}`,
  planned: 'as planned; the version of the cluster is not known, because the API does not answer',
  bootstrapState: (isRemoved: boolean) => (isRemoved ? 'temporary, removed' : 'temporary'),
  unknownChecks: 'Checks with an unknown result before the first power-on',
  unknownCheck: (title: string, reason: string) => `${title}: ${reason}`,
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
    noClasses: 'The cluster has no StorageClass: PersistentVolumeClaims stay Pending until you add one.',
    classes: (names: readonly string[], defaultClass: string | null) =>
      `StorageClasses: ${names.join(', ')}; ${defaultClass === null ? 'none is the default' : `default: ${defaultClass}`}.`,
    registryRemoved: 'The image registry is turned off: it has no storage, and builds cannot push images.',
    registryClaim: (claim: string) => `The image registry keeps its images in the PersistentVolumeClaim ${claim}.`,
    registryEmptyDir:
      'The image registry keeps its images in an emptyDir: they are lost when its pod is deleted or moves to another node.',
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
    ignitionNote: 'A machine that boots with them after this time cannot join.',
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
    bootImage: 'Recorded boot image',
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
      /** @param hasNodeImage whether the cluster can create a boot image for the new node */
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
      text: 'First read what would block the update: this report lists it if the API answered. Cluster Operators must be available and not degraded, and no MachineConfigPool paused or degraded.',
    },
    replace: {
      title: 'Replace a control plane node',
      text: (link: string, isGuided: boolean) =>
        isGuided
          ? `Only while the other members of etcd are healthy: go to Boot, select the node, and press ${SHORTCUTS.markReinstalled}. The wizard shows each change before it makes it. More: ${link}`
          : `Only while two etcd members are healthy: find the ID of the lost member, remove it and its secrets, then install the machine again. More: ${link}`,
    },
    fencing: {
      title: 'Test the fencing',
      text: 'The command must show both nodes online, etcd and kubelet on both, and both fence devices started. Before production, disconnect one node: the other powers it off and continues. Compute nodes cannot be added.',
    },
    logs: { title: 'Find the cause of a problem', text: 'Logs of the cluster, of a node, and what the wizard sees.' },
  },
};
