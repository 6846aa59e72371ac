import { nodesWithRole } from '../../design/names.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { StepContext } from '../contract.ts';
import { dnsChecks } from '../shared/hosts/service-checks.ts';
import type { BootstrapStage } from '../shared/installer/bootstrap-progress.ts';
import type { BookPages } from '../shared/installer/log.ts';
import { type BootstrapEvidence, type PortEvidence, portsOf } from './evidence.ts';
import { evidenceLine } from './stages.ts';

const findingWords = () => catalogue().findings;

const words = () => catalogue().steps.bootstrap.causes;

/** What a line of the log can ask for. */
type LineKind = 'pullSecret' | 'release' | 'clock' | 'authority' | 'name' | 'full' | 'disk' | 'tornDown';

/** What a line of the log that does not pass by itself asks for; the first that fits. */
const REMEDIES: readonly (readonly [RegExp, LineKind])[] = [
  [/unauthorized|authentication required/i, 'pullSecret'],
  [/manifest unknown/i, 'release'],
  [/expired or is not yet valid/, 'clock'],
  [/signed by unknown authority/, 'authority'],
  [/no such host/i, 'name'],
  [/no space left/i, 'full'],
  [/etcdserver|fdatasync/, 'disk'],
  [/Tearing down/, 'tornDown'],
];
/** What has to repeat before it means anything: etcd changes its leader once or twice while its members join. */
const REPEATS: Partial<Record<LineKind, number>> = { disk: 3 };
const LATEST_LINES = 500;
const RECENT = 10 * MINUTE;

/** What the latest lines of trouble in the log mean, one finding for each kind. */
export function lineFindings({ lines }: BookPages, now: number): Finding[] {
  const recent = lines
    .slice(-LATEST_LINES)
    .filter(({ mark, at }) => mark === 'trouble' && (at === null || now - at < RECENT));
  return REMEDIES.flatMap(([pattern, kind]): Finding[] => {
    const fitting = recent.filter(({ text }) => pattern.test(text));
    const line = fitting.at(-1);
    if (line === undefined || fitting.length < (REPEATS[kind] ?? 1)) return [];
    const cause = `${line.source === 'installer' ? '' : `${line.source}: `}${line.text.slice(0, 300)}`;
    return [{ code: `log-${kind}`, severity: 'warning', subject: null, cause, ...words().lines[kind] }];
  }).slice(0, 2);
}

interface Cause extends Partial<Pick<Finding, 'severity' | 'title'>> {
  readonly code: string;
  readonly cause: string;
  readonly whatToDo: string;
}

/**
 * Why nothing changes in a stage, as far as it can be seen from here; the most likely cause first.
 * @param title the stage in words
 * @param quietFor for how long nothing has changed, in milliseconds
 */
export async function stuckFindings(
  context: StepContext,
  stage: BootstrapStage,
  title: string,
  evidence: BootstrapEvidence,
  quietFor: number,
): Promise<Finding[]> {
  const causes = await causesOf(context, stage, evidence);
  return causes.map((cause) => ({
    severity: 'warning',
    subject: null,
    title: words().title(title, Math.floor(quietFor / MINUTE)),
    ...cause,
  }));
}

