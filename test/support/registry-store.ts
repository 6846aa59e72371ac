import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createTar } from '../../src/host/tar.ts';

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const SIMPLE_SIGNING = 'application/vnd.dev.cosign.simplesigning.v1+json';
const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';

const POLICY_PATH = 'release-manifests/0000_90_openshift-cluster-image-policy.yaml';

const computeDigest = (body: string | Buffer) => `sha256:${createHash('sha256').update(body).digest('hex')}`;

export const createSigningKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** The key of all stores that name no other: it takes a while to create. */
const DEFAULT_KEY = createSigningKey();

const RELEASE_SCOPES = ['quay.io/openshift-release-dev/ocp-release', 'quay.io/openshift-release-dev/ocp-v4.0-art-dev'];

/** The ClusterImagePolicy of a release. */
export function createImagePolicy(key: KeyObject, { scopes = RELEASE_SCOPES, signedIdentity = '' } = {}): string {
  const pem = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  return [
    'apiVersion: config.openshift.io/v1',
    'kind: ClusterImagePolicy',
    'metadata: {name: openshift}',
    'spec:',
    `  scopes: ${JSON.stringify(scopes)}`,
    '  policy:',
    '    rootOfTrust:',
    '      policyType: PublicKey',
    `      publicKey: {keyData: ${Buffer.from(pem).toString('base64')}}`,
    ...(signedIdentity === '' ? [] : [`    signedIdentity: ${signedIdentity}`]),
  ].join('\n');
}

/** Deviations of a signature from a right one. */
export interface SignOptions {
  readonly key?: KeyObject;
  /** The digest that the payload names, in place of that of the image. */
  readonly signedDigest?: string;
  /** `quay.io/openshift-release-dev/ocp-release:4.22.1-x86_64` */
  readonly reference?: string;
  /** Media type of the layer with the payload: an attestation has another one. */
  readonly layerType?: string;
  /** In place of the base64 of the signature. */
  readonly annotation?: string;
  /** In place of the payload. */
  readonly payload?: string;
}

interface StoredDocument {
  readonly type: string;
  readonly body: string | Buffer;
}

/**
 * The content of one repository of a registry (OCI distribution-spec 1.1): manifests and blobs by their true digests,
 * tags, referrers. It signs images with its key as cosign does.
 */
export class RegistryStore {
  readonly #documents = new Map<string, StoredDocument>();
  readonly #referrers = new Map<string, object[]>();
  readonly #key: KeyObject;
  readonly #repository: string;

  /** @param repository that the signatures name */
  constructor(repository = 'quay.io/openshift-release-dev/ocp-release', key = DEFAULT_KEY) {
    this.#key = key;
    this.#repository = repository;
  }

  /**
   * Stores a release that consists of these images, by name. Returns its digest.
   * @param images references with digest: `quay.io/…/ocp-v4.0-art-dev@sha256:…`
   * @param policy its ClusterImagePolicy as YAML; null: it has none
   */
  pushRelease(images: Readonly<Record<string, string>>, policy: string | null = createImagePolicy(this.#key)): string {
    const tags = Object.entries(images).map(([name, image]) => ({ name, from: { kind: 'DockerImage', name: image } }));
    const references = JSON.stringify({ kind: 'ImageStream', apiVersion: 'image.openshift.io/v1', spec: { tags } });
    const files = [
      { path: 'release-manifests/release-metadata', content: Buffer.from('{}') },
      { path: 'release-manifests/image-references', content: Buffer.from(references) },
      ...(policy === null ? [] : [{ path: POLICY_PATH, content: Buffer.from(policy) }]),
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
   * @param signatures one layer each
   * @returns the paths of their payloads, for `replace` and `remove`
   */
  sign(digest: string, place: 'tag' | 'referrer', ...signatures: readonly SignOptions[]): string[] {
    const layers = (signatures.length === 0 ? [{}] : signatures).map((each) => this.#pushSignature(digest, each));
    const artifactType = 'application/vnd.dev.cosign.artifact.sig.v1+json';
    const manifest = {
      schemaVersion: 2,
      mediaType: MANIFEST,
      ...(place === 'referrer' ? { artifactType, subject: { mediaType: MANIFEST, digest } } : {}),
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...this.#pushBlob('{}') },
      layers,
    };
    const own = this.#pushManifest(manifest);
    if (place === 'referrer') this.refer(digest, { mediaType: MANIFEST, digest: own, artifactType });
    else this.replace(`manifests/${digest.replace(':', '-')}.sig`, JSON.stringify(manifest));
    return layers.map((layer) => `blobs/${layer.digest}`);
  }

  /** Adds an entry to the list of referrers of an image; null: an empty list. */
  refer(digest: string, entry: object | null): void {
    const list = [...(this.#referrers.get(digest) ?? []), ...(entry === null ? [] : [entry])];
    this.#referrers.set(digest, list);
    const index = { schemaVersion: 2, mediaType: OCI_INDEX, manifests: list };
    this.#documents.set(`referrers/${digest}`, { type: OCI_INDEX, body: JSON.stringify(index) });
  }

  /** Stores a body, right or wrong, at a path below the repository. */
  replace(path: string, body: string | Buffer): void {
    this.#documents.set(path, { type: MANIFEST, body });
  }

  /** Removes what is at a path below the repository. */
  remove(path: string): void {
    this.#documents.delete(path);
  }

  /** Answers a request for a path below the repository; null: it has nothing there. */
  answer(path: string, accept = ''): { status: 200; headers: object; body: string | Buffer } | null {
    const found = this.#documents.get(path);
    // As registries do, it serves a manifest only to a client that accepts its type.
    if (found === undefined || (path.startsWith('manifests/') && !accept.includes(found.type))) return null;
    return { status: 200, headers: { 'Content-Type': found.type }, body: found.body };
  }

  #pushSignature(digest: string, options: SignOptions) {
    const { key = this.#key, signedDigest = digest, layerType = SIMPLE_SIGNING } = options;
    const { reference = `${this.#repository}:4.22.1-x86_64` } = options;
    const critical = {
      identity: { 'docker-reference': reference },
      image: { 'docker-manifest-digest': signedDigest },
      type: 'cosign container image signature',
    };
    const { payload = JSON.stringify({ critical, optional: null }) } = options;
    const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
    const { annotation = sign(algorithm, Buffer.from(payload), key).toString('base64') } = options;
    const annotations = { 'dev.cosignproject.cosign/signature': annotation };
    return { mediaType: layerType, ...this.#pushBlob(payload), annotations };
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
