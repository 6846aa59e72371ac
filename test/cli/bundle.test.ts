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
import { bundleCommand } from '../../src/cli/bundle.ts';
import { exampleDocument } from '../../src/cli/session/saved.ts';
import type { LiveIo } from '../../src/cli/shared/live-io.ts';
import { UsageError } from '../../src/cli/shared/usage.ts';
import { textsWith, tracesOf } from '../support/canaries.ts';

let home: string;
let dir: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'upi-bundle-'));
  dir = join(home, 'cluster');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

async function run(
  argv: readonly string[],
  { answer = null as string | null, env = {} as Record<string, string> } = {},
) {
  const out = { stdout: '', stderr: '', asked: '' };
  const io: LiveIo = {
    stdout: (text) => {
      out.stdout += text;
    },
    stderr: (text) => {
      out.stderr += text;
    },
    // What programs say of their versions is asked once: on this path there are none.
    env: { HOME: home, PATH: home, ...env },
    cwd: home,
    ask:
      answer === null
        ? null
        : async (prompt) => {
            out.asked += prompt;
            return answer;
          },
    signal: new AbortController().signal,
    hasScreen: false,
    columns: 80,
  };
  return { code: await bundleCommand(['--dir', dir, ...argv], io, '1.2.3'), ...out };
}

