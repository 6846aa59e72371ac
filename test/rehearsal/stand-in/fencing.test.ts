import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderInstallConfig } from '../../../src/artifacts/install-config.ts';
import { deriveReleaseMetadata } from '../../../src/rehearsal/site/release-metadata.ts';
import { buildManifests } from '../../../src/rehearsal/stand-in/ignition.ts';
import { parseInstallConfig } from '../../../src/rehearsal/stand-in/install-config.ts';
import { exampleCredentials } from '../../support/example-design.ts';
import { createExampleDesign } from '../../support/example-document.ts';

// openshift-install of the rehearsal accepts and refuses two nodes with fencing as the real one does.

function renderConfig(version = '4.22'): string {
  const design = createExampleDesign('fencing');
  return renderInstallConfig({ ...design, openshift: { ...design.openshift, version } }, exampleCredentials);
}

test.each(['4.20.1', '4.21.3', '4.22.3', '5.0.1'])('the generated install-config is accepted by %s', (version) => {
  const { bmcCredentials, controlPlaneReplicas } = parseInstallConfig(renderConfig(version), version);
  expect([bmcCredentials.length, controlPlaneReplicas]).toEqual([2, 2]);
});

test('the logins become the secrets that the etcd operator looks for, and the topology is DualReplica', () => {
  const manifests = buildManifests(
    parseInstallConfig(renderConfig(), '4.22.3'),
    deriveReleaseMetadata('4.22', 'x86_64'),
    false,
  );
  expect(parse(manifests['manifests/cluster-infrastructure-02-config.yml'] ?? '').status).toMatchObject({
    controlPlaneTopology: 'DualReplica',
    infrastructureTopology: 'HighlyAvailable',
  });
  const secret = parse(manifests['openshift/99_openshift-etcd_fencing-credentials-secrets-0.yaml'] ?? '');
  expect(secret.metadata).toEqual({
    name: 'fencing-credentials-m1.ocp45.example.localdomain',
    namespace: 'openshift-etcd',
  });
  const decode = (key: string) => Buffer.from(secret.data[key], 'base64').toString();
  expect(['address', 'username', 'password', 'certificateVerification'].map(decode)).toEqual([
    ...['redfish+https://192.0.2.11:443/redfish/v1/Systems/1', 'fencing', 'example-m1', 'Enabled'],
  ]);
});

const config = renderConfig();
test.each([
  ['without the feature set, before 4.22', config, '4.21.3', 'protected by the DualReplica feature gate'],
  ['before 4.20', `${config}featureSet: TechPreviewNoUpgrade\n`, '4.19.3', 'protected by the DualReplica feature gate'],
  ['two nodes without a login', config.replace('fencing:', 'other:'), '4.22.3', 'instead 0 credentials were found'],
  ['three nodes', config.replace('replicas: 2', 'replicas: 3'), '4.22.3', 'should not be any fencing credentials'],
  ['IPMI', config.replaceAll(/redfish\+https:\S+/g, 'ipmi://192.0.2.1"'), '4.22.3', 'IPMI is not supported'],
  ['no password', config.replace('"example-m1"', '""'), '4.22.3', 'password: Required value'],
  [
    'another verification',
    config.replace('certificateVerification: "Enabled"', 'certificateVerification: "Sometimes"'),
    '4.22.3',
    'invalid certificate verification',
  ],
])('%s is refused', (_case, text, version, message) => {
  expect(() => parseInstallConfig(text, version)).toThrow(message);
});
