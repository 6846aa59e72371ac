import * as z from '../platform/zod.ts';
import {
  hasDigest,
  type ImagePolicy,
  type ImageReference,
  requiresSignature,
  type SignatureVerdict,
  verifySignature,
} from './image-policy.ts';
import { parseJson } from './release-payload.ts';

/**
 * Media type of a signature in the tag sha256-HEX.sig, which oc-mirror v2 writes. Nodes look for signatures there and
 * nowhere else: podman-container-tools/container-libs, image/docker/docker_client.go (getSigstoreAttachmentManifest).
 */
const SIGNATURE_MEDIA_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json';
const SIGNATURE_ANNOTATION = 'dev.cosignproject.cosign/signature';
/**
 * Artifact types of a signature in the list of referrers (OCI distribution-spec 1.1), where cosign can write it. No
 * release reads it there (container-libs#221, #1111).
 */
const SIGNATURE_ARTIFACT_TYPE =
  /^application\/vnd\.dev\.(?:cosign\.artifact\.sig\.v1|sigstore\.bundle\.v[\d.]+)\+json$/;

/** Limit of a payload in bytes, as nodes have it (container-libs, image/internal/iolimits). */
const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024;
/** Signatures of one image that are read: a release that is signed again keeps the older ones. */
const MAX_SIGNATURES = 32;

/** The answer of a registry; null: none. */
type PartResponse = { readonly status: number; readonly body: Buffer } | null;

/** Fetches a path below the repository, at most this many bytes. */
type PartFetcher = (path: string, maxBytes?: number) => Promise<PartResponse>;

/** The signature of an image in a registry. */
export interface SignatureStatus {
  /** Nodes read only a tag. Null: not reported. */
  readonly signature: 'tag' | 'referrer' | 'none' | null;
  /** The verdict of the policy on the signature in the tag. Null: no policy, no such signature, or not reported. */
  readonly verdict: SignatureVerdict | null;
}

/** Derives from the status of a response whether its target exists; null if the status proves neither. */
export function derivePresence(response: PartResponse): boolean | null {
  return response?.status === 200 ? true : response?.status === 404 ? false : null;
}

/**
 * Looks for the signature of an image in the tag where nodes look for it, and then among the referrers. Verifies only a
 * signature in the tag.
 * @param policy of the release; null: not known
 */
export async function findSignature(
  image: ImageReference,
  policy: ImagePolicy | null,
  fetchPart: PartFetcher,
): Promise<SignatureStatus> {
  const isRequired = policy === null || requiresSignature(policy, image);
  const verdict = isRequired ? null : ({ state: 'not-required' } as const);
  const tagResponse = await fetchPart(`manifests/${image.digest.replace(':', '-')}.sig`);
  if (tagResponse === null || derivePresence(tagResponse) === null) return { signature: null, verdict };
  const layers = tagResponse.status === 200 ? listSignatureLayers(tagResponse.body) : [];
  if (layers.length > 0) {
    const tagVerdict = policy !== null && isRequired ? await verifyLayers(layers, image, policy, fetchPart) : verdict;
    return { signature: 'tag', verdict: tagVerdict };
  }
  // An older registry has no list of referrers, and answers 404.
  const referrersResponse = await fetchPart(`referrers/${image.digest}`);
  const hasReferrerSignature = referrersResponse?.status === 200 && hasReferrer(referrersResponse.body);
  return { signature: hasReferrerSignature ? 'referrer' : 'none', verdict };
}

/**
 * Verifies all signatures of a tag. One accepted signature is enough, but nodes refuse the image if another signature
 * cannot be read (container-libs, image/docker/docker_image_src.go, appendSignaturesFromSigstoreAttachments).
 * @returns null if the registry does not report a signature, or has too many of them
 */
async function verifyLayers(
  layers: readonly SignatureLayer[],
  image: ImageReference,
  policy: ImagePolicy,
  fetchPart: PartFetcher,
): Promise<SignatureVerdict | null> {
  if (layers.length > MAX_SIGNATURES) return null;
  const verdicts: SignatureVerdict[] = [];
  for (const { digest, annotations } of layers) {
    if (digest === null || annotations === null) return { state: 'broken' };
    const answer = await fetchPart(`blobs/${digest}`, MAX_PAYLOAD_BYTES);
    const isPresent = derivePresence(answer);
    if (answer === null || isPresent === null) return null;
    if (!isPresent || !hasDigest(answer.body, digest)) return { state: 'broken' };
    const storedSignature = { payload: answer.body, signature: annotations[SIGNATURE_ANNOTATION] };
    verdicts.push(verifySignature(policy, image, storedSignature));
  }
  const verdictOrder = ['accepted', 'other-identity', 'other-image', 'other-key', 'broken'];
  return verdicts.sort((a, b) => verdictOrder.indexOf(a.state) - verdictOrder.indexOf(b.state))[0] ?? null;
}

/** A wrong digest or annotation becomes null, and the layer still counts: nodes refuse the image because of it. */
const signatureLayerSchema = z.object({
  mediaType: z.literal(SIGNATURE_MEDIA_TYPE),
  digest: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .nullable()
    .catch(null),
  annotations: z
    .object({ [SIGNATURE_ANNOTATION]: z.string() })
    .nullable()
    .catch(null),
});
type SignatureLayer = z.output<typeof signatureLayerSchema>;
const layersSchema = z.object({ layers: z.array(z.unknown()) });
const referrersSchema = z.object({ manifests: z.array(z.object({ artifactType: z.string().optional() })) });

/** Lists the signatures of a tag; attestations have another type. */
function listSignatureLayers(body: Buffer): readonly SignatureLayer[] {
  const parseResult = layersSchema.safeParse(parseJson(body));
  if (!parseResult.success) return [];
  return parseResult.data.layers.flatMap((layer) => {
    const { success, data } = signatureLayerSchema.safeParse(layer);
    return success ? [data] : [];
  });
}

function hasReferrer(body: Buffer): boolean {
  const parseResult = referrersSchema.safeParse(parseJson(body));
  return (
    parseResult.success &&
    parseResult.data.manifests.some(({ artifactType = '' }) => SIGNATURE_ARTIFACT_TYPE.test(artifactType))
  );
}
