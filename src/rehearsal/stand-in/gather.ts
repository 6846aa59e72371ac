import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Clock } from '../../platform/clock.ts';
import { sendRequest } from '../site/http-exchange.ts';
import type { MachineReport } from '../world/machines/machine.ts';
import { createTarball } from './create.ts';
import { ExitError, type InstallerLog } from './installer-log.ts';

export interface GatherOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly out: InstallerLog;
  readonly bootstrapAddress: string;
  readonly controlPlaneAddresses: readonly string[];
  /** Logs in to an address. Null: the login is refused. */
  readonly logIn: (address: string) => Promise<MachineReport | null>;
}

/** Units that installer-gather.sh queries on the bootstrap node, whether or not they have log entries. */
const BOOTSTRAP_UNITS = ['approve-csr', 'bootkube', 'crio', 'kubelet', 'release-image'];
const NODE_UNITS = ['crio', 'kubelet', 'machine-config-daemon-firstboot'];
/** Programs that run as containers. They are not queried by unit. */
const CONTAINER_PROGRAMS = ['machine-config-server'];

/**
 * Runs `gather bootstrap` (installer-gather.sh of openshift/installer): collects the journals of the machines that
 * accept the login.
 * @throws ExitError
 */
export async function gatherBootstrap({
  dir,
  clock,
  out,
  bootstrapAddress,
  controlPlaneAddresses,
  logIn,
}: GatherOptions): Promise<void> {
  if (bootstrapAddress === '') throw new ExitError('must provide bootstrap host address');
  out.log('info', 'Pulling debug logs from the bootstrap machine');
  const report = await logIn(bootstrapAddress);
  if (report === null) {
    throw new ExitError(
      `failed to connect to the bootstrap machine: dial tcp ${bootstrapAddress}:22: connect: connection refused`,
    );
  }
  const timestamp = new Date(clock.now()).toISOString().replace(/\D/g, '').slice(0, 14);
  const root = `log-bundle-${timestamp}`;
  const files = new Map<string, string>();
  addJournals(files, `${root}/bootstrap`, report, BOOTSTRAP_UNITS);
  files.set(`${root}/failed-units.txt`, formatUnitTable(report.failedUnits));
  for (const [name, list] of Object.entries(report.resources))
    files.set(`${root}/resources/${name}.json`, `${JSON.stringify(list)}\n`);
  for (const address of controlPlaneAddresses) {
    const nodeReport = await logIn(address);
    // A machine that refuses the login is left out, as in the real program.
    if (nodeReport === null) continue;
    addJournals(files, `${root}/control-plane/${address}`, nodeReport, NODE_UNITS);
    files.set(`${root}/control-plane/${address}/failed-units.txt`, formatUnitTable(nodeReport.failedUnits));
  }
  const path = join(dir, `${root}.tar.gz`);
  writeFileSync(path, gzipSync(createTarball(files, clock.now())), { mode: 0o600 });
  out.log('info', `Bootstrap gather logs captured here "${path}"`);
}

function addJournals(
  files: Map<string, string>,
  root: string,
  { journal }: MachineReport,
  units: readonly string[],
): void {
  const lines = new Map<string, string[]>(units.map((unit) => [unit, []]));
  for (const line of journal.split('\n')) {
    const program = /^\S+ +\d+ [\d:]+ \S+ ([^\s[]+)\[\d+\]: /.exec(line)?.[1];
    if (program === undefined) continue;
    const unit = toUnitName(program);
    lines.set(unit, [...(lines.get(unit) ?? []), line]);
  }
  for (const [unit, unitLines] of lines) {
    const path = CONTAINER_PROGRAMS.includes(unit) ? `containers/${unit}.log` : `journals/${unit}.log`;
    files.set(`${root}/${path}`, unitLines.length === 0 ? '-- No entries --\n' : `${unitLines.join('\n')}\n`);
  }
}

function toUnitName(program: string): string {
  return program.replace(/\.sh$/, '').replace(/^release-image-download$/, 'release-image');
}

function formatUnitTable(units: readonly string[]): string {
  const rows = units.map((unit) => `${unit} loaded failed failed ${unit}\n`);
  return `${rows.join('')}${units.length} loaded units listed.\n`;
}

/**
 * Creates the login function, which gets the reports from the site's process.
 * @param socketPath null: the site does not run
 */
export function createLogin(socketPath: string | null): (address: string) => Promise<MachineReport | null> {
  return async (address) => {
    if (socketPath === null) return null;
    const path = `/machine-report?address=${encodeURIComponent(address)}`;
    const result = await sendRequest(request({ socketPath, path, agent: false })).catch(() => null);
    const { report } = JSON.parse(result?.body.toString() || '{}') as { report?: MachineReport | null };
    return report ?? null;
  };
}
