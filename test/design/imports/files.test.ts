import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { renderExampleDesign } from '../../../src/design/example.ts';
import { decodeText, type ImportedDesign } from '../../../src/design/imports/imported-design.ts';
import { EMPTY_DESIGN, importDesign, isImportFailure, mergeImport } from '../../../src/design/imports/index.ts';
import { checkDocument } from '../../../src/design/parse.ts';

function importWithoutFailure(text: string): ImportedDesign {
  const result = importDesign(text);
  if (isImportFailure(result)) throw new Error(result.problem);
  return result;
}

/** Paths that are still missing or wrong after the import. */
function listErrorPaths(document: unknown): string[] {
  return checkDocument(document)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ path }) => path);
}

const INSTALL_CONFIG = `apiVersion: v1
baseDomain: example.com
metadata: { name: prod }
compute: [{ name: worker, replicas: 2, hyperthreading: Enabled }]
controlPlane: { name: master, replicas: 3, architecture: amd64 }
networking:
  networkType: OVNKubernetes
  clusterNetwork: [{ cidr: 10.132.0.0/14, hostPrefix: 22 }]
  serviceNetwork: [172.31.0.0/16]
  machineNetwork: [{ cidr: 10.1.2.0/26 }]
platform: { none: {} }
capabilities: { baselineCapabilitySet: vCurrent }
fips: true
proxy: { httpProxy: "http://proxy.example.com:3128", noProxy: .example.com }
pullSecret: '{"auths":{"quay.io":{"auth":"c2VjcmV0OnNlY3JldA=="}}}'
sshKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA== me
additionalTrustBundle: |
  -----BEGIN CERTIFICATE-----
  AAAA
  -----END CERTIFICATE-----
imageContentSources: [{ source: quay.io/ocp, mirrors: ["mirror.example.com:5000/ocp"] }]
`;

