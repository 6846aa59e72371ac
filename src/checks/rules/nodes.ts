import { getNodeFqdn, listNodesWithRole, runsEtcd } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatUtc, MINUTE } from '../../platform/clock.ts';
import { quoteShellCommand } from '../../platform/shell-quoting.ts';
import {
  clearObject,
  createDiagnosticRule,
  createSymptom,
  matchLogLines,
  type Symptom,
  symptomsFromChecks,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import { isLocalhostPtr, listWrongPtrRecords } from './dns.ts';
import type { Evidence, EvidenceLine } from './evidence.ts';

/** A restart of CRI-O takes seconds. */
const GRACE_PERIOD = 5 * MINUTE;

/** The kubelet runs, but its container runtime is down, or hangs on its disk. */
export const containerRuntimeDown = createDiagnosticRule('node-runtime-down', 'installation', ({ cluster, now }) =>
  (cluster?.nodes ?? [])
    .filter(
      ({ isReady, notReadySince, message }) =>
        !isReady &&
        now - (notReadySince ?? now) > GRACE_PERIOD &&
        /container runtime is down|PLEG is not healthy/.test(message),
    )
    .map(({ name, message }) =>
      createSymptom('likely', name, message, quoteShellCommand`oc adm node-logs ${name} -u crio`),
    ),
);

/** Time for booting, fetching the configuration, the overlay of the node image, and joining. */
const JOIN_TIMEOUT = 40 * MINUTE;

/** Control plane nodes do not join although they were powered on long ago; other rules find the reason. */
export const controlPlaneNotJoining = createDiagnosticRule('control-plane-absent', 'installation', (evidence) => {
  const { machines, cluster, now, ports } = evidence;
  const isConfigServed = ports.some(
    ({ kind, port, state }) => kind === 'api-int' && port === 22623 && state === 'open',
  );
  const workerRefusals = listRefusedWorkerSymptoms(evidence);
  if (workerRefusals.length > 0 || !isConfigServed || cluster?.nodes == null) return workerRefusals;
  return machines.flatMap(({ name, address, role, hasJoined, poweredOnAt, requests }): Symptom[] => {
    if (!runsEtcd({ role }) || hasJoined || poweredOnAt === null) return [];
    // A machine that a fault delayed fetches its ignition file long after it was powered on.
    const fetchedAt = requests.findLast(({ path, status }) => path.startsWith('/ignition/') && status < 400)?.at ?? 0;
    const startedAt = Math.max(poweredOnAt, fetchedAt);
    if (now - startedAt <= JOIN_TIMEOUT) return [];
    const startText = `${startedAt === fetchedAt ? 'ignition file fetched' : 'powered on'} ${formatUtc(startedAt, 'second')} UTC`;
    const command = `ssh core@${address} journalctl -b -u kubelet -u crio -n 50`;
    return [createSymptom('possible', name, `no Node ${name}; ${startText}`, command)];
  });
});

/** Nodes retry every 5 to 60 seconds. */
const MIN_REFUSALS = 3;

/**
 * Lists refusals of the bootstrap to compute nodes while no control plane node requests its configuration. The refusal
 * is normal until the control plane serves (openshift/machine-config-operator#1421, #2562; okd-project/okd#393). The
 * fault is that no control plane node sends a request.
 */
function listRefusedWorkerSymptoms(evidence: Evidence): Symptom[] {
  const { design, lines, cluster, machines } = evidence;
  const hasControlPlaneSign =
    lines.some(({ text }) => /Pool master requested by|\/config\/master\b.*\b(?:attempt|GET)/.test(text)) ||
    machines.some(({ role, stage, hasJoined }) => role === 'control-plane' && (stage !== 'off' || hasJoined)) ||
    (cluster?.nodes ?? []).length > 0;
  if (hasControlPlaneSign || !isConfigServedByBootstrap(evidence)) return [];
  // The server logs every request. A line from one compute node proves nothing about other nodes.
  const serverLines = matchLogLines(
    evidence,
    /refusing to serve bootstrap configuration to pool \\?"?worker/,
    MIN_REFUSALS,
  );
  const isApiServerMissing = lines.some(({ text }) => /^\s*Pod Status:\s*\S*kube-apiserver\s+DoesNotExist/.test(text));
  const refusals =
    serverLines.length > 0 || !isApiServerMissing
      ? serverLines
      : matchLogLines(evidence, /\/config\/worker\b/, MIN_REFUSALS);
  const names = (design?.nodes ?? []).filter(({ role }) => role === 'control-plane').map(({ name }) => name);
  return refusals
    .slice(-1)
    .map(({ source, text }) =>
      createSymptom(
        'likely',
        names.join(', '),
        `${source}: ${text}`,
        'curl -kI https://API-INT:22623/config/master; oc get nodes',
      ),
    );
}

/** Whether the bootstrap itself serves configurations: its port is open, or its log says so. */
export function isConfigServedByBootstrap({ ports, lines }: Evidence): boolean {
  return (
    ports.some(({ kind, port, state }) => kind === 'bootstrap' && port === 22623 && state === 'open') ||
    lines.some(
      ({ text }) =>
        /refusing to serve bootstrap configuration|Launching server on :22623/.test(text) ||
        /^\s*Pod Status:\s*\S*kube-apiserver\s+DoesNotExist/.test(text) ||
        /\/config\/worker\b.*(?:Internal Server Error|\b500\b)|GET result: Internal Server Error/.test(text),
    )
  );
}

/**
 * `gather bootstrap` could not log in to machines: the bundle has no logs of them, and most often one of them is at
 * fault.
 */
export const controlPlaneSshFailed = createDiagnosticRule('control-plane-unreached', 'installation', (evidence) => {
  const lines = matchLogLines(
    evidence,
    /^ssh: connect to host \S+ port 22: |Permission denied \(|^No masters found/,
  ).filter(({ source, host }) => source === 'gather.log' && !isNodeReady(evidence, host));
  // Before the bootstrap serves their configuration, nodes accept no login, which is normal.
  const hasServedConfig =
    matchLogLines(evidence, /Pod Status:|^API is up|Tearing down temporary|Waiting for CEO/).length > 0;
  const symptoms = symptomsFromLines(lines, hasServedConfig ? 'likely' : 'possible');
  const gatherCommand = formatGatherCommand(evidence);
  const remedyOverride =
    gatherCommand === null
      ? {}
      : { remedy: catalogue().diagnosis.causes['control-plane-unreached'].gatherAgain(gatherCommand) };
  return symptoms.map((symptom) => ({ ...symptom, ...remedyOverride }));
});

/** Formats the command that gathers logs from every machine of the design; null if the design is not known. */
function formatGatherCommand({ design }: Evidence): string | null {
  const bootstrapAddress = design?.nodes.find(({ role }) => role === 'bootstrap')?.ip[0];
  if (design === null || bootstrapAddress === undefined) return null;
  const controlPlaneAddresses = listNodesWithRole(design, 'control-plane').flatMap(({ ip }) => ip.slice(0, 1));
  return [
    'openshift-install gather bootstrap --bootstrap',
    bootstrapAddress,
    ...controlPlaneAddresses.map((address) => `--master ${address}`),
  ].join(' ');
}

function isNodeReady({ design, cluster }: Evidence, host: string | null): boolean {
  const ip = design?.nodes.find(({ name }) => name === host)?.ip ?? [host ?? ''];
  return (cluster?.nodes ?? []).some((node) => node.isReady && node.addresses.some((address) => ip.includes(address)));
}

/** The installation and the boot of the machine differ in FIPS mode, which stops its first start. */
export const fipsMismatch = createDiagnosticRule('fips-mismatch', 'installation', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /FIPS mode is not as expected/i),
    'certain',
    'cat /proc/sys/crypto/fips_enabled /proc/cmdline',
  ),
);

