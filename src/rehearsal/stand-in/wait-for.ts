import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { type Clock, MINUTE, SECOND } from '../../ports/clock.ts';
import type { Reach } from '../../ports/reach.ts';
import { isAtLeast, type ReleaseFacts } from '../site/versions.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { type Console, ExitError } from './console.ts';
import { conditionOf, conditionsOf, itemsOf, valueAt } from './objects.ts';

export interface WaitOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly reach: Reach;
  readonly release: ReleaseFacts;
  readonly out: Console;
}

const BOOTSTRAP_FAILED = 5;
const INSTALL_FAILED = 6;
const OPERATORS_UNSTABLE = 7;
const OPERATORS = '/apis/config.openshift.io/v1/clusteroperators';

/** `wait-for bootstrap-complete` (cmd/openshift-install/command/waitfor.go of openshift/installer). */
export async function waitForBootstrapComplete(options: WaitOptions): Promise<void> {
  const { clock, release, out } = options;
  const startedAt = clock.now();
  const api = clientOf(options);
  await waitForApi(options, api);
  const limit = bootstrapLimit(release);
  out.say('info', `Waiting up to ${duration(limit)}${until(options, limit)} for bootstrapping to complete...`);
  let last = '';
  const isComplete = await poll(clock, limit, SECOND, async () => {
    const status = String(
      valueAt(await quietly(api, '/api/v1/namespaces/kube-system/configmaps/bootstrap'), 'data', 'status') ?? '',
    );
    if (status !== '' && status !== last) out.say('debug', `Bootstrap status: ${status}`);
    last = status;
    return status === 'complete';
  });
  if (!isComplete) {
    await reportOperators(api, out);
    gatherHint(out);
    out.say('error', 'Bootstrap failed to complete: timed out waiting for the condition');
    throw new ExitError(
      'Failed to wait for bootstrapping to complete. This error usually happens when there is a problem with control plane hosts that prevents the control plane operators from creating the control plane.',
      BOOTSTRAP_FAILED,
    );
  }
  if (isAtLeast(release, 4, 19)) {
    out.say('info', 'Waiting for the bootstrap etcd member to be removed...');
    await poll(clock, Number.POSITIVE_INFINITY, SECOND, async () => {
      const etcd = await quietly(api, '/apis/operator.openshift.io/v1/etcds/cluster');
      return conditionOf(etcd, 'EtcdBootstrapMemberRemoved')?.status === 'True';
    });
    out.say('info', 'Bootstrap etcd member has been removed');
  }
  out.say('info', 'It is now safe to remove the bootstrap resources');
  elapsed(options, 'Bootstrap Complete', startedAt);
}

async function waitForApi({ clock, release, out }: WaitOptions, api: ApiClient): Promise<void> {
  const limit = 20 * MINUTE;
  out.say(
    'info',
    `Waiting up to ${duration(limit)}${until({ clock, release }, limit)} for the Kubernetes API at ${api.server}...`,
  );
  out.say('debug', 'Loading Agent Config...');
  let lastError = '';
  let saidAt = Number.NEGATIVE_INFINITY;
  let version = '';
  const isUp = await poll(clock, limit, 2 * SECOND, async () => {
    try {
      version = String((await api.get('/version'))?.gitVersion ?? '');
      return true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const kind = message.split(':').at(-1) ?? '';
      if (kind !== lastError.split(':').at(-1) || clock.now() - saidAt >= 30 * SECOND) {
        out.say('debug', `Still waiting for the Kubernetes API: ${message}`);
        saidAt = clock.now();
      }
      lastError = message;
      return false;
    }
  });
  if (isUp) {
    out.say('info', `API ${version} up`);
    out.say('debug', 'Loading Install Config...');
    out.say('debug', '  Loading SSH Key...');
    out.say('debug', '  Loading Base Domain...');
    out.say('debug', '  Loading Pull Secret...');
    out.say('debug', 'Using Install Config loaded from state file');
    return;
  }
  out.say(
    'error',
    `Attempted to gather ClusterOperator status after wait failure: listing ClusterOperator objects: ${lastError.replace('/version', OPERATORS)}`,
  );
  gatherHint(out);
  out.say('error', `Bootstrap failed to complete: ${lastError}`);
  throw new ExitError(
    'Failed waiting for Kubernetes API. This error usually happens when there is a problem on the bootstrap host that prevents creating a temporary control plane.',
    BOOTSTRAP_FAILED,
  );
}

