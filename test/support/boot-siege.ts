import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import type { BootServerConfig } from '../../src/bastion/boot/boot-config.ts';
import { readBootStatus } from '../../src/bastion/boot/boot-status.ts';
import { findJob } from '../../src/bastion/jobs/job-status.ts';
import { startJob, stopJob } from '../../src/bastion/jobs/jobs.ts';
import { systemClock as clock } from '../../src/ports/clock.ts';
import { built } from './rehearsal-run.ts';

const MAIN = built('boot-server');
const JOB = 'boot-server';
/** More than what the buffers of two sockets hold: a client that reads nothing stops the server. */
const ROOTFS = 24 * 1024 * 1024;
const KERNEL = 4 * 1024 * 1024;

export interface Siege {
  /** Where the server keeps its log, its status and the records of its job; may be small. */
  readonly stateDir: string;
  /** Where what it serves lies. */
  readonly filesDir: string;
  /** Clients that ask for the root file system and never read it. */
  readonly stalled: number;
  /** Connections that send half a request: half of them from one client, the others from a client each. */
  readonly halfOpen: number;
  /** Fills the file system of `stateDir` before. */
  readonly isDiskFull: boolean;
  /** How often the server is killed while the nodes download. */
  readonly kills: number;
  readonly nodes: number;
  /** PATH of the job; another `sleep` there shortens its pauses. */
  readonly path?: string;
}

/** What came of a siege. Times in milliseconds. */
export interface SiegeFigures {
  readonly nodes: number;
  /** Nodes that got boot script and kernel whole, all at once, with all that is around them. */
  readonly served: number;
  /** The slowest of them. */
  readonly slowestMs: number;
  /** Nodes that got the root file system whole though the server was killed meanwhile. */
  readonly servedThroughKills: number;
  readonly kills: number;
  readonly stalled: number;
  readonly halfOpen: number;
  /** ENOSPC when the disk was filled; empty: it was not. */
  readonly disk: string;
  /** What the job says at the end. */
  readonly job: string;
}

/** Starts the real boot server as a job and lays siege to it; everything has ended when this returns. */
export async function besiege(siege: Siege): Promise<SiegeFigures> {
  const { stateDir, kills, nodes, stalled, halfOpen } = siege;
  const dir = join(stateDir, 'jobs');
  const sockets: Socket[] = [];
  const config = writeSite(siege);
  const argv = [process.execPath, MAIN, config];
  const env = { PATH: siege.path ?? '/usr/bin:/bin', HOME: '/' };
  await startJob({ dir, name: JOB, argv, env, clock, restart: 'failed' });
  try {
    const port = await listening(join(stateDir, 'status.json'));
    const disk = siege.isDiskFull ? fill(stateDir) : '';
    const whole = digest(content(ROOTFS));
    const kernel = digest(content(KERNEL));
    await Promise.all(
      Array.from({ length: stalled }, (_, index) =>
        open(
          port,
          `127.79.${index >> 8}.${(index & 255) + 1}`,
          'GET /images/rootfs HTTP/1.1\r\nHost: b\r\n\r\n',
          sockets,
        ),
      ),
    );
    for (let begun = 0; begun < halfOpen; begun += 100) {
      const round = Array.from({ length: Math.min(100, halfOpen - begun) }, (_, index) => {
        const from = index % 2 === 0 ? '127.77.0.66' : `127.78.${begun / 100}.${index + 1}`;
        return open(port, from, 'GET /boot.ipxe HTTP/1.1\r\nHost: b', sockets);
      });
      await Promise.all(round);
    }
    const addresses = Array.from({ length: nodes }, (_, index) => `127.77.1.${index + 1}`);
    const times = await Promise.all(
      addresses.map(async (from) => {
        const began = performance.now();
        const script = await part(port, from, '/boot.ipxe', 0);
        const image = await part(port, from, '/images/kernel', 0);
        const isWhole = script.toString() === '#!ipxe\n' && digest(image) === kernel;
        return isWhole ? performance.now() - began : null;
      }),
    );
    const through = kills === 0 ? addresses.map(() => whole) : await downloadThroughKills(port, addresses, kills, dir);
    const served = times.filter((time) => time !== null);
    const job = await findJob(dir, JOB);
    return {
      nodes,
      served: served.length,
      slowestMs: Math.round(Math.max(0, ...served)),
      servedThroughKills: through.filter((found) => found === whole).length,
      kills,
      stalled,
      halfOpen,
      disk,
      job: `${job?.state}, restarted ${job?.restarted?.count ?? 0} times`,
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    await stopJob(dir, JOB, { clock });
  }
}

function content(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 4) bytes.writeUInt32LE(at, at);
  return bytes;
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function writeSite({ stateDir, filesDir }: Siege): string {
  for (const name of ['web', 'images']) mkdirSync(join(filesDir, name), { recursive: true });
  writeFileSync(join(filesDir, 'web/boot.ipxe'), '#!ipxe\n');
  writeFileSync(join(filesDir, 'images/kernel'), content(KERNEL));
  writeFileSync(join(filesDir, 'images/rootfs'), content(ROOTFS));
  const config: BootServerConfig = {
    // A port of its own, the same after a restart.
    listen: { host: '0.0.0.0', port: 20_000 + (process.pid % 20_000) },
    webRoot: join(filesDir, 'web'),
    imagesDir: join(filesDir, 'images'),
    ignition: {},
    logFile: join(stateDir, 'requests.ndjson'),
    statusFile: join(stateDir, 'status.json'),
    clockAnchorFile: null,
  };
  writeFileSync(join(stateDir, 'config.json'), JSON.stringify(config));
  return join(stateDir, 'config.json');
}

async function listening(statusFile: string): Promise<number> {
  for (;;) {
    const status = readBootStatus(statusFile);
    if (status?.state === 'listening') return status.port;
    if (status?.state === 'failed') throw new Error(status.trouble.cause);
    await clock.sleep(20);
  }
}

function fill(dir: string): string {
  try {
    for (;;) appendFileSync(join(dir, 'rest'), 'x'.repeat(512));
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

/** A connection that sends `text` and then nothing, and reads nothing; what becomes of it later is its own affair. */
function open(port: number, localAddress: string, text: string, sockets: Socket[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress }, () => {
      socket.write(text);
      socket.off('error', reject).on('error', () => undefined);
      resolve();
    });
    socket.pause().on('error', reject);
    sockets.push(socket);
  });
}

