import { expect, test } from 'vitest';
import { checkDocument } from '../../src/design/parse.ts';
import { DESIGN_RULES } from '../../src/design/rules/index.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { dualStack, dualStackNodes, node, type RuleCase } from './cases/case.ts';
import { MACHINE_CASES } from './cases/machines.ts';
import { NETWORK_CASES } from './cases/networks.ts';
import { SERVICE_CASES } from './cases/services.ts';
import { exampleWith } from './support.ts';

test('a prefix length that its address family does not have is named', () => {
  const listMessages = (cidr: string) =>
    checkDocument(exampleWith([['networks.service', [cidr]]])).problems.map(({ message }) => message);
  expect(listMessages('172.30.0.0/33')).toContain('The prefix length of 172.30.0.0/33 is too long: at most 32');
  expect(listMessages('fd02::/129')).toContain('The prefix length of fd02::/129 is too long: at most 128');
  expect(listMessages('172.30.0/33')).toContain('"172.30.0/33" is not a network');
});

test.each([
  ['networks.service.0', '10.44.0.0 255.255.0.0', 'Write 10.44.0.0/16.'],
  ['networks.service.0', '10.44.3.0/255.255.0.0', 'Write 10.44.0.0/16.'],
  ['networks.service.0', '10.44.0.0 255.0.255.0', catalogue().designRules.cidrFormat.fix],
  ['networks.service.0', '10.44.0.0 mask', catalogue().designRules.cidrFormat.fix],
  [
    'cluster.baseDomain',
    'Corp.acme.test.',
    'Write it in lower case, without a dot at the start or the end: corp.acme.test',
  ],
  ['cluster.baseDomain', 'corp_acme', catalogue().designRules.baseDomain.fix],
])('the fix of %s = %s is what was meant, if that is clear', (path, text, fix) => {
  const { problems } = checkDocument(exampleWith([[path, text]]));
  expect(problems.find((problem) => problem.path === path)?.fix).toBe(fix);
});

const controlPlaneNodes = ['21', '22', '23'].map((last, index) => node(`m${index + 1}`, 'control-plane', Number(last)));
const bootstrapNode = node('bs', 'bootstrap', 11);
const longLabel = 'a'.repeat(63);