/** `wait-for install-complete`. */
export async function waitForInstallComplete(options: WaitOptions): Promise<void> {
  const { dir, clock, release, out } = options;
  const startedAt = clock.now();
  const api = clientOf(options);
  const limit = isAtLeast(release, 4, 6) ? 40 * MINUTE : 30 * MINUTE;
  out.say(
    'info',
    `Waiting up to ${duration(limit)}${until(options, limit)} for the cluster at ${api.server} to initialize...`,
  );
  let last = '';
  const isReady = await poll(clock, limit, 2 * SECOND, async () => {
    const version = await quietly(api, '/apis/config.openshift.io/v1/clusterversions/version');
    const [available, failing, progressing] = ['Available', 'Failing', 'Progressing'].map((type) =>
      conditionOf(version, type),
    );
    if (available?.status === 'True' && failing?.status === 'False' && progressing?.status === 'False') return true;
    const message = failing?.status === 'True' ? failing.message : progressing?.message;
    if (message && message !== last) out.say('debug', `Still waiting for the cluster to initialize: ${message}`);
    last = message ?? last;
    return false;
  });
  if (!isReady) {
    await reportOperators(api, out);
    initializationFailed(out, `failed to initialize the cluster: ${last}`);
  }
  out.say('debug', 'Cluster is initialized');
  await takeIngressAuthority(dir, api, out);
  if (isAtLeast(release, 4, 15)) await waitForStableOperators(options, api);
  await findConsole(options, api);
  elapsed(options, 'Cluster Operators Stable', startedAt);
}

async function waitForStableOperators(options: WaitOptions, api: ApiClient): Promise<void> {
  const { clock, out } = options;
  const limit = 30 * MINUTE;
  out.say(
    'info',
    `Waiting up to ${duration(limit)}${until(options, limit)} to ensure each cluster operator has finished progressing...`,
  );
  const stable = new Set<string>();
  let names: string[] = [];
  const areStable = await poll(clock, limit, SECOND, async () => {
    const operators = itemsOf(await quietly(api, OPERATORS));
    names = operators.map((operator) => String(valueAt(operator, 'metadata', 'name')));
    for (const [index, operator] of operators.entries()) {
      const name = names[index] ?? '';
      const progressing = conditionOf(operator, 'Progressing');
      const since = Date.parse(progressing?.lastTransitionTime ?? '');
      const isStable = progressing?.status === 'False' && clock.now() - since > 30 * SECOND;
      if (isStable && !stable.has(name)) out.say('debug', `Cluster Operator ${name} is stable`);
      if (!isStable && stable.has(name)) out.say('debug', `Cluster Operator ${name} became unstable`);
      if (isStable) stable.add(name);
      else stable.delete(name);
    }
    return names.length > 0 && names.every((name) => stable.has(name));
  });
  if (areStable) {
    out.say('info', 'All cluster operators have completed progressing');
    return;
  }
  out.say('error', 'Error checking cluster operator Progressing status: "context deadline exceeded"');
  const unstable = names.filter((name) => !stable.has(name));
  throw new ExitError(`These cluster operators were not stable: [${unstable.join(', ')}]`, OPERATORS_UNSTABLE);
}

