import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createTar } from '../../src/host/tar.ts';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const SIMPLE_SIGNING = 'application/vnd.dev.cosign.simplesigning.v1+json';
const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';

const computeDigest = (body: string | Buffer) => `sha256:${createHash('sha256').update(body).digest('hex')}`;

interface StoredDocument {
  readonly type: string;
  readonly body: string | Buffer;
}

/**
 * The content of one repository of a registry (OCI distribution-spec 1.1): manifests and blobs by their true digests,
 * tags, referrers. It signs images with a key of its own as cosign does.
 */
export class RegistryStore {
  readonly #documents = new Map<string, StoredDocument>();
  readonly #referrers = new Map<string, object[]>();
  readonly #key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

  /**
   * Stores a release that consists of these images, by name. Returns its digest.
   * @param images references with digest: `quay.io/…/ocp-v4.0-art-dev@sha256:…`
   */
  pushRelease(images: Readonly<Record<string, string>>): string {
    const tags = Object.entries(images).map(([name, image]) => ({ name, from: { kind: 'DockerImage', name: image } }));
    const references = JSON.stringify({ kind: 'ImageStream', apiVersion: 'image.openshift.io/v1', spec: { tags } });
    const files = [
      { path: 'release-manifests/release-metadata', content: Buffer.from('{}') },
      { path: 'release-manifests/image-references', content: Buffer.from(references) },
    ];
    return this.pushImage(gzipSync(createTar(files, 0)));
  }

  /** Stores an index with an image for each architecture, `amd64`. Returns its digest. */
  pushIndex(images: Readonly<Record<string, string>>): string {
    const manifests = Object.entries(images).map(([architecture, digest]) => ({
      mediaType: MANIFEST,
      digest,
      size: 400,
      platform: { architecture, os: 'linux' },
    }));
    return this.#pushManifest({ schemaVersion: 2, mediaType: OCI_INDEX, manifests }, OCI_INDEX);
  }

  /** Stores an image of one layer. Returns its digest. */
  pushImage(content: string | Buffer): string {
    const blob = this.#pushBlob(content);
    return this.#pushManifest({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...blob },
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...blob }],
    });
  }

  /**
   * Signs an image.
   * @param place the tag sha256-HEX.sig, or the list of referrers
   * @param layerType media type of the layer with the payload: an attestation has another one
   */
  sign(digest: string, place: 'tag' | 'referrer', layerType = SIMPLE_SIGNING): void {
    const payload = JSON.stringify({
      critical: {
        identity: { 'docker-reference': 'quay.io/openshift-release-dev/ocp-release' },
        image: { 'docker-manifest-digest': digest },
        type: 'cosign container image signature',
      },
      optional: null,
    });
    const signature = sign('sha256', Buffer.from(payload), this.#key).toString('base64');
    const artifactType = 'application/vnd.dev.cosign.artifact.sig.v1+json';
    const manifest = {
      schemaVersion: 2,
      mediaType: MANIFEST,
      ...(place === 'referrer' ? { artifactType, subject: { mediaType: MANIFEST, digest } } : {}),
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...this.#pushBlob('{}') },
      layers: [
        {
          mediaType: layerType,
          ...this.#pushBlob(payload),
          annotations: { 'dev.cosignproject.cosign/signature': signature },
        },
      ],
    };
    const own = this.#pushManifest(manifest);
    if (place === 'referrer') this.refer(digest, { mediaType: MANIFEST, digest: own, artifactType });
    else this.replace(`manifests/${digest.replace(':', '-')}.sig`, JSON.stringify(manifest));
  }

  /** Adds an entry to the list of referrers of an image; null: an empty list. */
  refer(digest: string, entry: object | null): void {
    const list = [...(this.#referrers.get(digest) ?? []), ...(entry === null ? [] : [entry])];
    this.#referrers.set(digest, list);
    const index = { schemaVersion: 2, mediaType: OCI_INDEX, manifests: list };
    this.#documents.set(`referrers/${digest}`, { type: OCI_INDEX, body: JSON.stringify(index) });
  }

  /** Stores a body, right or wrong, at a path below the repository. */
  replace(path: string, body: string): void {
    this.#documents.set(path, { type: MANIFEST, body });
  }

  /** Answers a request for a path below the repository; null: it has nothing there. */
  answer(path: string, accept = ''): { status: 200; headers: object; body: string | Buffer } | null {
    const found = this.#documents.get(path);
    // As registries do, it serves a manifest only to a client that accepts its type.
    if (found === undefined || (path.startsWith('manifests/') && !accept.includes(found.type))) return null;
    return { status: 200, headers: { 'Content-Type': found.type }, body: found.body };
  }

  #pushBlob(content: string | Buffer) {
    const digest = computeDigest(content);
    this.#documents.set(`blobs/${digest}`, { type: 'application/octet-stream', body: content });
    return { digest, size: content.length };
  }

  #pushManifest(manifest: object, type = MANIFEST): string {
    const body = JSON.stringify(manifest);
    this.#documents.set(`manifests/${computeDigest(body)}`, { type, body });
    return computeDigest(body);
  }
}
