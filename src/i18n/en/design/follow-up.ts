import { plural } from '../ui.ts';

/** Messages of the offer to change the answers that depend on an answer that the user changed. */
export const followUp = {
  questions: {
    network: (count: number, to: string) => `Move ${plural(count, 'address', 'addresses')} to ${to}?`,
    gateway: (_count: number, to: string) => `Also use ${to} where the old gateway address is used?`,
    name: (count: number, to: string) => `Change ${plural(count, 'name')} to the new cluster name ${to}?`,
    domain: (count: number, to: string) => `Move ${plural(count, 'name')} to ${to}?`,
  },
  explanation: 'These answers still have the old value. Nothing else changes, and one undo reverts all of it.',
  replacement: (from: string, to: string, names: string) => `${from} -> ${to}  ${names}`,
  unplacedAddresses: (addresses: string) => `These do not fit into the new network and stay as they are: ${addresses}`,
  accepted: (count: number) => `${plural(count, 'answer')} changed too. Ctrl-Z undoes it.`,
  declined: 'The other answers stay as they are; the review shows what no longer fits.',
  readFirst: 'Keys that you pressed before this list appeared are ignored. Read the list, then answer.',
  yesLabel: 'change them',
  noLabel: 'leave them',
};
