import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import { evaluateRules, type Finding, type FindingInput, type Rule } from '../check.ts';
import {
  type BootstrapStage,
  findPorts,
  findUnroutablePorts,
  type LogEvidence,
  type PortEvidence,
  type StuckEvidence,
} from './evidence.ts';
import { formatEvidence } from './stages.ts';

/** Creates a rule for a stage without progress. Findings without a title get "no change for N minutes". */
function stuckRule(
  code: string,
  evaluate: (evidence: StuckEvidence) => readonly (Omit<FindingInput, 'title'> & Partial<FindingInput>)[],
): Rule<StuckEvidence> {
  return {
    code,
    severity: 'warning',
    evaluate(evidence) {
      const minutes = Math.floor(evidence.quietFor / MINUTE);
      const title = catalogue().diagnosis.bootstrap.noChange(evidence.stageTitle, minutes);
      return evaluate(evidence).map((input) => ({ title, ...input }));
    },
  };
}

const words = () => catalogue().diagnosis.bootstrap;

/** The control plane serves its API, but the bootstrap does not complete. */
const bootstrapLate = stuckRule('bootstrap-late', ({ machine }) => {
  const { cause, remedy } = words()['bootstrap-late'];
  return [{ cause, remedy: remedy(machine.address) }];
});

/** The etcd operator does not remove the bootstrap member. */
const etcdBootstrapMember = stuckRule('etcd-bootstrap-member', () => [words()['etcd-bootstrap-member']]);

/** A name server gives a wrong answer: nodes resolve api-int before they fetch anything. */
const namesWrong = stuckRule('names-wrong', ({ wrongNames }) =>
  wrongNames.slice(0, 1).map(({ what, detail }) => {
    const { cause, remedy } = catalogue().diagnosis.bootstrap['names-wrong'];
    return { cause: cause(what, detail), remedy };
  }),
);

/**
 * Bootstrap and load balancer both work, but the bootstrap is missing from the pool. This does not recover on its own.
 */
const lbWithoutBootstrap = stuckRule('lb-without-bootstrap', (evidence) => {
  if (!isBootstrapMissingFromPool(evidence)) return [];
  const { title, cause, remedy } = words()['lb-without-bootstrap'];
  return [{ severity: 'fatal', title, cause: cause(evidence.machine.address), remedy }];
});

/** No member of a pool is up: the load balancer accepts the connection and closes it. */
const lbPoolDown = stuckRule('lb-pool', (evidence) =>
  findStagePorts(evidence, ['closed-at-once']).map(({ port }) => {
    const { cause, remedy } = words()['lb-pool'];
    return { cause: cause(port), remedy: remedy(port) };
  }),
);

/** The load balancer does not listen. */
const lbRefuses = stuckRule('lb-refuses', (evidence) =>
  findStagePorts(evidence, ['refused']).map(({ address, port }) => {
    const { cause, remedy } = words()['lb-refuses'];
    return { cause: cause(address, port), remedy };
  }),
);

/** A firewall or router drops the packets to the load balancer. */
const lbSilent = stuckRule('lb-silent', (evidence) =>
  findStagePorts(evidence, ['timeout', 'unreachable']).map(({ address, port }) => {
    const { cause, remedy } = words()['lb-silent'];
    return { cause: cause(address, port), remedy: remedy(port) };
  }),
);

/** Finds the load balancer ports that the current stage needs and that are in one of these states. */
function findStagePorts(evidence: StuckEvidence, states: readonly PortEvidence['state'][]): PortEvidence[] {
  const ports = evidence.stage === 'api' ? findPorts(evidence, 'api', 6443) : findPorts(evidence, 'api-int', 22623);
  return ports.filter(({ state }) => states.includes(state));
}

function isBootstrapMissingFromPool(evidence: StuckEvidence): boolean {
  const serves = findPorts(evidence, 'bootstrap', 6443).some(({ state }) => state === 'open');
  return serves && findPorts(evidence, 'api', 6443).every(({ state }) => state === 'closed-at-once');
}

const joinNames = (nodes: readonly { readonly name: string }[]) => nodes.map(({ name }) => name).join(', ');

/** Control plane nodes do not join. */
const nodesAbsent = stuckRule('nodes-absent', ({ members }) => {
  const { cause, remedy } = words()['nodes-absent'];
  return [{ cause: cause(joinNames(members.filter(({ hasJoined }) => !hasJoined))), remedy }];
});

/** Control plane nodes joined but do not become Ready. */
const nodesNotReady = stuckRule('nodes-not-ready', ({ members }) => {
  const { cause, remedy } = words()['nodes-not-ready'];
  return [{ cause: cause(joinNames(members.filter(({ isReady }) => !isReady))), remedy }];
});

/** Control plane nodes are Ready, but their API servers do not start. */
const nodesNotServing = stuckRule('nodes-not-serving', (evidence) => {
  const closed = findPorts(evidence, 'control-plane', 6443).filter(({ state }) => state !== 'open');
  const { cause, remedy } = words()['nodes-not-serving'];
  return [{ cause: cause(closed.map(({ host }) => host).join(', ')), remedy }];
});

/** The bootstrap node cannot pull the release image. */
const releaseImageStuck = stuckRule('release-image', (evidence) => [
  {
    cause: formatEvidence('release-image', evidence),
    remedy: words()['release-image'].remedy(evidence.machine.address),
  },
]);

