import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderInstallConfig } from '../../src/artifacts/install-config.ts';
import { listFlows } from '../../src/artifacts/network/flows.ts';
import { renderExampleFencingFile } from '../../src/design/example.ts';
import { UserErrorException } from '../../src/i18n/user-error.ts';
import { exampleCredentials, generateFileText } from '../support/example-design.ts';
import { createExampleDesign } from '../support/example-document.ts';

// The files of a cluster with two control plane nodes and fencing.

const design = createExampleDesign('fencing');
const read = (file: string) => generateFileText(design, file);
const WORK = 'bastion/root/upi-wizard';
const withVersion = (version: string) => ({ ...design, openshift: { ...design.openshift, version } });

test('install-config has the login of each BMC, under the name that the node has in the cluster', () => {
  const { controlPlane, platform, compute } = parse(read(`${WORK}/install-config.yaml`));
  expect([platform, compute[0].replicas, controlPlane.replicas]).toEqual([{ none: {} }, 0, 2]);
  expect(controlPlane.fencing.credentials).toEqual(
    ['m1', 'm2'].map((name, index) => ({
      hostName: `${name}.ocp45.example.localdomain`,
      address: `redfish+https://192.0.2.${index + 11}:443/redfish/v1/Systems/1`,
      username: 'fencing',
      password: `example-${name}`,
      certificateVerification: 'Enabled',
    })),
  );
});

test('only the versions that have it as a Technology Preview get the feature set', () => {
  const readFeatureSet = (version: string) =>
    parse(renderInstallConfig(withVersion(version), exampleCredentials)).featureSet;
  expect(['4.20.1', '4.21', '4.22', '5.0'].map(readFeatureSet)).toEqual([
    ...['TechPreviewNoUpgrade', 'TechPreviewNoUpgrade'],
    ...[undefined, undefined],
  ]);
});

test('another topology has no login of a BMC, also if the file is there', () => {
  const config = renderInstallConfig(createExampleDesign('compact'), exampleCredentials);
  expect(parse(config).controlPlane).not.toHaveProperty('fencing');
});

test.each([
  ['a missing file', null, 'credential-missing', 'credentials.fencingFile'],
  ['a file for one node', renderExampleFencingFile(['m1']), 'credential-wrong', 'm1, m2'],
])('%s: nothing is written, and the error says what to do', (_case, fencing, code, mention) => {
  const unnamed = { ...design, credentials: { ...design.credentials, fencingFile: null } };
  const render = () => renderInstallConfig(unnamed, { ...exampleCredentials, fencing });
  expect(render).toThrow(UserErrorException);
  try {
    render();
  } catch (error) {
    const { userError } = error as UserErrorException;
    expect(userError.code).toBe(code);
    expect(userError.remedy).toContain(mention);
    expect(JSON.stringify(userError)).not.toContain('example-m1');
  }
});

test('the load balancer, the names and the leases are those of two control plane nodes and a bootstrap node', () => {
  const haproxy = read('lb1/etc/haproxy/haproxy.cfg');
  expect([...haproxy.matchAll(/^ +server (\S+)/gm)].map(([, name]) => name)).toEqual([
    ...['bs', 'm1', 'm2'],
    ...['bs', 'm1', 'm2'],
    ...['m1', 'm2'],
    ...['m1', 'm2'],
  ]);
  expect(read('ns1/var/named/example.localdomain.zone').match(/^m\d\.ocp45\s/gm)).toEqual(['m1.ocp45 ', 'm2.ocp45 ']);
  expect(read('ns1/etc/dhcp/dhcpd.conf').match(/host m\d/g)).toEqual(['host m1', 'host m2']);
});

test('the port matrix has Corosync, pcs and the BMCs', () => {
  const listPorts = (topology: 'fencing' | 'compact') =>
    listFlows(createExampleDesign(topology)).map(({ protocol, ports }) => `${protocol} ${ports}`);
  expect(listPorts('fencing')).toEqual(expect.arrayContaining(['UDP 5405-5407', 'TCP 2224']));
  expect(listPorts('compact')).not.toContain('UDP 5405-5407');
  const redfish = listFlows(design).find(({ destination }) => destination === 'BMCs of the control plane');
  expect(redfish).toMatchObject({ protocol: 'TCP', ports: '443' });
  expect(redfish?.source).toContain('172.16.0.21 172.16.0.22');
});
