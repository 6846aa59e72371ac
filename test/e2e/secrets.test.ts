import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tracesOf } from '../support/canaries.ts';
import { findProgram, testWith } from '../support/programs.ts';
import {
  exampleWith,
  executable,
  FAST,
  filesBelow,
  leaksIn,
  makeSandbox,
  type Outcome,
  runWizard,
  secretsOf,
  startProgram,
} from '../support/rehearsal-run.ts';
import { key, startOnTerminal } from '../support/terminal-run.ts';

const sandbox = makeSandbox();
afterAll(sandbox.remove);

const PASSWORD = 'Canary-password-of-the-registry';
const IDENTITY = 'Canary-identity-token-of-it';
const AUTH = Buffer.from(`user:${PASSWORD}`).toString('base64');
const PULL_SECRET = JSON.stringify({
  auths: {
    'quay.io': { auth: AUTH, email: 'a@b.example' },
    'registry.redhat.io': { auth: AUTH },
    'registry.connect.redhat.com': { auth: AUTH, identitytoken: IDENTITY },
    'cloud.openshift.com': { auth: AUTH },
  },
});
/** What a person may have in the environment for other programs, and none of ours needs. */
const ENVIRONMENT = {
  AWS_SECRET_ACCESS_KEY: 'Canary-key-of-the-environment',
  REGISTRY_TOKEN: 'Canary-token-of-the-environment',
};

interface Rehearsed {
  readonly dir: string;
  readonly outcome: Outcome;
}

/** A whole rehearsal with a pull secret of its own, under this umask; with a file to record what it starts, in it. */
async function rehearse(name: string, umask: string, record?: string): Promise<Rehearsed> {
  const dir = sandbox.dir(name);
  const pullSecret = sandbox.file(`${name}.json`, PULL_SECRET);
  const answers = sandbox.file(`${name}.yaml`, exampleWith({ './pull-secret.txt': pullSecret }));
  const program = [
    process.execPath,
    executable,
    'rehearse',
    '--answers',
    answers,
    '--plain',
    '--speed',
    String(FAST),
    '--dir',
    dir,
  ];
  const recorder =
    record === undefined
      ? []
      : ['strace', '-f', '--seccomp-bpf', '-qq', '-v', '-s', '100000', '-e', 'trace=execve', '-o', record];
  const script = `umask ${umask}; exec "$@"`;
  const outcome = await startProgram('/bin/sh', ['-c', script, 'sh', ...recorder, ...program], {
    sandbox,
    env: ENVIRONMENT,
  }).ended;
  expect(outcome.code, `${outcome.stdout.slice(-2000)}${outcome.stderr}`).toBe(0);
  return { dir, outcome };
}

/** The modes of all files and directories, by their path in the install directory. */
function modesOf(dir: string): Map<string, string> {
  const all = readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();
  return new Map(['', ...all].map((path) => [path, (statSync(join(dir, path)).mode & 0o777).toString(8)]));
}

const recordFile = join(sandbox.path, 'programs.strace');
const hasRecorder = findProgram('strace') !== null;
const rehearsals = new Map<string, Rehearsed>();
beforeAll(async () => {
  const [open, closed] = await Promise.all([
    rehearse('open', '000', hasRecorder ? recordFile : undefined),
    rehearse('closed', '077'),
  ]);
  rehearsals.set('000', open).set('077', closed);
});

function rehearsed(umask: string): Rehearsed {
  const found = rehearsals.get(umask);
  if (found === undefined) throw new Error(`no rehearsal with umask ${umask}`);
  return found;
}

