// The cost of a live cluster: one look from the command line, an hour of polling, a minute of the live screen.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startCluster } from './clusters.ts';
import { cpuWhile, toTheEnd } from './processes.ts';
import type { Line } from './statistics.ts';

/** Bundles a program of this folder; returns its file. */
export type Bundle = (file: string) => Promise<string>;

const RUNS = 25;

/**
 * `status` from a cold start, against `--version` and one bare LIST of the operators together, with the same server:
 * the minimum for any program that looks at a cluster.
 */
export async function statusRow(program: string, bundle: Bundle, dir: string): Promise<Line[]> {
  const cluster = await startCluster(await bundle('cluster-main.ts'), dir, { nodes: 10, operators: 40, requests: 20 });
  try {
    const programs = {
      version: [program, '--version'],
      list: [await bundle('bare-list.ts'), cluster.kubeconfig, '/apis/config.openshift.io/v1/clusteroperators'],
      status: [program, 'status', '--dir', cluster.dir],
    };
    const least = {
      version: Number.POSITIVE_INFINITY,
      list: Number.POSITIVE_INFINITY,
      status: Number.POSITIVE_INFINITY,
    };
    // In turn: the machine is busier at some times than at others. The first round fills the caches.
    for (let run = 0; run <= RUNS; run += 1) {
      for (const name of ['version', 'list', 'status'] as const) {
        const { cpuMs } = toTheEnd(programs[name]);
        if (run > 0) least[name] = Math.min(least[name], cpuMs);
      }
    }
    return [
      {
        row: 'status, CPU min',
        unit: 'ms',
        value: least.status,
        reference: { what: '--version and a bare LIST', value: least.version + least.list },
        target: { of: 'ratio', most: 2 },
      },
    ];
  } finally {
    cluster.close();
  }
}

/** An hour in front of the screens of the operators and of the certificates, a look at each every 3 seconds. */
export async function pollingRow(bundle: Bundle, dir: string): Promise<Line[]> {
  const cluster = await startCluster(await bundle('cluster-main.ts'), dir, { nodes: 50, operators: 40, requests: 500 });
  try {
    const args = ['--expose-gc', await bundle('polling-main.ts'), cluster.dir, `${LOOKS}`];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const found = JSON.parse(stdout) as Record<'firstMiB' | 'lastMiB' | 'peakMiB' | 'cpuMs', number>;
    const row = 'hour of polling';
    return [
      { row: `${row}, memory`, unit: 'MiB', value: found.peakMiB, target: { of: 'value', most: 160 } },
      { row: `${row}, growth`, unit: 'MiB', value: found.lastMiB - found.firstMiB, target: { of: 'value', most: 20 } },
      { row: `${row}, CPU of two looks`, unit: 'ms', value: found.cpuMs / LOOKS },
    ];
  } finally {
    cluster.close();
  }
}

const LOOKS = 1200;
const MINUTE_MS = 60_000;

/** The operators' screen for a minute in which nothing happens. */
export async function idleRow(program: string, bundle: Bundle, dir: string): Promise<Line[]> {
  const cluster = await startCluster(await bundle('cluster-main.ts'), dir, { nodes: 10, operators: 40, requests: 20 });
  try {
    const cpuMs = await cpuWhile(
      [program, '--dir', cluster.dir],
      cluster.dir,
      ['Welcome', '\r', '32 of 40 available'],
      MINUTE_MS,
    );
    const value = (cpuMs / MINUTE_MS) * 100;
    return [{ row: 'idle live screen, CPU', unit: '%', value, target: { of: 'value', most: 2 } }];
  } finally {
    cluster.close();
  }
}
