import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { generate } from '../../src/artifacts/generate.ts';
import { installConfig } from '../../src/artifacts/install-config.ts';
import type { Design } from '../../src/design/model.ts';
import { TroubleError } from '../../src/text/trouble.ts';
import { exampleCredentials, exampleImages, exampleSite } from '../support/example-design.ts';

const FILE = 'bastion/root/upi-wizard/install-config.yaml';
const read = (changes: Partial<Design> = {}, credentials = {}) =>
  parse(installConfig(exampleSite(changes), { ...exampleCredentials, ...credentials }));

test('reads back as what the installer wants for platform none', () => {
  expect(read()).toEqual({
    apiVersion: 'v1',
    baseDomain: 'example.localdomain',
    metadata: { name: 'ocp45' },
    compute: [{ name: 'worker', replicas: 0, architecture: 'amd64', hyperthreading: 'Enabled' }],
    controlPlane: { name: 'master', replicas: 3, architecture: 'amd64', hyperthreading: 'Enabled' },
    networking: {
      networkType: 'OVNKubernetes',
      machineNetwork: [{ cidr: '172.16.0.0/24' }],
      clusterNetwork: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }],
      serviceNetwork: ['172.30.0.0/16'],
    },
    platform: { none: {} },
    fips: false,
    pullSecret: JSON.stringify(JSON.parse(exampleCredentials.pullSecret)),
    sshKey: exampleCredentials.sshKey.trim(),
  });
});

test('keys follow the version', () => {
  const imageDigestSources = [{ source: 'quay.io/a', mirrors: ['mirror.example:5000/a'] }];
  const additionalTrustBundleFile = './ca.pem';
  const at = (version: string) =>
    read(
      { openshift: { version, architecture: 'x86_64' }, imageDigestSources, additionalTrustBundleFile },
      { trustBundle: '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n' },
    );
  expect(at('4.18')).toMatchObject({ imageDigestSources, additionalTrustBundlePolicy: 'Always' });
  expect(at('4.12')).toMatchObject({ imageContentSources: imageDigestSources, additionalTrustBundlePolicy: 'Always' });
  expect(at('4.5')).not.toHaveProperty('additionalTrustBundlePolicy');
  expect(at('4.5').additionalTrustBundle).toMatch(/^-----BEGIN[\s\S]*-----\n$/);
});

test('the proxy is only what was given', () => {
  const proxy = { httpProxy: 'http://p:3128', httpsProxy: '', noProxy: '.example' };
  expect(read({ proxy }).proxy).toEqual({ httpProxy: 'http://p:3128', noProxy: '.example' });
  expect(read()).not.toHaveProperty('proxy');
});

test('every key of the key file is passed on, comments are not', () => {
  const key = exampleCredentials.sshKey.trim();
  expect(read({}, { sshKey: `# mine\r\n${key}\r\n\n${key} other\n` }).sshKey).toBe(`${key}\n${key} other`);
});

test('a missing credential is named, a wrong one is not quoted', () => {
  const trouble = (credentials: object, changes: Partial<Design> = {}) => {
    try {
      read(changes, credentials);
    } catch (error) {
      if (error instanceof TroubleError) return error.trouble;
    }
    throw new Error('no trouble');
  };
  expect(trouble({ pullSecret: null })).toMatchObject({
    code: 'credential-missing',
    cause: expect.stringContaining('./pull-secret.txt'),
  });
  expect(trouble({ sshKey: null }).cause).toContain('~/.ssh/id_ed25519.pub');
  expect(trouble({}, { additionalTrustBundleFile: './ca.pem' }).cause).toContain('./ca.pem');
  const wrong = trouble({ pullSecret: '{"auths": hunter2' });
  expect(wrong.code).toBe('credential-wrong');
  expect(JSON.stringify(wrong)).not.toContain('hunter2');
  expect(trouble({ sshKey: '-----BEGIN OPENSSH PRIVATE KEY-----' }).code).toBe('credential-wrong');
  expect(trouble({ sshKey: `${exampleCredentials.sshKey}\nhunter2` }).code).toBe('credential-wrong');
  expect(trouble({ sshKey: '# nothing\n' }).code).toBe('credential-wrong');
});

test('later stages keep the file that was written when the credentials are gone', () => {
  const none = { pullSecret: null, sshKey: null, trustBundle: null };
  const input = {
    design: exampleSite(),
    stage: 'bootstrap-removed',
    credentials: none,
    images: exampleImages,
  } as const;
  const without = generate({ ...input, previous: null });
  expect(without.files.map(({ file }) => file)).not.toContain(FILE);
  const kept = generate({
    ...input,
    previous: { manifest: { files: [] }, contents: (file) => (file === FILE ? 'before\n' : null) },
  });
  expect(kept.files.find(({ file }) => file === FILE)).toMatchObject({ content: 'before\n', mode: '0600' });
});
