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

/** A look at the infra moves costs at most so many requests; the pods, budgets and nodes of the preflight are read each 30 s. */
const MOST_REQUESTS = 25;

/**
 * `infra plan` against `status` on the same cluster, and how many requests a look of the screen of the infra moves sends.
 */
export async function infraRow(program: string, bundle: Bundle, dir: string): Promise<Line[]> {
  const size = { nodes: 10, operators: 40, requests: 0, screen: 'infra' } as const;
  const cluster = await startCluster(await bundle('cluster-main.ts'), dir, size);
  try {
    const programs = {
      plan: [program, 'infra', 'plan', '--dir', cluster.dir],
      status: [program, 'status', '--dir', cluster.dir],
    };
    const least = { plan: Number.POSITIVE_INFINITY, status: Number.POSITIVE_INFINITY };
    for (let run = 0; run <= RUNS; run += 1) {
      for (const name of ['plan', 'status'] as const) {
        const { cpuMs } = toTheEnd(programs[name], EXITS[name]);
        if (run > 0) least[name] = Math.min(least[name], cpuMs);
      }
    }
    const before = await cluster.asked();
    await cpuWhile([program, '--dir', cluster.dir], cluster.dir, ['Welcome', '\r', 'registry-storage'], MINUTE_MS);
    const after = await cluster.asked();
    const sent = (path: string) => (after[path] ?? 0) - (before[path] ?? 0);
    const looks = sent(LOOKED_AT);
    if (looks < 5) throw new Error(`the screen looked ${looks} times in a minute`);
    const all = Object.keys(after).reduce((sum, path) => sum + sent(path), 0);
    return [
      {
        row: 'infra plan, CPU min',
        unit: 'ms',
        value: least.plan,
        reference: { what: 'status', value: least.status },
        target: { of: 'ratio', most: 1.5 },
      },
      {
        row: 'requests per look of the infra screen',
        unit: '',
        value: all / looks,
        target: { of: 'value', most: MOST_REQUESTS },
      },
    ];
  } finally {
    cluster.close();
  }
}

/** Every look at the moves reads it, once. */
const LOOKED_AT = '/apis/operator.openshift.io/v1/dnses/default';

/** Nobody has taken the bootstrap out of the balancer there: two moves are blocked. */
const EXITS = { plan: 4, status: 0 } as const;
