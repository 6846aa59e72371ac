import { catalogue } from '../../i18n/catalogue.ts';
import { canonicalAddress, parseNetwork } from '../address.ts';
import { isInsideRepository, RELEASE_REPOSITORIES } from '../derived-facts.ts';
import type { Design } from '../model.ts';
import type { Path } from '../paths.ts';
import { isDomain, isFilePath, isPlainUrl, isRepository } from '../text-formats.ts';
import { versionProfile } from '../versions.ts';
import { INSTALLER_VALIDATION, type Rule } from './rule.ts';

const words = () => catalogue().designRules;

const BALANCER_PORTS = [80, 443, 6443, 22_623];
const SSH_PORTS = [22];
// DNS queries, and rndc.
const DNS_PORTS = [53, 953];

const dnsServer: Rule = {
  id: 'dns-server',
  severity: 'error',
  source: 'openshift-docs modules/installation-dns-user-infra.adoc',
  title: () => words().dnsServer.title,
  check({ services: { dns } }, report) {
    const isEnough = dns.servers.length > 0 || (dns.kind === 'external' && dns.forwarders.length > 0);
    if (!isEnough) report(['services', 'dns'], { message: words().dnsServer.message, fix: words().dnsServer.fix });
  },
};

const forwarderLoop: Rule = {
  id: 'forwarder-loop',
  dependsOn: [['services', 'dns', 'servers']],
  severity: 'error',
  source: 'BIND 9 Administrator Reference Manual: forwarders',
  title: () => words().forwarderLoop.title,
  check({ services: { dns } }, report) {
    if (dns.kind !== 'bind') return;
    for (const [index, address] of dns.forwarders.entries()) {
      const server = dns.servers.find(({ ip }) => ip.includes(address));
      if (server === undefined) continue;
      const problem = { message: words().forwarderLoop.message(address, server.name), fix: words().forwarderLoop.fix };
      report(['services', 'dns', 'forwarders', index], problem);
    }
  },
};

const loadBalancerServer: Rule = {
  id: 'load-balancer-server',
  severity: 'error',
  source: 'openshift-docs modules/installation-load-balancing-user-infra.adoc',
  title: () => words().loadBalancerServer.title,
  check({ services: { loadBalancer } }, report) {
    if (loadBalancer.kind !== 'haproxy' || loadBalancer.servers.length > 0) return;
    const problem = { message: words().loadBalancerServer.message, fix: words().loadBalancerServer.fix };
    report(['services', 'loadBalancer'], problem);
  },
};

const ipxeWithoutDhcp: Rule = {
  id: 'ipxe-without-dhcp',
  severity: 'warning',
  source: 'RFC 4578; iPXE chains what DHCP names',
  title: () => words().ipxeWithoutDhcp.title,
  check({ services: { boot, dhcp } }, report) {
    if (boot.kind !== 'ipxe' || dhcp.kind !== 'none') return;
    report(['services', 'boot'], { message: words().ipxeWithoutDhcp.message, fix: words().ipxeWithoutDhcp.fix });
  },
};

/** Lists the programs besides the boot server that listen on TCP ports of the bastion. */
function listBastionListeners({ bastion, dns, loadBalancer }: Design['services']) {
  const isBastion = ({ name }: { readonly name: string }) => name === bastion.name;
  return [
    { program: 'SSH', ports: SSH_PORTS },
    ...(dns.kind === 'bind' && dns.servers.some(isBastion) ? [{ program: 'BIND', ports: DNS_PORTS }] : []),
    ...(loadBalancer.kind === 'haproxy' && loadBalancer.servers.some(isBastion)
      ? [{ program: 'HAProxy', ports: BALANCER_PORTS }]
      : []),
  ];
}

const httpPort: Rule = {
  id: 'http-port',
  severity: 'error',
  source: 'one program listens on a port',
  title: () => words().httpPort.title,
  check({ services }, report) {
    const port = services.boot.httpPort;
    const listener = listBastionListeners(services).find(({ ports }) => ports.includes(port));
    if (listener === undefined) return;
    const problem = { message: words().httpPort.message(port, listener.program), fix: words().httpPort.fix };
    report(['services', 'boot', 'httpPort'], problem);
  },
};

const httpPortLow: Rule = {
  id: 'http-port-low',
  severity: 'warning',
  source: 'RFC 6335: system ports; SELinux gives them types of other services',
  title: () => words().httpPortLow.title,
  check({ services }, report) {
    const port = services.boot.httpPort;
    const isTaken = listBastionListeners(services).some(({ ports }) => ports.includes(port));
    if (port >= 1024 || [80, 81, 443].includes(port) || isTaken) return;
    const problem = { message: words().httpPortLow.message(port), fix: words().httpPortLow.fix };
    report(['services', 'boot', 'httpPort'], problem);
  },
};

const timeServers: Rule = {
  id: 'time-servers',
  severity: 'warning',
  source: 'openshift/assisted-service: ntp-server-configured; ironicbadger/ocp4#23',
  title: () => words().timeServers.title,
  check({ services: { time } }, report) {
    if (time.servers.length > 0) return;
    report(['services', 'time'], { message: words().timeServers.message, fix: words().timeServers.fix });
  },
};

export const serviceRules: readonly Rule[] = [
  dnsServer,
  forwarderLoop,
  loadBalancerServer,
  ipxeWithoutDhcp,
  httpPort,
  httpPortLow,
  timeServers,
];

