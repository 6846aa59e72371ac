import type { ResourceKind } from './kinds/kind.ts';
import type { JsonRecord } from './objects.ts';
import { registry } from './registry.ts';

type Kinds = readonly ResourceKind[];

const groupsOf = (kinds: Kinds) => [...new Set(kinds.map(({ group }) => group))].filter(Boolean);
const versionsOf = (kinds: Kinds, group: string) => [
  ...new Set(kinds.filter((kind) => kind.group === group).map(({ version }) => version)),
];

/** The kinds that the API serves now. @param isThere whether there is a namespace of that name */
function servedKinds(isThere: (namespace: string) => boolean): Kinds {
  return [...registry.values()].filter(({ servedWith }) => servedWith === undefined || isThere(servedWith));
}

/**
 * The answer of a discovery path (/api, /apis, /api/v1, /apis/apps, /apis/apps/v1); null: another path.
 * @param isThere whether there is a namespace of that name: some kinds come with an operator
 */
export function discover(path: string, isThere: (namespace: string) => boolean): JsonRecord | null {
  const kinds = servedKinds(isThere);
  const groups = groupsOf(kinds);
  const [root, group, version, ...more] = path.split('/').filter(Boolean);
  if (more.length > 0) return null;
  if (root === 'api' && version === undefined)
    return group === undefined ? coreVersions(kinds) : resourceList(kinds, '', group);
  if (root !== 'apis') return null;
  if (group === undefined)
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((name) => groupEntry(kinds, name)) };
  if (!groups.includes(group)) return null;
  return version === undefined
    ? { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(kinds, group) }
    : resourceList(kinds, group, version);
}

/** Every path that answers something, as `GET /` lists them. */
export function rootPaths(isThere: (namespace: string) => boolean): JsonRecord {
  const kinds = servedKinds(isThere);
  const ofGroups = groupsOf(kinds).flatMap((group) => [
    `/apis/${group}`,
    ...versionsOf(kinds, group).map((version) => `/apis/${group}/${version}`),
  ]);
  const others = ['/healthz', '/livez', '/openapi/v2', '/readyz', '/version'];
  return { paths: ['/api', '/api/v1', '/apis', ...ofGroups, ...others] };
}

function coreVersions(kinds: Kinds): JsonRecord {
  return { kind: 'APIVersions', versions: versionsOf(kinds, ''), serverAddressByClientCIDRs: [] };
}

function groupEntry(kinds: Kinds, name: string): JsonRecord {
  const versions = versionsOf(kinds, name).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

function resourceList(kinds: Kinds, group: string, version: string): JsonRecord | null {
  const served = kinds.filter((kind) => kind.group === group && kind.version === version);
  if (served.length === 0) return null;
  const groupVersion = group === '' ? version : `${group}/${version}`;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: served.flatMap(resourceEntries) };
}

function resourceEntries(kind: ResourceKind): JsonRecord[] {
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
