import type { Design } from '../../src/design/model.ts';
import { clusterDomain, serviceHosts } from '../../src/design/names.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import type { TextLine } from '../../src/ui/components/text-views.tsx';
import { wrapLines } from '../../src/ui/width.ts';
import { networkDiagram } from './network-diagram.ts';

const words = () => catalogue().pages.review.settings;
const unknown = () => catalogue().pages.review.unknown;

/** The whole design on one page: what it is, the picture of its networks, every node, and what else was answered. */
export function designLines(design: Design, columns: number, hasUnicode: boolean): TextLine[] {
  const { openshift, topology, fips } = design;
  const domain = clusterDomain(design);
  return [
    {
      text: `${domain.startsWith('.') || domain.endsWith('.') ? unknown() : domain}, OpenShift ${known(openshift.version)} ${openshift.architecture}, ${topology}${fips ? ', FIPS' : ''}`,
      tone: 'accent',
    },
    ...networkDiagram(design, columns, hasUnicode),
    { text: '' },
    { text: words().nodes, tone: 'accent' },
    ...nodeLines(design),
    { text: '' },
    { text: words().services, tone: 'accent' },
    ...settings(design).flatMap(([name, value]) => pair(name, value, columns)),
  ];
}

function nodeLines({ nodes }: Design): TextLine[] {
  const width = (values: readonly string[]) => Math.max(...values.map((value) => value.length), 1);
  const names = width(nodes.map(({ name }) => known(name)));
  const roles = width(nodes.map(({ role }) => role));
  const addresses = width(nodes.map(({ ip }) => ip.map(known).join(', ')));
  return nodes.map(({ name, role, ip, mac, vcpu, memoryGiB }): TextLine => {
    const address = ip.map(known).join(', ').padEnd(addresses);
    const size = catalogue().screens.design.size(vcpu, memoryGiB);
    const cells = [known(name).padEnd(names), role.padEnd(roles), address, known(mac).padEnd(17), size];
    return { text: `  ${cells.join(' ')}` };
  });
}

/** What the picture does not tell; what is as usual and of no interest is left out. */
function settings(design: Design): [name: string, value: string][] {
  const { services, networks, proxy, credentials, infra, imageDigestSources } = design;
  const { dns, dhcp, loadBalancer, boot, time } = services;
  const volume = (storageClass: string | null) => storageClass ?? words().defaultClass;
  const rows: [string, string][] = [
    ...serviceHosts(design).map(({ name, ip, os }): [string, string] => [
      known(name),
      `${ip.map(known).join(', ')}  ${os}`,
    ]),
    [words().dns, `${dns.kind}${dns.forwarders.length > 0 ? words().forwarders(dns.forwarders.join(', ')) : ''}`],
    [words().dhcp, `${dhcp.kind}${dhcp.server === null ? '' : words().onHost(known(dhcp.server))}`],
    [words().loadBalancer, loadBalancer.kind],
    [words().boot, `${boot.kind}${words().httpPort(String(boot.httpPort))}`],
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
    isVolume ? `pvc, ${volume(registry.storageClass)}, ${registry.sizeGiB} GiB` : registry.storage,
  ]);
  rows.push([words().monitoring, monitoring.storageClass ?? words().noVolumes]);
  if (design.nodes.some(({ role }) => role === 'infra')) {
    rows.push([words().taint, `${taint.key}${taint.value === '' ? '' : `=${taint.value}`}`]);
    rows.push([words().routers, String(infra.routerReplicas)]);
  }
  return rows;
}

const NAME_WIDTH = 16;

function pair(name: string, value: string, columns: number): TextLine[] {
  return wrapLines(value, Math.max(20, columns - NAME_WIDTH - 2)).map((line, index) => ({
    text: `  ${(index === 0 ? name : '').padEnd(NAME_WIDTH)}${line}`,
  }));
}

/** A password in the address of a proxy is not for the screen. */
function withoutLogin(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//***@');
}

function known(text: string): string {
  return text === '' ? unknown() : text;
}
