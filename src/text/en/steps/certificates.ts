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
    question: (name: string) => `Approve ${name}?`,
    questionTyped: (name: string) => `Approve ${name} although it is refused?`,
    questionFor: (node: string) => `It is for ${node}.`,
    typeNode: (node: string) => `Type the name of the node: ${node}`,
    neverApproved: 'What is approved cannot be taken back: the sender becomes this node.',
    notIssued: (name: string, detail: string) => `${name}: ${detail}`,
    flood: 'automatic approval has stopped: far more requests wait than the nodes can have made',
    floodOver: 'the flood of requests is over: automatic approval goes on',
    page: {
      title: (name: string) => `Request ${name}`,
      verdicts: {
        expected: 'Expected: it fits the design in every point, and is approved with the others.',
        refused: 'Refused: it is not approved by itself. Why:',
        'not-ours': 'Not ours: it is for none of the signers of nodes. Operators and people make such requests too.',
        decided: 'Decided: it was approved, denied or failed.',
        superseded: 'Superseded: a newer request of the same node counts, or the node has joined meanwhile.',
      },
      reason: (code: string, text: string) => `- ${text} (${code})`,
      mayOverrule:
        'You may know more than the design: compare the fingerprint with the key on the node (sudo openssl pkey -in /var/lib/kubelet/pki/kubelet-client-current.pem -pubout over SSH, or its console). Then press a and type the name of the node.',
      mayNot:
        'It cannot be approved here. If the node is yours, correct the design or the node: it asks again within 15 minutes. If it is not, find out which machine sent it. It is never denied, and disappears after 24 hours.',
      facts: {
        node: (text: string) => `Node:        ${text}`,
        at: (text: string) => `Asked at:    ${text}`,
        signer: (text: string) => `Signer:      ${text}`,
        requester: (text: string) => `Sent by:     ${text}`,
        groups: (text: string) => `Its groups:  ${text}`,
        usages: (text: string) => `Usages:      ${text}`,
        key: (text: string) => `Key:         ${text}`,
        fingerprint: (text: string) => `Fingerprint: ${text} (SHA-256)`,
      },
      none: 'none',
      unreadable: 'cannot be read',
      names: 'Names asked for, beside the design:',
      name: (kind: string, text: string, state: string) => `  ${kind} ${text}: ${state}`,
      kinds: { dns: 'DNS', ip: 'address', email: 'e-mail', uri: 'URI', other: 'other name' },
      states: { planned: 'as planned', foreign: 'NOT of this node', missing: 'planned, not asked for' },
      boot: {
        seen: (stage: string, last: string) => `Seen to boot: ${stage}${last}.`,
        last: (time: string, what: string) => `, last at ${time}: ${what}`,
        nothing: (address: string, mac: string) =>
          `Warning: nothing was seen of its boot: ${address} asked the boot server for nothing, and ${mac} has no lease. That is normal for a node that was installed from an image or another server.`,
      },
    },
    kinds: { client: 'to join', serving: 'to serve', other: 'other' },
  },
} as const;
