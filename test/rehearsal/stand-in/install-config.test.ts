import { expect, test } from 'vitest';
import { parseInstallConfig } from '../../../src/rehearsal/stand-in/install-config.ts';
import { exampleSite, generateFileText } from '../../support/example-design.ts';

test('as openshift-install does on platform none, the stand-in accepts dots in the name of a cluster', () => {
  const config = generateFileText(exampleSite(), 'bastion/root/upi-wizard/install-config.yaml');
  const parseWithName = (name: string) =>
    parseInstallConfig(config.replace(/name: "?ocp45"?/, `name: "${name}"`), '4.18');
  expect(parseWithName('prod.1').clusterName).toBe('prod.1');
  for (const name of ['prod.', '.prod', 'My_Cluster']) expect(() => parseWithName(name), name).toThrow(/subdomain/);
  expect(() => parseWithName('a'.repeat(55))).toThrow('must be no more than 54 characters');
});
