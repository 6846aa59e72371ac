// The cost of a live cluster: one probe from the command line, an hour of polling, a minute of the live screen.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startCluster } from './clusters.ts';
import { measureCpuOnScreen, runToEnd } from './processes.ts';
import type { ResultLine } from './statistics.ts';

/** Bundles a program of this folder and returns its file. */
export type Bundle = (file: string, isSplit?: boolean) => Promise<string>;

const RUNS = 25;

/**
 * Measures `status` from a cold start. The reference is `--version` plus one bare LIST of the operators on the same
 * server: the minimum for any program that probes a cluster.
 */
export async function measureStatus(program: string, bundle: Bundle, dir: string): Promise<ResultLine[]> {
  const cluster = await startCluster(await bundle('cluster-main.ts'), dir, { nodes: 10, operators: 40, requests: 20 });
  try {
    const programs = {
      version: [program, '--version'],
      list: [await bundle('bare-list.ts'), cluster.kubeconfig, '/apis/config.openshift.io/v1/clusteroperators'],
      status: [program, 'status', '--dir', cluster.dir],
    };
    const minimum = {
      version: Number.POSITIVE_INFINITY,
      list: Number.POSITIVE_INFINITY,
      status: Number.POSITIVE_INFINITY,
    };
    // Alternately, because the load of the machine varies. The first round fills the caches.
    for (let run = 0; run <= RUNS; run += 1) {
      for (const name of ['version', 'list', 'status'] as const) {
        const { cpuMs } = runToEnd(programs[name]);
        if (run > 0) minimum[name] = Math.min(minimum[name], cpuMs);
      }
    }
    return [
      {
        row: 'status, CPU min',
        unit: 'ms',
        value: minimum.status,
        reference: { what: '--version and a bare LIST', value: minimum.version + minimum.list },
        target: { of: 'ratio', most: 2 },
      },
    ];
  } finally {
    cluster.close();
  }
}

/** Measures an hour on the screens of the operators and the certificates, with a probe of each every 3 seconds. */
export async function measurePolling(bundle: Bundle, dir: string): Promise<ResultLine[]> {
  const cluster = await startCluster(await bundle('cluster-main.ts'), dir, { nodes: 50, operators: 40, requests: 500 });
  try {
    const args = ['--expose-gc', await bundle('polling-main.ts', true), cluster.dir, `${PROBES}`];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const found = JSON.parse(stdout) as Record<'firstMiB' | 'lastMiB' | 'peakMiB' | 'cpuMs', number>;
    const row = 'hour of polling';
    return [
      { row: `${row}, memory`, unit: 'MiB', value: found.peakMiB, target: { of: 'value', most: 130 } },
      { row: `${row}, growth`, unit: 'MiB', value: found.lastMiB - found.firstMiB, target: { of: 'value', most: 20 } },
      { row: `${row}, CPU of two looks`, unit: 'ms', value: found.cpuMs / PROBES },
    ];
  } finally {
    cluster.close();
  }
}

const PROBES = 1200;
const MINUTE_MS = 60_000;

/**
 * Measures the operators' screen for a minute without changes: that of the checkout, and that of a package.
 * @param launcher the start script of the unpacked package
 */
export async function measureIdleScreen(
  program: string,
  launcher: string,
  bundle: Bundle,
  dir: string,
): Promise<ResultLine[]> {
  const cluster = await startCluster(await bundle('cluster-main.ts'), dir, { nodes: 10, operators: 40, requests: 20 });
  try {
    const measure = async (args: readonly string[], file?: string) =>
      await measureCpuOnScreen(
        [...args, '--dir', cluster.dir],
        cluster.dir,
        ['Welcome', '\r', '32 of 40 available'],
        MINUTE_MS,
        file,
      );
    const { cpuMs, rssMiB } = await measure([program]);
    const packageUsage = await measure([], launcher);
    const toPercent = (ms: number) => (ms / MINUTE_MS) * 100;
    const row = 'idle live screen';
    return [
      { row: `${row}, CPU`, unit: '%', value: toPercent(cpuMs), target: { of: 'value', most: 1 } },
      { row: `${row}, memory`, unit: 'MiB', value: rssMiB },
      { row: `package ${row}, CPU`, unit: '%', value: toPercent(packageUsage.cpuMs), target: { of: 'value', most: 1 } },
      {
        row: `package ${row}, memory`,
        unit: 'MiB',
        value: packageUsage.rssMiB,
        target: { of: 'value', most: 110 },
      },
    ];
  } finally {
    cluster.close();
  }
}

/**
 * Limit of requests for one probe of the infra moves. The pods, budgets and nodes of the preflight are read every 30 s.
 */
const MAX_REQUESTS = 25;

/**
 * Measures `infra plan` against `status` on the same cluster, and the number of requests in one probe of the infra
 * moves' screen.
 */
export async function measureInfra(program: string, bundle: Bundle, dir: string): Promise<ResultLine[]> {
  const size = { nodes: 10, operators: 40, requests: 0, screen: 'infra' } as const;
  const cluster = await startCluster(await bundle('cluster-main.ts'), dir, size);
  try {
    const programs = {
      plan: [program, 'infra', 'plan', '--dir', cluster.dir],
      status: [program, 'status', '--dir', cluster.dir],
    };
    const minimum = { plan: Number.POSITIVE_INFINITY, status: Number.POSITIVE_INFINITY };
    for (let run = 0; run <= RUNS; run += 1) {
      for (const name of ['plan', 'status'] as const) {
        const { cpuMs } = runToEnd(programs[name], EXIT_CODES[name]);
        if (run > 0) minimum[name] = Math.min(minimum[name], cpuMs);
      }
    }
    const before = await cluster.requestCounts();
    await measureCpuOnScreen(
      [program, '--dir', cluster.dir],
      cluster.dir,
      ['Welcome', '\r', 'registry-storage'],
      MINUTE_MS,
    );
    const after = await cluster.requestCounts();
    const countRequests = (path: string) => (after[path] ?? 0) - (before[path] ?? 0);
    const probes = countRequests(PROBED_PATH);
    if (probes < 5) throw new Error(`the screen looked ${probes} times in a minute`);
    const total = Object.keys(after).reduce((sum, path) => sum + countRequests(path), 0);
    return [
      {
        row: 'infra plan, CPU min',
        unit: 'ms',
        value: minimum.plan,
        reference: { what: 'status', value: minimum.status },
        target: { of: 'ratio', most: 1.5 },
      },
      {
        row: 'requests per look of the infra screen',
        unit: '',
        value: total / probes,
        target: { of: 'value', most: MAX_REQUESTS },
      },
    ];
  } finally {
    cluster.close();
  }
}

/** Every probe of the moves reads this object once. */
const PROBED_PATH = '/apis/operator.openshift.io/v1/dnses/default';

/** The load balancer of that cluster still has the bootstrap machine: two moves are blocked. */
const EXIT_CODES = { plan: 4, status: 0 } as const;