describe('an install-config.yaml', () => {
  it('gives names, networks, proxy, mirrors and the stated number of nodes', () => {
    const { kind, document, notes } = importWithoutFailure(INSTALL_CONFIG);
    expect(kind).toBe('install-config');
    expect(document).toMatchObject({
      openshift: { architecture: 'x86_64' },
      cluster: { name: 'prod', baseDomain: 'example.com' },
      networks: {
        machine: [{ cidr: '10.1.2.0/26' }],
        cluster: [{ cidr: '10.132.0.0/14', hostPrefix: 22 }],
        service: ['172.31.0.0/16'],
        type: 'OVNKubernetes',
      },
      fips: true,
      proxy: { httpProxy: 'http://proxy.example.com:3128', noProxy: '.example.com' },
      credentials: { pullSecretFile: './pull-secret.txt', sshKeyFile: './ssh-key.pub' },
      additionalTrustBundleFile: './ca.pem',
      imageDigestSources: [{ source: 'quay.io/ocp', mirrors: ['mirror.example.com:5000/ocp'] }],
    });
    expect((document.nodes as { role: string }[]).map(({ role }) => role)).toEqual([
      'bootstrap',
      'control-plane',
      'control-plane',
      'control-plane',
      'compute',
      'compute',
    ]);
    expect(notes).toContain('Left out, because a design has no such key: capabilities.');
  });

  it('gives the stream of RHCOS', () => {
    const { document, notes } = importWithoutFailure(`${INSTALL_CONFIG}osImageStream: rhel-10\n`);
    expect(document).toMatchObject({ openshift: { architecture: 'x86_64', osImageStream: 'rhel-10' } });
    expect(notes.join(' ')).not.toContain('osImageStream');
  });

  it('without compute replicas, as for UPI, stays standard and asks for compute nodes', () => {
    const none = INSTALL_CONFIG.replace('replicas: 2', 'replicas: 0');
    const { document, notes } = importWithoutFailure(none);
    expect(document.topology).toBe('standard');
    expect(notes.join(' ')).toContain('The file has 0 compute nodes');
    expect(listErrorPaths(mergeImport(EMPTY_DESIGN, document))).toContain('nodes');
    expect(importWithoutFailure(INSTALL_CONFIG).document.topology).toBeUndefined();
    expect(importWithoutFailure(none.replace('replicas: 3', 'replicas: 1')).document.topology).toBe('single-node');
  });

  it('gives the arbiter of two control plane nodes', () => {
    const two = INSTALL_CONFIG.replace('replicas: 2', 'replicas: 0').replace('replicas: 3', 'replicas: 2');
    const { document, notes } = importWithoutFailure(`${two}arbiter: { name: arbiter, replicas: 1 }\n`);
    expect(document.topology).toBe('arbiter');
    expect((document.nodes as { role: string }[]).map(({ role }) => role)).toEqual([
      ...['bootstrap', 'control-plane', 'control-plane', 'arbiter'],
    ]);
    expect(notes.join(' ')).not.toContain('arbiter');
  });

  it('moves the logins of the BMCs to a file, and takes the names of the nodes from them', () => {
    const logins = ['cp0', 'cp1'].map(
      (name, index) =>
        `{ hostName: ${name}.prod.example.com, address: "redfish+https://192.0.2.${index}/redfish/v1/Systems/1", username: hidden-user, password: hidden-word }`,
    );
    const two = INSTALL_CONFIG.replace('replicas: 2', 'replicas: 0').replace(
      'replicas: 3,',
      `replicas: 2, fencing: { credentials: [${logins.join(', ')}] },`,
    );
    const { document, files, notes } = importWithoutFailure(two);
    expect(document.topology).toBe('fencing');
    expect((document.nodes as { name: string }[]).map(({ name }) => name)).toEqual(['bootstrap', 'cp0', 'cp1']);
    expect(document.credentials).toMatchObject({ fencingFile: './fencing.yaml' });
    expect(files.find(({ name }) => name === 'fencing.yaml')?.text).toContain('password: hidden-word');
    expect(JSON.stringify([document, notes])).not.toContain('hidden');
  });

  it('returns the secrets as files and nowhere else', () => {
    const { files, document, notes } = importWithoutFailure(INSTALL_CONFIG);
    expect(files.map(({ name }) => name)).toEqual(['pull-secret.txt', 'ssh-key.pub', 'ca.pem']);
    expect(files[0]?.text).toContain('c2VjcmV0');
    expect(JSON.stringify([document, notes])).not.toMatch(/c2VjcmV0|AAAA/);
  });

  it('lists what is still missing, the addresses and MACs of the nodes first of all', () => {
    const paths = listErrorPaths(mergeImport(EMPTY_DESIGN, importWithoutFailure(INSTALL_CONFIG).document));
    expect(paths).toEqual(
      expect.arrayContaining([
        'openshift.version',
        'endpoints.api',
        'services.bastion.ip',
        'nodes.0.ip',
        'nodes.0.mac',
      ]),
    );
  });

  it('takes the spellings of older versions', () => {
    const { document } = importWithoutFailure(
      'apiVersion: v1beta4\nbaseDomain: a.b\nmetadata: {name: c}\nnetworking: {machineCIDR: 10.0.0.0/16, serviceCIDR: 172.30.0.0/16, clusterNetworks: [{cidr: 10.128.0.0/14, hostSubnetLength: 8}]}\n',
    );
    expect(document.networks).toEqual({
      machine: [{ cidr: '10.0.0.0/16' }],
      cluster: [{ cidr: '10.128.0.0/14', hostPrefix: 24 }],
      service: ['172.30.0.0/16'],
    });
  });

  it('takes hosts, addresses and endpoints of platform bare metal, and reports that the platform becomes none', () => {
    const { document, notes } = importWithoutFailure(
      stringify({
        apiVersion: 'v1',
        baseDomain: 'a.example.com',
        metadata: { name: 'c' },
        platform: {
          baremetal: {
            apiVIPs: ['10.0.0.5'],
            ingressVIP: '10.0.0.6',
            hosts: [
              {
                name: 'm0',
                role: 'master',
                bootMACAddress: '52:54:00:AA:00:01',
                rootDeviceHints: { deviceName: '/dev/nvme0n1' },
                networkConfig: { interfaces: [{ ipv4: { address: [{ ip: '10.0.0.10', 'prefix-length': 24 }] } }] },
              },
            ],
          },
        },
      }),
    );
    expect(document).toMatchObject({
      endpoints: { api: '10.0.0.5', apiInt: '10.0.0.5', ingress: '10.0.0.6' },
      nodes: [
        { name: 'm0', role: 'control-plane', ip: '10.0.0.10', mac: '52:54:00:aa:00:01', installDisk: '/dev/nvme0n1' },
      ],
    });
    expect(notes.join()).toContain('platform baremetal');
  });
});

