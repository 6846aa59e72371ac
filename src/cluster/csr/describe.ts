import { DerError } from './der.ts';
import { type AltName, canonicalAddress, readPkcs10 } from './pkcs10.ts';
import { type CertificateRequest, SERVING_SIGNER } from './request.ts';

/**
 * A name of a request, compared with the design. `foreign`: requested, not planned; `missing`: planned, not requested.
 */
export interface NameComparison {
  readonly kind: AltName['kind'];
  readonly text: string;
  readonly state: 'planned' | 'foreign' | 'missing';
}

/** The content of a request, for the user to review. */
export interface RequestDescription {
  readonly key: string;
  readonly names: readonly NameComparison[];
}

/**
 * Parses a request again, for its page; null if it cannot be read.
 * @param planned the node's planned addresses and names, lower-case; nothing if it is no node of the design
 */
export function describeRequest(
  request: CertificateRequest,
  planned: { readonly addresses: readonly string[]; readonly names: readonly string[] },
): RequestDescription | null {
  try {
    const { key, names } = readPkcs10(request.request);
    const addresses = planned.addresses.map(canonicalAddress);
    const requested = (names ?? []).map((name): NameComparison => {
      const isPlanned = name.kind === 'ip' ? addresses.includes(name.text) : isPlannedName(name, planned.names);
      return { ...name, state: isPlanned ? 'planned' : 'foreign' };
    });
    const missing = addresses.filter((address) => !requested.some(({ text }) => text === address));
    const isServing = request.signer === SERVING_SIGNER;
    const absent = isServing ? missing.map((text): NameComparison => ({ kind: 'ip', text, state: 'missing' })) : [];
    return { key: key.label, names: [...requested, ...absent] };
  } catch (error) {
    if (error instanceof DerError) return null;
    throw error;
  }
}

function isPlannedName({ kind, text }: AltName, names: readonly string[]): boolean {
  return kind === 'dns' && names.includes(text.toLowerCase());
}