const CASES: readonly RuleCase[] = [
  ...NETWORK_CASES,
  ...MACHINE_CASES,
  ...SERVICE_CASES,
  {
    rule: 'address-format',
    bad: [['nodes.2.ip', '172.16.0.022']],
    at: 'nodes.2.ip',
    good: [['nodes.2.ip', '172.16.0.122']],
  },
  { rule: 'address-format', bad: [['nodes.2.ip', '172.16.22']], at: 'nodes.2.ip', good: [] },
  {
    rule: 'address-format',
    bad: [['networks.router', 'fe80::1%eth0']],
    at: 'networks.router',
    good: [['networks.router', 'fe80::1']],
  },
  {
    rule: 'address-format',
    bad: [['services.dns.forwarders', ['::ffff:1.2.3.4']]],
    at: 'services.dns.forwarders.0',
    good: [['services.dns.forwarders', ['2001:DB8::1']]],
  },
  {
    rule: 'address-families',
    bad: [['nodes.1.ip', ['172.16.0.21', '172.16.0.24']]],
    at: 'nodes.1.ip',
    good: [['nodes.1.ip', ['172.16.0.21', 'fd00::1']]],
  },
  {
    rule: 'host-format',
    bad: [['services.time.servers', ['ntp example']]],
    at: 'services.time.servers.0',
    good: [['services.time.servers', ['ntp.example.com']]],
  },
  {
    rule: 'host-format',
    bad: [['services.time.servers', ['192.168.124']]],
    at: 'services.time.servers.0',
    good: [['services.time.servers', ['192.168.124.2']]],
  },
  {
    rule: 'cidr-format',
    bad: [['networks.service', ['172.30.0.0/33']]],
    at: 'networks.service.0',
    good: [['networks.service', ['172.30.0.0/24']]],
  },
  { rule: 'cidr-base', bad: [['networks.machine.0.cidr', '172.16.0.1/24']], at: 'networks.machine.0.cidr', good: [] },
  {
    rule: 'cidr-base',
    bad: [['networks.company', ['0.0.0.0/0']]],
    at: 'networks.company.0',
    good: [['networks.company', ['192.168.0.0/16']]],
  },
  {
    rule: 'mac-format',
    bad: [['nodes.0.mac', '00:50:56:96:11']],
    at: 'nodes.0.mac',
    good: [['nodes.0.mac', '00-50-56-96-11-C2']],
  },
  {
    rule: 'mac-format',
    bad: [['nodes.0.mac', '00:50-56:96:11:c2']],
    at: 'nodes.0.mac',
    good: [['nodes.0.mac', '00:50:56:96:11:C2']],
  },
  {
    rule: 'mac-unicast',
    bad: [['nodes.0.mac', '01:50:56:96:11:c2']],
    at: 'nodes.0.mac',
    good: [['nodes.0.mac', '02:50:56:96:11:c2']],
  },
  {
    rule: 'mac-unicast',
    bad: [['nodes.0.mac', '00:00:00:00:00:00']],
    at: 'nodes.0.mac',
    good: [['nodes.0.mac', '00:00:00:00:00:01']],
  },
  { rule: 'cluster-name', bad: [['cluster.name', 'Ocp45']], at: 'cluster.name', good: [['cluster.name', 'ocp-45']] },
  {
    rule: 'cluster-name',
    bad: [['cluster.name', 'a'.repeat(55)]],
    at: 'cluster.name',
    good: [['cluster.name', 'o'.repeat(40)]],
  },
  {
    rule: 'base-domain',
    bad: [['cluster.baseDomain', 'example.localdomain.']],
    at: 'cluster.baseDomain',
    good: [['cluster.baseDomain', 'example.com']],
  },
  {
    rule: 'base-domain-digit',
    bad: [['cluster.baseDomain', 'ict620']],
    at: 'cluster.baseDomain',
    good: [['cluster.baseDomain', '620ict']],
  },
  {
    rule: 'base-domain-local',
    bad: [['cluster.baseDomain', 'example.local']],
    at: 'cluster.baseDomain',
    good: [['cluster.baseDomain', 'local.example']],
  },
  {
    rule: 'domain-length',
    bad: [['cluster.baseDomain', [longLabel, longLabel, longLabel, 'a'.repeat(56)].join('.')]],
    at: 'cluster.baseDomain',
    good: [['cluster.baseDomain', [longLabel, longLabel].join('.')]],
  },
  {
    rule: 'name-format',
    bad: [['nodes.4.name', 'w1.ocp45.example.localdomain']],
    at: 'nodes.4.name',
    good: [['nodes.4.name', 'w-1']],
  },
  {
    rule: 'name-format',
    bad: [['services.bastion.name', '-bastion']],
    at: 'services.bastion.name',
    good: [['services.bastion.name', 'bastion1']],
  },
  {
    rule: 'name-reserved',
    bad: [['nodes.4.name', 'api-int']],
    at: 'nodes.4.name',
    good: [['nodes.4.name', 'api-intern']],
  },
  {
    rule: 'name-reserved',
    bad: [['services.bastion.name', 'localhost']],
    at: 'services.bastion.name',
    good: [['services.bastion.name', 'api']],
  },
  { rule: 'name-duplicate', bad: [['nodes.5.name', 'w1']], at: 'nodes.5.name', good: [['nodes.5.name', 'w11']] },
  {
    rule: 'node-name-length',
    bad: [['nodes.5.name', 'w'.repeat(38)]],
    at: 'nodes.5.name',
    good: [['nodes.5.name', 'w'.repeat(37)]],
  },
  {
    rule: 'host-conflict',
    bad: [['services.loadBalancer.servers.0', { name: 'ns1', ip: '172.16.0.112' }]],
    at: 'services.loadBalancer.servers.0.name',
    good: [['services.loadBalancer.servers.0', { name: 'ns1', ip: '172.16.0.102', os: 'rhel9' }]],
  },
  {
    rule: 'version-known',
    bad: [['openshift.version', '4.4']],
    at: 'openshift.version',
    good: [['openshift.version', '4.5.40']],
  },
  {
    rule: 'version-known',
    bad: [['openshift.version', '4.018']],
    at: 'openshift.version',
    good: [['openshift.version', '5.0']],
  },
  {
    rule: 'version-known',
    bad: [['openshift.version', '4.18.0-okd-scos.10']],
    at: 'openshift.version',
    good: [['openshift.version', '4.20.0-okd-scos.3']],
  },
  {
    rule: 'architecture-version',
    bad: [
      ['openshift.version', '4.20.0-okd-scos.3'],
      ['openshift.architecture', 'aarch64'],
    ],
    at: 'openshift.architecture',
    good: [['openshift.version', '4.20.0-okd-scos.3']],
  },
  {
    rule: 'os-image-stream',
    bad: [
      ['openshift.version', '4.22.0-okd-scos.3'],
      ['openshift.osImageStream', 'rhel-10'],
    ],
    at: 'openshift.osImageStream',
    good: [['openshift.version', '4.22.0-okd-scos.3']],
  },
  {
    rule: 'network-overlap',
    bad: [['networks.company', ['172.16.0.0/12']]],
    at: 'networks.company.0',
    good: [['networks.company', ['192.168.0.0/16', '192.168.124.0/24']]],
  },
  {
    rule: 'network-overlap',
    bad: [['networks.service', ['10.131.0.0/16']]],
    at: 'networks.service.0',
    good: [['networks.service', ['10.132.0.0/16']]],
  },
  {
    rule: 'ovn-internal',
    bad: [['networks.service', ['100.88.1.0/24']]],
    at: 'networks.service.0',
    good: [['networks.service', ['100.89.1.0/24']]],
  },
  {
    rule: 'ovn-internal',
    bad: [['networks.service', ['169.254.0.0/24']]],
    at: 'networks.service.0',
    good: [
      ['networks.service', ['169.254.0.0/24']],
      ['openshift.version', '4.17'],
    ],
  },
  {
    rule: 'ovn-internal',
    bad: [['networks.cluster.0.cidr', '100.64.0.0/14']],
    at: 'networks.cluster.0.cidr',
    good: [
      ['networks.cluster.0.cidr', '100.64.0.0/14'],
      ['networks.type', 'OpenShiftSDN'],
      ['openshift.version', '4.14'],
    ],
  },
  {
    rule: 'ovn-internal-company',
    bad: [['networks.company', ['100.64.0.0/10']]],
    at: 'networks.company.0',
    good: [['networks.company', ['100.96.0.0/11']]],
  },
  {
    rule: 'docker-bridge',
    bad: [['networks.service', ['172.17.0.0/16']]],
    at: 'networks.service.0',
    good: [['networks.service', ['172.18.0.0/16']]],
  },
  {
    rule: 'host-prefix',
    bad: [['networks.cluster.0.hostPrefix', 13]],
    at: 'networks.cluster.0.hostPrefix',
    good: [['networks.cluster.0.hostPrefix', 18]],
  },
  {
    rule: 'host-prefix',
    bad: [['networks.cluster.0.hostPrefix', 26]],
    at: 'networks.cluster.0.hostPrefix',
    good: [['networks.cluster.0.hostPrefix', 25]],
  },
  {
    rule: 'host-prefix',
    bad: [...dualStack, ['networks.cluster.1.hostPrefix', 65]],
    at: 'networks.cluster.1.hostPrefix',
    good: dualStack,
  },
  {
    rule: 'host-prefix',
    bad: [['networks.cluster.1', { cidr: '10.144.0.0/14', hostPrefix: 24 }]],
    at: 'networks.cluster.1.hostPrefix',
    good: [['networks.cluster.1', { cidr: '10.144.0.0/14' }]],
  },
  {
    rule: 'host-prefix-room',
    bad: [['networks.cluster.0.hostPrefix', 17]],
    at: 'networks.cluster.0.hostPrefix',
    good: [['networks.cluster.0.hostPrefix', 18]],
  },
  {
    rule: 'service-network-size',
    bad: [['networks.service', ['172.30.0.0/26']]],
    at: 'networks.service.0',
    good: [['networks.service', ['172.30.0.0/25']]],
  },
  {
    rule: 'service-network-size',
    bad: [['networks.service', ['96.0.0.0/11']]],
    at: 'networks.service.0',
    good: [['networks.service', ['96.0.0.0/12']]],
  },
  {
    rule: 'service-network-count',
    bad: [['networks.service', ['172.30.0.0/16', '172.31.0.0/16']]],
    at: 'networks.service.1',
    good: [['networks.service', ['172.30.0.0/16', 'fd00:30::/112']]],
  },
  {
    rule: 'dual-stack',
    bad: [['networks.service', ['172.30.0.0/16', 'fd00:30::/112']]],
    at: 'networks.machine',
    good: dualStack,
  },
  {
    rule: 'family-order',
    bad: [['networks.service', ['fd00:30::/112', '172.30.0.0/16']]],
    at: 'networks.service',
    good: [
      ['networks.service', ['fd00:30::/112', '172.30.0.0/16']],
      ['openshift.version', '4.21'],
    ],
  },
  {
    rule: 'network-type',
    bad: [['networks.type', 'OpenShiftSDN']],
    at: 'networks.type',
    good: [
      ['networks.type', 'OpenShiftSDN'],
      ['openshift.version', '4.14'],
    ],
  },
  {
    rule: 'network-type-other',
    bad: [['networks.type', 'Calico']],
    at: 'networks.type',
    good: [['networks.type', 'OVNKubernetes']],
  },
  {
    rule: 'gateway-outside',
    bad: [['networks.machine.0.gateway', '172.16.1.254']],
    at: 'networks.machine.0.gateway',
    good: [['networks.machine.0.gateway', '172.16.0.1']],
  },
  { rule: 'gateway-missing', bad: [['networks.machine.0.gateway', undefined]], at: 'networks.machine.0', good: [] },
  {
    rule: 'node-outside-network',
    bad: [['nodes.3.ip', '172.16.1.23']],
    at: 'nodes.3.ip',
    good: [['nodes.3.ip', '172.16.0.24']],
  },
  {
    rule: 'endpoint-outside-network',
    bad: [['endpoints.api', '192.168.124.9']],
    at: 'endpoints.api',
    good: [
      ['endpoints.api', '192.168.124.9'],
      ['services.loadBalancer', { kind: 'external' }],
    ],
  },
  { rule: 'node-families', bad: dualStack, at: 'nodes.0.ip', good: [...dualStack, ...dualStackNodes] },
  {
    rule: 'address-special',
    bad: [['nodes.3.ip', '172.16.0.255']],
    at: 'nodes.3.ip',
    good: [['nodes.3.ip', '172.16.0.253']],
  },
  {
    rule: 'address-special',
    bad: [['endpoints.api', '172.16.0.0']],
    at: 'endpoints.api',
    good: [['endpoints.api', '172.16.0.1']],
  },
  { rule: 'address-special', bad: [['services.bastion.ip', '172.16.0.254']], at: 'services.bastion.ip', good: [] },
  {
    rule: 'address-special',
    bad: [['networks.machine.0.gateway', '172.16.0.255']],
    at: 'networks.machine.0.gateway',
    good: [['networks.machine.0.gateway', '172.16.0.253']],
  },
  {
    rule: 'address-in-cluster-network',
    bad: [['proxy', { httpProxy: 'http://user:word@10.128.0.9:3128', httpsProxy: '', noProxy: '' }]],
    at: 'proxy.httpProxy',
    good: [['proxy', { httpProxy: 'http://user:word@192.168.124.9:3128', httpsProxy: '', noProxy: '' }]],
  },
  {
    rule: 'forwarder-loop',
    bad: [['services.dns.forwarders', ['192.168.124.1', '172.16.0.102']]],
    at: 'services.dns.forwarders.1',
    good: [['services.dns.forwarders', ['192.168.124.1', '172.16.0.99']]],
  },
  {
    rule: 'bond-interfaces',
    bad: [['nodes.1.bond', { name: 'bond0', interfaces: ['ens1', 'ens1'], mode: 'active-backup' }]],
    at: 'nodes.1.bond.interfaces.1',
    good: [['nodes.1.bond', { name: 'bond0', interfaces: ['ens1', 'ens2'], mode: 'active-backup' }]],
  },
  {
    rule: 'address-duplicate',
    bad: [['nodes.3.ip', '172.16.0.21']],
    at: 'nodes.3.ip',
    good: [['nodes.3.ip', '172.16.0.29']],
  },
  { rule: 'address-duplicate', bad: [['nodes.3.ip', '172.16.0.101']], at: 'services.bastion.ip', good: [] },
  {
    rule: 'address-duplicate',
    bad: [['services.bastion.ip', '172.16.0.102']],
    at: 'services.dns.servers.0.ip',
    good: [
      ['services.dns.servers.0', { name: 'bastion', ip: '172.16.0.101', os: 'rhel9' }],
      ['services.dhcp.server', 'bastion'],
    ],
  },
  {
    rule: 'mac-duplicate',
    bad: [['nodes.3.mac', '00-50-56-96-37-C8']],
    at: 'nodes.3.mac',
    good: [['nodes.3.mac', '00-50-56-96-37-C9']],
  },
  {
    rule: 'endpoint-taken',
    bad: [['endpoints.api', '172.16.0.31']],
    at: 'endpoints.api',
    good: [['endpoints.api', '172.16.0.112']],
  },
  {
    rule: 'endpoint-taken',
    bad: [['endpoints.api', '172.16.0.101']],
    at: 'endpoints.api',
    good: [['endpoints.api', '172.16.0.110']],
  },
  {
    rule: 'endpoint-api-int-shared',
    bad: [['endpoints.apiInt', '172.16.0.111']],
    at: 'endpoints.apiInt',
    good: [['endpoints.apiInt', '172.16.0.112']],
  },
  {
    rule: 'address-in-cluster-network',
    bad: [['services.dns.forwarders', ['10.129.0.1']]],
    at: 'services.dns.forwarders.0',
    good: [['services.dns.forwarders', ['10.132.0.1']]],
  },
  {
    rule: 'topology-nodes',
    bad: [['nodes', [bootstrapNode, ...controlPlaneNodes]]],
    at: 'nodes',
    good: [
      ['nodes', [bootstrapNode, ...controlPlaneNodes]],
      ['topology', 'compact'],
    ],
  },
  { rule: 'topology-nodes', bad: [['topology', 'compact']], at: 'topology', good: [] },
  {
    rule: 'added-compute',
    bad: [['nodes.4', node('w1', 'compute', 31)]],
    at: 'topology',
    good: [],
    topology: 'compact',
  },
  {
    rule: 'bootstrap-count',
    bad: [['nodes', [...controlPlaneNodes, node('w1', 'compute', 31)]]],
    at: 'nodes',
    good: [['nodes', [bootstrapNode, ...controlPlaneNodes, node('w1', 'compute', 31)]]],
  },
  { rule: 'bootstrap-count', bad: [['nodes.1', bootstrapNode]], at: 'nodes', good: [], topology: 'single-node' },
  {
    rule: 'compute-count',
    bad: [
      ['nodes.4.role', 'infra'],
      ['nodes.5.role', 'infra'],
    ],
    at: 'nodes',
    good: [['nodes.4.role', 'infra']],
  },
  {
    rule: 'single-node-version',
    bad: [['openshift.version', '4.7']],
    at: 'openshift.version',
    good: [['openshift.version', '4.8']],
    topology: 'single-node',
  },
  {
    rule: 'single-node-bootstrap',
    bad: [['openshift.version', '4.19.3']],
    at: 'topology',
    good: [['openshift.version', '4.20.0']],
    topology: 'single-node-bootstrap',
  },
  {
    rule: 'single-node-version',
    bad: [['openshift.version', '4.7']],
    at: 'openshift.version',
    good: [['openshift.version', '4.8']],
    topology: 'single-node-bootstrap',
  },
  {
    rule: 'control-plane-count',
    bad: [['nodes.2', node('m2', 'control-plane', 22)]],
    at: 'nodes',
    good: [],
    topology: 'single-node-bootstrap',
  },
  { rule: 'bootstrap-count', bad: [['nodes.0', undefined]], at: 'nodes', good: [], topology: 'single-node-bootstrap' },
  {
    rule: 'node-size',
    bad: [['nodes.1.vcpu', 7]],
    at: 'nodes.1.vcpu',
    good: [['nodes.1.vcpu', 8]],
    topology: 'single-node-bootstrap',
  },
  {
    rule: 'arbiter-version',
    bad: [['openshift.version', '4.21']],
    at: 'openshift.version',
    good: [['openshift.version', '4.22.1']],
    topology: 'arbiter',
  },
  {
    rule: 'fencing-version',
    bad: [['openshift.version', '4.19']],
    at: 'openshift.version',
    good: [['openshift.version', '4.20.1']],
    topology: 'fencing',
  },
  {
    rule: 'fencing-preview',
    bad: [['openshift.version', '4.21']],
    at: 'openshift.version',
    good: [['openshift.version', '4.22.1']],
    topology: 'fencing',
  },
  {
    rule: 'control-plane-count',
    bad: [['nodes.3', node('m3', 'control-plane', 23)]],
    at: 'nodes',
    good: [],
    topology: 'fencing',
  },
  {
    rule: 'topology-nodes',
    bad: [['nodes.3', node('w1', 'compute', 31)]],
    at: 'topology',
    good: [],
    topology: 'fencing',
  },
  {
    rule: 'bootstrap-count',
    bad: [['nodes.0', undefined]],
    at: 'nodes',
    good: [],
    topology: 'fencing',
  },
  {
    rule: 'file-path',
    bad: [['credentials.fencingFile', 'a\nb']],
    at: 'credentials.fencingFile',
    good: [],
    topology: 'fencing',
  },
  {
    rule: 'arbiter-count',
    bad: [['nodes.3', undefined]],
    at: 'nodes',
    good: [],
    topology: 'arbiter',
  },
  {
    rule: 'arbiter-many',
    bad: [['nodes.4', node('a2', 'arbiter', 25)]],
    at: 'nodes',
    good: [],
    topology: 'arbiter',
  },
  {
    rule: 'control-plane-count',
    bad: [['nodes.4', node('m3', 'control-plane', 25)]],
    at: 'nodes',
    good: [],
    topology: 'arbiter',
  },
  {
    rule: 'topology-nodes',
    bad: [['nodes.4', node('a1', 'arbiter', 24)]],
    at: 'topology',
    good: [],
  },
  {
    rule: 'topology-nodes',
    bad: [['nodes.4', node('w1', 'compute', 31)]],
    at: 'topology',
    good: [],
    topology: 'arbiter',
  },
  {
    rule: 'bootstrap-count',
    bad: [['nodes.0', undefined]],
    at: 'nodes',
    good: [],
    topology: 'arbiter',
  },
  {
    rule: 'node-size',
    bad: [['nodes.3.diskGiB', 49]],
    at: 'nodes.3.diskGiB',
    good: [
      ['nodes.3.vcpu', 2],
      ['nodes.3.memoryGiB', 8],
      ['nodes.3.diskGiB', 50],
    ],
    topology: 'arbiter',
  },
  { rule: 'node-size', bad: [['nodes.1.memoryGiB', 15]], at: 'nodes.1.memoryGiB', good: [['nodes.1.memoryGiB', 16]] },
  {
    rule: 'node-size',
    bad: [['nodes.0.vcpu', 4]],
    at: 'nodes.0.vcpu',
    good: [
      ['nodes.0.vcpu', 4],
      ['openshift.version', '4.22'],
    ],
    topology: 'single-node',
  },
  { rule: 'node-size', bad: [['nodes.4.diskGiB', 99]], at: 'nodes.4.diskGiB', good: [['nodes.4.diskGiB', 100]] },
  {
    rule: 'install-disk',
    bad: [['nodes.0.installDisk', '/dev/../etc']],
    at: 'nodes.0.installDisk',
    good: [['nodes.0.installDisk', '/dev/disk/by-path/pci-0000:00:1f.2-ata-1']],
  },
  {
    rule: 'install-disk',
    bad: [['nodes.0.installDisk', 'sda']],
    at: 'nodes.0.installDisk',
    good: [['nodes.0.installDisk', '/dev/nvme0n1']],
  },
  {
    rule: 'interface-name',
    bad: [['nodes.0.interface', 'enp1s0:dhcp']],
    at: 'nodes.0.interface',
    good: [['nodes.0.interface', 'enp1s0']],
  },
  {
    rule: 'bond-mode',
    bad: [['nodes.0.bond', { name: 'bond0', interfaces: ['em1', 'em2'], mode: 'fast' }]],
    at: 'nodes.0.bond.mode',
    good: [['nodes.0.bond', { name: 'bond0', interfaces: ['em1', 'em2'], mode: '802.3ad' }]],
  },
  {
    rule: 'vlan-interface',
    bad: [['nodes.0.vlan', 100]],
    at: 'nodes.0.vlan',
    good: [
      ['nodes.0.vlan', 100],
      ['nodes.0.interface', 'enp1s0'],
    ],
  },
  {
    rule: 'static-interface',
    bad: [['services.dhcp', { kind: 'none' }]],
    at: 'nodes.0',
    good: Array.from({ length: 10 }, (_, index) => [`nodes.${index}.interface`, 'enp1s0'] as const).concat([
      ['services.dhcp.kind', 'none'],
    ] as never),
  },
  {
    rule: 'secure-boot-bios',
    bad: [
      ['nodes.0.secureBoot', true],
      ['nodes.0.firmware', 'bios'],
    ],
    at: 'nodes.0.secureBoot',
    good: [['nodes.0.secureBoot', true]],
  },
  {
    rule: 'secure-boot-ipxe',
    bad: [
      ['nodes.0.secureBoot', true],
      ['services.bastion.os', 'debian'],
    ],
    at: 'nodes.0.secureBoot',
    good: [['nodes.0.secureBoot', true]],
  },
  {
    rule: 'secure-boot-okd',
    bad: [
      ['nodes.0.secureBoot', true],
      ['openshift.version', '4.20.0-okd-scos.3'],
    ],
    at: 'nodes.0.secureBoot',
    good: [['nodes.0.secureBoot', true]],
  },
  {
    rule: 'kernel-argument',
    bad: [['nodes.0.kernelArguments', ['console=ttyS0 rd.break']]],
    at: 'nodes.0.kernelArguments.0',
    good: [['nodes.0.kernelArguments', ['console=ttyS0,115200n8']]],
  },
  {
    rule: 'dns-server',
    bad: [
      ['services.dns', { kind: 'bind' }],
      ['services.dhcp.server', 'bastion'],
    ],
    at: 'services.dns',
    good: [
      ['services.dns', { kind: 'external', forwarders: ['192.168.124.1'] }],
      ['services.dhcp.server', 'bastion'],
    ],
  },
  {
    rule: 'load-balancer-server',
    bad: [['services.loadBalancer', { kind: 'haproxy' }]],
    at: 'services.loadBalancer',
    good: [['services.loadBalancer', { kind: 'external' }]],
  },
  {
    rule: 'dhcp-server',
    bad: [['services.dhcp.server', 'm1']],
    at: 'services.dhcp.server',
    good: [['services.dhcp.server', 'lb1']],
  },
  {
    rule: 'dhcp-os',
    bad: [['services.dns.servers.0.os', 'rhel10']],
    at: 'services.dhcp.kind',
    good: [
      ['services.dns.servers.0.os', 'rhel10'],
      ['services.dhcp.kind', undefined],
    ],
  },
  {
    rule: 'ipxe-without-dhcp',
    bad: [['services.dhcp', { kind: 'none' }]],
    at: 'services.boot',
    good: [
      ['services.dhcp', { kind: 'none' }],
      ['services.boot.kind', 'iso'],
    ],
  },
  {
    rule: 'http-port',
    bad: [
      ['services.bastion', { name: 'lb1', ip: '172.16.0.112', os: 'rhel9' }],
      ['services.boot.httpPort', 80],
    ],
    at: 'services.boot.httpPort',
    good: [['services.boot.httpPort', 80]],
  },
  { rule: 'time-servers', bad: [['services.time', undefined]], at: 'services.time', good: [] },
  {
    rule: 'file-path',
    bad: [['credentials.sshKeyFile', 'a\nb']],
    at: 'credentials.sshKeyFile',
    good: [['credentials.sshKeyFile', '/home/山田/key.pub']],
  },
  {
    rule: 'proxy',
    bad: [['proxy', { httpProxy: 'https://proxy:3128' }]],
    at: 'proxy.httpProxy',
    good: [['proxy', { httpProxy: 'http://proxy:3128', httpsProxy: 'https://proxy:3129' }]],
  },
  {
    rule: 'proxy',
    bad: [['proxy', { noProxy: 'example.com' }]],
    at: 'proxy',
    good: [['proxy', { httpProxy: '', httpsProxy: '', noProxy: '' }]],
  },
  {
    rule: 'no-proxy',
    bad: [['proxy', { httpProxy: 'http://proxy:3128', noProxy: 'a.example,*.bad' }]],
    at: 'proxy.noProxy',
    good: [['proxy', { httpProxy: 'http://proxy:3128', noProxy: '.example.com,10.0.0.0/8,172.16.0.1' }]],
  },
  {
    rule: 'no-proxy',
    bad: [
      ['openshift.version', '4.5.9'],
      ['proxy', { httpProxy: 'http://proxy:3128', noProxy: '*' }],
    ],
    at: 'proxy.noProxy',
    good: [
      ['openshift.version', '4.6.1'],
      ['proxy', { httpProxy: 'http://proxy:3128', noProxy: '*' }],
    ],
  },
  {
    rule: 'trust-bundle-policy',
    bad: [
      ['additionalTrustBundleFile', 'ca.pem'],
      ['additionalTrustBundlePolicy', 'Proxyonly'],
    ],
    at: 'additionalTrustBundlePolicy',
    good: [
      ['additionalTrustBundleFile', 'ca.pem'],
      ['additionalTrustBundlePolicy', 'Always'],
    ],
  },
  {
    rule: 'mirror-repository',
    bad: [['imageDigestSources', [{ source: 'quay.io/a/b:latest', mirrors: ['mirror:5000/a'] }]]],
    at: 'imageDigestSources.0.source',
    good: [['imageDigestSources', [{ source: 'quay.io/a/b', mirrors: ['mirror.example.localdomain:5000/ocp'] }]]],
  },
  {
    rule: 'mirror-repository',
    bad: [
      ['openshift.version', '4.9'],
      ['imageDigestSources', [{ source: 'quay.io', mirrors: ['mirror.example.com:5000/ocp'] }]],
    ],
    at: 'imageDigestSources.0.source',
    good: [
      ['openshift.version', '4.10'],
      ['imageDigestSources', [{ source: 'quay.io', mirrors: ['mirror.example.com:5000/ocp'] }]],
    ],
  },
  {
    rule: 'mirror-repository',
    bad: [
      ['openshift.version', '4.5'],
      ['imageDigestSources', [{ source: 'quay.io/a', mirrors: ['mirror.example.com:5000'] }]],
    ],
    at: 'imageDigestSources.0.mirrors.0',
    good: [
      ['openshift.version', '5.0'],
      ['imageDigestSources', [{ source: 'quay.io/a', mirrors: ['mirror.example.com:5000', 'mirror.example.com'] }]],
    ],
  },
  {
    rule: 'os-image-stream',
    bad: [
      ['openshift.version', '4.21.9'],
      ['openshift.osImageStream', 'rhel-9'],
    ],
    at: 'openshift.osImageStream',
    good: [
      ['openshift.version', '4.22.0'],
      ['openshift.osImageStream', 'rhel-9'],
    ],
  },
  {
    rule: 'os-image-stream-preview',
    bad: [
      ['openshift.version', '4.23'],
      ['openshift.osImageStream', 'rhel-10'],
    ],
    at: 'openshift.osImageStream',
    good: [
      ['openshift.version', '5.0'],
      ['openshift.osImageStream', 'rhel-9'],
    ],
  },
  {
    rule: 'os-image-stream-power',
    bad: [
      ['openshift.version', '5.0'],
      ['openshift.architecture', 'ppc64le'],
    ],
    at: 'openshift.osImageStream',
    good: [
      ['openshift.version', '5.0'],
      ['openshift.architecture', 'ppc64le'],
      ['openshift.osImageStream', 'rhel-9'],
    ],
  },
  { rule: 'taint', bad: [['infra.taint.value', 'a b']], at: 'infra.taint.value', good: [['infra.taint.value', '']] },
  {
    rule: 'storage-class',
    bad: [['infra.registry.storageClass', 'My_Class']],
    at: 'infra.registry.storageClass',
    good: [['infra.registry.storageClass', 'ocs-storagecluster-cephfs']],
  },
  {
    rule: 'router-replicas',
    bad: [['infra.routerReplicas', 4]],
    at: 'infra.routerReplicas',
    good: [['infra.routerReplicas', 2]],
  },
  { rule: 'routers', bad: [['infra.routers', ['a', 'a']]], at: 'infra.routers.1', good: [['infra.routers', ['a']]] },
];

