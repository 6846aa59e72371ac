import type { ResourceKind } from './kinds/kinds.ts';
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

/**
 * The response of /version.
 * @param gitVersion `v1.31.6`
 */
export function buildVersionInfo(gitVersion: string): JsonRecord {
  const [, major = '1', minor = '0'] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    gitVersion,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2025-01-01T00:00:00Z',
    goVersion: 'go1.22.9 (Red Hat 1.22.9-1.el9)',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}

// The kinds that can be patched and tried with dryRun. kubectl up to 1.26 reads this before `--dry-run=server`. It
// contains no definitions, and kubectl leaves the validation of kinds without one to the server.

/** Builds the OpenAPI 2 document as JSON. */
export function buildOpenApiJson(gitVersion: string): JsonRecord {
  const paths = [...registry.values()].map((kind) => {
    const { group, version } = kind;
    const patch = {
      parameters: [{ name: 'dryRun', in: 'query', type: 'string', uniqueItems: true }],
      responses: { 200: { description: 'OK' } },
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group, kind: kind.kind, version },
    };
    return [getResourcePath(kind), { patch }];
  });
  const info = { title: 'Kubernetes', version: gitVersion };
  return { swagger: '2.0', info, paths: Object.fromEntries(paths), definitions: {} };
}

/**
 * The same in the protobuf encoding (google/gnostic, openapiv2/OpenAPIv2.proto), the only one that kubectl 1.20
 * understands. The numbers are those of the fields of its messages.
 */
export function encodeOpenApiProtobuf(gitVersion: string): Buffer {
  const info = [field(1, 'Kubernetes'), field(2, gitVersion)];
  const paths = [...registry.values()].map((kind) => {
    const item = message(8, encodePatchOperation(kind));
    return message(2, field(1, getResourcePath(kind)), message(2, item));
  });
  return Buffer.concat([field(1, '2.0'), message(2, ...info), message(8, ...paths)]);
}

function encodePatchOperation({ group, version, kind }: ResourceKind): Buffer {
  const dryRun = message(3, field(2, 'query'), field(4, 'dryRun'), field(6, 'string'));
  const parameter = message(8, message(1, message(2, dryRun)));
  const yaml = `group: ${JSON.stringify(group)}\nkind: ${kind}\nversion: ${version}\n`;
  const extension = message(13, field(1, 'x-kubernetes-group-version-kind'), message(2, field(2, yaml)));
  return Buffer.concat([parameter, extension]);
}

function getResourcePath({ group, version, plural, namespaced }: ResourceKind): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}/{name}`;
}

function field(number: number, text: string): Buffer {
  return message(number, Buffer.from(text));
}

function message(number: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
