// Expectations about a rehearsal that ran to its end.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'vitest';
import { findLeaks, listFilesBelow, type ProgramResult, readSecrets } from './rehearsal-run.ts';

/** Reads the machines in the design of a rehearsal, by name. */
export function readMachines(dir: string): Record<string, { readonly mac: string }> {
  const { design } = JSON.parse(readFileSync(join(dir, '.upi-wizard/site/config.json'), 'utf8')) as {
    design: { nodes: { name: string; mac: string }[] };
  };
  return Object.fromEntries(design.nodes.map((node) => [node.name, node]));
}

/** Reads the kernel's status of a process, which includes its memory. */
export const readProcessStatus = (pid: number) => readFileSync(`/proc/${pid}/status`, 'utf8');

/** Expects a report of this cluster in which these nodes are Ready. */
export function expectReport(dir: string, cluster: string, nodes: readonly string[]): void {
  const report = readFileSync(join(dir, 'report.md'), 'utf8');
  expect(report).toMatch(new RegExp(`^# ${cluster}\\.example\\.localdomain$`, 'm'));
  const ready = [...report.matchAll(/^\| ([a-z0-9]+)\.\S+ \|.*\| Ready \|$/gm)].map(([, name]) => name);
  expect(ready).toEqual(nodes);
  expect(report).toContain(`https://console-openshift-console.apps.${cluster}.example.localdomain`);
}

/** Expects routers on infra nodes only and no bootstrap, in the generated files and on the host itself. */
export function expectLastStage(dir: string): void {
  const { stage } = JSON.parse(readFileSync(join(dir, 'files/files.json'), 'utf8')) as { stage: string };
  expect(stage).toBe('infra-only');
  const generated = readFileSync(join(dir, 'files/lb1/etc/haproxy/haproxy.cfg'), 'utf8');
  expect(listMembers(generated, 'ingress-https')).toEqual(['i1', 'i2', 'i3']);
  expect(listMembers(generated, 'ingress-http')).toEqual(['i1', 'i2', 'i3']);
  expect(listMembers(generated, 'api')).toEqual(['m1', 'm2', 'm3']);
  expect(listMembers(generated, 'machine-config')).toEqual(['m1', 'm2', 'm3']);
  expect(readFileSync(join(dir, '.upi-wizard/site/hosts/lb1/etc/haproxy/haproxy.cfg'), 'utf8')).toBe(generated);
}

function listMembers(haproxy: string, backend: string): string[] {
  const section = haproxy.split(/^(?=\S)/m).find((text) => text.startsWith(`backend ${backend}\n`)) ?? '';
  return [...section.matchAll(/^ +server (\S+) /gm)].map(([, name = '']) => name);
}

/** Reads all generated files with their names. */
export function readGeneratedText(dir: string): string {
  return listFilesBelow(join(dir, 'files'))
    .map((file) => `${file.slice(dir.length)}\n${readFileSync(file, 'utf8')}`)
    .join('\n');
}

/** Expects that no secret was printed, and that none is in a file that is not meant to hold it. */
function expectNoSecret(dir: string, { stdout, stderr }: ProgramResult, more: readonly string[] = []): void {
  const secrets = [...readSecrets(dir), ...more];
  for (const secret of secrets) expect(`${stdout}${stderr}`.includes(secret), 'a secret was printed').toBe(false);
  expect(findLeaks(dir, secrets)).toEqual([]);
}

/** The same, and expects that only the owner can read files which are not generated for others. */
export function expectPrivate(dir: string, outcome: ProgramResult): void {
  expectNoSecret(dir, outcome);
  const state = join(dir, '.upi-wizard');
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  for (const path of [dir, state, join(state, 'jobs'), join(state, 'site'), join(dir, 'auth'), join(dir, 'files')]) {
    expect(`${path} ${mode(path)}`).toBe(`${path} 700`);
  }
  const files = listFilesBelow(dir).filter(
    (path) => !/^(?:files|\.upi-wizard\/site\/)/.test(path.slice(dir.length + 1)),
  );
  expect(files.length).toBeGreaterThan(15);
  for (const path of files) expect(`${path} ${mode(path)}`).toBe(`${path} 600`);
}

/** Expects the right mode for every file and directory of a rehearsal, whatever the umask of its shell was. */
export function expectModes(dir: string): void {
  const generated = JSON.parse(readFileSync(join(dir, 'files/files.json'), 'utf8')) as {
    files: { file: string; mode: string }[];
  };
  const expectedModes = new Map(
    generated.files.map(({ file, mode }) => [`files/${file}`, Number.parseInt(mode, 8).toString(8)]),
  );
  const paths = ['', ...readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()];
  expect(paths.length).toBeGreaterThan(80);
  for (const path of paths) {
    const stat = statSync(join(dir, path));
    const mode = (stat.mode & 0o777).toString(8);
    if (path === '.upi-wizard/site') expect(mode).toBe('700');
    // Files on the simulated hosts have their own modes, and the directory around them is closed.
    if (path.startsWith('.upi-wizard/site/')) continue;
    const fileMode = expectedModes.get(path) ?? (path === 'files/files.json' ? '644' : '600');
    expect(`${path} ${mode}`).toBe(`${path} ${stat.isDirectory() ? '700' : fileMode}`);
  }
  expect(paths).toContain('.upi-wizard/site');
}

/** Expects that no secret is readable for others, is in a file that is not made for it, or was printed. */
export function expectSecretsPrivate(dir: string, outcome: ProgramResult, secrets: readonly string[]): void {
  for (const file of listFilesBelow(dir)) {
    const text = readFileSync(file, 'utf8');
    const isSecret = secrets.some((secret) => text.includes(secret));
    if (isSecret) expect(`${relative(dir, file)} ${(statSync(file).mode & 0o077).toString(8)}`).toMatch(/ 0$/);
  }
  expect(findLeaks(dir, secrets)).toEqual([]);
  expect(secrets.filter((secret) => `${outcome.stdout}${outcome.stderr}`.includes(secret))).toEqual([]);
}
