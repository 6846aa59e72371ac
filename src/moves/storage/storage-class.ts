import type { Edit } from '../edit.ts';
import type { Sight } from '../move.ts';

const DEFAULT = 'storageclass.kubernetes.io/is-default-class';

/** The storage classes of the cluster and the default one. */
export async function storageClasses(sight: Sight): Promise<{ names: readonly string[]; standard: string | null }> {
  const found = await sight.list('StorageClass');
  const [standard] = found
    .filter(({ metadata }) => metadata.annotations?.[DEFAULT] === 'true')
    // Of several the API server takes the newest (kubernetes, pkg/volume/util/storageclass.go).
    .sort((a, b) => (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''));
  return { names: found.map(({ metadata }) => metadata.name), standard: standard?.metadata.name ?? null };
}

/** The class whose volumes stay when their claim is deleted. */
const RETAIN = 'Retain';
/** What a class says beside its name, and how long its volumes live. */
const COPIED = [
  'provisioner',
  'parameters',
  'mountOptions',
  'allowVolumeExpansion',
  'volumeBindingMode',
  'allowedTopologies',
];

/**
 * A class like this one whose volumes stay when their claim is deleted: itself, or a copy `NAME-retain`, with the edit that makes
 * it where it is not there. Null where another class has that name.
 */
export async function retainingClass(
  sight: Sight,
  name: string,
): Promise<{ readonly name: string; readonly making: Edit | null } | null> {
  const found = await sight.get('StorageClass', name);
  if (found?.reclaimPolicy === RETAIN) return { name, making: null };
  const copy = `${name}-retain`;
  const there = await sight.get('StorageClass', copy);
  if (there !== null) {
    const isLike = there.reclaimPolicy === RETAIN && there.provisioner === found?.provisioner;
    return isLike ? { name: copy, making: null } : null;
  }
  const fields = Object.fromEntries(COPIED.flatMap((key) => (found?.[key] === undefined ? [] : [[key, found[key]]])));
  const create = () => ({ metadata: { name: copy }, ...fields, reclaimPolicy: RETAIN });
  // Volumes are made by it.
  return { name: copy, making: { kind: 'StorageClass', name: copy, namespace: null, create, making: 'stays' } };
}
