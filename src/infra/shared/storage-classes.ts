import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit } from '../edit.ts';

const DEFAULT_ANNOTATION = 'storageclass.kubernetes.io/is-default-class';

/** Lists the StorageClasses of the cluster, with the default one. */
export async function listStorageClasses(
  cluster: ClusterReader,
): Promise<{ names: readonly string[]; defaultClass: string | null }> {
  const classes = await cluster.list('StorageClass');
  const [defaultClass] = classes
    .filter(({ metadata }) => metadata.annotations?.[DEFAULT_ANNOTATION] === 'true')
    // If several classes are the default, the API server takes the newest (kubernetes,
    // pkg/volume/util/storageclass.go).
    .sort((a, b) => (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''));
  return { names: classes.map(({ metadata }) => metadata.name), defaultClass: defaultClass?.metadata.name ?? null };
}

/** The reclaim policy of volumes that stay when their claim is deleted. */
const RETAIN = 'Retain';
/** The fields of a StorageClass besides its name and its reclaim policy. */
const COPIED_FIELDS = [
  'provisioner',
  'parameters',
  'mountOptions',
  'allowVolumeExpansion',
  'volumeBindingMode',
  'allowedTopologies',
];

/**
 * Finds a StorageClass whose volumes stay when their claim is deleted: the named class itself, or its copy
 * `NAME-retain`, with the edit that creates a missing copy. Null if a different class has the name of the copy.
 */
export async function findRetainClass(
  cluster: ClusterReader,
  name: string,
): Promise<{ readonly name: string; readonly classEdit: Edit | null } | null> {
  const sourceClass = await cluster.get('StorageClass', name);
  if (sourceClass?.reclaimPolicy === RETAIN) return { name, classEdit: null };
  const copyName = `${name}-retain`;
  const existingCopy = await cluster.get('StorageClass', copyName);
  if (existingCopy !== null) {
    const isMatchingCopy =
      existingCopy.reclaimPolicy === RETAIN && existingCopy.provisioner === sourceClass?.provisioner;
    return isMatchingCopy ? { name: copyName, classEdit: null } : null;
  }
  const fields = Object.fromEntries(
    COPIED_FIELDS.flatMap((key) => (sourceClass?.[key] === undefined ? [] : [[key, sourceClass[key]]])),
  );
  const create = () => ({ metadata: { name: copyName }, ...fields, reclaimPolicy: RETAIN });
  // Undo keeps the StorageClass, because volumes use it.
  return {
    name: copyName,
    classEdit: { kind: 'StorageClass', name: copyName, namespace: null, create, createdObjectPolicy: 'stays' },
  };
}