/** bootkube does not progress. */
const bootkubeStuck = stuckRule('bootkube', (evidence) => [
  { cause: formatEvidence('bootkube', evidence), remedy: words().bootkube.remedy(evidence.machine.address) },
]);

/**
 * Probes to an endpoint cannot leave this machine. With addresses of both IP families, one reachable address is enough.
 */
const noRouteFromHere = stuckRule('no-way-from-here', ({ ports }) => {
  const addresses = [...new Set(findUnroutablePorts(ports, ({ kind }) => kind).map(({ address }) => address))];
  const [first] = addresses;
  if (first === undefined) return [];
  const { cause, remedy } = words()['no-way-from-here'];
  return [{ cause: cause(addresses.join(', ')), remedy: remedy(first) }];
});

/** On the machine that runs the bootstrap, one of the two ports is open and the other is not. */
const bootstrapHalfOpen = stuckRule('bootstrap-half', (evidence) => {
  const { open, closed } = getMachinePorts(evidence);
  if (!open || !closed) return [];
  const { name, address } = evidence.machine;
  const { cause, remedy } = words()['bootstrap-half'];
  return [{ cause: cause(`${name}:${open.port}`, `${name}:${closed.port}`), remedy: remedy(address) }];
});

/** No port of the machine that runs the bootstrap is open. */
const bootstrapSilent = stuckRule('bootstrap-silent', (evidence) => {
  const { isProbed, open, closed } = getMachinePorts(evidence);
  if (!isProbed || (open && closed)) return [];
  const { cause, remedy } = words()['bootstrap-silent'];
  return [{ cause: cause(evidence.machine.name), remedy: remedy(evidence.machine.address) }];
});

function getMachinePorts({ ports, machine }: StuckEvidence) {
  const own = ports.filter(({ host, state }) => host === machine.name && state !== 'unsent');
  return {
    isProbed: own.length > 0,
    open: own.find(({ state }) => state === 'open'),
    closed: own.find(({ state }) => state !== 'open'),
  };
}

const LB_RULES = [lbPoolDown, lbRefuses, lbSilent];

/** Rules that explain a stage without progress, the most likely cause first. */
const STAGE_RULES: Readonly<Record<BootstrapStage, readonly Rule<StuckEvidence>[]>> = {
  'release-image': [releaseImageStuck],
  bootkube: [bootkubeStuck],
  'bootstrap-up': [bootstrapHalfOpen, bootstrapSilent],
  api: [lbWithoutBootstrap, ...LB_RULES],
  'machine-config': LB_RULES,
  joined: [namesWrong, ...LB_RULES, nodesAbsent],
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
  const noRoute = evaluateRules([noRouteFromHere], evidence);
  if (noRoute.length > 0) return noRoute;
  if (stage !== 'api') return evaluateRules(STAGE_RULES[stage], evidence);
  // A single node serves its API directly, without a load balancer.
  return evaluateRules(topology === 'single-node' ? STAGE_RULES['bootstrap-up'] : STAGE_RULES.api, evidence).slice(
    0,
    1,
  );
}

/** Kinds of failures that a log line can show. */
type LogLineCode =
  | 'log-pullSecret'
  | 'log-release'
  | 'log-clock'
  | 'log-authority'
  | 'log-name'
  | 'log-full'
  | 'log-disk'
  | 'log-tornDown';

/**
 * Creates a rule for log lines that match a pattern; its cause is the latest match.
 * @param minimum number of matches from which they count
 */
const logRule = (code: LogLineCode, pattern: RegExp, minimum = 1): Rule<readonly LogEvidence[]> => ({
  code,
  severity: 'warning',
  evaluate(lines) {
    const matches = lines.filter(({ text }) => pattern.test(text));
    const line = matches.at(-1);
    if (line === undefined || matches.length < minimum) return [];
    const from = line.source === 'installer' ? '' : `${line.source}: `;
    return [{ ...catalogue().diagnosis.bootstrap.lines[code], cause: `${from}${line.text.slice(0, 300)}` }];
  },
});

const LOG_RULES: readonly Rule<readonly LogEvidence[]>[] = [
  logRule('log-pullSecret', /unauthorized|authentication required/i),
  logRule('log-release', /manifest unknown/i),
  logRule('log-clock', /expired or is not yet valid/),
  logRule('log-authority', /signed by unknown authority/),
  logRule('log-name', /no such host/i),
  logRule('log-full', /no space left/i),
  // etcd changes its leader once or twice while its members join.
  logRule('log-disk', /etcdserver|fdatasync/, 3),
  logRule('log-tornDown', /Tearing down/),
];

const MAX_LINES = 500;
const RECENT_PERIOD = 10 * MINUTE;
const MAX_FINDINGS = 2;

/**
 * Explains the recent failures in the log, with one finding for each kind.
 * @param now ms of the clock
 */
export function explainLogLines(lines: readonly LogEvidence[], now: number): Finding[] {
  const recent = lines
    .slice(-MAX_LINES)
    .filter(({ mark, at }) => mark === 'trouble' && (at === null || now - at < RECENT_PERIOD));
  return evaluateRules(LOG_RULES, recent).slice(0, MAX_FINDINGS);
}