test.each(['000', '077'])(
  'with umask %s every file has the mode it should have, and secrets are where they belong',
  async (umask) => {
    const { dir, outcome } = rehearsed(umask);
    const generated = JSON.parse(readFileSync(join(dir, 'files/files.json'), 'utf8')) as {
      files: { file: string; mode: string }[];
    };
    const wanted = new Map(
      generated.files.map(({ file, mode }) => [`files/${file}`, Number.parseInt(mode, 8).toString(8)]),
    );
    const modes = modesOf(dir);
    expect(modes.size).toBeGreaterThan(80);
    for (const [path, mode] of modes) {
      // What stands on the simulated hosts is theirs, and the directory around them is closed.
      if (path.startsWith('.upi-wizard/site/')) continue;
      const isDirectory = statSync(join(dir, path)).isDirectory();
      const isList = path === 'files/files.json';
      expect(`${path} ${mode}`).toBe(`${path} ${isDirectory ? '700' : (wanted.get(path) ?? (isList ? '644' : '600'))}`);
    }
    expect(modes.get('.upi-wizard/site')).toBe('700');
    // Nothing secret is readable for others, wherever it is.
    const secrets = [...secretsOf(dir), ...[PASSWORD, IDENTITY, AUTH].flatMap(tracesOf), ...Object.values(ENVIRONMENT)];
    for (const file of filesBelow(dir)) {
      const text = readFileSync(file, 'utf8');
      const isSecret = secrets.some((secret) => text.includes(secret));
      if (isSecret) expect(`${relative(dir, file)} ${(statSync(file).mode & 0o077).toString(8)}`).toMatch(/ 0$/);
    }
    expect(leaksIn(dir, secrets)).toEqual([]);
    expect(secrets.filter((secret) => `${outcome.stdout}${outcome.stderr}`.includes(secret))).toEqual([]);
  },
);

test('neither the screens of a finished rehearsal nor its support bundle show a secret', async () => {
  const { dir } = rehearsed('000');
  const secrets = [...secretsOf(dir), ...[PASSWORD, IDENTITY, AUTH].flatMap(tracesOf)];
  const found = (text: string) => secrets.filter((secret) => text.includes(secret));

  const run = startOnTerminal(['--dir', dir], { sandbox });
  // It opens where the plain lines ended, and goes back from there.
  for (let page = 17; page >= 8; page -= 1) {
    await run.sees(new RegExp(` ${page}/17[^]* Enter (?:next|finish) {2}`));
    run.type(key.ctrl('g'));
    await run.sees('Help: ');
    run.type(key.escape);
    await run.sees(/^(?!.*Help: )/s);
    if (page > 8) run.type(key.escape);
  }
  await run.kill9();
  expect(run.output().length).toBeGreaterThan(20_000);
  expect(found(run.output())).toEqual([]);

  const file = join(sandbox.path, 'bundle.tar.gz');
  const bundled = await runWizard(['bundle', '--dir', dir, '--out', file, '--yes'], { sandbox });
  expect(bundled.code, bundled.stderr).toBe(0);
  const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' });
  for (const name of ['session.json', 'journal.ndjson', 'openshift_install.log']) expect(names).toContain(`/${name}\n`);
  expect(found(`${gunzipSync(readFileSync(file)).toString('utf8')}${bundled.stdout}${bundled.stderr}`)).toEqual([]);
});

testWith('strace')('no program that is started gets a secret in its arguments or its environment', async () => {
  const { dir } = rehearsed('000');
  const [own = '', ...others] = readFileSync(recordFile, 'utf8')
    .split('\n')
    .filter((line) => /execve\(.*= 0$/.test(line));
  // The record shows what it should: the program itself has our environment.
  expect(own).toContain('Canary-key-of-the-environment');
  expect(others.length).toBeGreaterThan(10);
  expect(others.some((line) => line.includes('openshift-install'))).toBe(true);
  const secrets = [...secretsOf(dir), ...[PASSWORD, IDENTITY, AUTH].flatMap(tracesOf), ...Object.values(ENVIRONMENT)];
  for (const line of others)
    expect(
      secrets.filter((secret) => line.includes(secret)),
      line.slice(0, 300),
    ).toEqual([]);
});
