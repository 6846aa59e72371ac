import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import { type CheckResult, createCheckFactory, type Finding, runChecks } from '../check.ts';
import type { EvidenceLine } from '../rules/evidence.ts';
import {
  type BootstrapStage,
  type LogEvidence,
  listPorts,
  listUnroutablePorts,
  type PortEvidence,
  type StuckEvidence,
} from './evidence.ts';
import { formatStageEvidence } from './stages.ts';

/** Creates a check of a stage without progress. A failure without a title gets "no change for 20 min". */
function createStuckCheck(
  id: string,
  listResults: (
    evidence: StuckEvidence,
  ) => readonly (Pick<CheckResult, 'evidence' | 'severity' | 'title'> & { readonly remedy: string })[],
) {
  return createCheckFactory<StuckEvidence>('bootstrap')(id, 'warning', (evidence) => {
    const age = catalogue().screens.age(evidence.timeWithoutProgress);
    const title = catalogue().diagnosis.bootstrap.noChange(evidence.stageTitle, age);
    return listResults(evidence).map((result) => ({ state: 'failed' as const, title, ...result }));
  });
}

const words = () => catalogue().diagnosis.bootstrap;

/** The control plane serves its API, but the bootstrap does not complete. */
const bootstrapLate = createStuckCheck('bootstrap-late', ({ machine }) => {
  const { cause, remedy } = words()['bootstrap-late'];
  return [{ evidence: [cause], remedy: remedy(machine.address) }];
});

/** The etcd operator does not remove the bootstrap member. */
const etcdBootstrapMember = createStuckCheck('etcd-bootstrap-member', () => {
  const { cause, remedy } = words()['etcd-bootstrap-member'];
  return [{ evidence: [cause], remedy }];
});

/** A name server gives a wrong answer: nodes resolve api-int before they fetch anything. */
const namesWrong = createStuckCheck('names-wrong', ({ wrongNames }) =>
  wrongNames.slice(0, 1).map(({ queryText, detail }) => {
    const { cause, remedy } = catalogue().diagnosis.bootstrap['names-wrong'];
    return { evidence: [cause(queryText, detail)], remedy };
  }),
);

/**
 * The bootstrap node and the load balancer both work, but the node is missing from the pool. This does not recover on
 * its own.
 */
const lbWithoutBootstrap = createStuckCheck('lb-without-bootstrap', (evidence) => {
  if (!isBootstrapMissingFromPool(evidence)) return [];
  const { title, cause, remedy } = words()['lb-without-bootstrap'];
  return [{ severity: 'fatal', title, evidence: [cause(evidence.machine.address)], remedy }];
});

/** No member of a pool is up: the load balancer accepts the connection and closes it. */
const lbPoolDown = createStuckCheck('lb-pool', (evidence) =>
  listStagePorts(evidence, ['closed-at-once']).map(({ port }) => {
    const { cause, remedy } = words()['lb-pool'];
    return { evidence: [cause(port)], remedy: remedy(port) };
  }),
);

/** The load balancer does not listen. */
const lbRefuses = createStuckCheck('lb-refuses', (evidence) =>
  listStagePorts(evidence, ['refused']).map(({ address, port }) => {
    const { cause, remedy } = words()['lb-refuses'];
    return { evidence: [cause(address, port)], remedy };
  }),
);

/** A firewall or router drops the packets to the load balancer. */
const lbSilent = createStuckCheck('lb-silent', (evidence) =>
  listStagePorts(evidence, ['timeout', 'unreachable']).map(({ address, port }) => {
    const { cause, remedy } = words()['lb-silent'];
    return { evidence: [cause(address, port)], remedy: remedy(port) };
  }),
);

/** Lists the load balancer ports that the current stage needs and that are in one of these states. */
function listStagePorts(evidence: StuckEvidence, states: readonly PortEvidence['state'][]): PortEvidence[] {
  const ports = evidence.stage === 'api' ? listPorts(evidence, 'api', 6443) : listPorts(evidence, 'api-int', 22623);
  return ports.filter(({ state }) => states.includes(state));
}

function isBootstrapMissingFromPool(evidence: StuckEvidence): boolean {
  const isBootstrapServing = listPorts(evidence, 'bootstrap', 6443).some(({ state }) => state === 'open');
  return isBootstrapServing && listPorts(evidence, 'api', 6443).every(({ state }) => state === 'closed-at-once');
}

const formatNodeNames = (nodes: readonly { readonly name: string }[]) => nodes.map(({ name }) => name).join(', ');

/** Control plane nodes do not join. */
const nodesAbsent = createStuckCheck('nodes-absent', ({ members }) => {
  const { cause, remedy } = words()['nodes-absent'];
  return [{ evidence: [cause(formatNodeNames(members.filter(({ hasJoined }) => !hasJoined)))], remedy }];
});

/** Control plane nodes joined but do not become Ready. */
const nodesNotReady = createStuckCheck('nodes-not-ready', ({ members }) => {
  const { cause, remedy } = words()['nodes-not-ready'];
  const nodes = members.filter(({ isReady }) => !isReady);
  return [{ evidence: [cause(formatNodeNames(nodes))], remedy: remedy(nodes.map(({ fqdn }) => fqdn)) }];
});

