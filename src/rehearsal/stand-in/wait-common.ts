import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, SECOND } from '../../platform/clock.ts';
import type { ResolveEndpoint } from '../../platform/manual-actions.ts';
import { isAtLeast, type ReleaseFacts } from '../site/config.ts';
import { type ApiClient, createApiClient, getField, listConditions, listItems } from './api-client.ts';
import { ExitError, type InstallerLog } from './installer-log.ts';

/** Options of the `wait-for` commands. */
export interface WaitOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly resolveEndpoint: ResolveEndpoint;
  readonly release: ReleaseFacts;
  readonly out: InstallerLog;
}

export const CLUSTER_OPERATORS_PATH = '/apis/config.openshift.io/v1/clusteroperators';

/**
 * Reports every operator condition that differs from its normal status, as openshift-install does after a failed wait.
 */
export async function reportOperators(api: ApiClient, out: InstallerLog): Promise<void> {
  const normal: Readonly<Record<string, string>> = { Available: 'True', Progressing: 'False', Degraded: 'False' };
  for (const operator of listItems(await getOrNull(api, CLUSTER_OPERATORS_PATH))) {
    const name = String(getField(operator, 'metadata', 'name'));
    for (const { type, status, reason, message } of listConditions(getField(operator, 'status'))) {
      if (normal[type] === undefined || normal[type] === status) continue;
      const line = `Cluster operator ${name} ${type} is ${status} with ${reason ?? ''}: ${message ?? ''}`;
      out.log(type === 'Degraded' ? 'error' : 'info', line);
    }
  }
}

/** Prints how to gather logs after a failed bootstrap. */
export function printGatherHint(out: InstallerLog): void {
  out.log('info', 'Use the following commands to gather logs from the cluster');
  out.log('info', 'openshift-install gather bootstrap --help');
}

/**
 * Creates the API client from `<dir>/auth/kubeconfig`, after the first log lines of every wait.
 * @throws ExitError
 */
export function createClient({ dir, resolveEndpoint, release, out }: WaitOptions): ApiClient {
  out.log('debug', `OpenShift Installer ${release.version}`);
  out.log('debug', 'Built from commit 694d083d3332bd5b892f0098a91be6c206b18fce');
  const path = join(dir, 'auth/kubeconfig');
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new ExitError(`loading kubeconfig: stat ${path}: no such file or directory`, 1);
  }
  return createApiClient(text, path, resolveEndpoint);
}

/**
 * Reports the elapsed time, by stage and in total.
 * @param startedAt ms
 */
export function reportElapsed({ clock, out }: WaitOptions, stage: string, startedAt: number): void {
  const time = formatDuration(clock.now() - startedAt);
  out.log('debug', 'Time elapsed per stage:');
  out.log('debug', `${stage}: ${time}`);
  out.log('info', `Time elapsed: ${time}`);
}

/**
 * Formats ` (until 4:31AM UTC)`. 4.10 to 4.14 print no time zone, earlier releases nothing.
 * @param limit ms
 */
export function formatUntil({ clock, release }: Pick<WaitOptions, 'clock' | 'release'>, limit: number): string {
  if (!isAtLeast(release, 4, 10)) return '';
  const end = new Date(clock.now() + limit);
  const hour = end.getUTCHours() % 12 || 12;
  const text = `${hour}:${String(end.getUTCMinutes()).padStart(2, '0')}${end.getUTCHours() < 12 ? 'AM' : 'PM'}`;
  return ` (until ${text}${isAtLeast(release, 4, 15) ? ' UTC' : ''})`;
}

/** Formats a duration as Go does, in whole seconds: `20m0s`, `5m19s`, `1h2m3s`. */
export function formatDuration(ms: number): string {
  const total = Math.round(ms / SECOND);
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

/**
 * Polls until `isDone` holds (returns true) or the time is over (returns false).
 * @param limit ms of the clock
 * @param interval ms of the clock between two calls
 */
export async function poll(
  clock: Clock,
  limit: number,
  interval: number,
  isDone: () => Promise<boolean>,
): Promise<boolean> {
  const end = clock.now() + limit;
  for (;;) {
    if (await isDone()) return true;
    if (clock.now() >= end) return false;
    await clock.sleep(interval);
  }
}

/** Returns the object, or null if it does not exist or the API is unavailable: the real program prints nothing then. */
export async function getOrNull(api: ApiClient, path: string): Promise<Record<string, unknown> | null> {
  try {
    return await api.get(path);
  } catch {
    return null;
  }
}
