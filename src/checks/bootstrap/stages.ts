import type { Design } from '../../design/model.ts';
import { isVersionAtLeast, parseMinorVersion } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { ServiceEvidence } from '../../installer/bootstrap-services.ts';
import { MINUTE } from '../../platform/clock.ts';
import { BOOTSTRAP_STAGES, type BootstrapEvidence, type BootstrapStage, listPorts } from './evidence.ts';

/**
 * Whether the bootstrap's etcd member is removed, by the condition of the etcd operator. The condition has existed
 * since 4.13; older versions report "complete" alone. The installer waits for it from 4.16 on for a single node, and
 * from 4.19 on everywhere.
 * @param version of the design: "4.18" or "4.18.9"
 * @param isRemoved whether the operator reports the member as removed; null: not reported
 */
export function isBootstrapMemberRemoved(version: string, isRemoved: boolean | null): boolean {
  return isRemoved ?? !isVersionAtLeast(parseMinorVersion(version) ?? '', '4.13');
}

const words = () => catalogue().steps.bootstrap;

/** A single node is its own bootstrap: there is no separate machine to probe and no load balancer. */
const SINGLE_NODE_STAGES: readonly BootstrapStage[] = [
  'release-image',
  'bootkube',
  'api',
  'control-plane',
  'complete',
  'etcd',
];

/**
 * Usual and maximum duration of each stage on bare metal, in minutes. A stage without any change for longer than the
 * maximum is stuck. Both are our own estimates; the installer's limits are 20 min for the API and 45 min for the whole
 * bootstrap.
 */
const STAGE_MINUTES: Readonly<Record<BootstrapStage, readonly [number, number]>> = {
  'release-image': [2, 10],
  bootkube: [3, 8],
  // Self-test, disk write, reboot, the overlay of the node image and a slow pull all precede the first sign visible
  // over the network.
  'bootstrap-up': [8, 25],
  // kube-apiserver is ready a minute or two after its port opens; a load balancer that checks /readyz notices it even
  // later.
  api: [0, 5],
  'machine-config': [0, 2],
  joined: [5, 12],
  'control-plane': [3, 10],
  serving: [3, 10],
  complete: [2, 12],
  etcd: [1, 6],
};

/** On a single node, everything before the API is one stage. */
const SINGLE_NODE_STAGE_MINUTES: Partial<typeof STAGE_MINUTES> = {
  api: [8, 25],
  'control-plane': [10, 25],
  complete: [5, 30],
};

/** Lists the stages of a bootstrap; those on the bootstrap node only with SSH access to it. */
export function listStages({ topology }: Pick<Design, 'topology'>, hasSshAccess: boolean): readonly BootstrapStage[] {
  const stages = topology === 'single-node' ? SINGLE_NODE_STAGES : BOOTSTRAP_STAGES;
  return hasSshAccess ? stages : stages.filter((id) => id !== 'release-image' && id !== 'bootkube');
}

/** Returns the usual and maximum duration of a stage, in minutes. */
export function getStageMinutes(
  stage: BootstrapStage,
  { topology }: Pick<Design, 'topology'>,
): readonly [number, number] {
  return (topology === 'single-node' ? SINGLE_NODE_STAGE_MINUTES[stage] : undefined) ?? STAGE_MINUTES[stage];
}

/** Returns the time without any change after which a stage is stuck, in ms. */
export function getStuckTimeout(stage: BootstrapStage, design: Pick<Design, 'topology'>): number {
  return getStageMinutes(stage, design)[1] * MINUTE;
}

/** Derives the stages that the evidence proves done. A later stage proves the earlier ones. */
export function deriveDoneStages(
  design: Pick<Design, 'openshift' | 'topology'>,
  evidence: BootstrapEvidence,
): ReadonlySet<BootstrapStage> {
  const { snapshot, members, nodeServices } = evidence;
  const isOpen = (kind: 'bootstrap' | 'api-int' | 'control-plane', port: 6443 | 22623) => {
    const matchingPorts = listPorts(evidence, kind, port);
    return matchingPorts.length > 0 && matchingPorts.every(({ state }) => state === 'open');
  };
  const isApiUp = snapshot?.api.state === 'up';
  const isComplete = snapshot?.bootstrapStatus === 'complete';
  const isBootstrapServing = listPorts(evidence, 'bootstrap', 6443).some(({ state }) => state === 'open');
  // Until a control plane node has joined, only the bootstrap node serves the configuration. If its port is closed, a
  // load balancer that accepts a connection proves nothing.
  const isConfigServerClosed =
    members.every(({ hasJoined }) => !hasJoined) &&
    listPorts(evidence, 'bootstrap', 22623).some(({ state }) => state === 'refused' || state === 'closed-at-once');
  const isProvenByStage: Readonly<Record<BootstrapStage, boolean>> = {
    'release-image':
      isBootstrapServing ||
      nodeServices?.releaseImage?.state === 'succeeded' ||
      (nodeServices?.bootkube ?? null) !== null,
    bootkube: isBootstrapServing || isApplyingManifests(nodeServices?.bootkube ?? null),
    'bootstrap-up': isOpen('bootstrap', 6443) && isOpen('bootstrap', 22623),
    api: isApiUp,
    'machine-config': isOpen('api-int', 22623) && !isConfigServerClosed,
    joined: members.every(({ hasJoined }) => hasJoined),
    'control-plane': members.every(({ isReady }) => isReady),
    serving: isOpen('control-plane', 6443),
    complete: isComplete,
    etcd: isComplete && isMemberRemovalProven(design, evidence),
  };
  const stages = listStages(design, nodeServices !== null);
  // A later proven stage implies the earlier ones, so that a short outage of the API does not reset them.
  const lastProvenIndex = stages.findLastIndex((id) => isProvenByStage[id] && !INDEPENDENT_STAGES.has(id));
  return new Set(stages.filter((id, index) => isProvenByStage[id] || index < lastProvenIndex));
}