const mirrorRelease: Rule = {
  id: 'mirror-release',
  dependsOn: [['openshift', 'version']],
  severity: 'warning',
  source: 'openshift-docs modules/installation-mirror-repository.adoc: both repositories are mirrored',
  title: () => words().mirrorRelease.title,
  check({ imageDigestSources, openshift }, report) {
    const repositories = RELEASE_REPOSITORIES[versionProfile(openshift.version).product];
    const isMirrored = (repository: string) =>
      imageDigestSources.some(({ source }) => isInsideRepository(repository, source));
    const missingRepositories = repositories.filter((repository) => !isMirrored(repository));
    // Mirrors of other images say nothing about the release.
    if (missingRepositories.length === 0 || missingRepositories.length === repositories.length) return;
    const problem = {
      message: words().mirrorRelease.message(missingRepositories.join(', ')),
      fix: words().mirrorRelease.fix,
    };
    report(['imageDigestSources'], problem);
  },
};

const filePath: Rule = {
  id: 'file-path',
  severity: 'error',
  source: 'paths are displayed and passed to programs',
  title: () => words().filePath.title,
  check({ credentials, additionalTrustBundleFile, downloadsDir }, report) {
    const all: { at: Path; path: string | null }[] = [
      { at: ['credentials', 'pullSecretFile'], path: credentials.pullSecretFile },
      { at: ['credentials', 'sshKeyFile'], path: credentials.sshKeyFile },
      { at: ['credentials', 'fencingFile'], path: credentials.fencingFile },
      { at: ['additionalTrustBundleFile'], path: additionalTrustBundleFile },
      { at: ['downloadsDir'], path: downloadsDir },
    ];
    for (const { at, path } of all) {
      if (path !== null && !isFilePath(path))
        report(at, { message: words().filePath.message, fix: words().filePath.fix });
    }
  },
};

const proxyUrl: Rule = {
  id: 'proxy',
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: validateProxy`,
  title: () => words().proxy.title,
  check({ proxy }, report) {
    if (proxy === null) return;
    if (proxy.httpProxy === '' && proxy.httpsProxy === '') {
      report(['proxy'], { message: words().proxy.none, fix: words().proxy.fixNone });
    }
    for (const [key, schemes] of [
      ['httpProxy', ['http:']],
      ['httpsProxy', ['http:', 'https:']],
    ] as const) {
      if (proxy[key] === '' || isPlainUrl(proxy[key], schemes)) continue;
      // The value may hold a password: it is not repeated.
      report(['proxy', key], { message: words().proxy.message(key), fix: words().proxy.fix });
    }
  },
};

const noProxy: Rule = {
  id: 'no-proxy',
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: each element of noProxy must be a IP, CIDR or domain (4.7); "*" from 4.6 on (#4172)`,
  title: () => words().noProxy.title,
  check({ proxy, openshift }, report) {
    if (proxy === null || proxy.noProxy === '') return;
    const { canNoProxyBeWildcard, minor } = versionProfile(openshift.version);
    if (proxy.noProxy === '*') {
      const { notYet, fixNotYet } = words().noProxy;
      if (!canNoProxyBeWildcard) report(['proxy', 'noProxy'], { message: notYet(minor), fix: fixNotYet });
      return;
    }
    for (const item of proxy.noProxy.split(',')) {
      const domain = item.replace(/^\./, '').replace(/\.$/, '').toLowerCase();
      if (canonicalAddress(item) !== null || parseNetwork(item) !== null || isDomain(domain)) continue;
      report(['proxy', 'noProxy'], { message: words().noProxy.message(item), fix: words().noProxy.fix });
    }
  },
};

const trustBundlePolicy: Rule = {
  id: 'trust-bundle-policy',
  severity: 'warning',
  source: `${INSTALLER_VALIDATION}: additionalTrustBundlePolicy (4.12); the default Proxyonly ignores the bundle without a proxy`,
  title: () => words().trustBundlePolicy.title,
  check({ additionalTrustBundleFile, additionalTrustBundlePolicy, proxy, openshift }, report) {
    const texts = words().trustBundlePolicy;
    const at: Path = ['additionalTrustBundlePolicy'];
    const { hasTrustBundlePolicy, minor } = versionProfile(openshift.version);
    if (additionalTrustBundlePolicy === null) return;
    if (!hasTrustBundlePolicy) {
      if (additionalTrustBundlePolicy === 'Proxyonly' && proxy === null)
        report(at, { message: texts.notYet(minor), fix: texts.fixNotYet });
      return;
    }
    if (additionalTrustBundleFile === null) report(at, { message: texts.noBundle, fix: texts.fixNoBundle });
    else if (additionalTrustBundlePolicy === 'Proxyonly' && proxy === null) {
      report(at, { message: texts.proxyOnly, fix: texts.fixProxyOnly });
    }
  },
};

const mirrorRepository: Rule = {
  id: 'mirror-repository',
  severity: 'error',
  source: `${INSTALLER_VALIDATION}: must be repository--not reference; whole registries from 4.10 on (#5297, #5346)`,
  title: () => words().mirrorRepository.title,
  check({ imageDigestSources, openshift }, report) {
    const { canMirrorBeRegistry, minor } = versionProfile(openshift.version);
    const texts = words().mirrorRepository;
    const all = imageDigestSources.flatMap(({ source, mirrors }, index) => [
      { at: ['imageDigestSources', index, 'source'] as Path, text: source },
      ...mirrors.map((text, mirror) => ({ at: ['imageDigestSources', index, 'mirrors', mirror] as Path, text })),
    ]);
    for (const { at, text } of all) {
      if (!isRepository(text)) report(at, { message: texts.message(text), fix: texts.fix });
      else if (!canMirrorBeRegistry && !text.includes('/'))
        report(at, { message: texts.notYet(text, minor), fix: texts.fixNotYet });
    }
  },
};

export const sourceRules: readonly Rule[] = [
  filePath,
  proxyUrl,
  noProxy,
  trustBundlePolicy,
  mirrorRepository,
  mirrorRelease,
];