/** A node without a name calls itself localhost: it waits for a name, or joins under an unplanned one. */
export const hostnameLocalhost = createDiagnosticRule('hostname-localhost', 'dns', (evidence) => {
  const { nodes, requests } = evidence.cluster ?? {};
  // Fedora CoreOS calls itself fedora (okd-project/okd#416).
  const isDefaultHostname = (name: string | null) => name !== null && /^(?:localhost|fedora$)(?:\.|$)/.test(name);
  const refusedCsrs = (requests ?? []).filter(
    ({ reasons, node, verdict }) => verdict === 'refused' && (reasons.includes('LOCALHOST') || isDefaultHostname(node)),
  );
  const symptoms = [
    ...refusedCsrs.map(({ name, requester }) =>
      createSymptom(
        'certain',
        '',
        `${name} ${requester} system:node:localhost`,
        quoteShellCommand`oc describe csr ${name}`,
      ),
    ),
    ...(nodes ?? [])
      .filter(({ name }) => isDefaultHostname(name))
      .map(({ name }) => createSymptom('certain', '', `Node ${name}`, 'oc get nodes -o wide')),
  ];
  const lines = matchLogLines(
    evidence,
    /^csr-\S+ .*\bsystem:node:localhost\S* .*Pending|node-valid-hostname(?!\S* ?.*(?:Deactivated successfully|Succeeded))|waiting for (?:a )?non-localhost|host ?name[^/]*\blocalhost(?:\.localdomain)?\b|node \\?"?localhost|(?:^hostname: |node \\?")fedora(?:\.localdomain)?(?:\\?"|$)/i,
  );
  return [
    ...symptomsFromChecks(listWrongPtrRecords(evidence).filter(isLocalhostPtr), 'certain'),
    ...symptoms,
    ...symptomsFromLines(lines, 'likely', 'hostnamectl; dig -x "$(hostname -I | cut -d" " -f1)"'),
  ];
});

