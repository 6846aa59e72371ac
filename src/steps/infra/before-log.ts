import type { Cluster } from '../../cluster/api.ts';
import { type BeforeLine, hasPutFiles, type Kept, keptOf, parseBeforeLine } from '../../moves/before/line.ts';
import { beforeOf } from '../../moves/before/record.ts';
import type { Edit } from '../../moves/edit.ts';
import type { MoveName } from '../../moves/table.ts';
import { type KubeObject, textAt } from '../../objects/object.ts';
import { systemClock } from '../../ports/clock.ts';
import type { LinesFile } from '../../session/lines-file.ts';

/** Where it is written down what objects had before our writes. */
export interface BeforeLog {
  /**
   * Writes down what an object has, before a move writes to it.
   * @param current null where there is no object
   * @throws TroubleError `session-unwritable`: then the write must not happen; ClusterError
   */
  readonly note: (cluster: Cluster, move: MoveName, edit: Edit, current: KubeObject | null) => Promise<void>;
  /**
   * What is still to be given back in this cluster, in the order of the first writes; null where nothing was ever written
   * down about it.
   * @throws TroubleError `session-unreadable`; ClusterError
   */
  readonly kept: (cluster: Cluster) => Promise<readonly Kept[] | null>;
  /** Whether a move of files has put its files in place, by what was written down; null as of `kept`. */
  readonly hasPutFiles: (cluster: Cluster, move: MoveName) => Promise<boolean | null>;
  /** Notes that a move of files puts its files in place, before it does, or that it has put back the ones before. */
  readonly noteFiles: (cluster: Cluster, move: MoveName, type: 'files' | 'files-returned') => Promise<void>;
  /** Notes that an object has again all that it had before this move. */
  readonly returned: (cluster: Cluster, kept: Kept) => Promise<void>;
}

/** The log in a file. */
export function beforeLog(file: LinesFile): BeforeLog {
  const at = () => new Date(systemClock.now()).toISOString();
  const linesOf = async (cluster: Cluster) => {
    const all = file.read().flatMap((line) => parseBeforeLine(line) ?? []);
    const id = all.length === 0 ? null : await idOf(cluster);
    return { id, lines: all.filter((line) => line.cluster === id) };
  };
  const append = (line: BeforeLine) => file.append([{ at: at(), ...line }]);
  return {
    async note(cluster, move, edit, current) {
      append({ type: 'before', cluster: await idOf(cluster), ...beforeOf(move, edit, current) });
    },
    async kept(cluster) {
      const { lines, id } = await linesOf(cluster);
      return lines.length === 0 ? null : keptOf(lines, id);
    },
    async hasPutFiles(cluster, move) {
      const { lines, id } = await linesOf(cluster);
      return lines.length === 0 ? null : hasPutFiles(lines, id, move);
    },
    async noteFiles(cluster, move, type) {
      append({ type, cluster: await idOf(cluster), move });
    },
    async returned(cluster, { move, kind, namespace, name }) {
      append({ type: 'returned', cluster: await idOf(cluster), move, kind, namespace, name });
    },
  };
}

const ids = new WeakMap<Cluster, Promise<string | null>>();

/** What tells clusters apart: a file beside a design may be used with another cluster one day. Asked once a connection. */
function idOf(cluster: Cluster): Promise<string | null> {
  const known = ids.get(cluster) ?? askId(cluster);
  ids.set(cluster, known);
  known.catch(() => ids.delete(cluster));
  return known;
}

async function askId(cluster: Cluster): Promise<string | null> {
  const version = await cluster.get('ClusterVersion', 'version');
  return textAt(version?.spec, 'clusterID') ?? version?.metadata.uid ?? null;
}
