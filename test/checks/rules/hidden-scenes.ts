import type { Evidence } from '../../../src/checks/rules/evidence.ts';
import {
  booting,
  bootRequest,
  bootstrapping,
  complete,
  failedCheck,
  fqdn,
  machine,
  node,
  operator,
  passedCheck,
  times,
  withCluster,
} from './base-evidence.ts';
import { DOMAIN, dhcpd, haproxy, M1, operators, type Scene, W1, withChecks, withLines } from './scene.ts';

const withReverseNames = (base: Evidence, address: string, ...names: readonly string[]): Evidence =>
  withChecks(base, { ...failedCheck('dns-reverse', address, `got ${names.join(', ')}`), names });
const RELEASE = 'quay.io/openshift-release-dev/ocp-release@sha256:ab';
const withClockOffset = (offsetMs: number): Evidence => ({
  ...booting,
  timeServerOffsets: [{ server: '192.168.124.1', offsetMs }],
});

const untrusted: Evidence = {
  ...bootstrapping,
  ignition: { expiresAt: null, problems: [], unusableFiles: [], server: 'untrusted' },
};

/** Mistakes that no rehearsal plants: the evidence of each, and the rule that must come first. */
export const HIDDEN_SCENES: readonly Scene[] = [
  [
    'api-int leads to the load balancer of the routes',
    ['api-int-missing'],
    withChecks(
      bootstrapping,
      failedCheck('dns-api-int', `api-int.${DOMAIN}`, 'expected 172.16.0.110, got 172.16.0.111'),
    ),
  ],
  [
    'api-int has an IPv6 address only',
    ['api-int-missing'],
    withChecks(bootstrapping, failedCheck('dns-api-int', `api-int.${DOMAIN}`, 'expected 172.16.0.110, no such record')),
  ],
  [
    'api has an old address beside its own',
    ['api-name-wrong'],
    withChecks(
      bootstrapping,
      failedCheck('dns-api', `api.${DOMAIN}`, 'expected 172.16.0.111, got 172.16.0.111, 172.16.0.99'),
      passedCheck('dns-api-int'),
    ),
  ],
  [
    'the base domain has a wildcard, which search lists run into',
    ['wildcard-too-wide'],
    withChecks(
      booting,
      failedCheck('dns-no-cluster-wildcard', '*.example.localdomain', 'x.example.localdomain: 172.16.0.111'),
    ),
  ],
  [
    'the last dot is missing behind the name of the bootstrap in the reverse zone',
    ['ptr-dot-missing'],
    withReverseNames(booting, '172.16.0.11', `${fqdn('bs')}.0.16.172.in-addr.arpa`),
  ],
  [
    'the bootstrap has the name of another machine',
    ['ptr-missing'],
    withReverseNames(booting, '172.16.0.11', `old-server.${DOMAIN}`),
  ],
  [
    'DHCP names another name server',
    ['dhcp-options-wrong'],
    dhcpd(/domain-name-servers [\d., ]+/, 'domain-name-servers 8.8.8.8'),
  ],
  ['DHCP names no name server', ['dhcp-options-wrong'], dhcpd(/ *option domain-name-servers [^;]+;\n/, '')],
  [
    'the DHCP pool for laptops covers the control plane',
    ['dhcp-pool-overlaps'],
    dhcpd(/^subnet .*\{$/m, '$&\n    range 172.16.0.10 172.16.0.90;'),
  ],
  ['the time server is an hour ahead', ['clock-skew'], withClockOffset(3_600_000)],
  ['the time server is in another time zone', ['clock-skew'], withClockOffset(-8 * 3_600_000)],
  [
    'a control plane node gets worker.ign',
    ['ignition-of-another-role'],
    {
      ...booting,
      machines: booting.machines.map((each) =>
        each.name === M1
          ? machine(M1, {
              stage: 'ignition',
              requests: [bootRequest('/ignition/worker.ign')],
              lastRequest: bootRequest('/ignition/worker.ign'),
            })
          : each,
      ),
    },
  ],
  [
    'the login in the pull secret has expired',
    ['pull-secret-rejected'],
    withLines(
      bootstrapping,
      'release-image',
      `Error: initializing source docker://${RELEASE}: reading manifest in quay.io: unauthorized: access to the requested resource is not authorized`,
    ),
  ],
  [
    'the proxy that nodes use is off',
    ['proxy-fails'],
    withLines(
      bootstrapping,
      'release-image',
      'Get "https://quay.io/v2/": proxyconnect tcp: dial tcp 10.0.0.1:3128: connect: connection refused',
    ),
  ],
  [
    'the CA of the intercepting proxy is in no trust bundle',
    ['registry-untrusted'],
    withLines(
      bootstrapping,
      'release-image',
      `Error: initializing source docker://${RELEASE}: pinging container registry quay.io: Get "https://quay.io/v2/": x509: certificate signed by unknown authority`,
    ),
  ],
  [
    'the firewall of a worker closes 10250',
    ['node-port-closed'],
    withLines(
      complete,
      'kube-apiserver',
      ...times(3, 'Get "https://172.16.0.31:10250/stats": dial tcp 172.16.0.31:10250: i/o timeout'),
    ),
  ],
  [
    'etcd members do not reach each other',
    ['node-port-closed'],
    withLines(
      complete,
      'etcd',
      ...times(4, 'prober detected unhealthy status: dial tcp 172.16.0.22:2380: connect: no route to host'),
    ),
  ],
  [
    'node exporters are behind a firewall',
    ['node-port-closed'],
    withLines(
      complete,
      'prometheus',
      ...times(3, 'Get "https://172.16.0.32:9100/metrics": dial tcp 172.16.0.32:9100: i/o timeout'),
    ),
  ],
  [
    'Geneve is dropped between the nodes',
    ['pod-network-blocked'],
    operators(
      operator(
        'authentication',
        'image-pull',
        'OAuthServerDeployment: Get "https://172.30.11.4:443/healthz": dial tcp 172.30.11.4:443: i/o timeout',
      ),
      operator(
        'openshift-apiserver',
        'image-pull',
        'not available: https://10.129.0.9:8443/apis/x: context deadline exceeded',
      ),
    ),
  ],
  [
    'the health check of the routes asks port 80',
    ['ingress-health-check-wrong'],
    haproxy('\nbackend ingress-http\n', '\nbackend ingress-http\n    option httpchk HEAD /\n', complete),
  ],
  [
    'server lines without a check',
    ['balancer-members-unchecked'],
    haproxy(/( server \S+ \S+:22623) check inter 1s/g, '$1'),
  ],
  [
    'a node joined by its second card',
    ['node-address-unexpected'],
    withCluster(complete, { nodes: [node(fqdn(W1), { addresses: ['192.168.50.7'] })] }),
  ],
  [
    'a release for another processor',
    ['image-architecture'],
    withLines(
      bootstrapping,
      'bootkube',
      '/usr/bin/bootkube.sh: line 8: /usr/bin/podman: cannot execute: exec format error',
    ),
  ],
  [
    'a cluster that was off for a month',
    ['api-certificate-expired'],
    {
      ...complete,
      ignition: { expiresAt: null, problems: [], unusableFiles: [], server: null },
      api: { isUp: false, code: 'cluster-certificate-expired', detail: 'certificate has expired', skewMs: null },
    },
  ],
  [
    'the frontend of 22623 leads to the API, whose certificate nodes do not expect there',
    ['balancer-port-mixed'],
    haproxy(/default_backend machine-config/, 'default_backend api', untrusted),
  ],
  [
    'TLS ends at the load balancer, with a certificate of its own',
    ['balancer-tls-ends'],
    haproxy('bind 172.16.0.110:22623', 'bind 172.16.0.110:22623 ssl crt /etc/haproxy/lb.pem', untrusted),
  ],
  [
    'the disk of a node is full',
    ['disk-too-small'],
    withCluster(complete, { nodes: [node(fqdn(W1), { hasDiskPressure: true })] }),
  ],
  [
    'the network type of install-config.yaml is unknown to this release',
    ['network-type-unsupported'],
    operators(
      operator(
        'network',
        'image-pull',
        'The configuration is invalid for network type OpenShiftSDN (spec.networkType: "OpenShiftSDN" is not supported)',
      ),
    ),
  ],
];
