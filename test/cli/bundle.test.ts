import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExampleDocument } from '../../src/cli/session/working-session.ts';
import { createSecretTexts, listTraces } from '../support/canaries.ts';
import { captureCommand } from '../support/run-command.ts';

let home: string;
let dir: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'upi-bundle-'));
  dir = join(home, 'cluster');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function writeInDir(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

async function run(
  argv: readonly string[],
  { answer = null as string | null, env = {} as Record<string, string> } = {},
) {
  let prompts = '';
  const result = await captureCommand(['bundle', '--dir', dir, ...argv], {
    // Versions of programs are queried once: this PATH has no programs.
    env: { HOME: home, PATH: home, ...env },
    cwd: home,
    ask:
      answer === null
        ? null
        : async (prompt) => {
            prompts += prompt;
            return answer;
          },
    columns: 80,
  });
  return { ...result, prompts };
}

/** Returns the files of an archive, as the system's tar reads it. */
function unpack(file: string): Map<string, string> {
  const target = mkdtempSync(join(home, 'unpacked-'));
  execFileSync('tar', ['-xzf', file, '-C', target]);
  const root = join(target, 'upi-wizard-bundle');
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(root, name)).isFile(),
  );
  return new Map(names.sort().map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

const b64 = (text: string) => Buffer.from(text).toString('base64');
const formatPrivateKey = (line: string) => `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\n`;
const DESIGN = {
  ...(createExampleDocument() as object),
  credentials: { pullSecretFile: './pull-secret.txt', sshKeyFile: './id_ed25519.pub' },
  proxy: { httpProxy: 'http://me:Canary-proxy-of-design@proxy:3128', httpsProxy: '', noProxy: '' },
};

/** Secrets that the bundle reads from their files, so that it finds them anywhere, in any encoding. */
const KNOWN_SECRETS = {
  registry: 'Canary-password-of-quay',
  second: 'Canary-password-of-the-second-registry',
  identity: 'Canary-identity-token',
  old: 'Canary-password-of-an-earlier-config',
  kubeadmin: 'cAnAr-yKube-aDmin-00001',
  kubeadminBefore: 'cAnAr-yKube-aDmin-00000',
  token: 'Canary.token.of.a.kubeconfig',
  clientKey: `CanaryClientKey${'A'.repeat(49)}`,
  sshKey: `CanarySshKey${'B'.repeat(52)}`,
  ownKey: `CanaryOwnKey${'C'.repeat(52)}`,
  proxyOfDesign: 'Canary-proxy-of-design',
  proxyOfEnvironment: 'Canary-proxy-of-environment',
} as const;

/** Texts that look secret, wherever they come from. */
const PATTERNS: Readonly<Record<string, readonly [canary: string, text: string]>> = {
  bearer: ['CanaryBearer123', 'Authorization: Bearer CanaryBearer123'],
  basic: [b64('u:CanaryBasic'), `Authorization: Basic ${b64('u:CanaryBasic')}`],
  jwt: ['eyJDYW5hcnkx', 'sent eyJDYW5hcnkx.eyJDYW5hcnky.c2ln to it'],
  oauth: ['CanaryOauth', 'login with sha256~CanaryOauth done'],
  password: ['CanaryQuoted', 'and password: "CanaryQuoted"'],
  assigned: ['CanaryAssigned', 'GET /x?token=CanaryAssigned'],
  url: ['CanaryInUrl', 'proxyconnect http://root:CanaryInUrl@proxy:3128 refused'],
  pulled: ['CanaryForeign', '{"auths": {"quay.io": {"auth": "CanaryForeign"}}}'],
  key: ['CanaryKeyLine', formatPrivateKey('CanaryKeyLine').replaceAll('\n', '\\n')],
  encoded: [
    b64(formatPrivateKey('CanaryEncoded')).slice(20, 60),
    `client-key-data: ${b64(formatPrivateKey('CanaryEncoded'))}`,
  ],
  ignition: [b64('CanaryIgnition of a file'), `"source":"data:;base64,${b64('CanaryIgnition of a file')}"`],
};

function plantSecrets(): void {
  const auth = b64(`user:${KNOWN_SECRETS.registry}`);
  writeInDir(
    'pull-secret.txt',
    JSON.stringify({
      auths: {
        'quay.io': { auth },
        x: { auth: b64(`u:${KNOWN_SECRETS.second}`), identitytoken: KNOWN_SECRETS.identity },
      },
    }),
  );
  writeInDir(
    '.upi-wizard/install-config.yaml',
    `pullSecret: '${JSON.stringify({ auths: { y: { auth: b64(`u:${KNOWN_SECRETS.old}`) } } })}'\n`,
  );
  writeInDir('auth/kubeadmin-password', KNOWN_SECRETS.kubeadmin);
  writeInDir('.upi-wizard/aside/1/auth/kubeadmin-password', KNOWN_SECRETS.kubeadminBefore);
  writeInDir(
    'auth/kubeconfig',
    `users:\n- name: admin\n  user:\n    token: ${KNOWN_SECRETS.token}\n    client-key-data: ${b64(formatPrivateKey(KNOWN_SECRETS.clientKey))}\n`,
  );
  writeInDir('id_ed25519', formatPrivateKey(KNOWN_SECRETS.sshKey));
  writeInDir('id_ed25519.pub', 'ssh-ed25519 AAAA public');
  writeInDir('upi-key', formatPrivateKey(KNOWN_SECRETS.ownKey));
  writeInDir('upi-key.pub', 'ssh-ed25519 AAAA public');
  for (const path of ['bootstrap.ign', 'master.ign', '.openshift_install_state.json'])
    writeInDir(path, 'CanaryOfAFileThatIsNeverRead');

  const texts = [
    ...Object.values(KNOWN_SECRETS).flatMap(createSecretTexts),
    ...Object.values(PATTERNS).map(([, text]) => text),
  ];
  const lines = texts.map((text) => `before ${text} after`);
  writeInDir(
    '.openshift_install.log',
    lines.map((line) => `time="2026-11-21T04:04:25Z" level=debug msg=${JSON.stringify(line)}\n`).join(''),
  );
  writeInDir(
    '.upi-wizard/jobs/boot-server.json',
    JSON.stringify({ name: 'boot-server', argv: ['/bin/true', ...lines], startedAt: 0 }),
  );
  writeInDir(
    '.upi-wizard/jobs/boot-server.log',
    `half of a key\n-----END PRIVATE KEY-----\n${lines.join('\n')}\n${formatPrivateKey('CanaryOverLines')}`,
  );
  const ndjson = lines.map((text, number) => JSON.stringify({ at: number, text, deep: [{ text }] })).join('\n');
  for (const name of ['journal.ndjson', 'journal.1.ndjson', 'upi-wizard.log', 'boot-requests.ndjson'])
    writeInDir(`.upi-wizard/${name}`, ndjson);
  const state = { schemaVersion: 2, design: DESIGN, memory: { lines, password: 'CanaryOfAField' } };
  writeInDir('.upi-wizard/session.json', JSON.stringify(state));
  writeInDir('.upi-wizard/session.previous.json', JSON.stringify(state, null, 2));
  writeInDir('.upi-wizard/session.json.bad-1', JSON.stringify(state).slice(0, -9));
  writeInDir('.upi-wizard/boot-server.json', JSON.stringify({ lines }));
  writeInDir('files/files.json', JSON.stringify({ files: [], lines }));
  writeInDir('report.md', lines.join('\n'));
}

test('a bundle contains none of the planted secrets, and describes itself', async () => {
  plantSecrets();
  const env = { PATH: process.env.PATH ?? '', HTTPS_PROXY: `http://me:${KNOWN_SECRETS.proxyOfEnvironment}@proxy:3128` };
  const { code, stdout, stderr } = await run(['--yes', '--json', '--out', 'b.tar.gz'], { env });
  const files = unpack(join(home, 'b.tar.gz'));
  const canaries = [
    ...Object.values(KNOWN_SECRETS).flatMap(listTraces),
    ...Object.values(PATTERNS).map(([canary]) => canary),
    ...['CanaryOfAFileThatIsNeverRead', 'CanaryOverLines', 'CanaryOfAField', 'half of a key'],
  ];
  expect(canaries.length).toBeGreaterThan(60);
  for (const [name, text] of [...files, ['what it prints', stdout + stderr] as const])
    expect(
      canaries.filter((canary) => text.includes(canary)),
      name,
    ).toEqual([]);
  expect(code).toBe(0);

  // Text that is not secret stays readable.
  expect(files.get('openshift_install.log')).toContain('before [hidden] after');
  expect(JSON.parse(files.get('design.json') ?? '')).toMatchObject({
    credentials: DESIGN.credentials,
    cluster: { name: 'ocp45' },
  });
  expect(JSON.parse(files.get('about.json') ?? '')).toMatchObject({ 'upi-wizard': '1.2.3', node: process.version });
  expect(JSON.parse(files.get('programs.json') ?? '')).toContainEqual({
    name: 'tar',
    version: expect.stringContaining('tar'),
  });
  expect(files.get('listing.txt')).toContain('auth/kubeadmin-password');
  const listed = JSON.parse(stdout) as { files: { path: string; size: number; what: string }[]; missing: unknown[] };
  expect(listed.files.map(({ path }) => path)).toEqual([...files.keys()].sort());
  for (const { path, size, what } of listed.files) {
    expect(size).toBe(Buffer.byteLength(files.get(path) ?? ''));
    expect(stderr).toContain(path);
    expect(stderr).toContain(what.slice(0, 15));
  }
  expect(listed.missing).toEqual([]);
});

test('only its owner may read it, and the same installation gives the same files in the same order', async () => {
  plantSecrets();
  const before = process.umask(0);
  try {
    await run(['--yes', '--out', 'one.tar.gz']);
    await run(['--yes', '--out', 'two.tar.gz']);
  } finally {
    process.umask(before);
  }
  expect(statSync(join(home, 'one.tar.gz')).mode & 0o777).toBe(0o600);
  const list = (name: string) => execFileSync('tar', ['-tzf', join(home, name)], { encoding: 'utf8' }).split('\n');
  expect(list('one.tar.gz')).toEqual(list('two.tar.gz'));
  expect(list('one.tar.gz')).toEqual([...list('one.tar.gz').slice(0, -1).sort(), '']);
});

test('a file that cannot be read, or still holds a secret, is left out and named', async () => {
  plantSecrets();
  rmSync(join(dir, 'report.md'));
  symlinkSync('/etc/shadow', join(dir, 'report.md'));
  // The secret is split over two lines, so that no pattern and no single line matches it.
  writeInDir(
    '.upi-wizard/jobs/install-complete.json',
    JSON.stringify({ name: 'install-complete', argv: ['x'], startedAt: 0 }),
  );
  writeInDir(
    '.upi-wizard/jobs/install-complete.log',
    `${KNOWN_SECRETS.registry.slice(0, 12)}\n  ${KNOWN_SECRETS.registry.slice(12)}\n`,
  );
  const { code, stdout, stderr } = await run(['--yes', '--json', '--out', 'b.tar.gz']);
  expect(code).toBe(4);
  const { missing } = JSON.parse(stdout) as { missing: { path: string; why: string }[] };
  expect(missing).toEqual([{ path: 'report.md', why: 'it is not a regular file' }]);
  expect(stderr).toContain('report.md: it is not a regular file');
  const files = unpack(join(home, 'b.tar.gz'));
  expect(files.has('report.md')).toBe(false);
  expect(files.get('jobs/install-complete.log')).toBe('[hidden]\n');
});

test('it asks before it writes, and overwrites nothing', async () => {
  plantSecrets();
  const file = join(home, 'b.tar.gz');
  const declined = await run(['--out', 'b.tar.gz'], { answer: 'n' });
  expect(declined).toMatchObject({ code: 4, stdout: '' });
  expect(declined.prompts).toMatch(/^Write .*b\.tar\.gz \(\d+ files, \d+ (?:B|KiB)\)\? \[y\/N\] $/);
  expect(existsSync(file)).toBe(false);
  expect((await run(['--out', 'b.tar.gz'], { answer: 'y' })).code).toBe(0);
  const before = readFileSync(file);
  expect(await run(['--out', 'b.tar.gz'], { answer: 'y' })).toMatchObject({ code: 5, prompts: '' });
  expect(readFileSync(file)).toEqual(before);
  expect(await run([])).toMatchObject({ code: 2, stderr: expect.stringContaining('use --yes') });
});

test('a directory without an installation gives no bundle; an output file that cannot be written is reported', async () => {
  expect(await run(['--yes'])).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no directory') });
  mkdirSync(dir);
  const noSession = expect.stringContaining('There is no session in');
  expect(await run(['--yes'])).toMatchObject({ code: 2, stderr: noSession });
  writeInDir('.upi-wizard/session.json', 'damaged');
  const { code, stderr } = await run(['--yes', '--out', 'missing/b.tar.gz']);
  expect(code).toBe(4);
  expect(stderr).toContain(
    `${home}/missing/b.tar.gz cannot be written: there is no directory ${home}/missing. Create it, or choose another path with --out.`,
  );
  chmodSync(dir, 0o700);
  expect((await run(['--yes'])).code).toBe(0);
  expect(readdirSync(home).filter((name) => /^upi-wizard-bundle-\d{8}T\d{6}\.tar\.gz$/.test(name))).toHaveLength(1);
});
