import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit } from '../edit.ts';

const DEFAULT_ANNOTATION = 'storageclass.kubernetes.io/is-default-class';

/** Lists the storage classes of the cluster, with the default one. */
export async function listStorageClasses(
  cluster: ClusterReader,
): Promise<{ names: readonly string[]; defaultClass: string | null }> {
  const found = await cluster.list('StorageClass');
  const [defaultClass] = found
    .filter(({ metadata }) => metadata.annotations?.[DEFAULT_ANNOTATION] === 'true')
    // Of several the API server takes the newest (kubernetes, pkg/volume/util/storageclass.go).
    .sort((a, b) => (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''));
  return { names: found.map(({ metadata }) => metadata.name), defaultClass: defaultClass?.metadata.name ?? null };
}

/** The reclaim policy of volumes that stay when their claim is deleted. */
const RETAIN = 'Retain';
/** The fields of a class beside its name and its reclaim policy. */
const COPIED_FIELDS = [
  'provisioner',
  'parameters',
  'mountOptions',
  'allowVolumeExpansion',
  'volumeBindingMode',
  'allowedTopologies',
];

/**
 * Finds a class like this one whose volumes stay when their claim is deleted: itself, or a copy `NAME-retain`, with the
 * edit that creates a missing copy. Null if another class has that name.
 */
export async function findRetainClass(
  cluster: ClusterReader,
  name: string,
): Promise<{ readonly name: string; readonly classEdit: Edit | null } | null> {
  const found = await cluster.get('StorageClass', name);
  if (found?.reclaimPolicy === RETAIN) return { name, classEdit: null };
  const copy = `${name}-retain`;
  const existing = await cluster.get('StorageClass', copy);
  if (existing !== null) {
    const isMatchingCopy = existing.reclaimPolicy === RETAIN && existing.provisioner === found?.provisioner;
    return isMatchingCopy ? { name: copy, classEdit: null } : null;
  }
  const fields = Object.fromEntries(
    COPIED_FIELDS.flatMap((key) => (found?.[key] === undefined ? [] : [[key, found[key]]])),
  );
  const create = () => ({ metadata: { name: copy }, ...fields, reclaimPolicy: RETAIN });
  // Volumes are provisioned with it.
  return {
    name: copy,
    classEdit: { kind: 'StorageClass', name: copy, namespace: null, create, createdObjectPolicy: 'stays' },
  };
}
