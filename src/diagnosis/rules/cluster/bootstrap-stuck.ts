import { MINUTE } from '../../../platform/clock.ts';
import { diagnosticRule, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';
import type { Evidence, EvidenceLine } from '../evidence.ts';

/** The image of etcd is pulled first, and the disk of a small machine is slow: a healthy etcd waits for minutes. */
const GRACE_PERIOD = 10 * MINUTE;
const MIN_OCCURRENCES = 3;

/** The bootstrap's own etcd does not become healthy (`wait-for-etcd` of bootkube.sh). */
export const bootstrapEtcdDown = diagnosticRule('bootstrap-etcd-down', 'installation', (evidence) =>
  findStalledWait(
    evidence,
    /etcdctl failed\. Retrying|^https:\/\/localhost:2379 is unhealthy|^Error: unhealthy cluster/,
    /^https:\/\/localhost:2379 is healthy|^Starting (?:cluster-bootstrap|temporary bootstrap control plane)|^API is up/,
    'sudo crictl ps -a --name etcd; sudo crictl logs "$(sudo crictl ps -aq --name etcd | head -n 1)"',
  ),
);

/** The bootstrap's own API server does not answer on the machine itself (`cb-bootstrap`). */
export const bootstrapApiDown = diagnosticRule('bootstrap-api-down', 'installation', (evidence) =>
  findStalledWait(
    evidence,
    /^Still waiting for the Kubernetes API: .*(?:localhost|127\.0\.0\.1|\[::1\]):6443/,
    /^API is up|^Created "|Pod Status:|^All self-hosted control plane/,
    'sudo crictl ps -a --name kube-apiserver; sudo tail -n 50 /var/log/bootstrap-control-plane/kube-apiserver.log',
  ),
);

/**
 * The bootstrap serves everything that the control plane starts with, and waits for its pods or its etcd. Reported only
 * for a bundle: there the wait did not end.
 */
export const controlPlanePending = diagnosticRule('control-plane-awaited', 'installation', (evidence) =>
  evidence.isBundle !== true
    ? []
    : findStalledWait(
        evidence,
        /^\s*Pod Status:\s*\S+\s+(?:DoesNotExist|Pending|RunningNotReady)|EtcdRunningInCluster in etcd CR/,
        /^bootkube\.service complete|^All self-hosted control plane components|^Tearing down temporary/,
        'oc get nodes; oc get pods -n openshift-etcd -o wide; oc get csr',
      ).map((symptom) => ({ ...symptom, likelihood: 'possible' as const })),
);

/** A message of waiting repeats, and no later message ends it: for long, or until the end of a bundle. */
function findStalledWait(evidence: Evidence, waitPattern: RegExp, endPattern: RegExp, command: string): Symptom[] {
  const all = evidence.lines.filter(({ source }) => source !== 'openshift-install');
  const end = all.findLastIndex(({ text }) => endPattern.test(text));
  const lines = all.slice(end + 1).filter(({ text }) => waitPattern.test(text));
  if (lines.length < MIN_OCCURRENCES || (evidence.isBundle !== true && measureSpan(lines) < GRACE_PERIOD)) return [];
  return symptomsFromLines(lines.slice(-1), 'likely', command);
}

function measureSpan(lines: readonly EvidenceLine[]): number {
  const times = lines.flatMap(({ at }) => at ?? []);
  return times.length === 0 ? 0 : Math.max(...times) - Math.min(...times);
}