async function causesOf(context: StepContext, stage: BootstrapStage, evidence: BootstrapEvidence): Promise<Cause[]> {
  const { design } = context;
  const machine = nodesWithRole(design, 'bootstrap')[0] ?? nodesWithRole(design, 'control-plane')[0];
  const address = machine?.ip[0] ?? '';
  const missing = (test: (member: BootstrapEvidence['members'][number]) => boolean) =>
    evidence.members
      .filter(test)
      .map(({ name }) => name)
      .join(', ');
  switch (stage) {
    case 'release-image':
      return [{ code: 'release-image', cause: evidenceLine(stage, evidence), whatToDo: words().releaseImage(address) }];
    case 'bootkube':
      return [{ code: 'bootkube', cause: evidenceLine(stage, evidence), whatToDo: words().bootkube(address) }];
    case 'bootstrap-up':
      return [silentCause(evidence, machine?.name ?? '', address)];
    case 'api':
      return design.topology === 'single-node'
        ? [silentCause(evidence, machine?.name ?? '', address)]
        : [...withoutBootstrap(evidence, address), ...balancerCauses(portsOf(evidence, 'api', 6443))].slice(0, 1);
    case 'machine-config':
      return balancerCauses(portsOf(evidence, 'api-int', 22623));
    case 'joined': {
      const names = await wrongNames(context);
      const nodes = missing(({ hasJoined }) => !hasJoined);
      return [
        ...names,
        ...balancerCauses(portsOf(evidence, 'api-int', 22623)),
        { code: 'nodes-absent', cause: words().absent.cause(nodes), whatToDo: words().absent.whatToDo },
      ];
    }
    case 'control-plane': {
      const nodes = missing(({ isReady }) => !isReady);
      return [{ code: 'nodes-not-ready', cause: words().notReady.cause(nodes), whatToDo: words().notReady.whatToDo }];
    }
    case 'serving': {
      const closed = portsOf(evidence, 'control-plane', 6443).filter(({ state }) => state !== 'open');
      const cause = words().notServing.cause(closed.map(({ host }) => host).join(', '));
      return [{ code: 'nodes-not-serving', cause, whatToDo: words().notServing.whatToDo }];
    }
    case 'complete':
      return [{ code: 'bootstrap-late', cause: words().late.cause(), whatToDo: words().late.whatToDo(address) }];
    case 'etcd':
      return [
        { code: 'etcd-bootstrap-member', cause: words().etcdStays.cause(), whatToDo: words().etcdStays.whatToDo() },
      ];
  }
}

function silentCause({ ports }: BootstrapEvidence, name: string, address: string): Cause {
  const own = ports.filter(({ host }) => host === name);
  const [open, closed] = [own.find(({ state }) => state === 'open'), own.find(({ state }) => state !== 'open')];
  if (open && closed) {
    const cause = words().half.cause(`${name}:${open.port}`, `${name}:${closed.port}`);
    return { code: 'bootstrap-half', cause, whatToDo: words().half.whatToDo(address) };
  }
  return { code: 'bootstrap-silent', cause: words().silent.cause(name), whatToDo: words().silent.whatToDo(address) };
}

/** The one fault that a working bootstrap and a working balancer have together; nothing goes on by itself then. */
function withoutBootstrap(evidence: BootstrapEvidence, address: string): Cause[] {
  const serves = portsOf(evidence, 'bootstrap', 6443).some(({ state }) => state === 'open');
  const isPassedOn = portsOf(evidence, 'api', 6443).some(({ state }) => state !== 'closed-at-once');
  if (!serves || isPassedOn) return [];
  const { title, cause, whatToDo } = findingWords().lbWithoutBootstrap;
  return [{ code: 'lb-without-bootstrap', severity: 'fatal', title, cause: cause(address), whatToDo }];
}

/** What a port on the load balancer tells: no member, dropped on the way, or nobody listening. */
function balancerCauses(ports: readonly PortEvidence[]): Cause[] {
  return ports.flatMap(({ address, port, state }): Cause[] => {
    if (state === 'open') return [];
    if (state === 'closed-at-once')
      return [{ code: 'lb-pool', cause: words().pool.cause(port), whatToDo: words().pool.whatToDo(port) }];
    if (state === 'refused')
      return [
        { code: 'lb-refuses', cause: words().refused.cause(address, port), whatToDo: words().refused.whatToDo() },
      ];
    return [
      { code: 'lb-silent', cause: words().dropped.cause(address, port), whatToDo: words().dropped.whatToDo(port) },
    ];
  });
}

/** The names that nodes need, where a server of ours answers otherwise than designed. */
async function wrongNames(context: StepContext): Promise<Cause[]> {
  const checks = (await Promise.all(dnsChecks(context))).filter(({ isOk, what }) => !isOk && what.includes('api'));
  return checks.slice(0, 1).map(({ what, detail }) => ({
    code: 'names-wrong',
    cause: words().names.cause(what, detail),
    whatToDo: words().names.whatToDo,
  }));
}
