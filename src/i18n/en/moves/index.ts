import { SHORTCUTS } from '../../shortcuts.ts';
import { joinNames, plural } from '../ui.ts';
import { nodes } from './nodes.ts';
import { traffic } from './traffic.ts';
import { workloads } from './workloads.ts';

/** The purpose of each infra move, in one sentence: on the screens, before you confirm, and in `help moves`. */
const purposes = {
  'machine-sets': 'Infra workloads need machines of their own; here the cloud creates them.',
  autoscaler: 'The number of workers follows the load, so that you pay only for those that are needed.',
  label: 'The node selectors of infra workloads match this label.',
  pool: 'A pool of their own lets you configure and update the infra nodes separately from the workers.',
  'lb-add':
    'Users reach a router only on nodes in the load balancer, so the infra nodes are added before the routers move.',
  dns: 'Every node runs a pod of cluster DNS; it must tolerate the taint, or pods on infra nodes could not resolve names.',
  storage: 'Storage nodes serve storage only, and pods on the infra nodes must be able to mount its volumes.',
  router:
    'Routers carry all user traffic; on infra nodes they do not compete with applications, and these nodes need no subscription.',
  'registry-storage': 'The image registry does not start without storage, so it gets its storage before it moves.',
  registry:
    'The image registry is a service of the platform: it leaves the CPU and memory of the workers to applications.',
  monitoring: 'Prometheus uses the most memory of the platform: on infra nodes it takes none from applications.',
  'user-workload': 'Monitoring for user-defined projects runs beside that of the platform, on the same infra nodes.',
  logging: 'The log store needs a lot of disk space and memory: on infra nodes it takes none from applications.',
  'network-diagnostics': 'Keeps the pods of the network checks off the workers.',
  'boot-image-record':
    'On platform none the cluster cannot detect the boot image: record it, or updates check that of the installed release.',
  taint: 'Without the taint, the scheduler would place applications on the infra nodes, too.',
  'lb-final': 'No router runs on the compute nodes any more, so they leave the pools of the load balancer.',
};

/** Reasons for the state of an infra move, shared by all moves. */
const reasons = {
  noInfraNodes: 'The design has no infra nodes.',
  setByMachineSet: 'The infra MachineSets set it on each of their machines.',
  notJoined: (nodes: readonly string[], short: readonly string[]) =>
    `Not in the cluster yet: ${joinNames(nodes)}.${
      short.length === 0
        ? ''
        : ` The cluster has nodes with the short names ${joinNames(short)}: their hostnames were not fully qualified when they joined.`
    }`,
  notReady: (nodes: readonly string[]) => `Not Ready yet: ${joinNames(nodes)}.`,
  notLabelled: (nodes: readonly string[]) => `Label the infra nodes first. Without the label: ${joinNames(nodes)}.`,
  operatorMissing: (object: string) =>
    `${object} is not in the cluster yet: its operator creates it during the installation.`,
  classMissing: (name: string) => `The StorageClass ${name} is not in the cluster. Install the storage first.`,
  /** @param objects the text of `moves.objects` */
  needed: (objects: string, count: number) => `${objects} ${count === 1 ? 'needs' : 'need'} a change.`,
  rollout: {
    missing: (name: string) => `${name} does not exist yet.`,
    notApplied: (names: readonly string[]) => `The operator has not applied the settings yet to: ${joinNames(names)}.`,
    rolling: (name: string, ready: number, desired: number) =>
      `${name}: ${ready} of ${desired} replicas updated and available.`,
    /** @param places the texts of `noPod`, `notReplaced` and `notReady`, one for each node */
    unfinished: (places: readonly string[]) =>
      `Not yet on ${joinNames(places.slice(0, 3))}${places.length > 3 ? ` and ${places.length - 3} more` : ''}.`,
    noPod: (node: string) => `${node} (no pod)`,
    notReplaced: (node: string, pod: string) => `${node} (${pod} is not replaced yet)`,
    notReady: (node: string, pod: string) => `${node} (${pod} is not ready)`,
    leftover: (pod: string, node: string) =>
      `${pod} still runs on ${node}, although it does not tolerate the taint there.`,
    restarting: (name: string) => `The pods of ${name} are restarting.`,
    onOtherNodes: (name: string, nodes: readonly string[]) => `${name} still runs on ${joinNames(nodes)}.`,
    pending: (pod: string, message: string) => `${pod} waits: ${message}`,
    operatorUnhealthy: (operator: string) => `The operator ${operator} is not available, or is still progressing.`,
    mustStayHealthy: (operator: string) =>
      `Everything is in place; the operator ${operator} must stay healthy for 60 s.`,
    degraded: (operator: string, message: string) => `The operator ${operator} is degraded: ${message}`,
  },
  /** Hints for a pod that is not scheduled, by cause. */
  hints: {
    taint:
      'It does not tolerate the taint of the nodes: compare key, value and effect with the tolerations in its settings.',
    'own-taint': 'The taint of the design keeps it off: its operator has not added the toleration yet.',
    selector: 'No node matches its node selector: check whether the infra nodes have their label.',
    unlabelled: 'No node matches its node selector: an infra node lacks its label.',
    budget: 'A PodDisruptionBudget does not allow its eviction.',
    cordoned: 'The nodes are cordoned: they accept no new pods.',
    ports: 'There are more replicas than nodes with free ports: lower infra.routerReplicas, or add an infra node.',
    size: 'The nodes have too little CPU or memory left: give them more, or add an infra node.',
    volume: 'Its volume is tied to another node or zone: it starts only where the volume is.',
    claim: 'Its PersistentVolumeClaim has no volume yet: look at the claim and its StorageClass. `oc get pvc -A`',
    apart: 'Its replicas must run on different nodes: add an infra node.',
    other: '',
  },
};

