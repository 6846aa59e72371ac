// Secrets that a rehearsal is given, and checks that none of them leaks.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { listTraces } from './canaries.ts';
import { readSecrets, runWizard, type Sandbox } from './rehearsal-run.ts';
import { key, startOnTerminal } from './terminal-run.ts';

const PASSWORD = 'Canary-password-of-the-registry';
const IDENTITY = 'Canary-identity-token-of-it';
/** Credentials as the files made for them hold them. */
export const PLANTED_AUTH = Buffer.from(`user:${PASSWORD}`).toString('base64');
export const PLANTED_PULL_SECRET = JSON.stringify({
  auths: {
    'quay.io': { auth: PLANTED_AUTH, email: 'a@b.example' },
    'registry.redhat.io': { auth: PLANTED_AUTH },
    'registry.connect.redhat.com': { auth: PLANTED_AUTH, identitytoken: IDENTITY },
    'cloud.openshift.com': { auth: PLANTED_AUTH },
  },
});
/** Secrets that a user may have in the environment for other programs. The wizard needs none of them. */
export const PLANTED_ENVIRONMENT = {
  AWS_SECRET_ACCESS_KEY: 'Canary-key-of-the-environment',
  REGISTRY_TOKEN: 'Canary-token-of-the-environment',
};

/** Secrets of the rehearsal and of the pull secret that it was given. Only the files made for them may hold them. */
function listPlantedSecrets(dir: string): string[] {
  return [...readSecrets(dir), ...[PASSWORD, IDENTITY, PLANTED_AUTH].flatMap(listTraces)];
}

/** Lists the same, with the secrets in the environment. */
export function listAllSecrets(dir: string): string[] {
  return [...listPlantedSecrets(dir), ...Object.values(PLANTED_ENVIRONMENT)];
}

/** Command prefix that records the programs which a command starts, with their arguments and environments. */
export function straceCommand(file: string): readonly string[] {
  return ['strace', '-f', '--seccomp-bpf', '-qq', '-v', '-s', '100000', '-e', 'trace=execve', '-o', file];
}

/** Checks that no screen of a finished rehearsal shows a secret. */
export async function expectNoSecretOnScreens(dir: string, sandbox: Sandbox): Promise<void> {
  const secrets = listPlantedSecrets(dir);
  const run = startOnTerminal(['--dir', dir], { sandbox });
  // The wizard opens on the page at which the plain run ended, and goes back from there.
  for (let page = 17; page >= 8; page -= 1) {
    await run.waitFor(new RegExp(` ${page}/17[^]* Enter (?:next|finish) {2}`));
    run.type(key.ctrl('g'));
    await run.waitFor('Help: ');
    run.type(key.escape);
    await run.waitFor(/^(?!.*Help: )/s);
    if (page > 8) run.type(key.escape);
  }
  await run.kill9();
  expect(run.output().length).toBeGreaterThan(20_000);
  expect(secrets.filter((secret) => run.output().includes(secret))).toEqual([]);
}

/** Checks that the support bundle holds no secret. */
export async function expectNoSecretInBundle(dir: string, sandbox: Sandbox): Promise<void> {
  const file = join(sandbox.path, 'bundle.tar.gz');
  const result = await runWizard(['bundle', '--dir', dir, '--out', file, '--yes'], { sandbox });
  expect(result.code, result.stderr).toBe(0);
  const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' });
  for (const name of ['session.json', 'journal.ndjson', 'openshift_install.log']) expect(names).toContain(`/${name}\n`);
  const text = `${gunzipSync(readFileSync(file)).toString('utf8')}${result.stdout}${result.stderr}`;
  expect(listPlantedSecrets(dir).filter((secret) => text.includes(secret))).toEqual([]);
}

/** Checks that no program started by the rehearsal got a secret in its arguments or its environment. */
export function expectNoSecretInPrograms(record: string, dir: string): void {
  const programLines = readFileSync(record, 'utf8')
    .split('\n')
    .filter((line) => /execve\(.*= 0$/.test(line));
  const wizardIndex = programLines.findIndex((line) => line.includes('"bin/upi-wizard.js", "rehearse"'));
  const others = programLines.slice(wizardIndex + 1);
  // Control: the record holds the environment of the wizard itself.
  expect(programLines[wizardIndex]).toContain('Canary-key-of-the-environment');
  expect(others.length).toBeGreaterThan(10);
  expect(others.some((line) => line.includes('openshift-install'))).toBe(true);
  const secrets = listAllSecrets(dir);
  for (const line of others)
    expect(
      secrets.filter((secret) => line.includes(secret)),
      line.slice(0, 300),
    ).toEqual([]);
}
