import { needsPullSecret } from '../../../src/design/credentials.ts';
import { getClusterDomain, listServiceHosts } from '../../../src/design/derived-facts.ts';
import { needsFencingFile } from '../../../src/design/fencing.ts';
import type { Design } from '../../../src/design/model.ts';
import { formatOrUnknown, renderBalancerStages, renderNetworkDiagram } from '../../../src/design/network-diagram.ts';
import { formatRelease } from '../../../src/design/versions.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { fitToWidth, getDisplayWidth, wrapBeside } from '../../../src/platform/text.ts';
import type { TextLine } from '../../../src/rows/text.ts';

const designLinesWords = () => catalogue().pages.review.settings;
const getUnknownText = () => catalogue().pages.review.unknown;

/** Columns between the two halves of a wide design. */
const GAP_COLUMNS = 4;

/**
 * Renders the whole design on one page: the cluster, the network diagram, every node, and the other answers.
 * @param isWide whether nodes and answers stand beside the diagram, if the columns are enough for both
 */
export function renderDesign(design: Design, columns: number, hasUnicode: boolean, isWide = false): TextLine[] {
  const { openshift, topology, fips } = design;
  const domain = getClusterDomain(design);
  const clusterLine: TextLine = {
    text: designLinesWords().cluster({
      domain: domain.startsWith('.') || domain.endsWith('.') ? getUnknownText() : domain,
      release: formatRelease(formatOrUnknown(openshift.version)),
      architecture: openshift.architecture,
      stream: openshift.osImageStream,
      topology,
      isFips: fips,
    }),
    tone: 'accent',
  };
  const renderNetworks = (width: number): TextLine[] => [
    ...renderNetworkDiagram(design, width, hasUnicode),
    { text: '' },
    ...renderBalancerStages(design, hasUnicode),
  ];
  const renderAnswers = (width: number): TextLine[] => [
    { text: designLinesWords().nodes, tone: 'accent' },
    ...renderNodes(design),
    { text: '' },
    { text: designLinesWords().services, tone: 'accent' },
    ...renderPairs(listSettings(design), width),
  ];
  if (isWide) {
    const halfColumns = Math.floor((columns - GAP_COLUMNS) / 2);
    const halves = [renderNetworks(halfColumns), renderAnswers(halfColumns)] as const;
    if (halves.flat().every(({ text }) => getDisplayWidth(text) <= halfColumns))
      return [clusterLine, { text: '' }, ...joinHalves(...halves, halfColumns + GAP_COLUMNS)];
  }
  return [clusterLine, ...renderNetworks(columns), { text: '' }, ...renderAnswers(columns)];
}

/** Places the lines of two texts beside each other; the second begins at this column. */
function joinHalves(leftLines: readonly TextLine[], rightLines: readonly TextLine[], column: number): TextLine[] {
  const getSpans = ({ text, tone = 'text', spans = [{ text, tone }] }: TextLine) => spans;
  return Array.from({ length: Math.max(leftLines.length, rightLines.length) }, (_, index) => {
    const left = leftLines[index] ?? { text: '' };
    const right = rightLines[index] ?? { text: '' };
    const gap = ' '.repeat(column - getDisplayWidth(left.text));
    return {
      text: `${left.text}${gap}${right.text}`.trimEnd(),
      spans: [...getSpans(left), { text: gap }, ...getSpans(right)],
    };
  });
}

function renderNodes({ nodes }: Design): TextLine[] {
  const measureWidth = (values: readonly string[]) => Math.max(...values.map((value) => getDisplayWidth(value)), 1);
  const nameWidth = measureWidth(nodes.map(({ name }) => formatOrUnknown(name)));
  const roleWidth = measureWidth(nodes.map(({ role }) => role));
  const addressWidth = measureWidth(nodes.map(({ ip }) => ip.map(formatOrUnknown).join(', ')));
  const vcpuWidth = measureWidth(nodes.map(({ vcpu }) => String(vcpu)));
  const memoryWidth = measureWidth(nodes.map(({ memoryGiB }) => String(memoryGiB)));
  return nodes.map(({ name, role, ip, mac, vcpu, memoryGiB }): TextLine => {
    const address = ip.map(formatOrUnknown).join(', ');
    const size = catalogue().screens.design.size(
      String(vcpu).padStart(vcpuWidth),
      String(memoryGiB).padStart(memoryWidth),
    );
    const cells = [
      fitToWidth(formatOrUnknown(name), nameWidth, ''),
      role.padEnd(roleWidth),
      fitToWidth(address, addressWidth, ''),
      formatOrUnknown(mac).padEnd(17),
      size,
    ];
    return { text: `  ${cells.join('  ')}` };
  });
}

