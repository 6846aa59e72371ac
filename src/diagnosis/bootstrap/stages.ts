import type { Design } from '../../design/model.ts';
import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { hasLeftEtcd } from './etcd.ts';
import {
  BOOTSTRAP_STAGES,
  type BootstrapEvidence,
  type BootstrapStage,
  portsOf,
  type ServiceEvidence,
} from './evidence.ts';

const words = () => catalogue().steps.bootstrap;

/** A single node is its own bootstrap: there is no other machine to ask, and no load balancer. */
const IN_PLACE: readonly BootstrapStage[] = ['release-image', 'bootkube', 'api', 'control-plane', 'complete', 'etcd'];

/**
 * How long each stage usually takes on bare metal, in minutes; a stage is stuck when nothing changes for longer than the
 * second number. Our own estimate, beside the installer's limits (20 min for the API, 45 for all of it).
 */
export const USUAL_MINUTES: Readonly<Record<BootstrapStage, readonly [number, number]>> = {
  'release-image': [2, 10],
  bootkube: [3, 8],
  // Self-test, disk, restart, the overlay of the node image and a slow pull all come before anything is visible from outside.
  'bootstrap-up': [8, 25],
  // kube-apiserver is ready a minute or two after its port opens, and a balancer that asks for /readyz sees it later still.
  api: [0, 5],
  'machine-config': [0, 2],
  joined: [5, 12],
  'control-plane': [3, 10],
  serving: [3, 10],
  complete: [2, 12],
  etcd: [1, 6],
};

/** Everything before the API of a single node is one stage. */
const USUAL_IN_PLACE: Partial<typeof USUAL_MINUTES> = { api: [8, 25], 'control-plane': [10, 25], complete: [5, 30] };

/** The stages of a bootstrap; those inside the node only with SSH access to it. */
export function stagesOf({ topology }: Pick<Design, 'topology'>, isSeenInside: boolean): readonly BootstrapStage[] {
  const stages = topology === 'single-node' ? IN_PLACE : BOOTSTRAP_STAGES;
  return isSeenInside ? stages : stages.filter((id) => id !== 'release-image' && id !== 'bootkube');
}

/** The usual range of a stage: minutes. */
export function usualOf(stage: BootstrapStage, { topology }: Pick<Design, 'topology'>): readonly [number, number] {
  return (topology === 'single-node' ? USUAL_IN_PLACE[stage] : undefined) ?? USUAL_MINUTES[stage];
}

/** After this long without any change a stage is stuck, in milliseconds. */
export function stuckAfter(stage: BootstrapStage, design: Pick<Design, 'topology'>): number {
  return usualOf(stage, design)[1] * MINUTE;
}

/** The stages that the evidence proves done. A later stage proves the earlier ones. */
export function doneStages(
  design: Pick<Design, 'openshift' | 'topology'>,
  evidence: BootstrapEvidence,
): ReadonlySet<BootstrapStage> {
  const { snapshot, members, inside } = evidence;
  const isOpen = (kind: 'bootstrap' | 'api-int' | 'control-plane', port: 6443 | 22623) => {
    const found = portsOf(evidence, kind, port);
    return found.length > 0 && found.every(({ state }) => state === 'open');
  };
  const isApiUp = snapshot?.api.state === 'up';
  const isComplete = snapshot?.bootstrapStatus === 'complete';
  const serves = portsOf(evidence, 'bootstrap', 6443).some(({ state }) => state === 'open');
  const seen: Readonly<Record<BootstrapStage, boolean>> = {
    'release-image': serves || inside?.releaseImage?.state === 'succeeded' || (inside?.bootkube ?? null) !== null,
    bootkube: serves || isApplying(inside?.bootkube ?? null),
    'bootstrap-up': isOpen('bootstrap', 6443) && isOpen('bootstrap', 22623),
    api: isApiUp,
    'machine-config': isOpen('api-int', 22623),
    joined: members.every(({ hasJoined }) => hasJoined),
    'control-plane': members.every(({ isReady }) => isReady),
    serving: isOpen('control-plane', 6443),
    complete: isComplete,
    etcd: isComplete && isEtcdAlone(design, evidence),
  };
  const stages = stagesOf(design, inside !== null);
  // The API may be down for a moment: that is no proof of anything that was built on it.
  const last = stages.findLastIndex((id) => seen[id] && !OF_THE_BOOTSTRAP.has(id));
  return new Set(stages.filter((id, index) => seen[id] || index < last));
}

