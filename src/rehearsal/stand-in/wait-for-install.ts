import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { isAtLeast } from '../site/versions.ts';
import type { ApiClient } from './api-client.ts';
import { type Console, ExitError } from './console.ts';
import { conditionOf, conditionsOf, itemsOf, valueAt } from './objects.ts';
import {
  clientOf,
  duration,
  elapsed,
  OPERATORS,
  poll,
  quietly,
  reportOperators,
  until,
  type WaitOptions,
} from './waiting.ts';

const INSTALL_FAILED = 6;
const OPERATORS_UNSTABLE = 7;

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
