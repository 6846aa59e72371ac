import type { ResourceKind } from './kinds/kind.ts';
import type { JsonRecord } from './objects.ts';
import { registry } from './registry.ts';

type Kinds = readonly ResourceKind[];

const listGroups = (kinds: Kinds) => [...new Set(kinds.map(({ group }) => group))].filter(Boolean);
const listVersions = (kinds: Kinds, group: string) => [
  ...new Set(kinds.filter((kind) => kind.group === group).map(({ version }) => version)),
];

/**
 * The kinds that the API serves now.
 * @param hasNamespace whether a namespace of that name exists
 */
function listServedKinds(hasNamespace: (namespace: string) => boolean): Kinds {
  return [...registry.values()].filter(
    ({ operatorNamespace }) => operatorNamespace === undefined || hasNamespace(operatorNamespace),
  );
}

/**
 * The response of a discovery path (/api, /apis, /api/v1, /apis/apps, /apis/apps/v1); null: another path.
 * @param hasNamespace whether a namespace of that name exists: some kinds come with an operator
 */
export function discover(path: string, hasNamespace: (namespace: string) => boolean): JsonRecord | null {
  const kinds = listServedKinds(hasNamespace);
  const groups = listGroups(kinds);
  const [root, group, version, ...more] = path.split('/').filter(Boolean);
  if (more.length > 0) return null;
  if (root === 'api' && version === undefined)
    return group === undefined ? buildApiVersions(kinds) : buildResourceList(kinds, '', group);
  if (root !== 'apis') return null;
  if (group === undefined)
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((name) => buildGroup(kinds, name)) };
  if (!groups.includes(group)) return null;
  return version === undefined
    ? { kind: 'APIGroup', apiVersion: 'v1', ...buildGroup(kinds, group) }
    : buildResourceList(kinds, group, version);
}

/** Lists every path that the server answers, as `GET /` lists them. */
export function listRootPaths(hasNamespace: (namespace: string) => boolean): JsonRecord {
  const kinds = listServedKinds(hasNamespace);
  const groupPaths = listGroups(kinds).flatMap((group) => [
    `/apis/${group}`,
    ...listVersions(kinds, group).map((version) => `/apis/${group}/${version}`),
  ]);
  const others = ['/healthz', '/livez', '/openapi/v2', '/readyz', '/version'];
  return { paths: ['/api', '/api/v1', '/apis', ...groupPaths, ...others] };
}

function buildApiVersions(kinds: Kinds): JsonRecord {
  return { kind: 'APIVersions', versions: listVersions(kinds, ''), serverAddressByClientCIDRs: [] };
}

function buildGroup(kinds: Kinds, name: string): JsonRecord {
  const versions = listVersions(kinds, name).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

function buildResourceList(kinds: Kinds, group: string, version: string): JsonRecord | null {
  const served = kinds.filter((kind) => kind.group === group && kind.version === version);
  if (served.length === 0) return null;
  const groupVersion = group === '' ? version : `${group}/${version}`;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: served.flatMap(buildResources) };
}

function buildResources(kind: ResourceKind): JsonRecord[] {
  const { plural, singular, namespaced, shortNames, categories } = kind;
  const own: JsonRecord = {
    name: plural,
    singularName: singular,
    namespaced,
    kind: kind.kind,
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
  };
  const subresources = kind.subresources.map((subresource) => ({
    name: `${plural}/${subresource}`,
    singularName: '',
    namespaced,
    ...(subresource === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : { kind: kind.kind }),
    verbs: ['get', 'patch', 'update'],
  }));
  return [own, ...subresources];
}
