import { catalogue } from '../../i18n/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { BootEvidence } from './evidence.ts';

/** Another machine answers ARP at the address of one of ours: connections reach whichever of the two answers first. */
export const bootAddressConflict: Rule<BootEvidence, 'boot-address-taken'> = {
  code: 'boot-address-taken',
  severity: 'fatal',
  evaluate: ({ machines }) =>
    machines.flatMap(({ name, address, mac, conflictingMac }) => {
      if (conflictingMac === null) return [];
      const { title, cause, remedy } = catalogue().diagnosis.boot['boot-address-taken'];
      return [
        {
          subject: name,
          title: title(name, address),
          cause: cause(conflictingMac, mac),
          remedy: remedy(conflictingMac, name),
        },
      ];
    }),
};