const HELPERNODE_VARS = `disk: vda
helper: { name: helper, ipaddr: 192.168.7.77 }
dns: { domain: example.com, clusterid: ocp4, forwarder1: 9.9.9.9, lb_ipaddr: "{{ helper.ipaddr }}" }
dhcp: { router: 192.168.7.1, bcast: 192.168.7.255, netmask: 255.255.255.0, poolstart: 192.168.7.10, poolend: 192.168.7.30, ipid: 192.168.7.0, netmaskid: 255.255.255.0 }
bootstrap: { name: bootstrap, ipaddr: 192.168.7.20, macaddr: "52:54:00:60:72:67" }
masters:
  - { name: master0, ipaddr: 192.168.7.21, macaddr: "52:54:00:e7:9d:67" }
  - { name: master1, ipaddr: 192.168.7.22, macaddr: "52:54:00:80:16:23" }
  - { name: master2, ipaddr: 192.168.7.23, macaddr: "52:54:00:d5:1c:39" }
workers:
  - { name: worker0, ipaddr: 192.168.7.11, macaddr: "52:54:00:f4:26:a1" }
  - { name: worker1, ipaddr: 192.168.7.12, macaddr: "52:54:00:82:90:00" }
other:
  - { name: printer, ipaddr: 192.168.7.31, macaddr: "52:54:00:f4:2e:2e" }
chronyconfig: { enabled: true, content: [{ server: 192.168.7.2, options: iburst }] }
ocp_installer: "https://mirror.example.com/pub/openshift-v4/clients/ocp/4.12.9/openshift-install-linux.tar.gz"
`;

describe("helpernode's vars.yaml", () => {
  it('gives a whole design: one helper that is bastion, name server, DHCP server and load balancer', () => {
    const { kind, document, notes } = importWithoutFailure(HELPERNODE_VARS);
    expect(kind).toBe('helpernode');
    const { design, problems } = checkDocument(mergeImport(EMPTY_DESIGN, document));
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(design).toMatchObject({
      openshift: { version: '4.12.9' },
      cluster: { name: 'ocp4', baseDomain: 'example.com' },
      networks: { machine: [{ cidr: '192.168.7.0/24', gateway: '192.168.7.1' }] },
      endpoints: { api: ['192.168.7.77'] },
      services: { dhcp: { server: 'helper' }, time: { servers: ['192.168.7.2'] } },
    });
    expect(design?.nodes[1]).toMatchObject({ name: 'master0', installDisk: '/dev/vda' });
    expect(notes).toEqual(['These hosts are not nodes of the cluster and were left out: printer.']);
  });

  it('takes a release of OKD as a whole', () => {
    const okd = 'https://mirror.example.com/okd/4.20.0-okd-scos.3/openshift-install-linux-4.20.0-okd-scos.3.tar.gz';
    const { document } = importWithoutFailure(HELPERNODE_VARS.replace(/ocp_installer: .*/, `ocp_installer: "${okd}"`));
    expect(document.openshift).toMatchObject({ version: '4.20.0-okd-scos.3' });
  });

  it('takes several helpers as servers behind the shared address', () => {
    const { document } = importWithoutFailure(
      `${HELPERNODE_VARS}high_availability: { helpernodes: [{ name: h1, ipaddr: 192.168.7.2, state: MASTER }, { name: h2, ipaddr: 192.168.7.3, state: BACKUP }] }\n`,
    );
    expect(document.services).toMatchObject({
      bastion: { name: 'h1' },
      loadBalancer: { servers: [{ ip: '192.168.7.2' }, { ip: '192.168.7.3' }] },
    });
    expect(document.endpoints).toMatchObject({ api: '192.168.7.77' });
  });

  it('takes static addresses as ISO without DHCP, and asks for the missing MACs', () => {
    const text = `${HELPERNODE_VARS.replaceAll(/, macaddr: "[^"]+"/g, '').replace(/^dhcp:.*\n/m, '')}staticips: true\n`;
    const { document } = importWithoutFailure(text);
    expect(document.services).toMatchObject({ dhcp: { kind: 'none' }, boot: { kind: 'iso' } });
    expect(listErrorPaths(mergeImport(EMPTY_DESIGN, document))).toEqual(
      expect.arrayContaining(['nodes.0.mac', 'networks.machine.0.cidr']),
    );
  });
});

