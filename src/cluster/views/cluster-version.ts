import { conditionsOf, isTrue, type KubeObject, textAt } from '../../objects/object.ts';
import { redact } from '../../text/redact.ts';
import type { Cluster } from '../api.ts';

/** How far the cluster is on its way to a version: the conditions of the ClusterVersion `version`. */
export interface ClusterVersionView {
  readonly version: string;
  readonly available: boolean;
  readonly progressing: boolean;
  readonly failing: boolean;
  /** "640 of 869 done" of the message; null when it gives no numbers. */
  readonly done: number | null;
  readonly total: number | null;
  /** How much of the release is applied, 0 to 100; versions before 4.6 report only this. Null when none is reported. */
  readonly percent: number | null;
  readonly message: string;
  /** Since when it has been in this state, in milliseconds since the epoch. */
  readonly since: number | null;
}

/**
 * Reads the one ClusterVersion; null before there is one.
 * @throws ClusterError
 */
export async function readClusterVersion(cluster: Cluster): Promise<ClusterVersionView | null> {
  const object = await cluster.get('ClusterVersion', 'version');
  return object && clusterVersionView(object);
}

const LONGEST_MESSAGE = 20_000;

/**
 * The version of the cluster and how far it is. The cluster version operator says "Working towards 4.18.9: 640 of 869 done
 * (73% complete), waiting on console" (4.6 and later), "Working towards 4.5.9: 73% complete" (before), "Unable to apply
 * 4.18.9: …" and "Cluster version is 4.18.9". The installer reads the same conditions: Failing before Progressing.
 */
export function clusterVersionView(object: KubeObject): ClusterVersionView {
  const conditions = conditionsOf(object);
  const told = (type: string) => conditions.find((condition) => condition.type === type);
  const failing = isTrue(conditions, 'Failing');
  const available = isTrue(conditions, 'Available');
  const progressing = isTrue(conditions, 'Progressing');
  const text = told('Progressing')?.message ?? '';
  const [, done, total] = /(\d{1,6}) of (\d{1,6}) done/.exec(text) ?? [];
  const [, percent] = /(\d{1,3})% complete/.exec(text) ?? [];
  const counted = done !== undefined && total !== undefined && Number(total) > 0;
  const matters = [failing ? told('Failing') : undefined, told('Progressing'), told('Available')];
  const message = matters.find((condition) => condition?.message)?.message ?? '';
  return {
    version: textAt(object.status, 'desired', 'version') ?? '',
    available,
    progressing,
    failing,
    done: counted ? Math.min(Number(done), Number(total)) : null,
    total: counted ? Number(total) : null,
    percent: counted
      ? Math.floor((Math.min(Number(done), Number(total)) / Number(total)) * 100)
      : percent !== undefined
        ? Math.min(100, Number(percent))
        : available && !progressing
          ? 100
          : null,
    message: redact(message).slice(0, LONGEST_MESSAGE),
    since: matters.find((condition) => condition?.message)?.since ?? null,
  };
}
