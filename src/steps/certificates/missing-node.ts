import type { Snapshot } from '../../cluster/snapshot.ts';
import type { DesignNode } from '../../design/model.ts';
import { nodeFqdn } from '../../design/names.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { timeOfDay } from '../../text/time-of-day.ts';
import type { Page, StepContext } from '../contract.ts';
import { watchBoot } from '../shared/machines/boot-watch.ts';
import { poweredOn } from '../shared/machines/later-nodes.ts';
import type { CertificatesView } from './seen.ts';

const findingWords = () => catalogue().findings;

const words = () => catalogue().steps.certificates.missing;
/** A node that booted this long ago and has not joined is missing (writing the disk, two reboots and the pull take 10-20 min). */
const MISSING_AFTER = 45 * MINUTE;

/** A node that nothing is heard of, and for how long: minutes since it was powered on. */
export interface MissingNode {
  readonly name: string;
  readonly minutes: number;
}

/** Nodes that nothing is heard of: no object, no request. One that asked, or joined and is not Ready, is another matter. */
export function missingNodes(
  context: StepContext,
  view: Pick<CertificatesView, 'nodes' | 'requests'>,
  snapshot: Snapshot | null,
): MissingNode[] {
  // While the API does not say who is there, nobody is missing.
  if (snapshot !== null && snapshot.nodes === null) return [];
  const powered = poweredOn(context);
  const now = context.clock.now();
  const heardOf = new Set([
    ...(snapshot?.nodes ?? []).map(({ name }) => name),
    ...view.requests.flatMap(({ node, verdict }) => (node !== null && verdict === 'expected' ? [node] : [])),
  ]);
  return view.nodes
    .filter(({ name, hasJoined }) => !hasJoined && !heardOf.has(nodeFqdn(context.design, { name })))
    .map(({ name }) => ({ name, waited: now - (powered[name] ?? now) }))
    .filter(({ waited }) => waited > MISSING_AFTER)
    .map(({ name, waited }) => ({ name, minutes: Math.floor(waited / MINUTE) }));
}

/** A warning for each node that is missing. The page of the node says more. */
export function missingFindings(missing: readonly MissingNode[]): Finding[] {
  const { title, cause, whatToDo } = findingWords().missingNode;
  return missing.map(({ name, minutes }) => ({
    code: 'node-missing',
    severity: 'warning',
    subject: name,
    title: title(name),
    cause: cause(minutes),
    whatToDo,
  }));
}

/** All that is known of a node that has not joined: how far it came, what was found, and where to look next. */
export async function missingPage(context: StepContext, node: DesignNode): Promise<Page> {
  const { view, findings } = await watchBoot(context, [node]);
  const [seen] = view.nodes;
  const stage = seen?.stage ?? 'off';
  const poweredAt = poweredOn(context)[node.name];
  const own = findings.filter(({ subject }) => subject === node.name);
  return {
    title: words().title(node.name),
    lines: [
      words().planned(nodeFqdn(context.design, node), node.ip.join(', '), node.mac),
      poweredAt === undefined ? words().neverPowered : words().poweredAt(timeOfDay(poweredAt)),
      words().stage(catalogue().steps.boot.stages[stage]),
      ...(seen?.lastSeenAt ? [words().last(timeOfDay(seen.lastSeenAt), sanitizeLine(seen.detail, 120))] : []),
      ...own.flatMap(({ title, cause, whatToDo }) => ['', title, `- ${cause}`, `- ${whatToDo}`]),
      '',
      words().next,
      ...words().lookAt[stage].map((line) => `- ${line}`),
    ],
  };
}
