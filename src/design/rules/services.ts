import { designRules as words } from '../../text/en/design-rules.ts';
import { canonicalAddress, parseNetwork } from '../address.ts';
import { serviceHosts } from '../names.ts';
import type { Path } from '../paths.ts';
import { isDomain, isFilePath, isLabelValue, isPlainUrl, isQualifiedName, isRepository } from '../text-forms.ts';
import { versionProfile } from '../versions.ts';
import { placedHosts } from './places.ts';
import type { Rule } from './rule.ts';

const INSTALLER = 'openshift/installer pkg/types/validation/installconfig.go';
const BALANCER_PORTS = [80, 443, 6443, 22_623];

const dnsServer: Rule = {
  id: 'dns-server',
  severity: 'error',
  source: 'openshift-docs modules/installation-dns-user-infra.adoc',
  title: words.dnsServer.title,
  check({ services: { dns } }, report) {
    const isEnough = dns.servers.length > 0 || (dns.kind === 'external' && dns.forwarders.length > 0);
    if (!isEnough) report(['services', 'dns'], { message: words.dnsServer.message, fix: words.dnsServer.fix });
  },
};

const forwarderLoop: Rule = {
  id: 'forwarder-loop',
  restsOn: [['services', 'dns', 'servers']],
  severity: 'error',
  source: 'BIND 9 Administrator Reference Manual: forwarders',
  title: words.forwarderLoop.title,
  check({ services: { dns } }, report) {
    if (dns.kind !== 'bind') return;
    for (const [index, address] of dns.forwarders.entries()) {
      const server = dns.servers.find(({ ip }) => ip.includes(address));
      if (server === undefined) continue;
      const said = { message: words.forwarderLoop.message(address, server.name), fix: words.forwarderLoop.fix };
      report(['services', 'dns', 'forwarders', index], said);
    }
  },
};

const loadBalancerServer: Rule = {
  id: 'load-balancer-server',
  severity: 'error',
  source: 'openshift-docs modules/installation-load-balancing-user-infra.adoc',
  title: words.loadBalancerServer.title,
  check({ services: { loadBalancer } }, report) {
    if (loadBalancer.kind !== 'haproxy' || loadBalancer.servers.length > 0) return;
    const said = { message: words.loadBalancerServer.message, fix: words.loadBalancerServer.fix };
    report(['services', 'loadBalancer'], said);
  },
};

const dhcpServer: Rule = {
  id: 'dhcp-server',
  restsOn: [['services']],
  severity: 'error',
  source: 'the design file: `server` is the name of a service host',
  title: words.dhcpServer.title,
  check(design, report) {
    const { dhcp, dns, loadBalancer } = design.services;
    const { server } = dhcp;
    // A name server or load balancer that exists already is none of ours to put DHCP on.
    const isOurs = { bastion: true, dns: dns.kind === 'bind', 'load-balancer': loadBalancer.kind === 'haproxy' };
    const ours = placedHosts(design).filter(({ duty }) => isOurs[duty]);
    const names = [...new Set(ours.map(({ host }) => host.name))];
    if (server === null || names.includes(server)) return;
    const said = { message: words.dhcpServer.message(server), fix: words.dhcpServer.fix(names.join(', ')) };
    report(['services', 'dhcp', 'server'], said);
  },
};

const dhcpOs: Rule = {
  id: 'dhcp-os',
  severity: 'error',
  source: 'RHEL 10 considerations in adopting: ISC dhcp is removed, Kea replaces it',
  title: words.dhcpOs.title,
  check(design, report) {
    const { kind, server } = design.services.dhcp;
    const host = serviceHosts(design).find(({ name }) => name === server);
    if (kind !== 'isc-dhcpd' || host?.os !== 'rhel10') return;
    report(['services', 'dhcp', 'kind'], { message: words.dhcpOs.message, fix: words.dhcpOs.fix });
  },
};

const ipxeWithoutDhcp: Rule = {
  id: 'ipxe-without-dhcp',
  severity: 'warning',
  source: 'RFC 4578; iPXE chains what DHCP names',
  title: words.ipxeWithoutDhcp.title,
  check({ services: { boot, dhcp } }, report) {
    if (boot.kind !== 'ipxe' || dhcp.kind !== 'none') return;
    report(['services', 'boot'], { message: words.ipxeWithoutDhcp.message, fix: words.ipxeWithoutDhcp.fix });
  },
};

const httpPort: Rule = {
  id: 'http-port',
  severity: 'error',
  source: 'one program listens on a port',
  title: words.httpPort.title,
  check({ services: { boot, bastion, loadBalancer } }, report) {
    const isBalancer = loadBalancer.servers.some(({ name }) => name === bastion.name);
    if (!isBalancer || loadBalancer.kind !== 'haproxy' || !BALANCER_PORTS.includes(boot.httpPort)) return;
    const said = { message: words.httpPort.message(boot.httpPort), fix: words.httpPort.fix };
    report(['services', 'boot', 'httpPort'], said);
  },
};

const timeServers: Rule = {
  id: 'time-servers',
  severity: 'warning',
  source: 'openshift/assisted-service: ntp-server-configured; ironicbadger/ocp4#23',
  title: words.timeServers.title,
  check({ services: { time } }, report) {
    if (time.servers.length > 0) return;
    report(['services', 'time'], { message: words.timeServers.message, fix: words.timeServers.fix });
  },
};

const taint: Rule = {
  id: 'taint',
  severity: 'error',
  source: 'Kubernetes: qualified names and label values',
  title: words.taint.title,
  check({ infra }, report) {
    const { key, value } = infra.taint;
    if (!isQualifiedName(key))
      report(['infra', 'taint', 'key'], { message: words.taint.message(key), fix: words.taint.fix });
    if (!isLabelValue(value)) {
      report(['infra', 'taint', 'value'], { message: words.taint.message(value), fix: words.taint.fix });
    }
  },
};

