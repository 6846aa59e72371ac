import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { parse } from 'yaml';
import { isInsideRepository } from '../design/derived-facts.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { computeSha256 } from '../platform/text.ts';
import * as z from '../platform/zod.ts';

/** A policy that requires sigstore signatures by one public key (ClusterImagePolicy, config.openshift.io). */
export interface ImagePolicy {
  /** Registries, repositories or images, `quay.io/openshift-release-dev/ocp-release`, or `*.example.com`. */
  readonly scopes: readonly string[];
  readonly key: KeyObject;
  readonly identity: SignedIdentity;
}

/** An image as a node references it: by the name of the source, not of its mirror, and by digest. */
export interface ImageReference {
  /** `quay.io/openshift-release-dev/ocp-release` */
  readonly repository: string;
  /** `sha256:…` */
  readonly digest: string;
}

/** One signature as it is stored: a payload, and its signature in base64. */
interface StoredSignature {
  readonly payload: Buffer;
  readonly signature: string;
}

/** A signature that nodes refuse; `signedReference`: the digest or reference that was signed instead. */
export type RefusedSignature =
  | { readonly state: 'broken' | 'other-key' }
  | { readonly state: 'other-image' | 'other-identity'; readonly signedReference: string };
export type SignatureVerdict = { readonly state: 'accepted' | 'not-required' } | RefusedSignature;

/** Whether nodes refuse the image because of its signature. */
export function isRefused(verdict: SignatureVerdict | null): verdict is RefusedSignature {
  return verdict !== null && verdict.state !== 'accepted' && verdict.state !== 'not-required';
}

const repositorySchema = z.string().min(1).max(512);
/** Source: openshift/api config/v1/types_image_policy.go. Without signedIdentity it is MatchRepoDigestOrExact. */
const identitySchema = z.discriminatedUnion('matchPolicy', [
  z.object({ matchPolicy: z.enum(['MatchRepoDigestOrExact', 'MatchRepository']) }),
  z.object({ matchPolicy: z.literal('ExactRepository'), exactRepository: z.object({ repository: repositorySchema }) }),
  z.object({
    matchPolicy: z.literal('RemapIdentity'),
    remapIdentity: z.object({ prefix: repositorySchema, signedPrefix: repositorySchema }),
  }),
]);
type SignedIdentity = z.output<typeof identitySchema>;
/** The transparency log (rekorKeyData) is not verified here, and so a policy that requires it is not supported. */
const policySchema = z.object({
  kind: z.literal('ClusterImagePolicy'),
  metadata: z.object({ name: z.literal('openshift') }),
  spec: z.object({
    scopes: z.array(repositorySchema).min(1).max(256),
    policy: z.object({
      rootOfTrust: z.object({
        policyType: z.literal('PublicKey'),
        publicKey: z.object({ keyData: z.base64().max(16_384), rekorKeyData: z.undefined().optional() }),
      }),
      signedIdentity: identitySchema.optional(),
    }),
  }),
});

/**
 * Parses the policy `openshift` of a release.
 * @param manifest a ClusterImagePolicy as YAML
 * @returns null if it is not this policy, or has another root of trust than a public key
 */
export function parseImagePolicy(manifest: Buffer): ImagePolicy | null {
  try {
    const { scopes, policy } = policySchema.parse(parse(manifest.toString('utf8'), { maxAliasCount: 0 })).spec;
    const pem = Buffer.from(policy.rootOfTrust.publicKey.keyData, 'base64').toString('utf8');
    if (!/^\s*-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(pem)) return null;
    const key = createPublicKey(pem);
    if (!['rsa', 'ec', 'ed25519'].includes(key.asymmetricKeyType ?? '')) return null;
    return { scopes, key, identity: policy.signedIdentity ?? { matchPolicy: 'MatchRepoDigestOrExact' } };
  } catch {
    return null;
  }
}

/**
 * Whether the policy requires a signature of this image (containers-policy.json(5), scopes of the transport docker).
 */
