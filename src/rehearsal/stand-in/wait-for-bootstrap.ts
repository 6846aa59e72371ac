import { MINUTE, SECOND } from '../../platform/clock.ts';
import { isAtLeast, type ReleaseFacts } from '../site/versions.ts';
import type { ApiClient } from './api-client.ts';
import { ExitError } from './installer-log.ts';
import { findCondition, getField } from './objects.ts';
import {
  CLUSTER_OPERATORS_PATH,
  createClient,
  formatDuration,
  formatUntil,
  getOrNull,
  poll,
  printGatherHint,
  reportElapsed,
  reportOperators,
  type WaitOptions,
} from './wait-common.ts';

const BOOTSTRAP_FAILED = 5;

/** `wait-for bootstrap-complete` (cmd/openshift-install/command/waitfor.go of openshift/installer). */
export async function waitForBootstrapComplete(options: WaitOptions): Promise<void> {
  const { clock, release, out } = options;
  const startedAt = clock.now();
  const api = createClient(options);
  await waitForApi(options, api);
  const limit = getBootstrapTimeout(release);
  out.log(
    'info',
    `Waiting up to ${formatDuration(limit)}${formatUntil(options, limit)} for bootstrapping to complete...`,
  );
  let lastStatus = '';
  const isComplete = await poll(clock, limit, SECOND, async () => {
    const status = String(
      getField(await getOrNull(api, '/api/v1/namespaces/kube-system/configmaps/bootstrap'), 'data', 'status') ?? '',
    );
    if (status !== '' && status !== lastStatus) out.log('debug', `Bootstrap status: ${status}`);
    lastStatus = status;
    return status === 'complete';
  });
  if (!isComplete) {
    await reportOperators(api, out);
    printGatherHint(out);
    out.log('error', 'Bootstrap failed to complete: timed out waiting for the condition');
    throw new ExitError(
      'Failed to wait for bootstrapping to complete. This error usually happens when there is a problem with control plane hosts that prevents the control plane operators from creating the control plane.',
      BOOTSTRAP_FAILED,
    );
  }
  if (isAtLeast(release, 4, 19)) {
    out.log('info', 'Waiting for the bootstrap etcd member to be removed...');
    await poll(clock, Number.POSITIVE_INFINITY, SECOND, async () => {
      const etcd = await getOrNull(api, '/apis/operator.openshift.io/v1/etcds/cluster');
      return findCondition(etcd, 'EtcdBootstrapMemberRemoved')?.status === 'True';
    });
    out.log('info', 'Bootstrap etcd member has been removed');
  }
  out.log('info', 'It is now safe to remove the bootstrap resources');
  reportElapsed(options, 'Bootstrap Complete', startedAt);
}

async function waitForApi({ clock, release, out }: WaitOptions, api: ApiClient): Promise<void> {
  const limit = 20 * MINUTE;
  out.log(
    'info',
    `Waiting up to ${formatDuration(limit)}${formatUntil({ clock, release }, limit)} for the Kubernetes API at ${api.server}...`,
  );
  out.log('debug', 'Loading Agent Config...');
  let lastError = '';
  let reportedAt = Number.NEGATIVE_INFINITY;
  let version = '';
  const isUp = await poll(clock, limit, 2 * SECOND, async () => {
    try {
      version = String((await api.get('/version'))?.gitVersion ?? '');
      return true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const kind = message.split(':').at(-1) ?? '';
      if (kind !== lastError.split(':').at(-1) || clock.now() - reportedAt >= 30 * SECOND) {
        out.log('debug', `Still waiting for the Kubernetes API: ${message}`);
        reportedAt = clock.now();
      }
      lastError = message;
      return false;
    }
  });
  if (isUp) {
    out.log('info', `API ${version} up`);
    out.log('debug', 'Loading Install Config...');
    out.log('debug', '  Loading SSH Key...');
    out.log('debug', '  Loading Base Domain...');
    out.log('debug', '  Loading Pull Secret...');
    out.log('debug', 'Using Install Config loaded from state file');
    return;
  }
  out.log(
    'error',
    `Attempted to gather ClusterOperator status after wait failure: listing ClusterOperator objects: ${lastError.replace('/version', CLUSTER_OPERATORS_PATH)}`,
  );
  printGatherHint(out);
  out.log('error', `Bootstrap failed to complete: ${lastError}`);
  throw new ExitError(
    'Failed waiting for Kubernetes API. This error usually happens when there is a problem on the bootstrap host that prevents creating a temporary control plane.',
    BOOTSTRAP_FAILED,
  );
}

/** Returns the time limit, ms: 45 min since 4.16, 30 min for 4.6 to 4.15, 40 min before. */
function getBootstrapTimeout(release: ReleaseFacts): number {
  if (isAtLeast(release, 4, 16)) return 45 * MINUTE;
  return isAtLeast(release, 4, 6) ? 30 * MINUTE : 40 * MINUTE;
}
