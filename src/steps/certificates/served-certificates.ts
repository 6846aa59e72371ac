import { type KubeletVerdict, reviewServedCertificate } from '../../csr/served-certificate.ts';
import type { CsrVerdict } from '../../csr/verdict.ts';
import { nodeFqdn } from '../../design/derived-facts.ts';
import type { DesignNode } from '../../design/model.ts';
import type { CertificateRequest } from '../../openshift/certificate-request.ts';
import { getElapsedSince, SECOND } from '../../platform/clock.ts';
import { fetchServedCertificate } from '../../probes/tls-probe.ts';
import type { StepContext } from '../contract.ts';

const KUBELET_PORT = 10250;
const PROBE_TIMEOUT = 2 * SECOND;
/** Pause before an unproven node is probed again, and the number of nodes per probe. */
const RETRY_INTERVAL = 30 * SECOND;
const MAX_CONCURRENT = 16;

/**
 * Probes the certificates that the kubelets of these nodes present at their planned addresses, by the nodes' names in
 * the cluster. A node that has presented its own certificate is not probed again.
 */
export async function probeServedCertificates(
  context: Pick<StepContext, 'design' | 'clock' | 'resolveEndpoint' | 'stepState' | 'probeCache'>,
  nodes: readonly DesignNode[],
  reviewed: { readonly requests: readonly CertificateRequest[]; readonly verdicts: readonly CsrVerdict[] },
): Promise<ReadonlyMap<string, KubeletVerdict>> {
  const { design, clock, resolveEndpoint } = context;
  const { kubelets } = context.probeCache;
  const proven = new Set(context.stepState.get('proven') ?? []);
  const isDue = (name: string) => getElapsedSince(clock, kubelets.get(name)?.at ?? 0) >= RETRY_INTERVAL;
  const due = nodes.filter((node) => !proven.has(nodeFqdn(design, node)) && isDue(nodeFqdn(design, node)));
  await Promise.all(
    due.slice(0, MAX_CONCURRENT).map(async (node) => {
      const name = nodeFqdn(design, node);
      const at = clock.now();
      const served = await fetchServedCertificate(resolveEndpoint, clock, {
        host: node.ip[0] ?? '',
        port: KUBELET_PORT,
        timeoutMs: PROBE_TIMEOUT,
      });
      const own = new Set(
        reviewed.verdicts.flatMap((one) =>
          one.kind === 'serving' && one.node === name && one.isIssued ? one.name : [],
        ),
      );
      const issued = reviewed.requests.filter((request) => own.has(request.name));
      const verdict = served ? reviewServedCertificate(served, { name, addresses: node.ip }, issued, at) : 'silent';
      kubelets.set(name, { at, verdict });
      if (verdict === 'own') proven.add(name);
    }),
  );
  if (due.length > 0 && proven.size > (context.stepState.get('proven') ?? []).length)
    context.stepState.set('proven', [...proven]);
  return new Map(
    nodes.map((node) => {
      const name = nodeFqdn(design, node);
      const last = kubelets.get(name)?.verdict ?? 'unsure';
      // A proof from before the machine was reinstalled no longer counts.
      return [name, proven.has(name) ? 'own' : last === 'own' ? 'unsure' : last];
    }),
  );
}
