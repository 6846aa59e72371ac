import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { findTarFile } from '../host/tar.ts';
import * as z from '../platform/zod.ts';
import { hasDigest } from './image-policy.ts';

/** Limits of one layer, packed and unpacked, in bytes. The manifests of a release have 1 to 2 MB, packed. */
const MAX_LAYER_BYTES = 8 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const REFERENCES_FILE = 'release-manifests/image-references';
/**
 * The ClusterImagePolicy of a Red Hat release: openshift/cluster-update-keys,
 * manifests.rhel/0000_90_openshift-cluster-image-policy.yaml.
 */
const POLICY_FILE = 'release-manifests/0000_90_openshift-cluster-image-policy.yaml';
const MAX_POLICY_BYTES = 64 * 1024;

/** The parts of a release image that the wizard reads. */
interface ReleasePayload {
  readonly images: readonly PayloadImage[];
  /** The ClusterImagePolicy `openshift` as YAML; null: the release has none. */
  readonly policy: Buffer | null;
}

/** An image that a release consists of. */
export interface PayloadImage {
  /** `etcd` */
  readonly name: string;
  /** `quay.io/openshift-release-dev/ocp-v4.0-art-dev` */
  readonly repository: string;
  /** `sha256:…` */
  readonly digest: string;
}

const digestSchema = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const manifestSchema = z.object({
  layers: z.array(z.object({ digest: digestSchema, size: z.int().positive() })).optional(),
  manifests: z
    .array(z.object({ digest: digestSchema, platform: z.object({ architecture: z.string() }).optional() }))
    .optional(),
});
const referencesSchema = z.object({
  spec: z.object({
    tags: z.array(
      z.object({
        name: z.string().regex(/^[\w.-]{1,80}$/),
        from: z.object({ name: z.string().max(400) }),
      }),
    ),
  }),
});

/**
 * Reads the images and the policy of a release from its own image, as `oc adm release info` does: `oc adm release new`
 * appends the layer with release-manifests (openshift/oc, pkg/cli/admin/release). Each part is checked by its digest.
 * @param manifest of the release, or an index: then the manifest of `architecture` is read
 * @param architecture `amd64`
 * @param fetchPart fetches a path below the repository, at most this many bytes; null: not there
 * @returns null if the last layer does not contain the list of images
 */
export async function readReleasePayload(
  manifest: Buffer,
  architecture: string,
  fetchPart: (path: string, maxBytes?: number) => Promise<Buffer | null>,
): Promise<ReleasePayload | null> {
  const { layers, manifests = [] } = parseManifest(manifest);
  if (layers === undefined) {
    const platformManifest = manifests.find(({ platform }) => platform?.architecture === architecture);
    const image = platformManifest === undefined ? null : await fetchPart(`manifests/${platformManifest.digest}`);
    return image === null ||
      !hasDigest(image, platformManifest?.digest ?? '') ||
      parseManifest(image).layers === undefined
      ? null
      : await readReleasePayload(image, architecture, fetchPart);
  }
  const lastLayer = layers.at(-1);
  if (lastLayer === undefined || lastLayer.size > MAX_LAYER_BYTES) return null;
  const layer = await fetchPart(`blobs/${lastLayer.digest}`, MAX_LAYER_BYTES);
  if (layer === null || !hasDigest(layer, lastLayer.digest)) return null;
  try {
    const tar = await promisify(gunzip)(layer, { maxOutputLength: MAX_UNPACKED_BYTES });
    const file = findTarFile(tar, REFERENCES_FILE, MAX_FILE_BYTES);
    const images = file === null ? null : parseReferences(file);
    return images === null ? null : { images, policy: findTarFile(tar, POLICY_FILE, MAX_POLICY_BYTES) };
  } catch {
    // The layer has another format, or is damaged.
    return null;
  }
}

function parseManifest(body: Buffer): z.output<typeof manifestSchema> {
  return manifestSchema.catch({}).parse(parseJson(body));
}

function parseReferences(file: Buffer): readonly PayloadImage[] | null {
  const parseResult = referencesSchema.safeParse(parseJson(file));
  if (!parseResult.success) return null;
  return parseResult.data.spec.tags.flatMap(({ name, from }) => {
    const [, repository, imageDigest] = /^([^@\s]+)@(sha256:[0-9a-f]{64})$/.exec(from.name) ?? [];
    return repository === undefined || imageDigest === undefined ? [] : [{ name, repository, digest: imageDigest }];
  });
}

/** Parses JSON; null if the body is not JSON. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}
