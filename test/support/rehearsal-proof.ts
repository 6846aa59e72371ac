// What is to be seen of a rehearsal that was played to its end.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'vitest';
import { filesBelow, leaksIn, type Outcome, secretsOf } from './rehearsal-run.ts';

/** The machines of a rehearsal's design, as its site knows them. */
export function machinesOf(dir: string): Record<string, { readonly mac: string }> {
  const { design } = JSON.parse(readFileSync(join(dir, '.upi-wizard/site/config.json'), 'utf8')) as {
    design: { nodes: { name: string; mac: string }[] };
  };
  return Object.fromEntries(design.nodes.map((node) => [node.name, node]));
}

/** What the system says of a process: its memory among other things. */
export const statusOf = (pid: number) => readFileSync(`/proc/${pid}/status`, 'utf8');

/** A report that says of this cluster that these nodes are Ready. */
export function expectReport(dir: string, cluster: string, nodes: readonly string[]): void {
  const report = readFileSync(join(dir, 'report.md'), 'utf8');
  expect(report).toMatch(new RegExp(`^# ${cluster}\\.example\\.localdomain$`, 'm'));
  const ready = [...report.matchAll(/^\| ([a-z0-9]+)\.\S+ \|.*\| Ready \|$/gm)].map(([, name]) => name);
  expect(ready).toEqual(nodes);
  expect(report).toContain(`https://console-openshift-console.apps.${cluster}.example.localdomain`);
}

/** Routers are reached on infra nodes only, and the bootstrap is out, in what was generated and on the host itself. */
export function expectLastStage(dir: string): void {
  const { stage } = JSON.parse(readFileSync(join(dir, 'files/files.json'), 'utf8')) as { stage: string };
  expect(stage).toBe('infra-only');
  const generated = readFileSync(join(dir, 'files/lb1/etc/haproxy/haproxy.cfg'), 'utf8');
  expect(membersOf(generated, 'ingress-https')).toEqual(['i1', 'i2', 'i3']);
  expect(membersOf(generated, 'ingress-http')).toEqual(['i1', 'i2', 'i3']);
  expect(membersOf(generated, 'api')).toEqual(['m1', 'm2', 'm3']);
  expect(membersOf(generated, 'machine-config')).toEqual(['m1', 'm2', 'm3']);
  expect(readFileSync(join(dir, '.upi-wizard/site/hosts/lb1/etc/haproxy/haproxy.cfg'), 'utf8')).toBe(generated);
}

function membersOf(haproxy: string, backend: string): string[] {
  const section = haproxy.split(/^(?=\S)/m).find((text) => text.startsWith(`backend ${backend}\n`)) ?? '';
  return [...section.matchAll(/^ +server (\S+) /gm)].map(([, name = '']) => name);
}

/** All generated files with their names. */
export function generatedText(dir: string): string {
  return filesBelow(join(dir, 'files'))
    .map((file) => `${file.slice(dir.length)}\n${readFileSync(file, 'utf8')}`)
    .join('\n');
}

/** No secret was printed, or stands in a file that is not made for it. */
export function expectNoSecret(dir: string, { stdout, stderr }: Outcome, more: readonly string[] = []): void {
  const secrets = [...secretsOf(dir), ...more];
  for (const secret of secrets) expect(`${stdout}${stderr}`.includes(secret), 'a secret was printed').toBe(false);
  expect(leaksIn(dir, secrets)).toEqual([]);
}

/** The same, and only the owner can read what is not generated for others. */
export function expectPrivate(dir: string, outcome: Outcome): void {
  expectNoSecret(dir, outcome);
  const state = join(dir, '.upi-wizard');
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  for (const path of [dir, state, join(state, 'jobs'), join(state, 'site'), join(dir, 'auth'), join(dir, 'files')]) {
    expect(`${path} ${mode(path)}`).toBe(`${path} 700`);
  }
  const files = filesBelow(dir).filter((path) => !/^(?:files|\.upi-wizard\/site\/)/.test(path.slice(dir.length + 1)));
  expect(files.length).toBeGreaterThan(15);
  for (const path of files) expect(`${path} ${mode(path)}`).toBe(`${path} 600`);
}

/** Every file and directory of a whole rehearsal has the mode it should have, whatever the umask of its shell was. */
export function expectModes(dir: string): void {
  const generated = JSON.parse(readFileSync(join(dir, 'files/files.json'), 'utf8')) as {
    files: { file: string; mode: string }[];
  };
  const wanted = new Map(
    generated.files.map(({ file, mode }) => [`files/${file}`, Number.parseInt(mode, 8).toString(8)]),
  );
  const paths = ['', ...readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()];
  expect(paths.length).toBeGreaterThan(80);
  for (const path of paths) {
    const stat = statSync(join(dir, path));
    const mode = (stat.mode & 0o777).toString(8);
    if (path === '.upi-wizard/site') expect(mode).toBe('700');
    // What stands on the simulated hosts is theirs, and the directory around them is closed.
    if (path.startsWith('.upi-wizard/site/')) continue;
    const ofFile = wanted.get(path) ?? (path === 'files/files.json' ? '644' : '600');
    expect(`${path} ${mode}`).toBe(`${path} ${stat.isDirectory() ? '700' : ofFile}`);
  }
  expect(paths).toContain('.upi-wizard/site');
}

/** Nothing secret is readable for others, wherever it is, nor stands where it does not belong, nor was printed. */
export function expectSecretsClosed(dir: string, outcome: Outcome, secrets: readonly string[]): void {
  for (const file of filesBelow(dir)) {
    const text = readFileSync(file, 'utf8');
    const isSecret = secrets.some((secret) => text.includes(secret));
    if (isSecret) expect(`${relative(dir, file)} ${(statSync(file).mode & 0o077).toString(8)}`).toMatch(/ 0$/);
  }
  expect(leaksIn(dir, secrets)).toEqual([]);
  expect(secrets.filter((secret) => `${outcome.stdout}${outcome.stderr}`.includes(secret))).toEqual([]);
}