export function requiresSignature({ scopes }: ImagePolicy, image: ImageReference): boolean {
  const [host = ''] = image.repository.split('/');
  return scopes.some((scope) =>
    scope.startsWith('*.')
      ? host.endsWith(scope.slice(1))
      : isInsideRepository(image.repository, scope) || scope === `${image.repository}@${image.digest}`,
  );
}

/** Nodes refuse a payload with missing or additional fields, too. */
const payloadSchema = z.strictObject({
  critical: z.strictObject({
    type: z.literal('cosign container image signature'),
    image: z.strictObject({ 'docker-manifest-digest': z.string().regex(/^sha256:[0-9a-f]{64}$/) }),
    identity: z.strictObject({ 'docker-reference': z.string().max(1024) }),
  }),
  optional: z.record(z.string(), z.unknown()).nullable(),
});

/**
 * Verifies a signature of an image as nodes do: first the key, then the content.
 * Source: podman-container-tools/container-libs, image/signature/internal/sigstore_payload.go (VerifySigstorePayload).
 */
export function verifySignature(
  policy: ImagePolicy,
  image: ImageReference,
  { payload, signature }: StoredSignature,
): SignatureVerdict {
  // Go's decoder skips line breaks, and accepts nothing else outside of the alphabet.
  const base64 = signature.replace(/[\r\n]/g, '');
  if (!z.base64().min(1).safeParse(base64).success) return { state: 'broken' };
  const algorithm = policy.key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  if (!verify(algorithm, payload, policy.key, Buffer.from(base64, 'base64'))) return { state: 'other-key' };
  const payloadContent = parsePayload(payload);
  if (payloadContent === null) return { state: 'broken' };
  if (payloadContent.digest !== image.digest) return { state: 'other-image', signedReference: payloadContent.digest };
  return isIdentityAccepted(policy.identity, image.repository, payloadContent.reference)
    ? { state: 'accepted' }
    : { state: 'other-identity', signedReference: sanitizeLine(payloadContent.reference, 160) };
}

function parsePayload(payload: Buffer): { readonly digest: string; readonly reference: string } | null {
  try {
    const { critical } = payloadSchema.parse(JSON.parse(payload.toString('utf8')));
    return { digest: critical.image['docker-manifest-digest'], reference: critical.identity['docker-reference'] };
  } catch {
    return null;
  }
}

/**
 * A reference with its registry: name, tag, digest (distribution/reference). The signatures of Red Hat always name the
 * registry.
 */
const REFERENCE_PATTERN = /^([a-z0-9.-]+(?::\d{1,5})?(?:\/[a-z0-9._-]+)+)(:\w[\w.-]{0,127})?(@sha256:[0-9a-f]{64})?$/;

/**
 * Whether a signature that names `reference` is valid for an image that is pulled by digest. Source:
 * podman-container-tools/container-libs, image/signature/policy_reference_match.go.
 */
function isIdentityAccepted(identity: SignedIdentity, pulledRepository: string, reference: string): boolean {
  const [, name, tag, digest] = REFERENCE_PATTERN.exec(reference) ?? [];
  if (name === undefined) return false;
  const isExact = tag !== undefined || digest !== undefined;
  switch (identity.matchPolicy) {
    case 'MatchRepoDigestOrExact':
      return isExact && name === pulledRepository;
    case 'MatchRepository':
      return name === pulledRepository;
    case 'ExactRepository':
      return name === identity.exactRepository.repository;
    case 'RemapIdentity': {
      const { prefix, signedPrefix } = identity.remapIdentity;
      const mappedRepository = isInsideRepository(pulledRepository, prefix)
        ? signedPrefix + pulledRepository.slice(prefix.length)
        : pulledRepository;
      return isExact && name === mappedRepository;
    }
  }
}

/** Whether a body has this digest, `sha256:…`. */
export const hasDigest = (body: Buffer, digest: string) => `sha256:${computeSha256(body)}` === digest;
