import type { ResourceKind } from './kind.ts';
import type { JsonRecord } from './objects.ts';
import { registry } from './registry.ts';

const kinds = [...registry.values()];
const groups = [...new Set(kinds.map(({ group }) => group))].filter(Boolean);
const versionsOf = (group: string) => [
  ...new Set(kinds.filter((kind) => kind.group === group).map(({ version }) => version)),
];

/** The answer of a discovery path (/api, /apis, /api/v1, /apis/apps, /apis/apps/v1); null: another path. */
export function discover(path: string): JsonRecord | null {
  const [root, group, version, ...more] = path.split('/').filter(Boolean);
  if (more.length > 0) return null;
  if (root === 'api' && version === undefined) return group === undefined ? coreVersions() : resourceList('', group);
  if (root !== 'apis') return null;
  if (group === undefined) return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupEntry) };
  if (!groups.includes(group)) return null;
  return version === undefined
    ? { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) }
    : resourceList(group, version);
}

/** Every path that answers something, as `GET /` lists them. */
export function rootPaths(): JsonRecord {
  const ofGroups = groups.flatMap((group) => [
    `/apis/${group}`,
    ...versionsOf(group).map((version) => `/apis/${group}/${version}`),
  ]);
  const others = ['/healthz', '/livez', '/openapi/v2', '/readyz', '/version'];
  return { paths: ['/api', '/api/v1', '/apis', ...ofGroups, ...others] };
}

function coreVersions(): JsonRecord {
  return { kind: 'APIVersions', versions: versionsOf(''), serverAddressByClientCIDRs: [] };
}

function groupEntry(name: string): JsonRecord {
  const versions = versionsOf(name).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

function resourceList(group: string, version: string): JsonRecord | null {
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
    kind: kind.kind,
    verbs: ['get', 'patch', 'update'],
  }));
  return [own, ...subresources];
}
