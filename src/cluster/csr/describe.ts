import { DerError } from './der.ts';
import { type AltName, canonicalAddress, readPkcs10 } from './pkcs10.ts';
import { type CertificateRequest, SERVING_SIGNER } from './request.ts';

/** A name of a request, against the design. `foreign`: requested, not planned; `missing`: planned, not requested. */
export interface NameBeside {
  readonly kind: AltName['kind'];
  readonly text: string;
  readonly state: 'planned' | 'foreign' | 'missing';
}

/** The content of a request, for the person who has to judge it. Null where it cannot be read. */
export interface Description {
  readonly key: string;
  readonly names: readonly NameBeside[];
}

/**
 * Reads a request again, for its page.
 * @param planned the node's planned addresses and names, lower-case; nothing where it is no node of the design
 */
export function describeRequest(
  request: CertificateRequest,
  planned: { readonly addresses: readonly string[]; readonly names: readonly string[] },
): Description | null {
  try {
    const { key, names } = readPkcs10(request.request);
    const addresses = planned.addresses.map(canonicalAddress);
    const asked = (names ?? []).map((name): NameBeside => {
      const isPlanned = name.kind === 'ip' ? addresses.includes(name.text) : isName(name, planned.names);
      return { ...name, state: isPlanned ? 'planned' : 'foreign' };
    });
    const missing = addresses.filter((address) => !asked.some(({ text }) => text === address));
    const isServing = request.signer === SERVING_SIGNER;
    const open = isServing ? missing.map((text): NameBeside => ({ kind: 'ip', text, state: 'missing' })) : [];
    return { key: key.words, names: [...asked, ...open] };
  } catch (error) {
    if (error instanceof DerError) return null;
    throw error;
  }
}

function isName({ kind, text }: AltName, names: readonly string[]): boolean {
  return kind === 'dns' && names.includes(text.toLowerCase());
}