/** Errors of any move that was not applied. */
const errors = {
  blocked: { title: 'This move is blocked', remedy: 'Resolve the reported cause first, then try again.' },
  pruned: {
    title: 'The cluster did not keep a setting',
    cause: (object: string) => `${object} differs from what upi-wizard wrote to it.`,
    remedy:
      'Something (an operator, GitOps) reverts this object, or this version of OpenShift does not support the setting. Find out what manages the object before you try again.',
  },
  conflicts: {
    title: 'The object keeps changing',
    cause: (object: string) => `${object} changed each time between reading and writing.`,
    remedy: 'Try again in a minute.',
  },
  differs: {
    title: 'A change differs from the one that was shown',
    cause: (objects: readonly string[]) =>
      `${joinNames(objects)}: the change would now differ from the plan, and was not written.`,
    remedy: 'Look at the plan again, which shows the difference, and then apply it.',
  },
  gone: {
    title: 'The object no longer exists',
    cause: (object: string) => `${object} was deleted during the move.`,
    remedy: 'Check again: the plan has changed.',
  },
};

/** Texts of the infra moves. */
export const moves = {
  /** By move: its title, its action and effects, the limits of its undo, and its status messages. */
  byName: { ...nodes, ...traffic, ...workloads },
  purposes,
  after: (move: string) => `after ${move}`,
  /** Objects that a move changes: "Node w1 and 2 more". */
  objects: (first: string, more: number) => (more === 0 ? first : `${first} and ${more} more`),
  /** The effects of a move in few words. */
  shortEffects: (restarts: boolean, outage: boolean) =>
    [restarts ? 'restarts' : 'no restart', ...(outage ? ['outage possible'] : [])].join(', '),
  /** The summary above a plan, one line each: see `summarizePlan`. */
  summary: {
    labels: {
      what: 'Changes',
      restarts: 'Restarts',
      outage: 'Outage',
      duration: 'How long',
      undo: 'Undo',
      notStarted: 'Not now',
    },
    what: (names: readonly string[], objects: number) =>
      `${plural(objects, 'object')} of ${joinNames(names)}, in this order`,
    count: (names: readonly string[], objects: number) =>
      `${plural(objects, 'object')} of ${plural(names.length, 'move')}, in this order`,
    /** The objects of a single move, by kind: "3 Nodes, 1 MachineConfigPool". */
    kinds: (kinds: readonly { readonly kind: string; readonly count: number }[]) =>
      kinds.length === 0 ? 'nothing' : joinNames(kinds.map(({ kind, count }) => plural(count, kind))),
    object: 'object',
    file: 'file',
    inShort: (effects: string, duration: string) => `${effects}; ${duration}`,
    restartsNothing: 'nothing',
    restarts: (names: readonly string[]) => `with ${joinNames(names)}`,
    noOutage: 'none expected',
    outage: (affected: readonly { readonly name: string; readonly outage: string }[]) =>
      affected.map(({ name, outage }) => `${name}: ${outage}`).join(' '),
    undoOutage: (names: readonly string[]) => `possible with ${joinNames(names)}`,
    duration: (minimum: number, maximum: number) =>
      minimum === 0 ? `usually up to ${maximum} min` : `usually ${minimum}–${maximum} min`,
    undoneBy: { key: SHORTCUTS.undo, command: '"infra undo"' },
    undo: (means: string) => `each move, with ${means}: its old settings are recorded first`,
    undoOne: (means: string) => `with ${means}: the old settings are recorded first`,
    undoLimits: (name: string, limits: string) => `${name}: ${limits}`,
    stopped: (name: string, state: string, reason: string) => `${name}: ${state}: ${reason}`,
    comesAfter: (names: readonly string[], move: string) =>
      `${joinNames(names)}: ${names.length === 1 ? 'comes' : 'come'} after ${move}`,
  },
  /** States of a move, in commands and on the screen. */
  states: {
    done: 'done',
    needed: 'to do',
    moving: 'in progress',
    blocked: 'blocked',
    absent: 'not needed',
    failed: 'failed',
  },
  reasons,
  report: {
    same: (object: string) => `${object}: unchanged`,
    changed: (object: string) => `${object}: changed`,
    created: (object: string) => `${object}: created`,
    removed: (object: string) => `${object}: removed`,
  },
  userErrors: errors,
};
