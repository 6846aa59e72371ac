import type { Cluster } from '../../kube/api.ts';
import { readClusterId } from '../../kube/cluster-version.ts';
import type { KubeObject } from '../../openshift/object.ts';
import { systemClock } from '../../platform/clock.ts';
import type { NdjsonFile } from '../../session/ndjson-file.ts';
import type { Edit } from '../edit.ts';
import type { MoveName } from '../moves.ts';
import {
  derivePendingRestores,
  hasPlacedFiles,
  type PendingRestore,
  parseUndoLogLine,
  type UndoLogLine,
} from './log-line.ts';
import { captureUndoRecord } from './undo-record.ts';

/** Records the fields that objects had before the wizard's writes. */
export interface UndoLog {
  /**
   * Records an object before a move writes to it.
   * @param current null if the object does not exist
   * @throws UserErrorException `session-unwritable`: then the write must not happen; ClusterError
   */
  readonly recordObject: (cluster: Cluster, move: MoveName, edit: Edit, current: KubeObject | null) => Promise<void>;
  /**
   * Lists the pending restores of this cluster, in the order of the first writes; null if nothing was ever recorded for
   * it.
   * @throws UserErrorException `session-unreadable`; ClusterError
   */
  readonly listPendingRestores: (cluster: Cluster) => Promise<readonly PendingRestore[] | null>;
  /** Whether a files move has put its files in place, according to the records; null as for `listPendingRestores`. */
  readonly hasPlacedFiles: (cluster: Cluster, move: MoveName) => Promise<boolean | null>;
  /** Records that a files move puts its files in place, before it does, or that it has restored the previous ones. */
  readonly recordFiles: (cluster: Cluster, move: MoveName, type: 'files' | 'files-returned') => Promise<void>;
  /** Records that an object again has all the fields that it had before this move. */
  readonly recordRestored: (cluster: Cluster, restore: PendingRestore) => Promise<void>;
}

/** Creates the undo log in a file. */
export function createUndoLog(file: NdjsonFile): UndoLog {
  const formatNow = () => new Date(systemClock.now()).toISOString();
  const readLines = async (cluster: Cluster) => {
    const allLines = file.read().flatMap((line) => parseUndoLogLine(line) ?? []);
    const id = allLines.length === 0 ? null : await getClusterId(cluster);
    return { id, lines: allLines.filter((line) => line.cluster === id) };
  };
  const append = (line: UndoLogLine) => file.append([{ at: formatNow(), ...line }]);
  return {
    async recordObject(cluster, move, edit, current) {
      append({ type: 'before', cluster: await getClusterId(cluster), ...captureUndoRecord(move, edit, current) });
    },
    async listPendingRestores(cluster) {
      const { lines, id } = await readLines(cluster);
      return lines.length === 0 ? null : derivePendingRestores(lines, id);
    },
    async hasPlacedFiles(cluster, move) {
      const { lines, id } = await readLines(cluster);
      return lines.length === 0 ? null : hasPlacedFiles(lines, id, move);
    },
    async recordFiles(cluster, move, type) {
      append({ type, cluster: await getClusterId(cluster), move });
    },
    async recordRestored(cluster, { move, kind, namespace, name }) {
      append({ type: 'returned', cluster: await getClusterId(cluster), move, kind, namespace, name });
    },
  };
}

const clusterIds = new WeakMap<Cluster, Promise<string | null>>();

/**
 * Returns the ID of the cluster: a file next to a design may later be used with another cluster. Read once per
 * connection.
 */
function getClusterId(cluster: Cluster): Promise<string | null> {
  const clusterId = clusterIds.get(cluster) ?? readClusterId(cluster);
  clusterIds.set(cluster, clusterId);
  clusterId.catch(() => clusterIds.delete(cluster));
  return clusterId;
}