/**
 * Messages of a live system that does not fit into memory: its root file system is unpacked there
 * (coreos/fedora-coreos-tracker#1055, #1540; coreos/fedora-coreos-config#1684).
 */
const LIVE_SYSTEM_TOO_LARGE = /Initramfs unpacking failed: write error|Ran out of memory when unpacking initrd/;

/** Whether the line says that a live system does not fit into memory. */
export const isLiveSystemTooLarge = ({ source, text }: EvidenceLine): boolean =>
  LIVE_SYSTEM_TOO_LARGE.test(text) || (/coreos-livepxe/.test(source) && /no space left on device/i.test(text));

/** A container that exceeds its own limit is killed by its cgroup: this does not mean that the machine lacks memory. */
const OUT_OF_MEMORY = /(?:^|\W)Out of memory: Killed process|invoked oom-killer.*global/;

/** A machine has too little memory or too few processors. */
export const machineBelowRequirements = createDiagnosticRule('machine-too-weak', 'requirements', (evidence) => {
  const memoryCommand = 'free -g; nproc; grep -m1 "model name" /proc/cpuinfo';
  const unscheduledOperators = (evidence.cluster?.operators ?? []).filter(({ message }) =>
    /\bInsufficient (?:memory|cpu)\b/.test(message),
  );
  return [
    ...symptomsFromLines(matchLogLines(evidence, OUT_OF_MEMORY), 'certain', memoryCommand),
    ...symptomsFromLines(evidence.lines.filter(isLiveSystemTooLarge), 'likely', memoryCommand),
    ...unscheduledOperators.map(({ name, message }) =>
      createSymptom(
        'likely',
        name,
        message,
        quoteShellCommand`oc get events -A --field-selector reason=FailedScheduling; oc describe clusteroperator ${name}`,
      ),
    ),
  ];
});

/**
 * A Node has its planned name and none of its planned addresses: its kubelet uses another interface, another lease, or
 * a second network.
 */
export const nodeAddressUnexpected = createDiagnosticRule('node-address-unexpected', 'network', (evidence) => [
  ...listWrongNodeAddressSymptoms(evidence),
  ...listWrongMachineAddressSymptoms(evidence),
]);

function listWrongNodeAddressSymptoms({ design, cluster }: Evidence): Symptom[] {
  return (cluster?.nodes ?? []).flatMap(({ name, addresses }): Symptom[] => {
    const node = design?.nodes.find((candidate) => getNodeFqdn(design, candidate) === name);
    if (node === undefined || addresses.length === 0 || addresses.some((address) => node.ip.includes(address)))
      return [];
    const evidenceText = `Node ${name}: ${addresses.join(', ')}; planned ${node.ip.join(', ')}`;
    return [createSymptom('certain', node.name, evidenceText, 'oc get nodes -o wide')];
  });
}

/** Lists unplanned addresses in the output of `ip addr` on the machine, as in a bundle ("ip addr: 172.16.0.99"). */
function listWrongMachineAddressSymptoms({ design, lines }: Evidence): Symptom[] {
  return lines.flatMap(({ source, host, text }): Symptom[] => {
    const addresses = /^ip addr: (.+)$/.exec(text)?.[1]?.split(', ') ?? [];
    const node = design?.nodes.find(({ name }) => name === host);
    if (node === undefined || addresses.length === 0 || node.ip.some((nodeAddress) => addresses.includes(nodeAddress)))
      return [];
    const evidenceText = `${source}: ${text}`;
    return [createSymptom('certain', node.name, evidenceText, 'ip -brief addr')];
  });
}

