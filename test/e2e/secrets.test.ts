import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tracesOf } from '../support/canaries.ts';
import { findProgram, testWith } from '../support/programs.ts';
import { expectModes, expectSecretsClosed } from '../support/rehearsal-proof.ts';
import {
  exampleWith,
  executable,
  FAST,
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

const recordFile = join(sandbox.path, 'programs.strace');

/** A whole rehearsal with a pull secret of its own, for which the shell closes no file; what it starts is recorded. Umask 077 is in readme.test.ts. */
async function rehearse(): Promise<Rehearsed> {
  const dir = sandbox.dir('open');
  const pullSecret = sandbox.file('open.json', PULL_SECRET);
  const answers = sandbox.file('open.yaml', exampleWith({ './pull-secret.txt': pullSecret }));
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
    findProgram('strace') === null
      ? []
      : ['strace', '-f', '--seccomp-bpf', '-qq', '-v', '-s', '100000', '-e', 'trace=execve', '-o', recordFile];
  const script = 'umask 000; exec "$@"';
  const outcome = await startProgram('/bin/sh', ['-c', script, 'sh', ...recorder, ...program], {
    sandbox,
    env: ENVIRONMENT,
  }).ended;
  expect(outcome.code, `${outcome.stdout.slice(-2000)}${outcome.stderr}`).toBe(0);
  return { dir, outcome };
}

let rehearsed: Rehearsed | null = null;
beforeAll(async () => {
  rehearsed = await rehearse();
});

function ofRehearsal(): Rehearsed & { readonly secrets: readonly string[] } {
  if (rehearsed === null) throw new Error('no rehearsal');
  const planted = [PASSWORD, IDENTITY, AUTH].flatMap(tracesOf);
  return { ...rehearsed, secrets: [...secretsOf(rehearsed.dir), ...planted] };
}

test('with umask 000 every file has the mode it should have, and secrets are where they belong', () => {
  const { dir, outcome, secrets } = ofRehearsal();
  expectModes(dir);
  expectSecretsClosed(dir, outcome, [...secrets, ...Object.values(ENVIRONMENT)]);
});

test('neither the screens of a finished rehearsal nor its support bundle show a secret', async () => {
  const { dir, secrets } = ofRehearsal();
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

testWith('strace')('no program that is started gets a secret in its arguments or its environment', () => {
  const [own = '', ...others] = readFileSync(recordFile, 'utf8')
    .split('\n')
    .filter((line) => /execve\(.*= 0$/.test(line));
  // The record shows what it should: the program itself has our environment.
  expect(own).toContain('Canary-key-of-the-environment');
  expect(others.length).toBeGreaterThan(10);
  expect(others.some((line) => line.includes('openshift-install'))).toBe(true);
  const secrets = [...ofRehearsal().secrets, ...Object.values(ENVIRONMENT)];
  for (const line of others)
    expect(
      secrets.filter((secret) => line.includes(secret)),
      line.slice(0, 300),
    ).toEqual([]);
});
