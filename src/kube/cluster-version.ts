import { getList, getString, isConditionTrue, type KubeObject, listConditions } from '../openshift/object.ts';
import { redact } from '../platform/secrets.ts';
import type { Cluster } from './api.ts';

/** Progress of the cluster towards a version: the conditions of the ClusterVersion `version`. */
export interface ClusterVersionView {
  readonly version: string;
  readonly available: boolean;
  readonly progressing: boolean;
  readonly failing: boolean;
  /** "640 of 869 done" in the message of the condition Progressing; null if that message has no numbers. */
  readonly done: number | null;
  readonly total: number | null;
  /**
   * How much of the release is applied, 0 to 100: by `done` and `total`, else as reported (before 4.6). 100 if the
   * cluster is available and not progressing; null: unknown.
   */
  readonly percent: number | null;
  readonly message: string;
  /** Start of the condition that `message` is from, in milliseconds since the epoch; null if not reported. */
  readonly since: number | null;
}

/**
 * Reads the one ClusterVersion; null before there is one.
 * @throws ClusterError
 */
export async function readClusterVersion(cluster: Cluster): Promise<ClusterVersionView | null> {
  const object = await cluster.get('ClusterVersion', 'version');
  return object && parseClusterVersion(object);
}

/** Reads `spec.clusterID` of the ClusterVersion, or its uid; null where the cluster has none. */
export async function readClusterId(cluster: Cluster): Promise<string | null> {
  const clusterVersion = await cluster.get('ClusterVersion', 'version');
  return getString(clusterVersion?.spec, 'clusterID') ?? clusterVersion?.metadata.uid ?? null;
}

const MAX_MESSAGE_LENGTH = 20_000;

/**
 * Parses the version of the cluster and its progress. The cluster version operator reports "Working towards 4.18.9:
 * 640 of 869 done (73% complete), waiting on console" (4.6 and later), "Working towards 4.5.9: 73% complete" (before),
 * "Unable to apply 4.18.9: …" and "Cluster version is 4.18.9". The installer reads the same conditions: Failing before
 * Progressing.
 */
export function parseClusterVersion(object: KubeObject): ClusterVersionView {
  const conditions = listConditions(object);
  const findCondition = (type: string) => conditions.find((condition) => condition.type === type);
  const failing = isConditionTrue(conditions, 'Failing');
  const available = isConditionTrue(conditions, 'Available');
  const progressing = isConditionTrue(conditions, 'Progressing');
  const text = findCondition('Progressing')?.message ?? '';
  const [, done, total] = /(\d{1,6}) of (\d{1,6}) done/.exec(text) ?? [];
  const [, percent] = /(\d{1,3})% complete/.exec(text) ?? [];
  const hasCount = done !== undefined && total !== undefined && Number(total) > 0;
  const relevantConditions = [
    failing ? findCondition('Failing') : undefined,
    findCondition('Progressing'),
    findCondition('Available'),
  ];
  const message = relevantConditions.find((condition) => condition?.message)?.message ?? '';
  return {
    version: getString(object.status, 'desired', 'version') ?? '',
    available,
    progressing,
    failing,
    done: hasCount ? Math.min(Number(done), Number(total)) : null,
    total: hasCount ? Number(total) : null,
    percent: hasCount
      ? Math.floor((Math.min(Number(done), Number(total)) / Number(total)) * 100)
      : percent !== undefined
        ? Math.min(100, Number(percent))
        : available && !progressing
          ? 100
          : null,
    message: redact(message).slice(0, MAX_MESSAGE_LENGTH),
    since: relevantConditions.find((condition) => condition?.message)?.since ?? null,
  };
}

/**
 * Returns the version that was installed first, and when its installation was complete: the oldest completed entry in
 * the history of a ClusterVersion.
 * @returns null before the first installation is complete; `completedAt` in milliseconds since the epoch, null if it is
 * missing or invalid
 */
export function getInitialInstallation(
  object: KubeObject,
): { readonly version: string | null; readonly completedAt: number | null } | null {
  const oldestCompletedEntry = getList(object.status, 'history').findLast(
    (entry) => getString(entry, 'state') === 'Completed',
  );
  if (oldestCompletedEntry === undefined) return null;
  const time = Date.parse(getString(oldestCompletedEntry, 'completionTime') ?? '');
  return { version: getString(oldestCompletedEntry, 'version'), completedAt: Number.isNaN(time) ? null : time };
}
