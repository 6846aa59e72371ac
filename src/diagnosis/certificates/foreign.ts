import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';

/** Nodes at whose planned addresses another key or name answers. */
type ForeignEvidence = readonly { readonly name: string; readonly ip: readonly string[] }[];

/** Another machine may be at the address of a node. */
export const foreign: Rule<ForeignEvidence> = {
  code: 'serving-foreign',
  severity: 'fatal',
  judge: (nodes) =>
    nodes.map(({ name, ip: [address = ''] }) => {
      const { title, cause, whatToDo } = catalogue().diagnosis.certificates['serving-foreign'];
      return { subject: name, title: title(name), cause: cause(address), whatToDo: whatToDo(name) };
    }),
};
