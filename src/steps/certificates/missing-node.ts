import type { Judgement } from '../../cluster/csr/judgement.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { DesignNode } from '../../design/model.ts';
import { nodeFqdn } from '../../design/names.ts';
import type { MissingNode } from '../../diagnosis/certificates/evidence.ts';
import { missingOf } from '../../diagnosis/certificates/missing.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { timeOfDay } from '../../text/time-of-day.ts';
import type { Page, StepContext } from '../contract.ts';
import { watchBoot } from '../shared/machines/boot-watch.ts';
import { poweredOn } from '../shared/machines/later-nodes.ts';
import type { Member } from './members.ts';

const words = () => catalogue().steps.certificates.missing;
/** Nodes without any sign: no object, no request. One that asked, or joined and is not Ready, is another matter. */
export function missingNodes(
  context: StepContext,
  view: { readonly nodes: readonly Member[]; readonly requests: readonly Judgement[] },
  snapshot: Snapshot | null,
): MissingNode[] {
  // While the API does not say which nodes exist, none is missing.
  if (snapshot !== null && snapshot.nodes === null) return [];
  const powered = poweredOn(context);
  const heardOf = new Set([
    ...(snapshot?.nodes ?? []).map(({ name }) => name),
    ...view.requests.flatMap(({ node, verdict }) => (node !== null && verdict === 'expected' ? [node] : [])),
  ]);
  const silent = view.nodes.filter(
    ({ name, hasJoined }) => !hasJoined && !heardOf.has(nodeFqdn(context.design, { name })),
  );
  return missingOf(
    silent.map(({ name }) => ({ name, poweredOnAt: powered[name] })),
    context.clock.now(),
  );
}

/** All that is known of a node that has not joined: how far it came, the findings, and where to look next. */
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
