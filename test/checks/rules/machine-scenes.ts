import { ago, booting, bootstrapping, complete, fqdn, machine, request, times, withCluster } from './base-evidence.ts';
import { DOMAIN, dhcpd, M1, M2, M3, type Scene, withBootStage, withLines } from './scene.ts';

/** Mistakes of DHCP, boot, time and trust. */
export const MACHINE_SCENES: readonly Scene[] = [
  // DHCP and boot.
  [
    'DHCP gives one node the name of another',
    ['dhcp-options-wrong'],
    dhcpd(`host-name "${fqdn(M2)}"`, `host-name "${fqdn(M1)}"`),
  ],
  [
    'DHCP gives another domain',
    ['dhcp-options-wrong'],
    dhcpd(`domain-name "${DOMAIN}"`, 'domain-name "example.localdomain"'),
  ],
  [
    'DHCP gives another time server',
    ['dhcp-options-wrong'],
    dhcpd('ntp-servers 192.168.124.1', 'ntp-servers 192.168.124.2'),
  ],
  [
    'the boot file of one firmware is that of another',
    ['dhcp-boot-wrong'],
    dhcpd('filename "ipxe.efi"', 'filename "undionly.kpxe"'),
  ],
  ['next-server is another', ['dhcp-boot-wrong'], dhcpd('next-server 172.16.0.101', 'next-server 172.16.0.1')],
  [
    'DHCP does not offer the iPXE script: iPXE loads itself for ever',
    ['dhcp-boot-wrong'],
    dhcpd(/if exists ipxe-encap[\s\S]*?\} elsif/, 'if'),
  ],
  [
    'a node is commented out',
    ['dhcp-options-wrong'],
    dhcpd(new RegExp(`host ${M3} \\{[^}]*\\}`), `# host ${M3}: later`),
  ],
  [
    'the design and DHCP have one MAC address twice',
    ['dhcp-options-wrong'],
    dhcpd(/(host m2 \{\s+hardware ethernet )[0-9a-f:]+/, '$100:50:56:96:37:c8'),
  ],
  ['another subnet mask', ['dhcp-options-wrong'], dhcpd('subnet-mask 255.255.255.0', 'subnet-mask 255.255.0.0')],
  [
    'dhcpd refuses its file',
    ['service-file-broken'],
    withLines(
      booting,
      'dhcp',
      '/etc/dhcp/dhcpd.conf line 31: semicolon expected.',
      'Configuration file errors encountered -- exiting',
    ),
  ],
  [
    'Kea refuses its file',
    ['service-file-broken'],
    withLines(
      booting,
      'dhcp',
      'ERROR DHCP4_CONFIG_LOAD_FAIL configuration error using file: /etc/kea/kea-dhcp4.conf, reason: syntax error, unexpected }',
    ),
  ],
  [
    'haproxy refuses its file',
    ['service-file-broken'],
    withLines(bootstrapping, 'haproxy', '[ALERT] (1211) : config : Fatal errors found in configuration.'),
  ],
  [
    'no lease left',
    ['dhcp-options-wrong'],
    {
      ...withLines(
        booting,
        'dhcp',
        `DHCPDISCOVER from ${machine(M1).mac} via eth0: network 172.16.0.0/24: no free leases`,
      ),
      machines: booting.machines.map((each) => (each.name === M1 ? machine(M1) : each)),
    },
  ],
  [
    'the URL of the root file system is wrong',
    ['boot-file-missing'],
    withBootStage('kernel', '/images/rhcos-live-rootfs.img', 404),
  ],
  [
    'an error page in place of an ignition file',
    ['ignition-broken'],
    withLines(
      booting,
      'ignition',
      'failed to fetch config: config is not valid JSON',
      "error at line 1 col 1: invalid character '<' looking for beginning of value",
    ),
  ],
  [
    'an ignition file of another format',
    ['boot-image-not-of-release'],
    withLines(booting, 'ignition', 'failed to fetch config: unsupported config version'),
  ],
  [
    'a truncated ignition file',
    ['ignition-broken'],
    withLines(booting, 'ignition', 'failed to fetch config: unexpected end of JSON input'),
  ],
  // Time and trust.
  [
    'the clock of one node is a year behind',
    ['clock-skew'],
    withLines(
      bootstrapping,
      'ignition',
      'GET error: Get "https://api-int:22623/config/master": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2025-11-22T12:00:00Z is before 2026-11-22T10:00:00Z',
    ),
  ],
  [
    'a node without any time server',
    ['clock-skew'],
    withLines(bootstrapping, 'chronyd', ...times(3, "Can't synchronise: no selectable sources")),
  ],
  [
    'machines boot after 24 h',
    ['ignition-stale'],
    { ...booting, ignition: { expiresAt: ago(30), problems: [], unusableFiles: [], server: 'silent' } },
  ],
  [
    'the kubelet of a node is refused after its certificate ran out',
    ['node-credentials-expired'],
    withLines(
      complete,
      'kubelet',
      'part of the existing bootstrap client certificate in /etc/kubernetes/kubeconfig is expired: 2026-11-21 10:00:00 +0000 UTC',
    ),
  ],
  [
    'a request of a node that is not in the design',
    ['hostile-csr'],
    withCluster(complete, {
      requests: [request({ node: 'w9.other.example', verdict: 'refused', reasons: ['NAME_UNKNOWN'] })],
    }),
  ],
];