/** Stages that prove nothing about the API, and that a running API does not prove either. */
const INDEPENDENT_STAGES: ReadonlySet<BootstrapStage> = new Set([
  'release-image',
  'bootkube',
  'bootstrap-up',
  'machine-config',
]);

/** Whether bootkube applies the manifests to a running API: it does from its stage cb-bootstrap on. */
function isApplyingManifests(bootkube: ServiceEvidence | null): boolean {
  if (bootkube === null) return false;
  return (
    bootkube.state === 'succeeded' || bootkube.stage === 'cb-bootstrap' || bootkube.finished.includes('cb-bootstrap')
  );
}

/** Whether the bootstrap's etcd member is removed; false if unknown. */
function isMemberRemovalProven({ openshift }: Pick<Design, 'openshift'>, { snapshot }: BootstrapEvidence): boolean {
  if (snapshot === null || snapshot.userErrors.etcdBootstrapMemberRemoved !== undefined) return false;
  return isBootstrapMemberRemoved(openshift.version, snapshot.etcdBootstrapMemberRemoved);
}

/** Formats the current evidence for a stage as one line. */
export function formatStageEvidence(stage: BootstrapStage, evidence: BootstrapEvidence): string {
  const { snapshot, members, readyz } = evidence;
  const formatPorts = (kind: 'bootstrap' | 'api' | 'api-int' | 'control-plane', port?: 6443 | 22623) =>
    evidence.ports
      .filter((candidate) => candidate.kind === kind && (port === undefined || candidate.port === port))
      .map((endpoint) => words().evidence.port(endpoint.host, endpoint.port, words().evidence.states[endpoint.state]))
      .join(', ');
  switch (stage) {
    case 'release-image':
      return formatServiceProgress(evidence.nodeServices?.releaseImage ?? null);
    case 'bootkube':
      return formatServiceProgress(evidence.nodeServices?.bootkube ?? null);
    case 'bootstrap-up':
      return formatPorts('bootstrap');
    case 'api': {
      if (snapshot?.api.state !== 'up') return snapshot?.api.line ?? formatPorts('api');
      const readyzText = readyz === null ? words().evidence.readyzUnknown : words().evidence.readyz(readyz.failing);
      return [snapshot.api.gitVersion ?? '', readyzText, snapshot.api.line ?? '']
        .filter((text) => text !== '')
        .join(', ');
    }
    case 'machine-config':
      return formatPorts('api-int', 22623);
    case 'joined': {
      const missingNames = members.filter(({ hasJoined }) => !hasJoined).map(({ name }) => name);
      return words().evidence.joined(members.length - missingNames.length, members.length, missingNames.join(', '));
    }
    case 'control-plane': {
      const notReadyNames = members.filter(({ isReady }) => !isReady).map(({ name }) => name);
      return words().evidence.ready(members.length - notReadyNames.length, members.length, notReadyNames.join(', '));
    }
    case 'serving':
      return formatPorts('control-plane', 6443);
    case 'complete':
      return [
        words().evidence.configMap(snapshot?.bootstrapStatus ?? null),
        ...(evidence.nodeServices?.bootkube
          ? [`bootkube: ${formatServiceProgress(evidence.nodeServices.bootkube)}`]
          : []),
      ].join('; ');
    case 'etcd':
      return words().evidence.etcd(snapshot?.etcdBootstrapMemberRemoved ?? null);
  }
}

/** Formats the progress of a service on the bootstrap node. */
function formatServiceProgress(service: ServiceEvidence | null): string {
  if (service === null) return words().bootstrapNode.notStarted;
  const { state, stage, starts, finished, lastError } = service;
  const restarts = starts > 1 ? words().bootstrapNode.starts(starts) : '';
  const error = state === 'succeeded' || lastError === null ? '' : words().bootstrapNode.error(lastError);
  return [words().bootstrapNode.states[state](stage, finished.length), restarts, error]
    .filter((text) => text !== '')
    .join('; ');
}

/** Builds a text of everything that counts as progress: an unchanged text means no progress. */
export function buildProgressSignature(evidence: BootstrapEvidence): string {
  const { ports, snapshot, readyz, members, nodeServices } = evidence;
  return [
    ...[nodeServices?.releaseImage, nodeServices?.bootkube].map(
      (service) => `${service?.state} ${service?.stage} ${service?.finished.length}`,
    ),
    ...ports.map(({ host, port, state }) => `${host}:${port}=${state}`),
    `api=${snapshot?.api.state ?? ''} ${readyz?.failing ?? ''}`,
    ...members.map(({ name, hasJoined, isReady }) => `${name}=${hasJoined ? 1 : 0}${isReady ? 1 : 0}`),
    `status=${snapshot?.bootstrapStatus ?? ''} etcd=${snapshot?.etcdBootstrapMemberRemoved ?? ''}`,
  ].join(' ');
}
