import { catalogue } from '../../i18n/catalogue.ts';
import { groupMembersByBalancer, listRouterNodes } from './balancer.ts';
import { matchLogLines } from './diagnostic-rule.ts';
import type { Evidence, EvidenceLine } from './evidence.ts';
import type { DiagnosticRuleId } from './index.ts';

type NormalSignId = keyof ReturnType<typeof catalogue>['diagnosis']['normalSigns'];

/** A part of the evidence that looks like a fault and is none. */
export interface NormalSign {
  readonly sign: NormalSignId;
  /** The last line of the evidence that shows the sign. */
  readonly line: string;
  readonly meaning: string;
}

interface LineSign {
  readonly sign: NormalSignId;
  readonly pattern: RegExp;
  /** If one of these rules finds its fault, the line may belong to that fault. */
  readonly conflictingRules: readonly DiagnosticRuleId[];
}

/**
 * Lines that users mistook for the cause (openshift/machine-config-operator#1421, #2562; okd-project/okd#174, #393,
 * #566, #771, discussions#2129; redhat-cop/ocp4-helpernode#30, #270).
 */
const LINE_SIGNS: readonly LineSign[] = [
  {
    sign: 'workers-refused',
    pattern: /refusing to serve bootstrap configuration to pool|GET result: Internal Server Error/,
    conflictingRules: [],
  },
  { sign: 'rest-mapping', pattern: /unable to get REST mapping for .*no matches for kind/, conflictingRules: [] },
  {
    sign: 'unused-members',
    // The names of pools differ: "ingress-https", "okd4_https_ingress_traffic_be", "ingress-router-443".
    pattern: /Server \S*(?:ingress|http|443|_80|-80|router|apps)\S*\/\S+ is DOWN, reason: Layer4 .* [1-9]\d* active/i,
    conflictingRules: ['routers-outside-pool', 'routers-not-running'],
  },
  {
    sign: 'early-lookup',
    pattern: /lookup \S+ on (?:\[::1\]|127\.0\.0\.1):53: .*connection refused/,
    conflictingRules: ['dhcp-options-wrong'],
  },
  { sign: 'watch-closed', pattern: /very short watch: |Unexpected watch close/, conflictingRules: [] },
  { sign: 'handshake-closed', pattern: /http: TLS handshake error from \S+: EOF/, conflictingRules: [] },
  {
    sign: 'etcd-starting',
    pattern: /retrying of unary invoker failed|etcdctl failed\. Retrying/,
    conflictingRules: ['bootstrap-etcd-down', 'etcd-disk-slow'],
  },
  {
    sign: 'api-starting',
    pattern: /(?:localhost|127\.0\.0\.1|\[::1\]):6443\b.*connection refused/,
    conflictingRules: ['bootstrap-api-down', 'bootstrap-etcd-down'],
  },
  { sign: 'oc-missing', pattern: /ionice: failed to execute oc: No such file/, conflictingRules: [] },
  {
    sign: 'node-unregistered',
    pattern: /\bnode \\?"(?!localhost|fedora)\S+?\\?" not found/,
    conflictingRules: ['requests-wait', 'node-name-unexpected'],
  },
  { sign: 'approver-refuses', pattern: /CSR \S+ not authorized: /, conflictingRules: ['clock-skew'] },
];

/**
 * Lists the signs in the evidence that look like faults and are normal, each once.
 * @param faultIds the rules and checks that found a fault
 */
export function listNormalSigns(evidence: Evidence, faultIds: readonly string[]): NormalSign[] {
  const texts = catalogue().diagnosis.normalSigns;
  const createNormalSign = (sign: NormalSignId, line: string): NormalSign => ({ sign, line, meaning: texts[sign] });
  const lineSigns = LINE_SIGNS.flatMap(({ sign, pattern, conflictingRules }) => {
    const isExcluded = conflictingRules.some((rule) => faultIds.includes(rule));
    const lastLine = (isExcluded ? [] : matchLogLines(evidence, pattern)).findLast(
      (line) => !isForMaster(evidence, line),
    );
    return lastLine === undefined ? [] : [createNormalSign(sign, `${lastLine.source}: ${lastLine.text}`)];
  });
  const unusedMembersText = faultIds.includes('routers-outside-pool') ? null : describeUnusedMembers(evidence);
  const isListed = lineSigns.some(({ sign }) => sign === 'unused-members');
  return [
    ...lineSigns,
    ...(unusedMembersText === null || isListed ? [] : [createNormalSign('unused-members', unusedMembersText)]),
  ];
}

/** Whether a result of Ignition is for a control plane node, by the request before it: for those, 500 is not normal. */
function isForMaster({ lines }: Evidence, line: EvidenceLine): boolean {
  if (!/GET result: /.test(line.text)) return false;
  const earlierLines = lines.slice(0, lines.indexOf(line));
  const request = earlierLines.findLast(
    ({ host, text }) => host === line.host && /\/config\/\w+: attempt #/.test(text),
  );
  return request !== undefined && /\/config\/master:/.test(request.text);
}

/** Describes the members of 443 that are DOWN because no router runs on them; null if there are none. */
function describeUnusedMembers(evidence: Evidence): string | null {
  const routers = listRouterNodes(evidence);
  const unusedMembers = groupMembersByBalancer(evidence, 'ingress-https')
    .filter((members) => members.some(({ name, status }) => routers.includes(name) && status.startsWith('UP')))
    .flatMap((members) => members.filter(({ name, status }) => status.startsWith('DOWN') && !routers.includes(name)));
  const [firstUnusedMember] = unusedMembers;
  if (firstUnusedMember === undefined) return null;
  return `ingress-https on ${firstUnusedMember.balancer}: ${unusedMembers.map(({ name }) => name).join(', ')} DOWN`;
}
