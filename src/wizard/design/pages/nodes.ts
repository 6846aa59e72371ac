import { ROLES } from '../../../design/model.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { type DesignDocument, getAt, setAt } from '../document.ts';
import { type Field, field } from '../fields.ts';
import { freeAddressFacts, fullNameFacts, macFacts } from './facts.ts';

const words = () => catalogue().pages.nodes.edit;

/** A new bond gets a mode that works with every switch; without a name the bond is removed. */
function completeBond(node: DesignDocument): DesignDocument {
  if (getAt(node, 'bond.name') === undefined) return setAt(node, 'bond', undefined);
  return getAt(node, 'bond.mode') === undefined ? setAt(node, 'bond.mode', 'active-backup') : node;
}

const hasBond = (node: DesignDocument) => getAt(node, 'bond') !== undefined && getAt(node, 'bond') !== null;

/** The fields of one node. Paths are relative to the node. */
export const nodeFields: readonly Field[] = [
  field('name', 'text', () => words().name, { facts: fullNameFacts(true) }),
  field('role', 'choice', () => words().role, { choices: ROLES }),
  field('ip', 'addresses', () => words().ip, { facts: freeAddressFacts }),
  field('mac', 'text', () => words().mac, { facts: macFacts }),
  field('vcpu', 'number', () => words().vcpu),
  field('memoryGiB', 'number', () => words().memoryGiB),
  field('diskGiB', 'number', () => words().diskGiB),
  field('installDisk', 'text', () => words().installDisk),
  field('interface', 'text', () => words().interface, { isOptional: true, isAdvanced: true }),
  field('vlan', 'number', () => words().vlan, { isOptional: true, isAdvanced: true }),
  field('bond.name', 'text', () => words().bondName, {
    isOptional: true,
    isAdvanced: true,
    extraPaths: ['bond'],
    applyFollowUp: completeBond,
  }),
  field('bond.interfaces', 'list', () => words().bondInterfaces, { isAdvanced: true, isVisible: hasBond }),
  field('bond.mode', 'choice', () => words().bondMode, {
    choices: ['active-backup', '802.3ad', 'balance-rr', 'balance-xor', 'broadcast', 'balance-tlb', 'balance-alb'],
    isAdvanced: true,
    isVisible: hasBond,
  }),
  field('firmware', 'choice', () => words().firmware, {
    choices: ['uefi', 'bios'],
    isAdvanced: true,
    fallback: () => 'uefi',
  }),
  field('secureBoot', 'flag', () => words().secureBoot, { isAdvanced: true, fallback: () => 'false' }),
  field('kernelArguments', 'words', () => words().kernelArguments, { isOptional: true, isAdvanced: true }),
];
