import { findMissingNodes, type MissingNode } from '../../checks/certificates.ts';
import type { CsrVerdict } from '../../csr/verdict.ts';
import { nodeFqdn } from '../../design/derived-facts.ts';
import type { DesignNode } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { Snapshot } from '../../kube/snapshot.ts';
import { formatTimeOfDay } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import type { Page, StepContext } from '../contract.ts';
import { probeBoot } from '../shared/machines/boot-progress.ts';
import { readPowerOnTimes } from '../shared/machines/node-facts.ts';
import type { NodeMembership } from './node-membership.ts';

const words = () => catalogue().steps.certificates.missing;
/**
 * Lists nodes without any sign: no object, no expected request. A node that sent a request, or joined and is not Ready,
 * is a different case.
 */
export function listMissingNodes(
  context: StepContext,
  view: { readonly nodes: readonly NodeMembership[]; readonly requests: readonly CsrVerdict[] },
  snapshot: Snapshot | null,
): MissingNode[] {
  // While the API does not list the nodes, none counts as missing.
  if (snapshot !== null && snapshot.nodes === null) return [];
  const powered = readPowerOnTimes(context);
  const knownNodes = new Set([
    ...(snapshot?.nodes ?? []).map(({ name }) => name),
    ...view.requests.flatMap(({ node, verdict }) => (node !== null && verdict === 'expected' ? [node] : [])),
  ]);
  const silent = view.nodes.filter(
    ({ name, hasJoined }) => !hasJoined && !knownNodes.has(nodeFqdn(context.design, { name })),
  );
  return findMissingNodes(
    silent.map(({ name }) => ({ name, poweredOnAt: powered[name] })),
    context.clock.now(),
  );
}

/** Builds a page about a node that has not joined: its progress, the findings, and where to look next. */
export async function buildMissingPage(context: StepContext, node: DesignNode): Promise<Page> {
  const { view, findings } = await probeBoot(context, [node]);
  const [machine] = view.nodes;
  const stage = machine?.stage ?? 'off';
  const poweredAt = readPowerOnTimes(context)[node.name];
  const own = findings.filter(({ subject }) => subject === node.name);
  return {
    title: words().title(node.name),
    lines: [
      words().planned(nodeFqdn(context.design, node), node.ip.join(', '), node.mac),
      poweredAt === undefined ? words().neverPowered : words().poweredAt(formatTimeOfDay(poweredAt)),
      words().stage(catalogue().steps.boot.stages[stage]),
      ...(machine?.lastSeenAt
        ? [words().last(formatTimeOfDay(machine.lastSeenAt), sanitizeLine(machine.detail, 120))]
        : []),
      ...own.flatMap(({ title, cause, remedy }) => ['', title, `- ${cause}`, `- ${remedy}`]),
      '',
      words().checksHeading,
      ...words().checksByStage[stage].map((line) => `- ${line}`),
    ],
  };
}