/** The files of an archive, as the system's tar reads it. */
function unpacked(file: string): Map<string, string> {
  const to = mkdtempSync(join(home, 'unpacked-'));
  execFileSync('tar', ['-xzf', file, '-C', to]);
  const root = join(to, 'upi-wizard-bundle');
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(root, name)).isFile(),
  );
  return new Map(names.sort().map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

const b64 = (text: string) => Buffer.from(text).toString('base64');
const keyOf = (line: string) => `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\n`;
const DESIGN = {
  ...(exampleDocument() as object),
  credentials: { pullSecretFile: './pull-secret.txt', sshKeyFile: './id_ed25519.pub' },
  proxy: { httpProxy: 'http://me:Canary-proxy-of-design@proxy:3128', httpsProxy: '', noProxy: '' },
};

/** Secrets that a bundle learns where they lie, so that it finds them anywhere, in any form. */
const KNOWN = {
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

/** What looks secret, wherever it comes from. */
const PATTERNS: Readonly<Record<string, readonly [canary: string, text: string]>> = {
  bearer: ['CanaryBearer123', 'Authorization: Bearer CanaryBearer123'],
  basic: [b64('u:CanaryBasic'), `Authorization: Basic ${b64('u:CanaryBasic')}`],
  jwt: ['eyJDYW5hcnkx', 'sent eyJDYW5hcnkx.eyJDYW5hcnky.c2ln to it'],
  oauth: ['CanaryOauth', 'login with sha256~CanaryOauth done'],
  password: ['CanaryQuoted', 'and password: "CanaryQuoted"'],
  assigned: ['CanaryAssigned', 'GET /x?token=CanaryAssigned'],
  url: ['CanaryInUrl', 'proxyconnect http://root:CanaryInUrl@proxy:3128 refused'],
  pulled: ['CanaryForeign', '{"auths": {"quay.io": {"auth": "CanaryForeign"}}}'],
  key: ['CanaryKeyLine', keyOf('CanaryKeyLine').replaceAll('\n', '\\n')],
  encoded: [b64(keyOf('CanaryEncoded')).slice(20, 60), `client-key-data: ${b64(keyOf('CanaryEncoded'))}`],
  ignition: [b64('CanaryIgnition of a file'), `"source":"data:;base64,${b64('CanaryIgnition of a file')}"`],
};

function plant(): void {
  const auth = b64(`user:${KNOWN.registry}`);
  put(
    'pull-secret.txt',
    JSON.stringify({
      auths: { 'quay.io': { auth }, x: { auth: b64(`u:${KNOWN.second}`), identitytoken: KNOWN.identity } },
    }),
  );
  put(
    '.upi-wizard/install-config.yaml',
    `pullSecret: '${JSON.stringify({ auths: { y: { auth: b64(`u:${KNOWN.old}`) } } })}'\n`,
  );
  put('auth/kubeadmin-password', KNOWN.kubeadmin);
  put('.upi-wizard/aside/1/auth/kubeadmin-password', KNOWN.kubeadminBefore);
  put(
    'auth/kubeconfig',
    `users:\n- name: admin\n  user:\n    token: ${KNOWN.token}\n    client-key-data: ${b64(keyOf(KNOWN.clientKey))}\n`,
  );
  put('id_ed25519', keyOf(KNOWN.sshKey));
  put('id_ed25519.pub', 'ssh-ed25519 AAAA public');
  put('upi-key', keyOf(KNOWN.ownKey));
  put('upi-key.pub', 'ssh-ed25519 AAAA public');
  for (const never of ['bootstrap.ign', 'master.ign', '.openshift_install_state.json'])
    put(never, 'CanaryOfAFileThatIsNeverRead');

  const said = [...Object.values(KNOWN).flatMap(textsWith), ...Object.values(PATTERNS).map(([, text]) => text)];
  const lines = said.map((text) => `before ${text} after`);
  put(
    '.openshift_install.log',
    lines.map((line) => `time="2026-11-21T04:04:25Z" level=debug msg=${JSON.stringify(line)}\n`).join(''),
  );
  put(
    '.upi-wizard/jobs/boot-server.json',
    JSON.stringify({ name: 'boot-server', argv: ['/bin/true', ...lines], startedAt: 0 }),
  );
  put(
    '.upi-wizard/jobs/boot-server.log',
    `half of a key\n-----END PRIVATE KEY-----\n${lines.join('\n')}\n${keyOf('CanaryOverLines')}`,
  );
  const ndjson = lines.map((text, number) => JSON.stringify({ at: number, text, deep: [{ text }] })).join('\n');
  for (const name of ['journal.ndjson', 'journal.1.ndjson', 'upi-wizard.log', 'boot-requests.ndjson'])
    put(`.upi-wizard/${name}`, ndjson);
  const state = { schemaVersion: 2, design: DESIGN, memory: { lines, password: 'CanaryOfAField' } };
  put('.upi-wizard/session.json', JSON.stringify(state));
  put('.upi-wizard/session.previous.json', JSON.stringify(state, null, 2));
  put('.upi-wizard/session.json.bad-1', JSON.stringify(state).slice(0, -9));
  put('.upi-wizard/boot-server.json', JSON.stringify({ lines }));
  put('files/files.json', JSON.stringify({ files: [], lines }));
  put('report.md', lines.join('\n'));
}

test('a bundle holds no secret of all that were planted, and says what it is', async () => {
  plant();
  const env = { PATH: process.env.PATH ?? '', HTTPS_PROXY: `http://me:${KNOWN.proxyOfEnvironment}@proxy:3128` };
  const { code, stdout, stderr } = await run(['--yes', '--json', '--out', 'b.tar.gz'], { env });
  const files = unpacked(join(home, 'b.tar.gz'));
  const canaries = [
    ...Object.values(KNOWN).flatMap(tracesOf),
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

  // What is no secret is still there to be read.
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
  plant();
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

test('what cannot be read, or still holds a secret, is left out and named', async () => {
  plant();
  rmSync(join(dir, 'report.md'));
  symlinkSync('/etc/shadow', join(dir, 'report.md'));
  // Broken over two lines, no pattern and no line shows it.
  put(
    '.upi-wizard/jobs/install-complete.json',
    JSON.stringify({ name: 'install-complete', argv: ['x'], startedAt: 0 }),
  );
  put('.upi-wizard/jobs/install-complete.log', `${KNOWN.registry.slice(0, 12)}\n  ${KNOWN.registry.slice(12)}\n`);
  const { code, stdout, stderr } = await run(['--yes', '--json', '--out', 'b.tar.gz']);
  expect(code).toBe(4);
  const { missing } = JSON.parse(stdout) as { missing: { path: string; why: string }[] };
  expect(missing).toEqual([{ path: 'report.md', why: 'it is not a plain file' }]);
  expect(stderr).toContain('report.md: it is not a plain file');
  const files = unpacked(join(home, 'b.tar.gz'));
  expect(files.has('report.md')).toBe(false);
  expect(files.get('jobs/install-complete.log')).toBe('[hidden]\n');
});

test('it asks before it writes, and overwrites nothing', async () => {
  plant();
  const file = join(home, 'b.tar.gz');
  const declined = await run(['--out', 'b.tar.gz'], { answer: 'n' });
  expect(declined).toMatchObject({ code: 4, stdout: '' });
  expect(declined.asked).toMatch(/^Write .*b\.tar\.gz \(\d+ files, \d+ (?:B|KiB)\)\? \[y\/N\] $/);
  expect(existsSync(file)).toBe(false);
  expect((await run(['--out', 'b.tar.gz'], { answer: 'y' })).code).toBe(0);
  const before = readFileSync(file);
  expect(await run(['--out', 'b.tar.gz'], { answer: 'y' })).toMatchObject({ code: 5, asked: '' });
  expect(readFileSync(file)).toEqual(before);
  await expect(run([])).rejects.toThrow(UsageError);
});

test('a directory that is none of ours gives none, and one that cannot be written to says so', async () => {
  await expect(run(['--yes'])).rejects.toThrow('There is no directory');
  mkdirSync(dir);
  await expect(run(['--yes'])).rejects.toThrow('holds nothing of upi-wizard');
  put('.upi-wizard/session.json', 'damaged');
  const { code, stderr } = await run(['--yes', '--out', 'missing/b.tar.gz']);
  expect(code).toBe(4);
  expect(stderr).toContain('Cannot write');
  chmodSync(dir, 0o700);
  expect((await run(['--yes'])).code).toBe(0);
  expect(readdirSync(home).filter((name) => /^upi-wizard-bundle-\d{8}T\d{6}\.tar\.gz$/.test(name))).toHaveLength(1);
});