/** Control plane nodes are Ready, but their API servers do not start. */
const nodesNotServing = createStuckCheck('nodes-not-serving', (evidence) => {
  const closedPorts = listPorts(evidence, 'control-plane', 6443).filter(({ state }) => state !== 'open');
  const { cause, remedy } = words()['nodes-not-serving'];
  return [{ evidence: [cause(closedPorts.map(({ host }) => host).join(', '))], remedy }];
});

/** The bootstrap node cannot pull the release image. */
const releaseImageStuck = createStuckCheck('release-image', (evidence) => [
  {
    evidence: [formatStageEvidence('release-image', evidence)],
    remedy: words()['release-image'].remedy(evidence.machine.address),
  },
]);

/** bootkube does not progress. */
const bootkubeStuck = createStuckCheck('bootkube', (evidence) => [
  { evidence: [formatStageEvidence('bootkube', evidence)], remedy: words().bootkube.remedy(evidence.machine.address) },
]);

/**
 * Probes to an endpoint cannot leave this machine. With addresses of both IP families, one reachable address is enough.
 */
const noRouteToEndpoint = createStuckCheck('no-way-from-here', ({ ports }) => {
  const addresses = [...new Set(listUnroutablePorts(ports, ({ kind }) => kind).map(({ address }) => address))];
  const [firstAddress] = addresses;
  if (firstAddress === undefined) return [];
  const { cause, remedy } = words()['no-way-from-here'];
  return [{ evidence: [cause(addresses.join(', '))], remedy: remedy(firstAddress) }];
});

/** On the machine that runs the bootstrap, one of the two ports is open and the other is not. */
const bootstrapHalfOpen = createStuckCheck('bootstrap-half', (evidence) => {
  const { openPort, closedPort } = getMachinePorts(evidence);
  if (!openPort || !closedPort) return [];
  const { name, address } = evidence.machine;
  const { cause, remedy } = words()['bootstrap-half'];
  return [{ evidence: [cause(`${name}:${openPort.port}`, `${name}:${closedPort.port}`)], remedy: remedy(address) }];
});

/** No port of the machine that runs the bootstrap is open. */
const bootstrapSilent = createStuckCheck('bootstrap-silent', (evidence) => {
  const { isProbed, openPort, closedPort } = getMachinePorts(evidence);
  if (!isProbed || (openPort && closedPort)) return [];
  const { cause, remedy } = words()['bootstrap-silent'];
  return [{ evidence: [cause(evidence.machine.name)], remedy: remedy(evidence.machine.address) }];
});

function getMachinePorts({ ports, machine }: StuckEvidence) {
  const machinePorts = ports.filter(({ host, state }) => host === machine.name && state !== 'unsent');
  return {
    isProbed: machinePorts.length > 0,
    openPort: machinePorts.find(({ state }) => state === 'open'),
    closedPort: machinePorts.find(({ state }) => state !== 'open'),
  };
}

const LB_CHECKS = [lbPoolDown, lbRefuses, lbSilent];

/** Checks that explain a stage without progress, the most likely cause first. */
const STAGE_CHECKS: Readonly<Record<BootstrapStage, readonly ReturnType<typeof createStuckCheck>[]>> = {
  'release-image': [releaseImageStuck],
  bootkube: [bootkubeStuck],
  'bootstrap-up': [bootstrapHalfOpen, bootstrapSilent],
  api: [lbWithoutBootstrap, ...LB_CHECKS],
  'machine-config': LB_CHECKS,
  joined: [namesWrong, ...LB_CHECKS, nodesAbsent],
  'control-plane': [nodesNotReady],
  serving: [nodesNotServing],
  complete: [bootstrapLate],
  etcd: [etcdBootstrapMember],
};

/**
 * Explains a stuck bootstrap, the most likely cause first. For an API that does not answer, only the most likely cause
 * is returned.
 */
export function explainStuckBootstrap(evidence: StuckEvidence): Finding[] {
  const { stage, topology } = evidence;
  const noRouteFindings = runChecks([noRouteToEndpoint], evidence);
  if (noRouteFindings.length > 0) return noRouteFindings;
  if (stage !== 'api') return runChecks(STAGE_CHECKS[stage], evidence);
  // A single node serves its API directly, without a load balancer.
  return runChecks(topology === 'single-node' ? STAGE_CHECKS['bootstrap-up'] : STAGE_CHECKS.api, evidence).slice(0, 1);
}

const MAX_LINES = 500;
const MAX_TEXT_LENGTH = 300;
const RECENT_PERIOD = 10 * MINUTE;

/**
 * Lists the recent failures in the log, as evidence of the diagnosis.
 * @param bootstrapName null: the bootstrap has no node of its own
 * @param now ms of the clock
 */
export function listRecentFailures(
  lines: readonly LogEvidence[],
  bootstrapName: string | null,
  now: number,
): EvidenceLine[] {
  return lines
    .slice(-MAX_LINES)
    .filter(({ mark, at }) => mark === 'failure' && (at === null || now - at < RECENT_PERIOD))
    .map(({ source, text, at }) => ({
      ...(source === 'installer' ? { source: 'openshift-install', host: null } : { source, host: bootstrapName }),
      text: text.slice(0, MAX_TEXT_LENGTH),
      at,
    }));
}
