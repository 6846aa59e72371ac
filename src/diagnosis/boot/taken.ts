import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { BootEvidence } from './evidence.ts';

/** Another machine answers ARP at the address of one of ours: whichever is asked first is the one that gets through. */
export const taken: Rule<BootEvidence, 'boot-address-taken'> = {
  code: 'boot-address-taken',
  severity: 'fatal',
  judge: ({ machines }) =>
    machines.flatMap(({ name, address, mac, takenBy }) => {
      if (takenBy === null) return [];
      const { title, cause, whatToDo } = catalogue().diagnosis.boot['boot-address-taken'];
      return [
        { subject: name, title: title(name, address), cause: cause(takenBy, mac), whatToDo: whatToDo(takenBy, name) },
      ];
    }),
};
