/** Requests for certificates, and who joined. */
import { plural } from '../plural.ts';

export const certificatesWords = {
  certificates: {
    toPowerOn: (count: number) => `${plural(count, 'machine')} to power on`,
    needed: (count: number) => `${plural(count, 'request')} to approve`,
    done: (count: number) =>
      count === 1
        ? 'the node joined, with a certificate for its planned address'
        : `all ${plural(count, 'node')} joined, with certificates for their planned addresses`,
    waiting: (joined: number, of: number) => `${joined} of ${of} nodes joined; waiting for the next requests`,
    refused: (name: string, node: string, reasons: string) => `Request ${name} for ${node} is refused: ${reasons}`,
    refusedFix:
      'It does not fit the design, and is not approved. Find out who sent it before you do anything with it; it disappears by itself after 24 hours.',
    approve: (name: string, kind: string) => `approve ${name} (${kind})`,
    approved: (name: string, node: string) => `approved ${name} for ${node}`,
    notIssued: (name: string, detail: string) => `${name}: ${detail}`,
    kinds: { client: 'to join', serving: 'to serve', other: 'other' },
  },
} as const;
