import { MINUTE } from '../../platform/clock.ts';
import { formatUrlHost } from '../../platform/text.ts';
import {
  buildStatusCommand,
  formatPoolStatus,
  formatPortState,
  groupMembersByBalancer,
  listServingHosts,
} from './balancer.ts';
import {
  canRemoveBootstrap,
  createDiagnosticRule,
  createSymptom,
  isBootstrapping,
  matchLogLines,
  type Symptom,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { Evidence, EvidenceLine } from './evidence.ts';
import { createLineSymptom, listHaproxySections } from './haproxy-config.ts';
import { isConfigServedByBootstrap } from './nodes.ts';

/** The bootstrap waited for the control plane in vain, and starts again. */
export const bootkubeTornDown = createDiagnosticRule('bootkube-torn-down', 'installation', (evidence) => {
  const lines = matchLogLines(evidence, /Tearing down temporary bootstrap control plane/);
  return canRemoveBootstrap(evidence) ? [] : symptomsFromLines(lines.slice(-1), 'possible');
});

/** The image of etcd is pulled first, and the disk of a small machine is slow: a healthy etcd starts after minutes. */
const GRACE_PERIOD = 10 * MINUTE;
const MIN_OCCURRENCES = 3;

/** The bootstrap's own etcd does not become healthy (`wait-for-etcd` of bootkube.sh). */
export const bootstrapEtcdDown = createDiagnosticRule('bootstrap-etcd-down', 'installation', (evidence) =>
  listStalledWaitSymptoms(
    evidence,
    /etcdctl failed\. Retrying|^https:\/\/localhost:2379 is unhealthy|^Error: unhealthy cluster/,
    /^https:\/\/localhost:2379 is healthy|^Starting (?:cluster-bootstrap|temporary bootstrap control plane)|^API is up/,
    'sudo crictl ps -a --name etcd; sudo crictl logs "$(sudo crictl ps -aq --name etcd | head -n 1)"',
  ),
);

/** The bootstrap's own API server does not answer on the machine itself (`cb-bootstrap`). */
export const bootstrapApiDown = createDiagnosticRule('bootstrap-api-down', 'installation', (evidence) =>
  listStalledWaitSymptoms(
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
export const controlPlanePending = createDiagnosticRule('control-plane-awaited', 'installation', (evidence) =>
  evidence.isBundle !== true
    ? []
    : listStalledWaitSymptoms(
        evidence,
        /^\s*Pod Status:\s*\S+\s+(?:DoesNotExist|Pending|RunningNotReady)|EtcdRunningInCluster in etcd CR/,
        /^bootkube\.service complete|^All self-hosted control plane components|^Tearing down temporary/,
        'oc get nodes; oc get pods -n openshift-etcd -o wide; oc get csr',
      ).map((symptom) => ({ ...symptom, likelihood: 'possible' })),
);

/** Lists a message about a wait that no later message ends, and that repeats for long or until the end of a bundle. */
function listStalledWaitSymptoms(
  evidence: Evidence,
  waitPattern: RegExp,
  endPattern: RegExp,
  command: string,
): Symptom[] {
  const logLines = evidence.lines.filter(({ source }) => source !== 'openshift-install');
  const endIndex = logLines.findLastIndex(({ text }) => endPattern.test(text));
  const lines = logLines.slice(endIndex + 1).filter(({ text }) => waitPattern.test(text));
  if (lines.length < MIN_OCCURRENCES || (evidence.isBundle !== true && computeSpanMs(lines) < GRACE_PERIOD)) return [];
  return symptomsFromLines(lines.slice(-1), 'likely', command);
}

function computeSpanMs(lines: readonly EvidenceLine[]): number {
  const times = lines.flatMap(({ at }) => at ?? []);
  return times.length === 0 ? 0 : Math.max(...times) - Math.min(...times);
}

/**
 * Bootstrapping is complete, and etcd keeps the member on the bootstrap machine: removing that machine now costs etcd a
 * vote.
 */
export const etcdBootstrapMemberRemains = createDiagnosticRule(
  'etcd-bootstrap-member',
  'operatorIssues',
  ({ cluster, now }) => {
    const etcd = cluster?.operators?.find(({ name }) => name === 'etcd');
    if (cluster?.bootstrapStatus !== 'complete' || cluster.isBootstrapMemberRemoved !== false || etcd === undefined)
      return [];
    if (!etcd.degraded || now - (etcd.since ?? now) < GRACE_PERIOD) return [];
    return [createSymptom('likely', 'etcd', etcd.message, 'oc get etcd cluster -o yaml')];
  },
);

/** Fewer lines are normal: etcd changes its leader once or twice while its members join. */
const MIN_SLOW_LINES = 5;

/** All clients of etcd report one leader change at once, within this many minutes. */
const MAX_LEADER_CHANGE_MINUTES = 2;

/** etcd warns above 100 or 200 ms, which a good but busy disk reaches now and then while a cluster starts. */
const SLOW_REQUEST_MS = 500;

/** etcd waits for its disk. */
export const etcdDiskSlow = createDiagnosticRule('etcd-disk-slow', 'requirements', (evidence) => {
  const operators = (evidence.cluster?.operators ?? []).filter(
    ({ wait }) => wait?.code === 'etcd-slow' && !wait.isNormal,
  );
  const command =
    'fio --rw=write --ioengine=sync --fdatasync=1 --directory=/var/lib/etcd --size=22m --bs=2300 --name=etcd';
  const operatorSymptoms = operators.map(({ name, message }) => createSymptom('likely', name, message, command));
  const slowLines = matchLogLines(evidence, /slow fdatasync|took too long.*expected-duration/).filter(
    ({ text }) => parseDurationMs(text) >= SLOW_REQUEST_MS,
  );
  const lostRequestLines = matchLogLines(evidence, /etcdserver: (?:request timed out|leader changed)/);
  const isLasting = evidence.isBundle !== true || countMinutes(lostRequestLines) > MAX_LEADER_CHANGE_MINUTES;
  const lines = [
    ...(slowLines.length >= MIN_SLOW_LINES ? slowLines : []),
    ...(lostRequestLines.length >= MIN_SLOW_LINES && isLasting ? lostRequestLines : []),
  ];
  return [...operatorSymptoms, ...symptomsFromLines(lines.slice(0, 1), 'likely', command)];
});

/** Parses the duration in the line, ms; a line without one counts as slow. */
function parseDurationMs(text: string): number {
  const [, number, unit] = /took\W{1,4}(?:[\d.]+m)?([\d.]+)(ms|s)\b/.exec(text) ?? [];
  return number === undefined ? SLOW_REQUEST_MS : Number(number) * (unit === 's' ? 1000 : 1);
}

/** Counts the minutes in which such lines occur; each line without a time counts as one. */
function countMinutes(lines: readonly EvidenceLine[]): number {
  return new Set(lines.map(({ at }, index) => (at === null ? `#${index}` : Math.floor(at / MINUTE)))).size;
}

/** An etcd member is unavailable. With three members, losing another one stops the API. */
export const etcdMemberUnhealthy = createDiagnosticRule('etcd-member-lost', 'operatorIssues', (evidence) =>
  (canRemoveBootstrap(evidence) ? (evidence.cluster?.operators ?? []) : [])
    .filter(
      ({ name, degraded, since }) =>
        name === 'etcd' && degraded && evidence.now - (since ?? evidence.now) > GRACE_PERIOD,
    )
    // `No unhealthy members found` also appears beside other faults.
    .filter(({ message }) => /\d+ of \d+ members are available|UnhealthyMembers|is unhealthy/.test(message))
    .flatMap(({ message }) => {
      const names = [...message.matchAll(/([a-z0-9][a-z0-9.-]*) is unhealthy/g)].map(([, name = '']) => name);
      return (names.length === 0 ? ['etcd'] : names).map((subject) =>
        createSymptom('certain', subject, message, 'oc get pods -n openshift-etcd -o wide; oc get nodes'),
      );
    }),
);

/**
 * A job of a two-node cluster with fencing failed. One job hands etcd over to Pacemaker, another one configures fencing
 * through the BMCs (openshift/cluster-etcd-operator pkg/tnf/pkg/jobs/jobcontroller.go).
 */
export const fencingJobFailed = createDiagnosticRule('fencing-job-failed', 'operatorIssues', (evidence) =>
  (evidence.cluster?.operators ?? [])
    .filter(({ name, degraded }) => name === 'etcd' && degraded)
    .filter(({ message }) => /\btnf-[a-z-]+-job\S*Degraded: \S*.*failed|TNFJobControllersDegraded/i.test(message))
    .map(({ message }) =>
      createSymptom(
        'certain',
        'etcd',
        message,
        'oc -n openshift-etcd get jobs; oc -n openshift-etcd logs job/tnf-fencing-job',
      ),
    ),
);

/**
 * Port 22623 of the load balancer serves no configuration. Nodes fetch it there, first from the bootstrap, then from
 * the control plane.
 */
export const machineConfigServerUnreachable = createDiagnosticRule(
  'config-server-closed',
  'balancer',
  (evidence) => {
    const symptoms = [
      ...listWrongHealthCheckSymptoms(evidence),
      ...listMissingListenerSymptoms(evidence),
      ...listPoolWithoutServerSymptoms(evidence),
      ...listClosedEndpointSymptoms(evidence),
    ];
    if (symptoms.length > 0) return symptoms;
    const isClosed = evidence.ports.some(
      ({ kind, port, state }) => kind === 'api-int' && port === 22623 && state !== 'open',
    );
    const isProbed = evidence.ports.some(({ kind }) => kind === 'api-int');
    // A port that is open now makes older log lines irrelevant. A bundle has no probed ports.
    if (isProbed && !isClosed) return [];
    const lines = matchLogLines(
      evidence,
      /:22623\/config\/\S+.*(?:EOF|refused|reset|no route to host|network is unreachable|i\/o timeout|context deadline exceeded(?!.*awaiting headers))/,
      3,
      // Workers are refused until the control plane serves them, which is normal.
    ).filter(
      ({ text }) =>
        !/: lookup /.test(text) && (!/\/config\/worker\b/.test(text) || !isConfigServedByBootstrap(evidence)),
    );
    if (lines.length === 0 && !isProbed) {
      // The load balancer itself answers, instead of a member.
      const answerLines = matchLogLines(evidence, /GET result: (?:Service Unavailable|Bad Gateway|Gateway Timeout)/, 3);
      return answerLines.length > 0
        ? symptomsFromLines(answerLines.slice(-1), 'likely', 'curl -kI https://API-INT:22623/healthz')
        : listEndlessAttemptSymptoms(evidence);
    }
    return symptomsFromLines(
      lines.slice(-1),
      isProbed ? 'possible' : 'likely',
      'curl -kI https://API-INT:22623/healthz',
    );
  },
  true,
);

/** Ignition tries every five seconds: more than half an hour, which is longer than a control plane takes to come up. */
const ENDLESS_ATTEMPT = /:22623\/config\/\w+: attempt #(?:3[6-9]\d|[4-9]\d\d|\d{4,})$/;

/**
 * Lists a machine that has been requesting its configuration for a long time. The answers are not known, because only
 * its console was saved.
 */
function listEndlessAttemptSymptoms(evidence: Evidence) {
  const hasReply = evidence.lines.some(({ text }) => /GET (?:error|result): ./.test(text));
  const attemptLines = hasReply || isConfigServedByBootstrap(evidence) ? [] : matchLogLines(evidence, ENDLESS_ATTEMPT);
  return symptomsFromLines(attemptLines.slice(-1), 'possible', 'curl -kI https://API-INT:22623/healthz');
}

/**
 * Lists health checks of a path other than /healthz, or without TLS: the server answers 404 or nothing, and is marked
 * DOWN while it serves.
 */
function listWrongHealthCheckSymptoms(evidence: Evidence) {
  return listHaproxySections(evidence).flatMap((section) => {
    const members = section.lines.filter((line) => /^server \S+ \S+:22623\b.* check\b(?!-)/.test(line));
    const healthCheck = section.lines.find((line) => /^option (?:httpchk|ssl-hello-chk)\b/.test(line));
    if (healthCheck === undefined || members.length === 0) return [];
    const isCorrect =
      /^option httpchk (?:[A-Z]+ )?\/healthz\b/.test(healthCheck) &&
      members.every((line) => /\bcheck-ssl\b/.test(line));
    return isCorrect ? [] : [createLineSymptom(section, healthCheck)];
  });
}

/** Lists a load balancer that listens on 6443 if none listens on 22623 (okd-project/okd#294). */
function listMissingListenerSymptoms(evidence: Evidence) {
  const sections = listHaproxySections(evidence);
  const apiSection = sections.find(({ bindPorts }) => bindPorts.includes('6443'));
  if (apiSection === undefined || sections.some(({ bindPorts }) => bindPorts.includes('22623'))) return [];
  return [
    createSymptom(
      'certain',
      apiSection.host,
      `${apiSection.path} on ${apiSection.host}: no bind :22623`,
      `ssh ${apiSection.host} grep -n bind ${apiSection.path}`,
    ),
  ];
}

/**
 * Lists pools without any machine that serves the configuration at this stage. Before the first machine is powered on,
 * no node can fail because of the pool: until then, the checks of the load balancer report it.
 */
function listPoolWithoutServerSymptoms(evidence: Evidence) {
  const { machines } = evidence;
  if (machines.length > 0 && machines.every(({ poweredOnAt, hasJoined }) => poweredOnAt === null && !hasJoined))
    return [];
  const isBootstrapPhase = isBootstrapping(evidence);
  const servingNodes =
    evidence.design?.nodes.filter(({ role }) => role === (isBootstrapPhase ? 'bootstrap' : 'control-plane')) ?? [];
  if (servingNodes.length === 0 || groupMembersByBalancer(evidence, 'api').length === 0) return [];
  return [...new Set(evidence.balancerMembers.map(({ balancer }) => balancer))].flatMap((balancer) => {
    const balancerPools = evidence.balancerMembers.filter((balancerMember) => balancerMember.balancer === balancer);
    const members = balancerPools.filter(({ pool }) => pool === 'machine-config');
    const [firstBalancerPool] = balancerPools;
    const hasServingMember = members.some(({ name }) => servingNodes.some((node) => node.name === name));
    const isInApiPool = balancerPools.some(
      ({ pool, name }) => pool === 'api' && servingNodes.some((node) => node.name === name),
    );
    // If the API pool lacks the machine as well, that is the cause, and another rule reports it.
    if (firstBalancerPool === undefined || hasServingMember || !isInApiPool) return [];
    const evidenceText = members.length === 0 ? `${balancer}: no pool machine-config` : formatPoolStatus(members);
    return [createSymptom('certain', balancer, evidenceText, buildStatusCommand(firstBalancerPool))];
  });
}

/**
 * Lists endpoints whose port 22623 is closed although a member serves it, or although the load balancer listens for the
 * API.
 */
function listClosedEndpointSymptoms(evidence: Evidence) {
  const servingHosts = listServingHosts(evidence, 22623);
  const isManaged = evidence.design?.services.loadBalancer.kind === 'haproxy';
  const endpointPorts = evidence.ports.filter(({ kind }) => kind === 'api-int');
  return endpointPorts.flatMap(({ port, address, state }) => {
    if (port !== 22623 || state === 'open') return [];
    const apiPort = endpointPorts.find(
      (endpointPort) => endpointPort.port === 6443 && endpointPort.address === address,
    );
    const isListening = apiPort?.state === 'open' || apiPort?.state === 'closed-at-once';
    // An external load balancer may open its ports only once a member answers.
    const isProven = servingHosts.length > 0 ? isListening : isListening && isManaged && state !== 'closed-at-once';
    if (!isProven) return [];
    const backendState =
      servingHosts.length > 0
        ? `open at ${servingHosts.join(', ')}`
        : `6443 ${apiPort === undefined ? '' : formatPortState(apiPort.state)}`;
    const command = `curl -kI https://${formatUrlHost(address)}:22623/healthz`;
    return [createSymptom('certain', address, `${address}:22623 ${formatPortState(state)}; ${backendState}`, command)];
  });
}
