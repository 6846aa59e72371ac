import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderExampleDesign } from '../../src/design/example.ts';
import { captureCommand } from '../support/run-command.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'design-import-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const run = (...files: string[]) => captureCommand(['design', 'import', ...files], { cwd: dir });

const CONFIG =
  'apiVersion: v1\nbaseDomain: example.com\nmetadata: {name: prod}\npullSecret: \'{"auths":{"quay.io":{"auth":"SECRET"}}}\'\n';
const NODES = 'name,role,ip,mac\nm1,master,172.16.0.21,00:50:56:96:37:c8\n';

test('joins several files into one design, prints it, and lists missing values on standard error', async () => {
  await writeFile(join(dir, 'install-config.yaml'), CONFIG);
  await writeFile(join(dir, 'nodes.csv'), NODES);
  const { code, stdout, stderr } = await run('install-config.yaml', 'nodes.csv');
  expect(code).toBe(3);
  expect(parse(stdout)).toMatchObject({
    apiVersion: 'upi-wizard/v1',
    cluster: { name: 'prod', baseDomain: 'example.com' },
    nodes: [{ name: 'm1', role: 'control-plane', ip: '172.16.0.21' }],
  });
  expect(stderr).toContain('install-config.yaml was read as an install-config.yaml.');
  expect(stderr).toContain('nodes.csv was read as a table of nodes.');
  expect(stderr).toMatch(/Format of each answer: `upi-wizard design example`\nStill missing or wrong \(\d+\):/);
  expect(stderr).toContain('  openshift');
});

test('never prints a secret', async () => {
  await writeFile(join(dir, 'install-config.yaml'), CONFIG);
  const { stdout, stderr } = await run('install-config.yaml');
  expect(stdout + stderr).not.toContain('SECRET');
  expect(stderr).toContain('save it as pull-secret.txt beside the design');
});

test('the password of a proxy is left out, named, and reported as missing', async () => {
  const proxy =
    'proxy: {httpProxy: "http://me:SECRET/@1@p.example.com:3128", httpsProxy: "http://p.example.com:3128", noProxy: ""}\n';
  await writeFile(join(dir, 'install-config.yaml'), CONFIG + proxy);
  const { code, stdout, stderr } = await run('install-config.yaml');
  expect(stdout + stderr).not.toContain('SECRET');
  expect(parse(stdout)).toMatchObject({
    proxy: { httpProxy: 'http://me:<password>@p.example.com:3128', httpsProxy: 'http://p.example.com:3128' },
  });
  expect(stderr).toContain('write each instead of <password> in proxy.httpProxy, in a file');
  expect(code).toBe(3);
  await writeFile(join(dir, 'design.yaml'), stdout);
  expect((await run('design.yaml')).stderr).toMatch(/^ {2}proxy\.httpProxy: /m);
});

test('a file that is not recognized or cannot be read is reported by its name', async () => {
  await writeFile(join(dir, 'letter.txt'), 'Dear Sir or Madam\n');
  const unknown = await run('letter.txt');
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toMatch(/letter\.txt: Nothing in it looks like .*A table needs/);
  const absent = await run('absent.yaml');
  expect(absent).toMatchObject({ code: 2, stdout: '' });
  expect(absent.stderr).toBe('absent.yaml cannot be read: it does not exist. Check the path.\n');
});

test('paths relative to a design in another directory become absolute', async () => {
  await mkdir(join(dir, 'site'));
  await writeFile(join(dir, 'site', 'design.yaml'), renderExampleDesign());
  const credentials = { sshKeyFile: '~/.ssh/id_ed25519.pub', pullSecretFile: join(dir, 'site', 'pull-secret.txt') };
  expect(parse((await run('site/design.yaml')).stdout)).toMatchObject({ credentials });
  await writeFile(join(dir, 'design.yaml'), renderExampleDesign());
  expect(parse((await run('design.yaml')).stdout)).toMatchObject({
    credentials: { pullSecretFile: './pull-secret.txt' },
  });
});
