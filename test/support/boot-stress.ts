import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import type { BootServerConfig } from '../../src/host/boot-server/boot-config.ts';
import { readBootStatus } from '../../src/host/boot-server/boot-status.ts';
import { findJob } from '../../src/host/jobs/job-status.ts';
import { startJob, stopJob } from '../../src/host/jobs/jobs.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { findFreePort } from './free-port.ts';
import { getBuiltProgram } from './rehearsal-run.ts';

const MAIN = getBuiltProgram('boot-server');
const JOB = 'boot-server';
/** More than the buffers of two sockets hold: a client that reads nothing blocks the transfer. */
const ROOTFS = 24 * 1024 * 1024;
const KERNEL = 4 * 1024 * 1024;

export interface StressOptions {
  /** Directory for the log, the status and the job records of the server; its file system may be small. */
  readonly stateDir: string;
  /** Directory of the served files. */
  readonly filesDir: string;
  /** Clients that ask for the root file system and never read it. */
  readonly stalled: number;
  /** Connections that send half a request: half of them from one client, the others from a client each. */
  readonly halfOpen: number;
  /** Fills the file system of `stateDir` first. */
  readonly isDiskFull: boolean;
  /** Number of times that the server is killed while the nodes download. */
  readonly kills: number;
  readonly nodes: number;
  /** PATH of the job; another `sleep` there shortens its pauses. */
  readonly path?: string;
}

/** Result of a stress run. Times in milliseconds. */
export interface StressResult {
  readonly nodes: number;
  /** Nodes that downloaded boot script and kernel completely, all at once and under the whole load. */
  readonly served: number;
  /** Time of the slowest of these nodes. */
  readonly slowestMs: number;
  /** Nodes that downloaded the root file system completely although the server was killed meanwhile. */
  readonly servedThroughKills: number;
  readonly kills: number;
  readonly stalled: number;
  readonly halfOpen: number;
  /** ENOSPC if the disk was filled, otherwise empty. */
  readonly disk: string;
  /** State of the job at the end. */
  readonly job: string;
}

/** Starts the real boot server as a job and puts it under load. All processes have ended when this returns. */
export async function runStress(options: StressOptions): Promise<StressResult> {
  const { stateDir, kills, nodes, stalled, halfOpen } = options;
  const dir = join(stateDir, 'jobs');
  const sockets: Socket[] = [];
  const config = writeConfig(options, await findFreePort());
  const argv = [process.execPath, MAIN, config];
  const env = { PATH: options.path ?? '/usr/bin:/bin', HOME: '/' };
  await startJob({ dir, name: JOB, argv, env, clock, restart: 'failed' });
  try {
    const port = await waitUntilListening(join(stateDir, 'status.json'));
    const disk = options.isDiskFull ? fillDisk(stateDir) : '';
    const rootfsDigest = computeDigest(createContent(ROOTFS));
    const kernelDigest = computeDigest(createContent(KERNEL));
    await Promise.all(
      Array.from({ length: stalled }, (_, index) =>
        openSocket(
          port,
          `127.79.${index >> 8}.${(index & 255) + 1}`,
          'GET /images/rootfs HTTP/1.1\r\nHost: b\r\n\r\n',
          sockets,
        ),
      ),
    );
    for (let opened = 0; opened < halfOpen; opened += 100) {
      const round = Array.from({ length: Math.min(100, halfOpen - opened) }, (_, index) => {
        const from = index % 2 === 0 ? '127.77.0.66' : `127.78.${opened / 100}.${index + 1}`;
        return openSocket(port, from, 'GET /boot.ipxe HTTP/1.1\r\nHost: b', sockets);
      });
      await Promise.all(round);
    }
    const addresses = Array.from({ length: nodes }, (_, index) => `127.77.1.${index + 1}`);
    const times = await Promise.all(
      addresses.map(async (from) => {
        const startedAt = performance.now();
        const script = await downloadPart(port, from, '/boot.ipxe', 0);
        const image = await downloadPart(port, from, '/images/kernel', 0);
        const isWhole = script.toString() === '#!ipxe\n' && computeDigest(image) === kernelDigest;
        return isWhole ? performance.now() - startedAt : null;
      }),
    );
    const digests =
      kills === 0 ? addresses.map(() => rootfsDigest) : await downloadThroughKills(port, addresses, kills, dir);
    const served = times.filter((time) => time !== null);
    const job = await findJob(dir, JOB);
    return {
      nodes,
      served: served.length,
      slowestMs: Math.round(Math.max(0, ...served)),
      servedThroughKills: digests.filter((found) => found === rootfsDigest).length,
      kills,
      stalled,
      halfOpen,
      disk,
      job: `${job?.state}, restarted ${job?.lastRestart?.count ?? 0} times`,
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    await stopJob(dir, JOB, { clock });
  }
}

function createContent(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 4) bytes.writeUInt32LE(at, at);
  return bytes;
}

