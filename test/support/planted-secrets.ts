// Secrets that a rehearsal is given, and where none of them may be found after it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { tracesOf } from './canaries.ts';
import { runWizard, type Sandbox, secretsOf } from './rehearsal-run.ts';
import { key, startOnTerminal } from './terminal-run.ts';

const PASSWORD = 'Canary-password-of-the-registry';
const IDENTITY = 'Canary-identity-token-of-it';
/** What the files made for it hold. */
export const PLANTED_AUTH = Buffer.from(`user:${PASSWORD}`).toString('base64');
export const PLANTED_PULL_SECRET = JSON.stringify({
  auths: {
    'quay.io': { auth: PLANTED_AUTH, email: 'a@b.example' },
    'registry.redhat.io': { auth: PLANTED_AUTH },
    'registry.connect.redhat.com': { auth: PLANTED_AUTH, identitytoken: IDENTITY },
    'cloud.openshift.com': { auth: PLANTED_AUTH },
  },
});
/** What a person may have in the environment for other programs, and none of ours needs. */
export const PLANTED_ENVIRONMENT = {
  AWS_SECRET_ACCESS_KEY: 'Canary-key-of-the-environment',
  REGISTRY_TOKEN: 'Canary-token-of-the-environment',
};

/** What may stand only in the files made for it: of the rehearsal itself, and of the pull secret it was given. */
export function plantedSecretsOf(dir: string): string[] {
  return [...secretsOf(dir), ...[PASSWORD, IDENTITY, PLANTED_AUTH].flatMap(tracesOf)];
}

/** The same with what the environment held. */
export function allSecretsOf(dir: string): string[] {
  return [...plantedSecretsOf(dir), ...Object.values(PLANTED_ENVIRONMENT)];
}

/** Before a command: records the programs that it starts, with their arguments and environments. */
export function recorder(file: string): readonly string[] {
  return ['strace', '-f', '--seccomp-bpf', '-qq', '-v', '-s', '100000', '-e', 'trace=execve', '-o', file];
}

/** No screen of a finished rehearsal shows a secret. */
export async function expectScreensClosed(dir: string, sandbox: Sandbox): Promise<void> {
  const secrets = plantedSecretsOf(dir);
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
  expect(secrets.filter((secret) => run.output().includes(secret))).toEqual([]);
}

/** Nor does its support bundle. */
export async function expectBundleClosed(dir: string, sandbox: Sandbox): Promise<void> {
  const file = join(sandbox.path, 'bundle.tar.gz');
  const bundled = await runWizard(['bundle', '--dir', dir, '--out', file, '--yes'], { sandbox });
  expect(bundled.code, bundled.stderr).toBe(0);
  const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' });
  for (const name of ['session.json', 'journal.ndjson', 'openshift_install.log']) expect(names).toContain(`/${name}\n`);
  const text = `${gunzipSync(readFileSync(file)).toString('utf8')}${bundled.stdout}${bundled.stderr}`;
  expect(plantedSecretsOf(dir).filter((secret) => text.includes(secret))).toEqual([]);
}

/** No program that the rehearsal started got a secret in its arguments or its environment. */
export function expectProgramsClosed(record: string, dir: string): void {
  const started = readFileSync(record, 'utf8')
    .split('\n')
    .filter((line) => /execve\(.*= 0$/.test(line));
  const own = started.findIndex((line) => line.includes('"bin/upi-wizard.js", "rehearse"'));
  const others = started.slice(own + 1);
  // The record shows what it should: the program itself has our environment.
  expect(started[own]).toContain('Canary-key-of-the-environment');
  expect(others.length).toBeGreaterThan(10);
  expect(others.some((line) => line.includes('openshift-install'))).toBe(true);
  const secrets = allSecretsOf(dir);
  for (const line of others)
    expect(
      secrets.filter((secret) => line.includes(secret)),
      line.slice(0, 300),
    ).toEqual([]);
}
