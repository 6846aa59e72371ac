import { parseRequestStage } from '../../checks/boot/checks.ts';
import { assessRejoin, type RejoinAssessment } from '../../checks/certificates.ts';
import type { CsrVerdict } from '../../csr/verdict.ts';
import { nodeFqdn } from '../../design/derived-facts.ts';
import type { DesignNode } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { NodeView } from '../../openshift/node.ts';
import { formatTimeOfDay } from '../../platform/clock.ts';

import type { StepContext } from '../contract.ts';
import { readBootRequests } from '../shared/machines/boot-requests.ts';

const words = () => catalogue().csr;

/** Assessments by the name of the request. */
export type RejoinAssessments = ReadonlyMap<string, RejoinAssessment>;

/**
 * Assesses whether a request comes from a node that rejoins after a reinstallation or from an impostor. The evidence is
 * the log of the boot server and whether the node exists. It proves nothing; the user decides.
 */
export async function assessRejoins(
  context: StepContext,
  requests: readonly CsrVerdict[],
  nodes: readonly NodeView[],
): Promise<RejoinAssessments> {
  // A node that requests under its own name renews its certificate: its identity is proven.
  const candidates = requests.filter(
    ({ verdict, reasons, requester, node }) =>
      verdict === 'refused' && reasons.includes('NODE_EXISTS') && requester !== `system:node:${node}`,
  );
  if (candidates.length === 0) return new Map();
  const installs = (await readBootRequests(context)).filter(({ path, status }) => {
    const stage = status < 400 ? parseRequestStage(path) : null;
    return stage === 'rootfs' || stage === 'ignition';
  });
  const listInstallTimes = (node: DesignNode) => {
    const clients = new Set(node.ip.map((address) => context.resolveEndpoint(address, 0).host));
    return installs.filter(({ client }) => clients.has(client)).map(({ at }) => at);
  };
  return new Map(
    candidates.flatMap((request) => {
      const planned = context.design.nodes.find((node) => nodeFqdn(context.design, node) === request.node);
      const node = nodes.find(({ name }) => name === request.node);
      return planned && node ? [[request.name, assessRejoin(request, node, listInstallTimes(planned))] as const] : [];
    }),
  );
}

/**
 * Explains in sentences why a request is not approved automatically; for an existing node, with the evidence for and
 * against it.
 */
export function explainReasons(
  { name, reasons }: Pick<CsrVerdict, 'name' | 'reasons'>,
  rejoinAssessments?: RejoinAssessments,
): string[] {
  const rejoining = rejoinAssessments?.get(name);
  return reasons.map((code) =>
    code === 'NODE_EXISTS' && rejoining ? formatRejoinAssessment(rejoining) : words().reasons[code],
  );
}

function formatRejoinAssessment({ kind, installedAt }: RejoinAssessment): string {
  const { again, running, unseen } = words().rejoining;
  if (kind === 'again') return again(formatTimeOfDay(installedAt ?? 0));
  return kind === 'running' ? running : unseen;
}
