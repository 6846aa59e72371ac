import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Clock } from '../../ports/clock.ts';
import type { Inside } from '../world/machines/inside.ts';
import { type Console, ExitError } from './console.ts';
import { tarball } from './tarball.ts';

export interface GatherOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly out: Console;
  readonly bootstrap: string;
  readonly masters: readonly string[];
  /** Logs in to an address; null: it is not let in. */
  readonly logIn: (address: string) => Promise<Inside | null>;
}

/** Units that installer-gather.sh asks for on the bootstrap node, whether they said anything or not. */
const BOOTSTRAP_UNITS = ['approve-csr', 'bootkube', 'crio', 'kubelet', 'release-image'];
const NODE_UNITS = ['crio', 'kubelet', 'machine-config-daemon-firstboot'];
/** Programs that are containers, and are not asked for by unit. */
const CONTAINERS = ['machine-config-server'];

/** `gather bootstrap` (installer-gather.sh of openshift/installer): the journals of the machines that let it in. @throws ExitError */
export async function gatherBootstrap({ dir, clock, out, bootstrap, masters, logIn }: GatherOptions): Promise<void> {
  if (bootstrap === '') throw new ExitError('must provide bootstrap host address', 1);
  out.say('info', 'Pulling debug logs from the bootstrap machine');
  const inside = await logIn(bootstrap);
  if (inside === null) {
    throw new ExitError(
      `failed to connect to the bootstrap machine: dial tcp ${bootstrap}:22: connect: connection refused`,
      1,
    );
  }
  const stamp = new Date(clock.now()).toISOString().replace(/\D/g, '').slice(0, 14);
  const root = `log-bundle-${stamp}`;
  const files = new Map<string, string>();
  addMachine(files, `${root}/bootstrap`, inside, BOOTSTRAP_UNITS);
  files.set(`${root}/failed-units.txt`, unitTable(inside.failed));
  for (const [name, list] of Object.entries(inside.resources))
    files.set(`${root}/resources/${name}.json`, `${JSON.stringify(list)}\n`);
  for (const address of masters) {
    const node = await logIn(address);
    // Who does not let it in is left out, as the real program does.
    if (node === null) continue;
    addMachine(files, `${root}/control-plane/${address}`, node, NODE_UNITS);
    files.set(`${root}/control-plane/${address}/failed-units.txt`, unitTable(node.failed));
  }
  const path = join(dir, `${root}.tar.gz`);
  writeFileSync(path, gzipSync(tarball(files, clock.now())), { mode: 0o600 });
  out.say('info', `Bootstrap gather logs captured here "${path}"`);
}

function addMachine(files: Map<string, string>, root: string, { journal }: Inside, units: readonly string[]): void {
  const lines = new Map<string, string[]>(units.map((unit) => [unit, []]));
  for (const line of journal.split('\n')) {
    const program = /^\S+ +\d+ [\d:]+ \S+ ([^\s[]+)\[\d+\]: /.exec(line)?.[1];
    if (program === undefined) continue;
    const unit = unitOf(program);
    lines.set(unit, [...(lines.get(unit) ?? []), line]);
  }
  for (const [unit, own] of lines) {
    const path = CONTAINERS.includes(unit) ? `containers/${unit}.log` : `journals/${unit}.log`;
    files.set(`${root}/${path}`, own.length === 0 ? '-- No entries --\n' : `${own.join('\n')}\n`);
  }
}

function unitOf(program: string): string {
  return program.replace(/\.sh$/, '').replace(/^release-image-download$/, 'release-image');
}

function unitTable(units: readonly string[]): string {
  const rows = units.map((unit) => `${unit} loaded failed failed ${unit}\n`);
  return `${rows.join('')}${units.length} loaded units listed.\n`;
}

/** Logs in by asking the process of the site, which knows the machines. @param socketPath null: there is no such process */
export function logInAt(socketPath: string | null): (address: string) => Promise<Inside | null> {
  return (address) =>
    new Promise((resolve) => {
      if (socketPath === null) return resolve(null);
      const path = `/inside?address=${encodeURIComponent(address)}`;
      const asking = request({ socketPath, path, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', () => resolve(null));
        response.on('end', () => {
          const { inside } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { inside?: Inside | null };
          resolve(inside ?? null);
        });
      });
      asking.on('error', () => resolve(null));
      asking.end();
    });
}