describe('other files', () => {
  it('takes a design as it is', () => {
    const { document } = importWithoutFailure(renderExampleDesign());
    expect(checkDocument(document).problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('takes reservations of Kea', () => {
    const { kind, document } = importWithoutFailure(
      JSON.stringify({
        Dhcp4: {
          subnet4: [
            { reservations: [{ 'hw-address': '52:54:00:e7:9d:67', 'ip-address': '10.0.0.21', hostname: 'm1.c.d' }] },
          ],
        },
      }),
    );
    expect(kind).toBe('kea');
    expect(document.nodes).toEqual([{ name: 'm1', role: 'control-plane', ip: '10.0.0.21', mac: '52:54:00:e7:9d:67' }]);
  });

  it('takes cluster, endpoints and nodes of a hosts file', () => {
    const { document } = importWithoutFailure(
      '172.16.0.111 api.prod.example.com\n172.16.0.110 api-int.prod.example.com\n172.16.0.112 console.apps.prod.example.com\n172.16.0.21 cp1.prod.example.com\n',
    );
    expect(document).toEqual({
      cluster: { name: 'prod', baseDomain: 'example.com' },
      endpoints: { api: '172.16.0.111', apiInt: '172.16.0.110', ingress: '172.16.0.112' },
      nodes: [{ name: 'cp1', role: 'control-plane', ip: '172.16.0.21', mac: '' }],
    });
  });

  it.each([
    '',
    'just words\n',
    '[1, 2]',
    '{"apiVersion":"v1","kind":"Secret","data":{"a":"b"}}',
    '\u0000',
    'a: &x [*x]',
  ])('rejects other content: %j', (text) => {
    const result = importDesign(text);
    expect(isImportFailure(result) && result.fix.length > 0).toBe(true);
  });

  it('never throws and never lets a key of the prototype through', () => {
    const hostile =
      '{"apiVersion":"upi-wizard/v1","__proto__":{"polluted":true},"cluster":{"__proto__":{"polluted":true}}}';
    const document = mergeImport(EMPTY_DESIGN, importWithoutFailure(hostile).document) as { polluted?: boolean };
    expect(document.polluted).toBeUndefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('merging', () => {
  it('keeps values that the import lacks, and replaces whole lists', () => {
    const base = { cluster: { name: 'a', baseDomain: 'b.c' }, nodes: [{ name: 'x' }, { name: 'y' }] };
    expect(mergeImport(base, { cluster: { name: 'z' }, nodes: [{ name: 'n' }] })).toEqual({
      cluster: { name: 'z', baseDomain: 'b.c' },
      nodes: [{ name: 'n' }],
    });
  });
});

describe('one file over another', () => {
  const known = {
    networks: { machine: [{ cidr: '10.1.2.0/26', gateway: '10.1.2.1' }] },
    nodes: [{ name: 'm1', role: 'control-plane', ip: '10.1.2.21', mac: '00:50:56:96:37:c8' }],
  };

  it('keeps nodes that the later file only counts, and the gateway that it lacks', () => {
    const merged = mergeImport(known, importWithoutFailure(INSTALL_CONFIG).document);
    expect(merged).toMatchObject(known);
  });

  it('fills in what an earlier file knew of a node', () => {
    const nodes = [
      { name: 'm1', role: 'control-plane', ip: '10.1.2.22', mac: '' },
      { name: 'm2', role: 'control-plane', ip: '10.1.2.23', mac: '' },
    ];
    expect(mergeImport(known, { nodes })).toMatchObject({
      nodes: [{ name: 'm1', ip: '10.1.2.22', mac: '00:50:56:96:37:c8' }, { name: 'm2' }],
    });
  });
});

it('reads text in the encodings that spreadsheets save', () => {
  expect(decodeText(Buffer.from('\ufeffname\tip', 'utf16le'))).toBe('name\tip');
  expect(decodeText(Buffer.from('\ufeffname\tip', 'utf16le').swap16())).toBe('name\tip');
  expect(decodeText(Buffer.from('\ufeffname'))).toBe('name');
  expect(decodeText(Buffer.from([0x6e, 0xff]))).toBe('n\ufffd');
});
