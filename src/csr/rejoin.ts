import { assessRejoin, type RejoinAssessment } from '../checks/certificates.ts';
import { getNodeFqdn } from '../design/derived-facts.ts';
import type { DesignNode } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import type { NodeView } from '../openshift/node.ts';
import { formatTimeOfDay } from '../platform/clock.ts';
import type { CsrContext } from './csr-context.ts';
import type { RequestReview } from './verdict.ts';

const words = () => catalogue().csr;

/** Assessments by the name of the request. */
export type RejoinAssessments = ReadonlyMap<string, RejoinAssessment>;

/**
 * Assesses whether a request comes from a node that rejoins after a reinstallation or from an impostor. The evidence is
 * the log of the boot server and whether the node exists. It proves nothing; the user decides.
 */
export async function assessRejoins(
  { design, resolveEndpoint, bootEvidence }: CsrContext,
  requests: readonly RequestReview[],
  nodes: readonly NodeView[],
): Promise<RejoinAssessments> {
  // A node that requests under its own name renews its certificate: its identity is proven.
  const candidates = requests.filter(
    ({ verdict, reasons, requester, node }) =>
      verdict === 'refused' && reasons.includes('NODE_EXISTS') && requester !== `system:node:${node}`,
  );
  if (candidates.length === 0 || bootEvidence === null) return new Map();
  const installations = await bootEvidence.listInstallations();
  const listInstallTimes = (node: DesignNode) => {
    const clients = new Set(node.ip.map((address) => resolveEndpoint(address, 0).host));
    return installations.filter(({ client }) => clients.has(client)).map(({ at }) => at);
  };
  return new Map(
    candidates.flatMap((request) => {
      const plannedNode = design.nodes.find((node) => getNodeFqdn(design, node) === request.node);
      const node = nodes.find(({ name }) => name === request.node);
      return plannedNode && node
        ? [[request.name, assessRejoin(request, node, listInstallTimes(plannedNode))] as const]
        : [];
    }),
  );
}

/**
 * Explains in sentences why a request is not approved automatically; for an existing node, with the evidence for and
 * against it.
 */
export function explainReasons(
  { name, reasons }: Pick<RequestReview, 'name' | 'reasons'>,
  rejoinAssessments?: RejoinAssessments,
): string[] {
  const rejoinAssessment = rejoinAssessments?.get(name);
  return reasons.map((code) =>
    code === 'NODE_EXISTS' && rejoinAssessment ? formatRejoinAssessment(rejoinAssessment) : words().reasons[code],
  );
}

function formatRejoinAssessment({ kind, installedAt }: RejoinAssessment): string {
  const { again, running, unrecorded } = words().rejoining;
  if (kind === 'again') return again(formatTimeOfDay(installedAt ?? 0));
  return kind === 'running' ? running : unrecorded;
}
