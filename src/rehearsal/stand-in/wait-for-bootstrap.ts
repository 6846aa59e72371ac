import { MINUTE, SECOND } from '../../ports/clock.ts';
import { isAtLeast, type ReleaseFacts } from '../site/versions.ts';
import type { ApiClient } from './api-client.ts';
import { ExitError } from './console.ts';
import { conditionOf, valueAt } from './objects.ts';
import {
  clientOf,
  duration,
  elapsed,
  gatherHint,
  OPERATORS,
  poll,
  quietly,
  reportOperators,
  until,
  type WaitOptions,
} from './waiting.ts';

const BOOTSTRAP_FAILED = 5;

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

/** 4.16 on: 45 min; 4.6 to 4.15: 30; before: 40. */
function bootstrapLimit(release: ReleaseFacts): number {
  if (isAtLeast(release, 4, 16)) return 45 * MINUTE;
  return isAtLeast(release, 4, 6) ? 30 * MINUTE : 40 * MINUTE;
}
