import { type FieldManager, getField, getList, getString, getTime, type Json, type KubeObject } from './object.ts';
import { parseSafely, sanitizeJson } from './safe-json.ts';

/** Parses one object like `parseSafely`, with its field managers as `metadata.managers`. */
export function parseWithManagers(json: string): unknown {
  const value = parseSafely(json);
  const metadata = getField(value, 'metadata');
  const entries = getList(JSON.parse(json), 'metadata', 'managedFields').map(sanitizeJson);
  if (entries.length === 0 || metadata === null || typeof metadata !== 'object') return value;
  // Entries of a subresource (status) hold no settings.
  const managers = entries
    .filter((entry) => (getString(entry, 'subresource') ?? '') === '')
    .map(
      (entry): FieldManager => ({
        name: getString(entry, 'manager') ?? '',
        lastWriteAt: getTime(entry, 'time'),
        fields: getField(entry, 'fieldsV1'),
      }),
    );
  return { ...(value as object), metadata: { ...metadata, managers } };
}

/** A path of keys to a field. */
type FieldPath = readonly string[];

/** Lists the fields that a merge patch sets or removes. */
export function listPatchPaths(patch: Json, path: FieldPath = []): FieldPath[] {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return [path];
  const entries = Object.entries(patch);
  return entries.length === 0 ? [path] : entries.flatMap(([key, value]) => listPatchPaths(value, [...path, key]));
}

/**
 * Finds the managers of any of these fields of the object, the latest first. An object that was read without managers
 * has none.
 */
export function listManagersOfFields({ metadata }: KubeObject, paths: readonly FieldPath[]): FieldManager[] {
  return (metadata.managers ?? [])
    .filter(({ fields }) => paths.some((path) => ownsField(fields, path)))
    .sort((a, b) => (b.lastWriteAt ?? 0) - (a.lastWriteAt ?? 0));
}

/** Whether the fieldsV1 tree has the field, a part of it, or a list or map that contains it and is owned as a whole. */
function ownsField(fields: unknown, path: FieldPath): boolean {
  let subtree = fields;
  for (const key of path) {
    const child = getField(subtree, `f:${key}`);
    if (child === undefined) return false;
    if (child !== null && typeof child === 'object' && Object.keys(child).length === 0) return true;
    subtree = child;
  }
  return path.length > 0;
}

/**
 * GitOps products, recognized by their field managers, or by labels and annotations of the object. Sources: Argo CD
 * util/argo and common/common.go; Flux kustomize-controller and helm-controller; ACM config-policy-controller and the
 * work agent of the klusterlet; Hive SyncSets; Fleet; Config Sync; Helm.
 */
const GITOPS_PRODUCTS: readonly {
  readonly product: string;
  readonly managerPattern: RegExp;
  readonly keyPattern: RegExp;
  readonly valuePattern?: RegExp;
}[] = [
  { product: 'Argo CD', managerPattern: /^argocd/, keyPattern: /^argocd\.argoproj\.io\/(?:tracking-id|instance)$/ },
  {
    product: 'Flux',
    managerPattern: /^(?:kustomize|helm|source)-controller$|^flux/,
    keyPattern: /^(?:kustomize|helm)\.toolkit\.fluxcd\.io\/name$/,
  },
  {
    product: 'Red Hat ACM',
    managerPattern: /^(?:config-policy|governance-policy)|^work(?:-agent)?$|^klusterlet/,
    keyPattern: /^(?:apps|policy)\.open-cluster-management\.io\//,
  },
  { product: 'Hive', managerPattern: /^hive/, keyPattern: /^hive\.openshift\.io\/managed$/ },
  { product: 'Fleet', managerPattern: /^fleet/, keyPattern: /^objectset\.rio\.cattle\.io\// },
  { product: 'Config Sync', managerPattern: /^configsync/, keyPattern: /^configsync\.gke\.io\// },
  {
    product: 'Helm',
    managerPattern: /^[Hh]elm$/,
    keyPattern: /^app\.kubernetes\.io\/managed-by$/,
    valuePattern: /^Helm$/,
  },
];

/** Finds the GitOps product that uses this field manager name; null for the name of no known product. */
export function findGitOpsProduct(manager: string): string | null {
  return GITOPS_PRODUCTS.find((entry) => entry.managerPattern.test(manager))?.product ?? null;
}

/** Lists the GitOps products that manage the object, by its labels, annotations and managers. */
export function listGitOpsProducts({ metadata }: KubeObject): string[] {
  const labelsAndAnnotations = Object.entries({ ...metadata.labels, ...metadata.annotations });
  return GITOPS_PRODUCTS.filter(
    ({ managerPattern, keyPattern, valuePattern = /./ }) =>
      metadata.managers?.some(({ name }) => managerPattern.test(name)) ||
      labelsAndAnnotations.some(([name, text]) => keyPattern.test(name) && valuePattern.test(text || ' ')),
  ).map(({ product }) => product);
}
