import { MINUTE } from '../../../ports/clock.ts';
import { type Clue, cause, clueOfLines } from '../cause.ts';
import type { Evidence, Line } from '../evidence.ts';

/** Its image is pulled first, and the disk of a small machine is slow: a healthy one waits for minutes. */
const LONG = 10 * MINUTE;
const OFTEN = 3;

/** The etcd that the bootstrap begins with does not become healthy (`wait-for-etcd` of bootkube.sh). */
export const bootstrapEtcdDown = cause('bootstrap-etcd-down', 'installation', (evidence) =>
  stuck(
    evidence,
    /etcdctl failed\. Retrying|^https:\/\/localhost:2379 is unhealthy|^Error: unhealthy cluster/,
    /^https:\/\/localhost:2379 is healthy|^Starting (?:cluster-bootstrap|temporary bootstrap control plane)|^API is up/,
    'sudo crictl ps -a --name etcd; sudo crictl logs "$(sudo crictl ps -aq --name etcd | head -n 1)"',
  ),
);

/** The API server that the bootstrap begins with does not answer on the machine itself (`cb-bootstrap`). */
export const bootstrapApiDown = cause('bootstrap-api-down', 'installation', (evidence) =>
  stuck(
    evidence,
    /^Still waiting for the Kubernetes API: .*(?:localhost|127\.0\.0\.1|\[::1\]):6443/,
    /^API is up|^Created "|Pod Status:|^All self-hosted control plane/,
    'sudo crictl ps -a --name kube-apiserver; sudo tail -n 50 /var/log/bootstrap-control-plane/kube-apiserver.log',
  ),
);

/** The bootstrap serves all that the control plane begins with, and waits for its pods or its etcd. How long that is normal, a bundle alone decides. */
export const controlPlaneAwaited = cause('control-plane-awaited', 'installation', (evidence) =>
  evidence.isBundle !== true
    ? []
    : stuck(
        evidence,
        /^\s*Pod Status:\s*\S+\s+(?:DoesNotExist|Pending|RunningNotReady)|EtcdRunningInCluster in etcd CR/,
        /^bootkube\.service complete|^All self-hosted control plane components|^Tearing down temporary/,
        'oc get nodes; oc get pods -n openshift-etcd -o wide; oc get csr',
      ).map((clue) => ({ ...clue, likelihood: 'possible' as const })),
);

/** Said again and again, and what would end it was not: for long, or to the end of a bundle. */
function stuck(evidence: Evidence, waits: RegExp, goesOn: RegExp, command: string): Clue[] {
  const all = evidence.lines.filter(({ source }) => source !== 'openshift-install');
  const end = all.findLastIndex(({ text }) => goesOn.test(text));
  const lines = all.slice(end + 1).filter(({ text }) => waits.test(text));
  if (lines.length < OFTEN || (evidence.isBundle !== true && spanOf(lines) < LONG)) return [];
  return clueOfLines(lines.slice(-1), 'likely', command);
}

function spanOf(lines: readonly Line[]): number {
  const times = lines.flatMap(({ at }) => at ?? []);
  return times.length === 0 ? 0 : Math.max(...times) - Math.min(...times);
}
