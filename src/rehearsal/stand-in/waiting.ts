import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, SECOND } from '../../ports/clock.ts';
import type { Reach } from '../../ports/reach.ts';
import { isAtLeast, type ReleaseFacts } from '../site/versions.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { type Console, ExitError } from './console.ts';
import { conditionsOf, itemsOf, valueAt } from './objects.ts';

/** What a wait works with. */
export interface WaitOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly reach: Reach;
  readonly release: ReleaseFacts;
  readonly out: Console;
}

export const OPERATORS = '/apis/config.openshift.io/v1/clusteroperators';

/** What openshift-install says of the operators when a wait has failed: every condition that is not as usual. */
export async function reportOperators(api: ApiClient, out: Console): Promise<void> {
  const usual: Readonly<Record<string, string>> = { Available: 'True', Progressing: 'False', Degraded: 'False' };
  for (const operator of itemsOf(await quietly(api, OPERATORS))) {
    const name = String(valueAt(operator, 'metadata', 'name'));
    for (const { type, status, reason, message } of conditionsOf(valueAt(operator, 'status'))) {
      if (usual[type] === undefined || usual[type] === status) continue;
      const line = `Cluster operator ${name} ${type} is ${status} with ${reason ?? ''}: ${message ?? ''}`;
      out.say(type === 'Degraded' ? 'error' : 'info', line);
    }
  }
}

/** How to gather logs, said after a failed bootstrap. */
export function gatherHint(out: Console): void {
  out.say('info', 'Use the following commands to gather logs from the cluster');
  out.say('info', 'openshift-install gather bootstrap --help');
}

/**
 * The API by <dir>/auth/kubeconfig, after the first lines of every wait.
 * @throws ExitError
 */
export function clientOf({ dir, reach, release, out }: WaitOptions): ApiClient {
  out.say('debug', `OpenShift Installer ${release.version}`);
  out.say('debug', 'Built from commit 694d083d3332bd5b892f0098a91be6c206b18fce');
  const path = join(dir, 'auth/kubeconfig');
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new ExitError(`loading kubeconfig: stat ${path}: no such file or directory`, 1);
  }
  return createApiClient(text, path, reach);
}

/** How long it took, by stage and in all. */
export function elapsed({ clock, out }: WaitOptions, stage: string, startedAt: number): void {
  const took = duration(clock.now() - startedAt);
  out.say('debug', 'Time elapsed per stage:');
  out.say('debug', `${stage}: ${took}`);
  out.say('info', `Time elapsed: ${took}`);
}

/** ` (until 4:31AM UTC)`; 4.10 to 4.14 without zone, nothing before. */
export function until({ clock, release }: Pick<WaitOptions, 'clock' | 'release'>, limit: number): string {
  if (!isAtLeast(release, 4, 10)) return '';
  const end = new Date(clock.now() + limit);
  const hour = end.getUTCHours() % 12 || 12;
  const text = `${hour}:${String(end.getUTCMinutes()).padStart(2, '0')}${end.getUTCHours() < 12 ? 'AM' : 'PM'}`;
  return ` (until ${text}${isAtLeast(release, 4, 15) ? ' UTC' : ''})`;
}

/** As Go prints durations, in whole seconds: `20m0s`, `5m19s`, `1h2m3s`. */
export function duration(ms: number): string {
  const total = Math.round(ms / SECOND);
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

/** Asks every `every` milliseconds of the clock until it is done (true) or `limit` milliseconds are over (false). */
export async function poll(
  clock: Clock,
  limit: number,
  every: number,
  isDone: () => Promise<boolean>,
): Promise<boolean> {
  const end = clock.now() + limit;
  for (;;) {
    if (await isDone()) return true;
    if (clock.now() >= end) return false;
    await clock.sleep(every);
  }
}

/** The object, or null while the API is away: the real program says nothing then. */
export async function quietly(api: ApiClient, path: string): Promise<Record<string, unknown> | null> {
  try {
    return await api.get(path);
  } catch {
    return null;
  }
}