/** Lists the answers that the network diagram does not show; common defaults are left out. */
function listSettings(design: Design): [name: string, value: string][] {
  const { services, networks, proxy, credentials, infra, imageDigestSources } = design;
  const { dns, dhcp, loadBalancer, boot, time } = services;
  const formatStorageClass = (storageClass: string | null) => storageClass ?? designLinesWords().defaultClass;
  const rows: [string, string][] = [
    ...listServiceHosts(design).map(({ name, ip, os }): [string, string] => [
      formatOrUnknown(name),
      `${ip.map(formatOrUnknown).join(', ')}  ${os}`,
    ]),
    [
      designLinesWords().dns,
      dns.forwarders.length > 0 ? designLinesWords().forwarders(dns.kind, dns.forwarders.join(', ')) : dns.kind,
    ],
    [
      designLinesWords().dhcp,
      dhcp.server === null ? dhcp.kind : designLinesWords().onHost(dhcp.kind, formatOrUnknown(dhcp.server)),
    ],
    [designLinesWords().loadBalancer, loadBalancer.kind],
    [designLinesWords().boot, designLinesWords().httpPort(boot.kind, boot.httpPort)],
    [designLinesWords().time, formatOrUnknown(time.servers.join(', '))],
    [designLinesWords().networkType, networks.type],
    [
      designLinesWords().pullSecret,
      credentials.pullSecretFile ?? (needsPullSecret(design) ? getUnknownText() : designLinesWords().notNeeded),
    ],
    [designLinesWords().sshKey, credentials.sshKeyFile ?? getUnknownText()],
  ];
  if (needsFencingFile(design)) rows.push([designLinesWords().fencing, credentials.fencingFile ?? getUnknownText()]);
  if (proxy)
    rows.push([
      designLinesWords().proxy,
      [proxy.httpProxy, proxy.httpsProxy].filter(Boolean).map(maskLogin).join(', '),
    ]);
  if (proxy?.noProxy) rows.push([designLinesWords().noProxy, proxy.noProxy]);
  if (design.additionalTrustBundleFile !== null) {
    rows.push([
      designLinesWords().bundle,
      `${design.additionalTrustBundleFile} (${design.additionalTrustBundlePolicy ?? getUnknownText()})`,
    ]);
  }
  for (const { source, mirrors } of imageDigestSources)
    rows.push([designLinesWords().mirrors, `${source} = ${mirrors.join(', ')}`]);
  const { registry, monitoring, taint } = infra;
  const isVolume = registry.storage === 'pvc';
  rows.push([
    designLinesWords().registry,
    isVolume
      ? designLinesWords().volume('pvc', formatStorageClass(registry.storageClass), registry.sizeGiB)
      : registry.storage,
  ]);
  rows.push([designLinesWords().monitoring, monitoring.storageClass ?? designLinesWords().noVolumes]);
  if (design.nodes.some(({ role }) => role === 'infra')) {
    rows.push([designLinesWords().taint, `${taint.key}${taint.value === '' ? '' : `=${taint.value}`}`]);
    rows.push([designLinesWords().routers, String(infra.routerReplicas)]);
  }
  return rows;
}

/** Renders names with their values beside them; each value takes as many lines as it needs. */
function renderPairs(rows: readonly (readonly [name: string, value: string])[], columns: number): TextLine[] {
  const width = Math.max(16, ...rows.map(([name]) => getDisplayWidth(name) + 2));
  return rows.flatMap(([name, value]) =>
    wrapBeside(`  ${fitToWidth(name, width, '')}`, value, Math.max(width + 22, columns)).map((text) => ({ text })),
  );
}

/** Masks the user name and password in a proxy URL. */
function maskLogin(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//***@');
}
