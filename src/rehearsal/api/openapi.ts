import type { ResourceKind } from './kinds/kind.ts';
import type { JsonRecord } from './objects.ts';
import { registry } from './registry.ts';

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
