import { servedCertificate } from '../../bastion/probes/served-certificate.ts';
import type { Judgement } from '../../cluster/csr/judgement.ts';
import type { CertificateRequest } from '../../cluster/csr/request.ts';
import { judgeServed, type KubeletVerdict } from '../../cluster/csr/served.ts';
import type { DesignNode } from '../../design/model.ts';
import { nodeFqdn } from '../../design/names.ts';
import { SECOND } from '../../ports/clock.ts';
import { ageOf } from '../../ports/waiting.ts';
import type { StepContext } from '../contract.ts';

const KUBELET = 10250;
const PATIENCE = 2 * SECOND;
/** When to ask again where nothing is proven, and how many to ask at a look. */
const AGAIN_AFTER = 30 * SECOND;
const AT_ONCE = 16;

/**
 * What the kubelets of these nodes present at their planned addresses, by the nodes' names in the cluster. Does not ask
 * a node again once it has presented its own certificate.
 */
export async function servedVerdicts(
  context: Pick<StepContext, 'design' | 'clock' | 'reach' | 'memory' | 'recollection'>,
  nodes: readonly DesignNode[],
  seen: { readonly requests: readonly CertificateRequest[]; readonly judgements: readonly Judgement[] },
): Promise<ReadonlyMap<string, KubeletVerdict>> {
  const { design, clock, reach } = context;
  const { kubelets } = context.recollection;
  const proven = new Set(context.memory.get('proven') ?? []);
  const isDue = (name: string) => ageOf(clock, kubelets.get(name)?.at ?? 0) >= AGAIN_AFTER;
  const open = nodes.filter((node) => !proven.has(nodeFqdn(design, node)) && isDue(nodeFqdn(design, node)));
  await Promise.all(
    open.slice(0, AT_ONCE).map(async (node) => {
      const name = nodeFqdn(design, node);
      const at = clock.now();
      const served = await servedCertificate(reach, clock, {
        host: node.ip[0] ?? '',
        port: KUBELET,
        timeoutMs: PATIENCE,
      });
      const own = new Set(
        seen.judgements.flatMap((one) => (one.kind === 'serving' && one.node === name && one.isIssued ? one.name : [])),
      );
      const issued = seen.requests.filter((request) => own.has(request.name));
      const verdict = served ? judgeServed(served, { name, addresses: node.ip }, issued, at) : 'silent';
      kubelets.set(name, { at, verdict });
      if (verdict === 'own') proven.add(name);
    }),
  );
  if (open.length > 0 && proven.size > (context.memory.get('proven') ?? []).length)
    context.memory.set('proven', [...proven]);
  return new Map(
    nodes.map((node) => {
      const name = nodeFqdn(design, node);
      const last = kubelets.get(name)?.verdict ?? 'unsure';
      // A proof from before the machine was installed anew does not count any more.
      return [name, proven.has(name) ? 'own' : last === 'own' ? 'unsure' : last];
    }),
  );
}