/** Stages that prove nothing about the API, and that it does not prove either. */
const OF_THE_BOOTSTRAP: ReadonlySet<BootstrapStage> = new Set([
  'release-image',
  'bootkube',
  'bootstrap-up',
  'machine-config',
]);

/** From its stage cb-bootstrap on, bootkube applies the manifests to an API that runs. */
function isApplying(bootkube: ServiceEvidence | null): boolean {
  if (bootkube === null) return false;
  return (
    bootkube.state === 'succeeded' || bootkube.stage === 'cb-bootstrap' || bootkube.finished.includes('cb-bootstrap')
  );
}

/** Whether etcd has removed the bootstrap's member; false when not available. */
function isEtcdAlone({ openshift }: Pick<Design, 'openshift'>, { snapshot }: BootstrapEvidence): boolean {
  if (snapshot === null || snapshot.troubles.etcdBootstrapMemberRemoved !== undefined) return false;
  return hasLeftEtcd(openshift.version, snapshot.etcdBootstrapMemberRemoved);
}

/** The current evidence for a stage, as one line. */
export function evidenceLine(stage: BootstrapStage, evidence: BootstrapEvidence): string {
  const { snapshot, members, readyz } = evidence;
  const ports = (kind: 'bootstrap' | 'api' | 'api-int' | 'control-plane', port?: 6443 | 22623) =>
    evidence.ports
      .filter((each) => each.kind === kind && (port === undefined || each.port === port))
      .map((each) => words().evidence.port(each.host, each.port, words().evidence.states[each.state]))
      .join(', ');
  switch (stage) {
    case 'release-image':
      return recordLine(evidence.inside?.releaseImage ?? null);
    case 'bootkube':
      return recordLine(evidence.inside?.bootkube ?? null);
    case 'bootstrap-up':
      return ports('bootstrap');
    case 'api': {
      if (snapshot?.api.state !== 'up') return snapshot?.api.line ?? ports('api');
      const ready = readyz === null ? words().evidence.readyzUnknown : words().evidence.readyz(readyz.failing);
      return [snapshot.api.gitVersion ?? '', ready, snapshot.api.line ?? ''].filter((text) => text !== '').join(', ');
    }
    case 'machine-config':
      return ports('api-int', 22623);
    case 'joined': {
      const missing = members.filter(({ hasJoined }) => !hasJoined).map(({ name }) => name);
      return words().evidence.joined(members.length - missing.length, members.length, missing.join(', '));
    }
    case 'control-plane': {
      const missing = members.filter(({ isReady }) => !isReady).map(({ name }) => name);
      return words().evidence.ready(members.length - missing.length, members.length, missing.join(', '));
    }
    case 'serving':
      return ports('control-plane', 6443);
    case 'complete':
      return [
        words().evidence.configMap(snapshot?.bootstrapStatus ?? null),
        ...(evidence.inside?.bootkube ? [`bootkube: ${recordLine(evidence.inside.bootkube)}`] : []),
      ].join('; ');
    case 'etcd':
      return words().evidence.etcd(snapshot?.etcdBootstrapMemberRemoved ?? null);
  }
}

/** Where a service of the bootstrap node is. */
function recordLine(record: ServiceEvidence | null): string {
  if (record === null) return words().inside.notStarted;
  const { state, stage, starts, finished, lastError } = record;
  const again = starts > 1 ? words().inside.starts(starts) : '';
  const error = state === 'succeeded' || lastError === null ? '' : words().inside.error(lastError);
  return [words().inside.states[state](stage, finished.length), again, error].filter((text) => text !== '').join('; ');
}

/** Everything that counts as progress, as one text: the same text means no progress. */
export function signatureOf(evidence: BootstrapEvidence): string {
  const { ports, snapshot, readyz, members, inside } = evidence;
  return [
    ...[inside?.releaseImage, inside?.bootkube].map(
      (record) => `${record?.state} ${record?.stage} ${record?.finished.length}`,
    ),
    ...ports.map(({ host, port, state }) => `${host}:${port}=${state}`),
    `api=${snapshot?.api.state ?? ''} ${readyz?.failing ?? ''}`,
    ...members.map(({ name, hasJoined, isReady }) => `${name}=${hasJoined ? 1 : 0}${isReady ? 1 : 0}`),
    `status=${snapshot?.bootstrapStatus ?? ''} etcd=${snapshot?.etcdBootstrapMemberRemoved ?? ''}`,
  ].join(' ');
}