async function findConsole({ dir, clock, release, out }: WaitOptions, api: ApiClient): Promise<void> {
  out.say('info', 'Checking to see if there is a route at openshift-console/console...');
  let host = '';
  const limit = isAtLeast(release, 4, 12) ? 2 * MINUTE : 10 * MINUTE;
  const isAdmitted = await poll(clock, limit, 2 * SECOND, async () => {
    const route = await quietly(api, '/apis/route.openshift.io/v1/namespaces/openshift-console/routes/console');
    host = String(valueAt(route, 'spec', 'host') ?? '');
    return conditionsOf(valueAt(route, 'status', 'ingress', 0)).some(
      ({ type, status }) => type === 'Admitted' && status === 'True',
    );
  });
  if (isAdmitted) {
    out.say('debug', 'Route found in openshift-console namespace: console');
    out.say('debug', 'OpenShift console route is admitted');
  } else out.say('warning', 'Cluster does not have a console available: could not get openshift-console URL');
  out.say('info', 'Install complete!');
  out.say('info', "To access the cluster as the system:admin user when using 'oc', run");
  out.say('info', `    export KUBECONFIG=${join(dir, 'auth/kubeconfig')}`);
  if (!isAdmitted) return;
  const password = readFileSync(join(dir, 'auth/kubeadmin-password'), 'utf8').trim();
  out.say('info', `Access the OpenShift web-console here: https://${host}`);
  out.say('info', `Login to the console with user: "kubeadmin", and password: "${password}"`);
}

/** Puts the authority of the routers into auth/kubeconfig, once more at every run, as the real program does. */
async function takeIngressAuthority(dir: string, api: ApiClient, out: Console): Promise<void> {
  const map = await quietly(api, '/api/v1/namespaces/openshift-config-managed/configmaps/default-ingress-cert');
  const bundle = String(valueAt(map, 'data', 'ca-bundle.crt') ?? '');
  if (bundle === '') {
    initializationFailed(
      out,
      'error getting configmap openshift-config-managed/default-ingress-cert: configmaps "default-ingress-cert" not found',
    );
  }
  const path = join(dir, 'auth/kubeconfig');
  const document = parseDocument(readFileSync(path, 'utf8'));
  const where = ['clusters', 0, 'cluster', 'certificate-authority-data'];
  const known = Buffer.from(String(document.getIn(where)), 'base64').toString();
  document.setIn(where, Buffer.from(bundle + known).toString('base64'));
  writeFileSync(path, document.toString({ lineWidth: 0 }), { mode: 0o640 });
}

function initializationFailed(out: Console, cause: string): never {
  out.say('error', 'Cluster initialization failed because one or more operators are not functioning properly.');
  out.say(
    'error',
    'The cluster should be accessible for troubleshooting as detailed in the documentation linked below,',
  );
  out.say(
    'error',
    'https://docs.openshift.com/container-platform/latest/support/troubleshooting/troubleshooting-installations.html',
  );
  out.say('error', "The 'wait-for install-complete' subcommand can then be used to continue the installation");
  throw new ExitError(cause, INSTALL_FAILED);
}

async function reportOperators(api: ApiClient, out: Console): Promise<void> {
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

function gatherHint(out: Console): void {
  out.say('info', 'Use the following commands to gather logs from the cluster');
  out.say('info', 'openshift-install gather bootstrap --help');
}

function clientOf({ dir, reach, release, out }: WaitOptions): ApiClient {
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

function elapsed({ clock, out }: WaitOptions, stage: string, startedAt: number): void {
  const took = duration(clock.now() - startedAt);
  out.say('debug', 'Time elapsed per stage:');
  out.say('debug', `${stage}: ${took}`);
  out.say('info', `Time elapsed: ${took}`);
}

/** 4.16 on: 45 min; 4.6 to 4.15: 30; before: 40. */
function bootstrapLimit(release: ReleaseFacts): number {
  if (isAtLeast(release, 4, 16)) return 45 * MINUTE;
  return isAtLeast(release, 4, 6) ? 30 * MINUTE : 40 * MINUTE;
}

/** ` (until 4:31AM UTC)`; 4.10 to 4.14 without zone, nothing before. */
function until({ clock, release }: Pick<WaitOptions, 'clock' | 'release'>, limit: number): string {
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

async function poll(clock: Clock, limit: number, every: number, isDone: () => Promise<boolean>): Promise<boolean> {
  const end = clock.now() + limit;
  for (;;) {
    if (await isDone()) return true;
    if (clock.now() >= end) return false;
    await clock.sleep(every);
  }
}

/** The object, or null while the API is away: the real program says nothing then. */
async function quietly(api: ApiClient, path: string): Promise<Record<string, unknown> | null> {
  try {
    return await api.get(path);
  } catch {
    return null;
  }
}