test.each(CASES)('$rule is reported at $at', ({ rule, bad, at, topology }) => {
  const { problems, design } = checkDocument(exampleWith(bad, topology));
  const found = problems.find((problem) => problem.rule === rule && problem.path === at);
  expect(found, JSON.stringify(problems)).toBeDefined();
  expect(found?.message).not.toBe('');
  expect(found?.fix).not.toBe('');
  expect(found?.severity).toBe(DESIGN_RULES.find(({ id }) => id === rule)?.severity);
  if (found?.severity === 'error') expect(design).toBeNull();
});

test.each(CASES)('$rule reports nothing for a valid design', ({ rule, good, topology }) => {
  const { problems } = checkDocument(exampleWith(good, topology));
  expect(problems.filter((problem) => problem.rule === rule)).toEqual([]);
});

test('every rule has a case, a unique id, a title and a source', () => {
  const ids = DESIGN_RULES.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !CASES.some(({ rule }) => rule === id))).toEqual([]);
  expect(
    DESIGN_RULES.filter(({ id, title, source }) => !/^[a-z0-9-]+$/.test(id) || title() === '' || source === ''),
  ).toEqual([]);
});

test('problems are reported in the order of the file', () => {
  const { problems } = checkDocument(
    exampleWith([
      ['services.dhcp.server', 'nowhere'],
      ['nodes.7.ip', '1.1.1.1'],
      ['nodes.2.mac', 'x'],
      ['cluster.name', 'X'],
    ]),
  );
  expect(problems.map(({ path }) => path)).toEqual([
    'cluster.name',
    'nodes.2.mac',
    'nodes.7.ip',
    'services.dhcp.server',
  ]);
});

test('a problem quotes the beginning of a very long value, and explains the error', () => {
  const { problems } = checkDocument(exampleWith([['networks.machine.0.gateway', 'x'.repeat(1000)]]));
  const found = problems.find(({ path }) => path === 'networks.machine.0.gateway');
  expect(found?.message).toMatch(/^"x{300}…" is not an address$/);
});

test('two networks that overlap are both named', () => {
  const problems = checkDocument(exampleWith([['networks.machine.0.cidr', '10.128.0.0/14']])).problems;
  expect(problems.map(({ message }) => message)).toContain(
    '10.128.0.0/14, the cluster network, overlaps 10.128.0.0/14, the machine network',
  );
});

test('with several bootstrap machines the fix is to delete all but one', () => {
  const { problems } = checkDocument(exampleWith([['nodes.4.role', 'bootstrap']]));
  const found = problems.find(({ rule }) => rule === 'bootstrap-count');
  expect(found?.fix).toBe('Delete all but one of them, or give the others another role.');
});
