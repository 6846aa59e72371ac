import type { Design } from '../../../src/design/model.ts';
import { clusterDomain, serviceHosts } from '../../../src/design/names.ts';
import { catalogue } from '../../../src/text/catalogue.ts';
import { pad, widthOf, wrapBeside } from '../../../src/text/width.ts';
import type { TextLine } from '../../../src/ui/components/text-views.tsx';
import { networkDiagram } from './network-diagram.ts';

const words = () => catalogue().pages.review.settings;
const unknown = () => catalogue().pages.review.unknown;

/** The whole design on one page: what it is, the picture of its networks, every node, and what else was answered. */
export function designLines(design: Design, columns: number, hasUnicode: boolean): TextLine[] {
  const { openshift, topology, fips } = design;
  const domain = clusterDomain(design);
  return [
    {
      text: words().cluster({
        domain: domain.startsWith('.') || domain.endsWith('.') ? unknown() : domain,
        version: known(openshift.version),
        architecture: openshift.architecture,
        topology,
        isFips: fips,
      }),
      tone: 'accent',
    },
    ...networkDiagram(design, columns, hasUnicode),
    { text: '' },
    { text: words().nodes, tone: 'accent' },
    ...nodeLines(design),
    { text: '' },
    { text: words().services, tone: 'accent' },
    ...pairs(settings(design), columns),
  ];
}

function nodeLines({ nodes }: Design): TextLine[] {
  const width = (values: readonly string[]) => Math.max(...values.map((value) => widthOf(value)), 1);
  const names = width(nodes.map(({ name }) => known(name)));
  const roles = width(nodes.map(({ role }) => role));
  const addresses = width(nodes.map(({ ip }) => ip.map(known).join(', ')));
  return nodes.map(({ name, role, ip, mac, vcpu, memoryGiB }): TextLine => {
    const address = ip.map(known).join(', ');
    const size = catalogue().screens.design.size(vcpu, memoryGiB);
    const cells = [
      pad(known(name), names, ''),
      role.padEnd(roles),
      pad(address, addresses, ''),
      known(mac).padEnd(17),
      size,
    ];
    return { text: `  ${cells.join(' ')}` };
  });
}

/** What the picture does not show; leaves out usual values of no interest. */
function settings(design: Design): [name: string, value: string][] {
  const { services, networks, proxy, credentials, infra, imageDigestSources } = design;
  const { dns, dhcp, loadBalancer, boot, time } = services;
  const volume = (storageClass: string | null) => storageClass ?? words().defaultClass;
  const rows: [string, string][] = [
    ...serviceHosts(design).map(({ name, ip, os }): [string, string] => [
      known(name),
      `${ip.map(known).join(', ')}  ${os}`,
    ]),
    [words().dns, dns.forwarders.length > 0 ? words().forwarders(dns.kind, dns.forwarders.join(', ')) : dns.kind],
    [words().dhcp, dhcp.server === null ? dhcp.kind : words().onHost(dhcp.kind, known(dhcp.server))],
    [words().loadBalancer, loadBalancer.kind],
    [words().boot, words().httpPort(boot.kind, boot.httpPort)],
    [words().time, known(time.servers.join(', '))],
    [words().networkType, networks.type],
    [words().pullSecret, credentials.pullSecretFile ?? unknown()],
    [words().sshKey, credentials.sshKeyFile ?? unknown()],
  ];
  if (proxy)
    rows.push([words().proxy, [proxy.httpProxy, proxy.httpsProxy].filter(Boolean).map(withoutLogin).join(', ')]);
  if (proxy?.noProxy) rows.push([words().noProxy, proxy.noProxy]);
  if (design.additionalTrustBundleFile !== null) {
    rows.push([
      words().bundle,
      `${design.additionalTrustBundleFile} (${design.additionalTrustBundlePolicy ?? unknown()})`,
    ]);
  }
  for (const { source, mirrors } of imageDigestSources)
    rows.push([words().mirrors, `${source} = ${mirrors.join(', ')}`]);
  const { registry, monitoring, taint } = infra;
  const isVolume = registry.storage === 'pvc';
  rows.push([
    words().registry,
    isVolume ? words().volume('pvc', volume(registry.storageClass), registry.sizeGiB) : registry.storage,
  ]);
  rows.push([words().monitoring, monitoring.storageClass ?? words().noVolumes]);
  if (design.nodes.some(({ role }) => role === 'infra')) {
    rows.push([words().taint, `${taint.key}${taint.value === '' ? '' : `=${taint.value}`}`]);
    rows.push([words().routers, String(infra.routerReplicas)]);
  }
  return rows;
}

/** Names with their values beside them, each value on as many lines as it needs. */
function pairs(rows: readonly (readonly [name: string, value: string])[], columns: number): TextLine[] {
  const width = Math.max(16, ...rows.map(([name]) => widthOf(name) + 2));
  return rows.flatMap(([name, value]) =>
    wrapBeside(`  ${pad(name, width, '')}`, value, Math.max(width + 22, columns)).map((text) => ({ text })),
  );
}

/** Hides a password in the address of a proxy from the screen. */
function withoutLogin(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//***@');
}

function known(text: string): string {
  return text === '' ? unknown() : text;
}
