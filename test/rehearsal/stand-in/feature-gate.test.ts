import { expect, test } from 'vitest';
import { deriveReleaseMetadata } from '../../../src/rehearsal/site/release-metadata.ts';
import { buildManifests } from '../../../src/rehearsal/stand-in/ignition.ts';
import { parseInstallConfig } from '../../../src/rehearsal/stand-in/install-config.ts';
import { exampleSite, generateFileText } from '../../support/example-design.ts';

const FILE = 'bastion/root/upi-wizard/install-config.yaml';

function readFeatureGate(osImageStream: 'rhel-10' | null): string | undefined {
  const openshift = { version: '4.22', architecture: 'x86_64', osImageStream } as const;
  const config = parseInstallConfig(generateFileText(exampleSite({ openshift }), FILE), '4.22.11');
  return buildManifests(config, deriveReleaseMetadata('4.22', 'x86_64'), false)['manifests/99_feature-gate.yaml'];
}

test('a feature set of install-config becomes the FeatureGate of the cluster', () => {
  expect(readFeatureGate(null)).toBeUndefined();
  expect(readFeatureGate('rhel-10')).toMatch(/kind: FeatureGate[\s\S]*featureSet: TechPreviewNoUpgrade/);
});