/** What an answer holds from `start` on, as far as it came; `seen` is asked after each piece, and reading waits for it. */
function part(port: number, localAddress: string, path: string, start: number, seen?: (have: number) => Promise<void>) {
  return new Promise<Buffer>((resolve) => {
    const chunks: Buffer[] = [];
    const end = () => resolve(Buffer.concat(chunks));
    const headers = start === 0 ? {} : { Range: `bytes=${start}-` };
    httpRequest({ host: '127.0.0.1', port, path, localAddress, agent: false, headers }, async (response) => {
      let have = start;
      try {
        for await (const chunk of response) {
          chunks.push(chunk as Buffer);
          have += (chunk as Buffer).length;
          await seen?.(have);
        }
      } catch {
        // The server was killed: the node asks for the rest later.
      }
      end();
    })
      .on('error', end)
      .end();
  });
}

/**
 * Every node stops reading at the same parts of its download; when all stand there, the server is killed, and they ask for the
 * rest until they have it, as curl does on a node.
 * @returns the digest of what each node got
 */
async function downloadThroughKills(port: number, addresses: readonly string[], kills: number, dir: string) {
  const gates = Array.from({ length: kills }, () => Promise.withResolvers<void>());
  const arrived = gates.map(() => 0);
  const all = gates.map(() => Promise.withResolvers<void>());
  const killing = (async () => {
    for (const [index, { promise }] of all.entries()) {
      await promise;
      const before = await findJob(dir, JOB);
      process.kill(before?.pid ?? 0, 'SIGKILL');
      gates[index]?.resolve();
      // The server is back before the next kill, or it would be no kill.
      while ((await findJob(dir, JOB))?.restarted?.count !== index + 1 || (await findJob(dir, JOB))?.isPausing)
        await clock.sleep(20);
    }
  })();
  const digests = addresses.map(async (from) => {
    let passed = 0;
    let bytes: Buffer = Buffer.alloc(0);
    const stopAtGates = async (have: number) => {
      while (passed < kills && have >= ((passed + 1) * ROOTFS) / (kills + 2)) {
        const gate = passed;
        passed += 1;
        arrived[gate] = (arrived[gate] ?? 0) + 1;
        if (arrived[gate] === addresses.length) all[gate]?.resolve();
        await gates[gate]?.promise;
      }
    };
    while (bytes.length < ROOTFS) {
      bytes = Buffer.concat([bytes, await part(port, from, '/images/rootfs', bytes.length, stopAtGates)]);
      if (bytes.length < ROOTFS) await clock.sleep(100);
    }
    return digest(bytes);
  });
  await killing;
  return await Promise.all(digests);
}

/** The figures in one line, for a table. */
export function siegeLine(figures: SiegeFigures): string {
  const { nodes, served, slowestMs, servedThroughKills, kills, stalled, halfOpen, disk, job } = figures;
  const around = `${stalled} stalled downloads, ${halfOpen} half-open clients, disk ${disk === '' ? 'not full' : `full (${disk})`}`;
  return `${around}: ${served} of ${nodes} nodes served, the slowest in ${slowestMs} ms; ${kills} kills: ${servedThroughKills} of ${nodes} nodes got everything; job ${job}`;
}

const TOOL = join(import.meta.dirname, '../tools/boot-siege.ts');
const SMALL_DISK = 'mount -t tmpfs -o size=64k small "$1" && shift && exec "$@"';

/** The same with the server's own directory on a file system of 64 KiB, in a mount namespace. Needs `unshare`. */
export async function besiegeOnSmallDisk(siege: Siege): Promise<SiegeFigures> {
  mkdirSync(siege.stateDir, { recursive: true });
  const flags = process.getuid?.() === 0 ? '-m' : '-rm';
  const inside = [siege.stateDir, process.execPath, TOOL, JSON.stringify(siege)];
  const { stdout } = await execa('unshare', [flags, 'sh', '-c', SMALL_DISK, 'sh', ...inside], { stderr: 'inherit' });
  return JSON.parse(stdout) as SiegeFigures;
}