const storageClass: Rule = {
  id: 'storage-class',
  severity: 'error',
  source: 'Kubernetes: StorageClass names are DNS subdomains',
  title: words.storageClass.title,
  check({ infra }, report) {
    for (const part of ['registry', 'monitoring'] as const) {
      const name = infra[part].storageClass;
      if (name === null || isDomain(name)) continue;
      report(['infra', part, 'storageClass'], {
        message: words.storageClass.message(name),
        fix: words.storageClass.fix,
      });
    }
  },
};

const routerReplicas: Rule = {
  id: 'router-replicas',
  restsOn: [['nodes']],
  severity: 'warning',
  source: 'openshift/cluster-ingress-operator pkg/operator/controller/ingress: HostNetwork, one router per node',
  title: words.routerReplicas.title,
  check({ nodes, infra }, report) {
    const count = nodes.filter(({ role }) => role === 'infra').length;
    if (count === 0 || infra.routerReplicas <= count) return;
    const message = words.routerReplicas.message(infra.routerReplicas, count);
    report(['infra', 'routerReplicas'], { message, fix: words.routerReplicas.fix });
  },
};

const proxyUrl: Rule = {
  id: 'proxy',
  severity: 'error',
  source: `${INSTALLER}: validateProxy`,
  title: words.proxy.title,
  check({ proxy }, report) {
    if (proxy === null) return;
    if (proxy.httpProxy === '' && proxy.httpsProxy === '') {
      report(['proxy'], { message: words.proxy.none, fix: words.proxy.fixNone });
    }
    for (const [key, schemes] of [
      ['httpProxy', ['http:']],
      ['httpsProxy', ['http:', 'https:']],
    ] as const) {
      if (proxy[key] === '' || isPlainUrl(proxy[key], schemes)) continue;
      // The value may hold a password: it is not repeated.
      report(['proxy', key], { message: words.proxy.message(key), fix: words.proxy.fix });
    }
  },
};

const noProxy: Rule = {
  id: 'no-proxy',
  severity: 'error',
  source: `${INSTALLER}: each element of noProxy must be a IP, CIDR or domain (4.7)`,
  title: words.noProxy.title,
  check({ proxy }, report) {
    if (proxy === null || proxy.noProxy === '' || proxy.noProxy === '*') return;
    for (const item of proxy.noProxy.split(',')) {
      const domain = item.replace(/^\./, '').replace(/\.$/, '').toLowerCase();
      if (canonicalAddress(item) !== null || parseNetwork(item) !== null || isDomain(domain)) continue;
      report(['proxy', 'noProxy'], { message: words.noProxy.message(item), fix: words.noProxy.fix });
    }
  },
};

const mirrorRepository: Rule = {
  id: 'mirror-repository',
  severity: 'error',
  source: `${INSTALLER}: must be repository--not reference`,
  title: words.mirrorRepository.title,
  check({ imageDigestSources }, report) {
    const all = imageDigestSources.flatMap(({ source, mirrors }, index) => [
      { at: ['imageDigestSources', index, 'source'] as Path, text: source },
      ...mirrors.map((text, mirror) => ({ at: ['imageDigestSources', index, 'mirrors', mirror] as Path, text })),
    ]);
    for (const { at, text } of all) {
      if (isRepository(text)) continue;
      report(at, { message: words.mirrorRepository.message(text), fix: words.mirrorRepository.fix });
    }
  },
};

const filePath: Rule = {
  id: 'file-path',
  severity: 'error',
  source: 'paths are shown to people and handed to programs',
  title: words.filePath.title,
  check({ credentials, additionalTrustBundleFile }, report) {
    const all: { at: Path; path: string | null }[] = [
      { at: ['credentials', 'pullSecretFile'], path: credentials.pullSecretFile },
      { at: ['credentials', 'sshKeyFile'], path: credentials.sshKeyFile },
      { at: ['additionalTrustBundleFile'], path: additionalTrustBundleFile },
    ];
    for (const { at, path } of all) {
      if (path !== null && !isFilePath(path)) report(at, { message: words.filePath.message, fix: words.filePath.fix });
    }
  },
};

const trustBundlePolicy: Rule = {
  id: 'trust-bundle-policy',
  severity: 'warning',
  source: `${INSTALLER}: additionalTrustBundlePolicy (4.12); the default Proxyonly ignores the bundle without a proxy`,
  title: words.trustBundlePolicy.title,
  check({ additionalTrustBundleFile, additionalTrustBundlePolicy, proxy, openshift }, report) {
    const said = words.trustBundlePolicy;
    const at: Path = ['additionalTrustBundlePolicy'];
    if (additionalTrustBundlePolicy === null || !versionProfile(openshift.version).hasTrustBundlePolicy) return;
    if (additionalTrustBundleFile === null) report(at, { message: said.noBundle, fix: said.fixNoBundle });
    else if (additionalTrustBundlePolicy === 'Proxyonly' && proxy === null) {
      report(at, { message: said.proxyOnly, fix: said.fixProxyOnly });
    }
  },
};

export const serviceRules: readonly Rule[] = [
  dnsServer,
  forwarderLoop,
  dhcpServer,
  dhcpOs,
  loadBalancerServer,
  ipxeWithoutDhcp,
  httpPort,
  timeServers,
  filePath,
  proxyUrl,
  noProxy,
  trustBundlePolicy,
  mirrorRepository,
  taint,
  storageClass,
  routerReplicas,
];