const computeDigest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function writeConfig({ stateDir, filesDir }: StressOptions, port: number): string {
  for (const name of ['web', 'images']) mkdirSync(join(filesDir, name), { recursive: true });
  writeFileSync(join(filesDir, 'web/boot.ipxe'), '#!ipxe\n');
  writeFileSync(join(filesDir, 'images/kernel'), createContent(KERNEL));
  writeFileSync(join(filesDir, 'images/rootfs'), createContent(ROOTFS));
  const config: BootServerConfig = {
    listen: { host: '0.0.0.0', port },
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

async function waitUntilListening(statusFile: string): Promise<number> {
  for (;;) {
    const status = readBootStatus(statusFile);
    if (status?.state === 'listening') return status.port;
    if (status?.state === 'failed') throw new Error(status.userError.cause);
    await clock.sleep(20);
  }
}

function fillDisk(dir: string): string {
  try {
    for (;;) appendFileSync(join(dir, 'rest'), 'x'.repeat(512));
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

/** Opens a connection that sends `text`, then nothing, and reads nothing. Later errors are ignored. */
function openSocket(port: number, localAddress: string, text: string, sockets: Socket[]): Promise<void> {
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

/**
 * Downloads a file from byte `start` on, as far as the connection lasts.
 * @param onProgress called with the number of bytes so far after each chunk; reading waits for it
 */
function downloadPart(
  port: number,
  localAddress: string,
  path: string,
  start: number,
  onProgress?: (received: number) => Promise<void>,
) {
  return new Promise<Buffer>((resolve) => {
    const chunks: Buffer[] = [];
    const end = () => resolve(Buffer.concat(chunks));
    const headers = start === 0 ? {} : { Range: `bytes=${start}-` };
    httpRequest({ host: '127.0.0.1', port, path, localAddress, agent: false, headers }, async (response) => {
      let received = start;
      try {
        for await (const chunk of response) {
          chunks.push(chunk as Buffer);
          received += (chunk as Buffer).length;
          await onProgress?.(received);
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
 * Every node pauses at the same points of its download. When all have paused, the server is killed, and the nodes
 * request the rest until they have it, as curl does on a node.
 * @returns the digest of each node's download
 */
async function downloadThroughKills(port: number, addresses: readonly string[], kills: number, dir: string) {
  const gates = Array.from({ length: kills }, () => Promise.withResolvers<void>());
  const arrived = gates.map(() => 0);
  const allArrived = gates.map(() => Promise.withResolvers<void>());
  const killer = (async () => {
    for (const [index, { promise }] of allArrived.entries()) {
      await promise;
      const before = await findJob(dir, JOB);
      process.kill(before?.pid ?? 0, 'SIGKILL');
      gates[index]?.resolve();
      // Waits until the server is back: otherwise the next kill would hit nothing.
      while (
        (await findJob(dir, JOB))?.lastRestart?.count !== index + 1 ||
        (await findJob(dir, JOB))?.isAwaitingRestart
      )
        await clock.sleep(20);
    }
  })();
  const digests = addresses.map(async (from) => {
    let passed = 0;
    let bytes: Buffer = Buffer.alloc(0);
    const stopAtGates = async (received: number) => {
      while (passed < kills && received >= ((passed + 1) * ROOTFS) / (kills + 2)) {
        const gate = passed;
        passed += 1;
        arrived[gate] = (arrived[gate] ?? 0) + 1;
        if (arrived[gate] === addresses.length) allArrived[gate]?.resolve();
        await gates[gate]?.promise;
      }
    };
    while (bytes.length < ROOTFS) {
      bytes = Buffer.concat([bytes, await downloadPart(port, from, '/images/rootfs', bytes.length, stopAtGates)]);
      if (bytes.length < ROOTFS) await clock.sleep(100);
    }
    return computeDigest(bytes);
  });
  await killer;
  return await Promise.all(digests);
}

/** Formats the result in one line, for a table. */
export function formatStressResult(result: StressResult): string {
  const { nodes, served, slowestMs, servedThroughKills, kills, stalled, halfOpen, disk, job } = result;
  const load = `${stalled} stalled downloads, ${halfOpen} half-open clients, disk ${disk === '' ? 'not full' : `full (${disk})`}`;
  return `${load}: ${served} of ${nodes} nodes served, the slowest in ${slowestMs} ms; ${kills} kills: ${servedThroughKills} of ${nodes} nodes got everything; job ${job}`;
}

const TOOL = join(import.meta.dirname, '../tools/boot-siege.ts');
const SMALL_DISK = 'mount -t tmpfs -o size=64k small "$1" && shift && exec "$@"';

/** Runs the same with the server's own directory on a file system of 64 KiB, in a mount namespace. Needs `unshare`. */
export async function runStressOnSmallDisk(options: StressOptions): Promise<StressResult> {
  mkdirSync(options.stateDir, { recursive: true });
  const flags = process.getuid?.() === 0 ? '-m' : '-rm';
  const command = [options.stateDir, process.execPath, TOOL, JSON.stringify(options)];
  const { stdout } = await execa('unshare', [flags, 'sh', '-c', SMALL_DISK, 'sh', ...command]);
  return JSON.parse(stdout) as StressResult;
}
