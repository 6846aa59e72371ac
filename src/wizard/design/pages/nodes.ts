import { ROLES } from '../../../design/model.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { type Document, getAt, setAt } from '../document.ts';
import type { Field } from '../fields.ts';
import { freeAddress, fullName, macFacts } from './facts.ts';

const words = () => catalogue().pages.nodes.edit;

/** A name makes a bond that works with every switch; without a name there is no bond. */
function followBond(node: Document): Document {
  if (getAt(node, 'bond.name') === undefined) return setAt(node, 'bond', undefined);
  return getAt(node, 'bond.mode') === undefined ? setAt(node, 'bond.mode', 'active-backup') : node;
}

const hasBond = (node: Document) => getAt(node, 'bond') !== undefined && getAt(node, 'bond') !== null;

/** The questions about one node; paths are relative to the node. */
export const nodeFields: readonly Field[] = [
  { path: 'name', type: 'text', words: () => words().name, facts: fullName(true) },
  { path: 'role', type: 'choice', words: () => words().role, choices: ROLES },
  { path: 'ip', type: 'addresses', words: () => words().ip, facts: freeAddress },
  { path: 'mac', type: 'text', words: () => words().mac, facts: macFacts },
  { path: 'vcpu', type: 'number', words: () => words().vcpu },
  { path: 'memoryGiB', type: 'number', words: () => words().memoryGiB },
  { path: 'diskGiB', type: 'number', words: () => words().diskGiB },
  { path: 'installDisk', type: 'text', words: () => words().installDisk },
  { path: 'interface', type: 'text', words: () => words().interface, isOptional: true, isAdvanced: true },
  { path: 'vlan', type: 'number', words: () => words().vlan, isOptional: true, isAdvanced: true },
  {
    path: 'bond.name',
    type: 'text',
    words: () => words().bondName,
    isOptional: true,
    isAdvanced: true,
    alsoOwns: ['bond'],
    follow: followBond,
  },
  { path: 'bond.interfaces', type: 'list', words: () => words().bondInterfaces, isAdvanced: true, isVisible: hasBond },
  {
    path: 'bond.mode',
    type: 'choice',
    words: () => words().bondMode,
    choices: ['active-backup', '802.3ad', 'balance-rr', 'balance-xor', 'broadcast', 'balance-tlb', 'balance-alb'],
    isAdvanced: true,
    isVisible: hasBond,
  },
  {
    path: 'firmware',
    type: 'choice',
    words: () => words().firmware,
    choices: ['uefi', 'bios'],
    isAdvanced: true,
    fallback: () => 'uefi',
  },
  { path: 'secureBoot', type: 'flag', words: () => words().secureBoot, isAdvanced: true, fallback: () => 'false' },
  { path: 'kernelArguments', type: 'words', words: () => words().kernelArguments, isOptional: true, isAdvanced: true },
];