/** A node is cordoned, and no configuration update is in progress that will uncordon it. */
export const nodeCordoned = createDiagnosticRule(
  'node-cordoned',
  'operatorIssues',
  ({ cluster }) =>
    (cluster?.nodes ?? [])
      .filter(({ isCordoned, isUpdating }) => isCordoned && !isUpdating)
      .map(({ name, isReady }) =>
        createSymptom(
          'likely',
          name,
          `${name} ${isReady ? 'Ready' : 'NotReady'},SchedulingDisabled`,
          quoteShellCommand`oc describe node ${name}`,
        ),
      ),
  true,
);

/** A machine of the design joined, or requests to join, under another name: DHCP and DNS give it different names. */
export const nodeNameUnexpected = createDiagnosticRule('node-name-unexpected', 'dns', ({ design, cluster }) => {
  if (design === null || cluster === null) return [];
  const nodesByFqdn = new Map(design.nodes.map((node) => [getNodeFqdn(design, node), node]));
  const joinedSymptoms = (cluster.nodes ?? []).flatMap(({ name, addresses }) => {
    const node = design.nodes.find(({ ip }) => ip.some((address) => addresses.includes(address)));
    if (node === undefined || nodesByFqdn.has(name) || /^localhost/.test(name)) return [];
    const evidenceText = `Node ${name} ${addresses.join(', ')}`;
    return [{ ...createSymptom('certain', node.name, evidenceText, 'oc get nodes -o wide'), object: name }];
  });
  const nodesByShortName = new Map(design.nodes.map((node) => [node.name, node]));
  const csrSymptoms = (cluster.requests ?? []).flatMap(({ name, node, verdict }) => {
    const requestedNode =
      node === null || nodesByFqdn.has(node) ? undefined : nodesByShortName.get(node.split('.')[0] ?? '');
    if (verdict !== 'refused' || requestedNode === undefined) return [];
    // It has not joined: there is no Node to delete.
    return [
      clearObject(
        createSymptom(
          'likely',
          requestedNode.name,
          `${name} system:node:${node}`,
          quoteShellCommand`oc describe csr ${name}`,
        ),
      ),
    ];
  });
  return [...joinedSymptoms, ...csrSymptoms];
});

/** Nodes join, restart and get their network in less time. */
const NOT_READY_GRACE_PERIOD = 15 * MINUTE;
/** Messages that other rules cover. */
const MESSAGES_OF_OTHER_RULES =
  /stopped posting|cni config uninitialized|NetworkPluginNotReady|No CNI configuration|container runtime is down|PLEG is not healthy/;

/** A node reports that it is not Ready, for a reason that no other rule covers. */
export const nodeNotReady = createDiagnosticRule('node-not-ready', 'installation', ({ cluster, now }) =>
  (cluster?.nodes ?? [])
    .filter(
      ({ isReady, isUpdating, notReadySince }) =>
        !isReady && !isUpdating && now - (notReadySince ?? now) > NOT_READY_GRACE_PERIOD,
    )
    .filter(({ message }) => message !== '' && !MESSAGES_OF_OTHER_RULES.test(message))
    .map(({ name, message }) =>
      createSymptom('likely', name, `${name} NotReady: ${message}`, quoteShellCommand`oc describe node ${name}`),
    ),
);

const UPDATE_GRACE_PERIOD = 15 * MINUTE;

/** A Node has stopped reporting. */
export const nodeNotReporting = createDiagnosticRule('node-gone', 'installation', ({ cluster, now }) =>
  (cluster?.nodes ?? []).flatMap(({ name, isReady, isUpdating, notReadySince, message }) => {
    const duration = notReadySince === null ? 0 : now - notReadySince;
    const hasWaitingOperator = (cluster?.operators ?? []).some(
      ({ wait }) => wait?.code === 'node-lost' && wait.subject === name,
    );
    const gracePeriod = hasWaitingOperator ? 0 : isUpdating ? UPDATE_GRACE_PERIOD : GRACE_PERIOD;
    if (isReady || duration <= gracePeriod || !/stopped posting/.test(message)) return [];
    const likelihood = hasWaitingOperator || duration > UPDATE_GRACE_PERIOD ? 'likely' : 'possible';
    return [createSymptom(likelihood, name, message, quoteShellCommand`oc describe node ${name}`)];
  }),
);
